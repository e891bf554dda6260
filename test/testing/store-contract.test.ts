import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe as nodeDescribe, it as nodeIt } from 'node:test'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { fileKeyStore } from '../../src/signers/file-key-store.js'
import type { SessionRecord } from '../../src/stores/contract.js'
import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from '../../src/stores/memory-stores.js'
import {
  type ContractRunner,
  type StoreContractName,
  type StoreOutage,
  type StoresUnderTest,
  storeContract,
} from '../../src/testing/testing.js'
import { outage, storesThatCanBeAway } from './bad-stores/outages.js'
import { badStores } from './bad-stores.js'
import { caught } from './caught.js'
import { outageTest } from './caught-outages.js'
import { collect, failuresOf } from './collect.js'
import { memoryKeyStore } from './memory-key-store.js'

const contracts = [
  'codes',
  'sessions',
  'secondFactors',
  'tickets',
  'keys',
  'consents',
  'once',
  'clients',
  'passkeys',
  'proofs',
  'identities',
  'deviceCodes',
] as const

function goodStores(): StoresUnderTest {
  const stores = memoryStores()
  const { codes, sessions } = stores
  const redemption: NonNullable<typeof codes.redemption> = {
    sessions,
    async redeem(codeHash, session, now) {
      if (
        (await codes.find(codeHash))?.consumedAt === null &&
        (await sessions.find(session.id)) !== null
      )
        throw new Error('duplicate')
      const answer = await codes.consume(codeHash, now)
      if (answer.outcome === 'consumed') await sessions.create(session)
      return answer
    },
  }
  return {
    ...stores,
    ...memoryOAuthStores(),
    clients: memoryOAuthStores().clients,
    codes: { ...codes, redemption },
    keys: memoryKeyStore(),
    passkeys: memoryPasskeyStore(),
  }
}

storeContract({ describe, it }, { name: 'good stores in memory', contracts, stores: goodStores })
storeContract(
  { describe, it },
  { name: 'memoryStores() alone', contracts: ['codes', 'sessions'], stores: () => memoryStores() },
)

storeContract(
  { describe, it },
  { name: 'good stores that can be away', contracts, stores: storesThatCanBeAway, outage },
)

const folder = await mkdtemp(join(tmpdir(), 'keys-'))
afterAll(() => rm(folder, { recursive: true }))
storeContract(
  { describe, it },
  { name: 'fileKeyStore()', contracts: ['keys'], stores: () => ({ keys: fileKeyStore(folder) }) },
)

/** Causes that are told apart by their words, and the bad stores that have them. */
const causes: readonly (readonly [words: RegExp, stores: RegExp])[] = [
  [
    /confuses|that differ by|that differs by|ignores case|touched a hash/,
    /case|blank|Unicode|cut at|ids|of everybody|hashes/,
  ],
  [
    /was no text|but no text|took .* for a key/,
    /put into a text|at all|joined|beginning|as numbers|cut at|as an upsert/,
  ],
  [/made a session|made a factor/, /as an upsert/],
  [/not in a plain object/, /plain object/],
  [
    /whose clock is|clocks of processes differ/,
    /too late|createdAt on|before createdAt|leaves out/,
  ],
  [/by the real time/, /TTL|expires with|the end that create wrote/],
  [/although that had resolved/, /keeps|remembers|leaves the enrolment|savePending keeps/],
  [/rounded up/, /rounded down/],
  [
    /page by page|next page/,
    // Of many rows that are added ten at a time, a list in one value loses most.
    /page|batch|does nothing|goes on|late|upsert|GET and DEL|without a limit|everybody|in a value/,
  ],
]

function namesAnotherCause(store: string, said: string): boolean {
  return causes.some(
    ([words, stores]) => words.test(said.split('\n')[0] ?? '') && !stores.test(store),
  )
}

describe('the store contract finds out a store that', () => {
  it.each(Object.entries(badStores))('is found to break its promise: %s', async (name, stores) => {
    const contract = name.split(':')[0] as StoreContractName
    const [test, message] = caught[name as keyof typeof badStores]
    const away = test === outageTest ? { outage } : {}
    const options = { name, contracts: [contract], stores, rounds: 5, ...away }
    // Tests that let real time pass only where they must fail.
    const failures = await failuresOf(
      options,
      (tried) => !tried.includes('by the real time') || tried === `${contract}: ${test}`,
    )
    expect([...failures.keys()]).toContain(`${contract}: ${test}`)
    expect(failures.get(`${contract}: ${test}`)).toContain(message)
    expect([...failures.values()].filter((said) => namesAnotherCause(name, said))).toEqual([])
  })

  it('is not there, although it was promised', async () => {
    const failures = await failuresOf({ name: 'none', contracts: ['tickets'], stores: () => ({}) })
    expect(new Set(failures.values())).toEqual(
      new Set(["TypeError: contracts names 'tickets', but stores() gave no tickets"]),
    )
  })

  it('cannot be opened: each test says why, and it is tried once', async () => {
    let calls = 0
    const stores = () => {
      calls += 1
      throw new Error('no connection')
    }
    const failures = await failuresOf({ name: 'none', contracts: ['keys'], stores })
    expect(new Set(failures.values())).toEqual(new Set(['Error: no connection']))
    expect(calls).toBe(1)
  })
})

describe('in an outage the store contract', () => {
  const stores = storesThatCanBeAway
  const inOutage = (name: string) => name.endsWith(outageTest)

  it('is skipped with a title that says what to pass, unless it is given one', () => {
    const given = { name: 'none', contracts, stores }
    expect(collect(given).skipped).toEqual([
      `${outageTest}: give storeContract the option outage: { begin, end } to have it tried`,
    ])
    expect(collect({ ...given, outage }).skipped).toEqual([])
  })

  it('asks every method that our stores have, by its name', async () => {
    const { begin, end } = { begin: () => {}, end: () => {} }
    const given = { name: 'none', contracts, stores: goodStores, outage: { begin, end } }
    const said = [...(await failuresOf(given, inOutage)).values()].join()
    const { redemption, ...codes } = goodStores().codes ?? {}
    const methods = Object.entries({ ...goodStores(), codes, 'codes.redemption': redemption })
      .filter(([name]) => contracts.includes(name as 'codes') || name === 'codes.redemption')
      .flatMap(([name, store]) => Object.keys(store ?? {}).map((method) => `${name}.${method}`))
      .filter((method) => method !== 'codes.redemption.sessions')
    expect(methods.filter((method) => !said.includes(`${method} answered `))).toEqual([])
  })

  it('does not ask a purge that has nothing to do', async () => {
    const { tickets } = storesThatCanBeAway()
    const idle = () => ({ tickets: { ...tickets, purge: async () => 0 } }) as StoresUnderTest
    const given = { name: 'none', contracts: ['tickets'] as const, stores: idle, outage }
    expect(await failuresOf({ ...given, expires: 'database' }, inOutage)).toEqual(new Map())
    expect([...(await failuresOf(given, inOutage)).values()].join()).toContain('tickets.purge')
  })

  it('says so where the database is still away after it', async () => {
    const away = { begin: outage.begin, end: () => {} }
    const given = { name: 'none', contracts: ['keys'] as const, stores, outage: away }
    const said = [...(await failuresOf(given, inOutage)).values()]
    outage.end()
    expect(said).toEqual([expect.stringContaining('keys.list must work after outage.end()')])
  })

  it.each([[{ begin: () => {} }], ['stop']])('refuses what is none: %j', (wrong) => {
    const given = { name: 'none', contracts, stores, outage: wrong as unknown as StoreOutage }
    expect(() => collect(given)).toThrow(/^storeContract\.outage: .* begin\(\) and end\(\)/)
  })
})

describe('the store contract', () => {
  it('says that a method throws where it has to reject', async () => {
    const { sessions } = goodStores()
    const create = (session: SessionRecord) => {
      if (/\p{Surrogate}/u.test(session.id)) throw new TypeError('not a key')
      return sessions?.create(session)
    }
    const stores = () => ({ sessions: Object.freeze({ ...sessions, create }) }) as StoresUnderTest
    const said = await failuresOf({ name: 'none', contracts: ['sessions'], stores, rounds: 1 })
    expect([...said.values()]).toEqual([
      expect.stringContaining(
        'sessions.create threw before it returned a promise: make it async. It threw: TypeError: ' +
          'not a key',
      ),
    ])
  })

  it('opens no store before a test runs', () => {
    let calls = 0
    const stores = () => {
      calls += 1
      return goodStores()
    }
    const tests = collect({ name: 'lazy', contracts: [...contracts, 'codes'], stores })
    expect(calls).toBe(0)
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length)
  })

  it.each([[[]], [['codes', 'users']]])('refuses contracts that are none: %j', (given) => {
    const options = {
      name: 'none',
      contracts: given as unknown as StoreContractName[],
      stores: goodStores,
    }
    expect(() => collect(options)).toThrow(
      /^storeContract\.contracts: .+ more of codes, .+, proofs, identities, deviceCodes\./,
    )
  })

  it.each([0, 1.5, Number.NaN])('refuses %d rounds, which would prove nothing', (rounds) => {
    expect(() => collect({ name: 'none', contracts, stores: goodStores, rounds })).toThrow(
      /^storeContract\.rounds: is \S+, not a whole number from 1 on\./,
    )
  })

  it('refuses an `expires` that is neither purge nor database', () => {
    const options = { name: 'none', contracts, stores: goodStores, expires: 'ttl' as 'purge' }
    expect(() => collect(options)).toThrow(
      "storeContract.expires: is neither 'purge' nor 'database'",
    )
  })

  it(
    'takes 0 of a purge only where the database deletes what is over, and nothing else of it ' +
      'then',
    async () => {
      const { tickets } = memoryStores()
      const stores = () => ({ tickets: { ...tickets, purge: async () => 0 } })
      const left = await failuresOf({ name: 'none', contracts: ['tickets'], stores })
      expect([...left.values()].join()).toContain('rows pile up for ever')
      expect(
        await failuresOf({ name: 'none', contracts: ['tickets'], stores, expires: 'database' }),
      ).toEqual(new Map())
      const deletes = await failuresOf({
        name: 'none',
        contracts: ['tickets'],
        stores: memoryStores,
        expires: 'database',
      })
      expect(deletes.size).toBe(3)
      for (const said of deletes.values()) expect(said).toContain('Leave `expires` out')
    },
  )

  it('has so many tests as docs/adapters.md says', () => {
    const page = readFileSync(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
    const [, alone, more] =
      /(\d+) tests for all twelve contracts, and (\d+) more with `processes`/.exec(page) ?? []
    const tests = collect({ name: 'all', contracts, stores: goodStores })
    const withProcesses = collect({
      name: 'all',
      contracts,
      stores: goodStores,
      processes: new URL('file:///stores.js'),
    })
    const withOutage = collect({ name: 'all', contracts, stores: goodStores, outage })
    expect([tests.length, withProcesses.length - tests.length, withOutage.length]).toEqual([
      Number(alone),
      Number(more),
      Number(alone) + contracts.length,
    ])
  })

  it('takes the functions of vitest, node:test and jest as they are', () => {
    // As @types/jest has them.
    type JestTest =
      | ((done: (problem?: unknown) => unknown) => undefined)
      | (() => PromiseLike<unknown>)
    interface Jest {
      readonly describe: (name: number | string, fn: () => void) => void
      readonly it: (name: string, fn?: JestTest, timeout?: number) => void
    }
    const jest: Jest = { describe: (_name, body) => body(), it: () => {} }
    const runners: readonly ContractRunner[] = [
      { describe, it },
      { describe: nodeDescribe, it: nodeIt },
      jest,
    ]
    expect(runners).toHaveLength(3)
  })

  it.each([
    ['good', 0],
    ['bad', 1],
  ])('runs under node:test, with %s stores', async (kind, expected) => {
    const script = fileURLToPath(new URL('./under-node-test.mjs', import.meta.url))
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env
    const child = spawn(process.execPath, [script, kind], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const [code] = await once(child, 'close')
    expect(code, output).toBe(expected)
    expect(output).toMatch(kind === 'good' ? /# fail 0/ : /10 of 10 callers ended one session/)
  })
})
