import { describe, expect, it } from 'vitest'
import type { Directory } from '../../src/directories/directories.js'
import { AuthConfigError } from '../../src/index.js'
import { type DirectoryHarness, directoryContract } from '../../src/testing/testing.js'
import { type MemoryDirectory, memoryDirectory } from '../support/memory-directory.js'

type Breaking = (good: MemoryDirectory) => Partial<Directory>

const harness =
  (breaking: Breaking = () => ({})) =>
  (): DirectoryHarness => {
    const good = memoryDirectory()
    return {
      directory: { ...good, ...breaking(good) },
      add: async (person) => good.add(person),
      disable: async (username) => good.disable(username),
      remove: async (username) => good.remove(username),
      setPassword: async (username, password) => good.setPassword(username, password),
      down: async (isDown) => good.down(isDown),
    }
  }

const right = { outcome: 'right' } as const
const bad: Readonly<Record<string, readonly [Breaking, test: string, says: RegExp]>> = {
  'has an id with blanks': [() => ({ id: 'My id' }), 'it names itself', /The id is not/],
  'answers groups as they are written': [
    (good) => ({
      find: async (name) =>
        (await good.find(name)).map((entry) => ({ ...entry, groups: ['CN=Chat'] })),
    }),
    'find answers the entry of a name',
    /in lower case/,
  ],
  'gives everybody one subject': [
    (good) => ({
      find: async (name) => (await good.find(name)).map((one) => ({ ...one, subject: 'x' })),
    }),
    'find answers the entry of a name',
    /one subject/,
  ],
  'puts a name into a pattern': [
    (good) => ({
      find: async (name) =>
        name.endsWith('*') ? [good.add({ username: 'any' })] : good.find(name),
    }),
    'find answers nobody for a name that nobody has',
    /a name is a value/i,
  ],
  'answers the first of many': [
    (good) => ({ look: async (subjects) => (await good.look(subjects)).slice(0, 10) }),
    'look answers of 500 subjects those that are there',
    /left out is signed out/,
  ],
  'remembers who is gone': [
    (good) => {
      const seen = new Map<string, Awaited<ReturnType<Directory['find']>>>()
      return {
        async find(name) {
          const found = await good.find(name)
          if (found.length > 0) seen.set(name, found)
          return seen.get(name) ?? []
        },
      }
    },
    'who is gone is found no more',
    /find answers who is gone/,
  ],
  'leaves out who is disabled': [
    (good) => ({
      look: async (subjects) => (await good.look(subjects)).filter(({ disabled }) => !disabled),
    }),
    'who is disabled is found, as disabled',
    /disabled: true/,
  ],
  'takes the password of somebody disabled': [
    (good) => ({
      async verify(entry, password) {
        const verdict = await good.verify(entry, password)
        const isDisabled = verdict.outcome === 'wrong' && verdict.reason === 'disabled'
        return isDisabled ? right : verdict
      },
    }),
    'who is disabled is found, as disabled',
    /right password of somebody disabled/,
  ],
  'has one connection for all': [
    (good) => {
      let last = Promise.resolve<Awaited<ReturnType<Directory['find']>>>([])
      return {
        async find(name) {
          last = good.find(name)
          last.catch(() => {})
          await new Promise((resolve) => setImmediate(resolve))
          return last
        },
      }
    },
    'calls side by side do not mix',
    /./,
  ],
  'takes an outage for a wrong password': [
    (good) => ({
      verify: (entry, password) =>
        good
          .verify(entry, password)
          .catch(() => ({ outcome: 'wrong', reason: 'wrong-password' }) as const),
    }),
    'an outage rejects',
    /verify answered during an outage/,
  ],
  'compares without regard to case': [
    (good) => ({
      verify: (entry, password) =>
        good.verify(entry, password.toLowerCase().trim().slice(0, 1024).replaceAll('\0', '')),
    }),
    'verify tells the right password from others',
    /not the one of the entry/,
  ],
  'remembers passwords': [
    (good) => {
      const known = new Set<string>()
      return {
        async verify(entry, password) {
          const key = JSON.stringify([entry?.subject, password])
          if (known.has(key)) return right
          const verdict = await good.verify(entry, password)
          if (verdict.outcome === 'right') known.add(key)
          return verdict
        },
        setPassword: () => {},
      }
    },
    'verify knows the password of now',
    /./,
  ],
  'binds without a password': [
    (good) => ({
      verify: async (entry, password) => (password === '' ? right : good.verify(entry, password)),
    }),
    'verify takes no password that is none',
    /a bind without|the bind without/,
  ],
  'takes anything of nobody': [
    (good) => ({
      verify: async (entry, password) => (entry === null ? right : good.verify(entry, password)),
    }),
    'verify of nobody is wrong',
    /did not answer wrong/,
  ],
}

async function failuresOf(create: () => DirectoryHarness): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const { name, run } of directoryContract({ create }))
    await run().catch((error: unknown) => failures.set(name, String(error)))
  return failures
}

describe('a good directory', () => {
  for (const { name, run } of directoryContract({ create: harness() })) it(name, run)
})

describe('the contract of directories', () => {
  it.each(Object.entries(bad))('finds out one that %s', async (name, [breaking, test, says]) => {
    // It is asked before the change as well, as a router would ask it.
    const create = () => {
      const made = harness(breaking)()
      if (name !== 'remembers passwords') return made
      return {
        ...made,
        async setPassword(username: string, password: string) {
          const [entry] = await made.directory.find(username)
          await made.directory.verify(entry ?? null, `password of ${username}`)
          await made.setPassword(username, password)
        },
      }
    }
    const failures = await failuresOf(create)
    expect([...failures.keys()]).toContain(test)
    expect(failures.get(test)).toMatch(says)
  })

  it('takes a directory whose outages are not tried, and closes what it made', async () => {
    let open = 0
    const failures = await failuresOf(() => {
      open += 1
      const { down: _down, ...others } = harness()()
      return { ...others, close: async () => (open -= 1) }
    })
    expect([open, failures]).toEqual([0, new Map()])
  })

  it('refuses what makes no harness', () => {
    expect(() => directoryContract({} as never)).toThrow(AuthConfigError)
    expect(() => directoryContract(undefined as never)).toThrow(AuthConfigError)
  })
})
