// Samba as a domain controller: the promises of Active Directory, kept by a real server.
import type { AuthUser } from 'messaging-auth-router'
import { type LdapDirectoryOptions, ldapDirectory } from 'messaging-auth-router/directories'
import { type DirectoryHarness, directoryContract } from 'messaging-auth-router/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startProxy } from '../support/proxy.js'
import { startChat } from './support/chat.js'
import { bearer, get, openSocket, send, signIn } from './support/client.js'
import {
  type DomainController,
  dnOf,
  lockoutThreshold,
  startDomainController,
  unicodePwd,
} from './support/domain-controller.js'

const disabled = { userAccountControl: '514' }
const wrong = (reason: string) => ({ outcome: 'wrong', reason })

describe('a domain controller', () => {
  let domain: DomainController
  beforeAll(async () => {
    domain = await startDomainController()
  })
  afterAll(() => domain?.close())

  const open = (change: Partial<LdapDirectoryOptions> = {}) => {
    const directory = ldapDirectory({ ...domain.options, ...change })
    onTestFinished(() => directory.close())
    return directory
  }
  const one = async (directory: ReturnType<typeof open>, name: string) => {
    const [entry, ...others] = await directory.find(name)
    if (entry === undefined || others.length > 0) throw new Error(`not one ${name}`)
    return entry
  }
  const verdictOf = async (name: string, password = `Password of ${name}`) => {
    const directory = open()
    return directory.verify(await one(directory, name), password)
  }

  it('finds somebody by three names, and again by the GUID that it prints', async () => {
    await domain.person('ada')
    const directory = open()
    const entry = await one(directory, 'ADA')
    expect(entry).toEqual({
      subject: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
      dn: dnOf('ada'),
      username: 'ada',
      displayName: 'Name of ada',
      email: 'ada@mail.example',
      groups: [],
      disabled: false,
    })
    for (const name of ['ada@corp.example.com', 'ada@mail.example'])
      expect(await directory.find(name)).toEqual([entry])
    for (const name of ['a*', '*', 'ada)(mail=*', '\\2a', 'nobody', 'x'.repeat(300)])
      expect(await directory.find(name)).toEqual([])
    expect(await directory.look([entry.subject, 'no GUID'])).toEqual([entry])
    await domain.move(dnOf('ada'), dnOf('ada lovelace'))
    const [moved] = await directory.look([entry.subject])
    expect(moved).toEqual({ ...entry, dn: dnOf('ada lovelace') })
    expect(await directory.verify(moved ?? null, 'Password of ada')).toEqual({ outcome: 'right' })
  })

  it('says why a right password opens nothing, and to nobody else', async () => {
    const states = [
      ['off', disabled, wrong('disabled')],
      ['over', { accountExpires: '132000000000000000' }, wrong('expired-account')],
      ['reset', { pwdLastSet: '0' }, { outcome: 'must-change' }],
      // No hour of the week: 21 bytes of bits.
      ['asleep', { logonHours: Buffer.alloc(21) }, wrong('outside-hours')],
    ] as const
    for (const [name, values, verdict] of states) {
      await domain.set(await domain.person(name), values)
      expect(await verdictOf(name)).toEqual(verdict)
      expect(await verdictOf(name, 'a guess')).toEqual(wrong('wrong-password'))
    }
    const listed = await Promise.all(states.map(([name]) => one(open(), name)))
    expect(listed.map((entry) => entry.disabled)).toEqual([true, true, false, false])
  })

  it('knows who is locked by guesses, for a while', async () => {
    await domain.person('held')
    for (let guesses = 0; guesses < lockoutThreshold; guesses += 1)
      await verdictOf('held', 'a guess')
    expect(await verdictOf('held')).toEqual(wrong('locked'))
    expect((await one(open(), 'held')).disabled).toBe(false)
    const found = 'locked, perhaps for a while'
    expect((await open().check?.('held'))?.at(-1)).toMatchObject({ ok: true, found })
  })

  it('finds groups of groups, and turns the pages of a look', async () => {
    const bo = await domain.person('bo')
    const inner = await domain.group('inner', [bo])
    const outer = await domain.group('outer', [inner])
    await domain.set(inner, { member: [bo, outer] })
    const names = Array.from({ length: 35 }, (_, at) => `member${at}`)
    for (const name of names) await domain.person(name)
    await domain.group('many', names.map(dnOf))
    const directory = open({ pageSize: 10 })
    const groups = [inner, outer].map((dn) => dn.toLowerCase())
    expect(new Set((await one(directory, 'bo')).groups)).toEqual(new Set(groups))
    expect((await one(open({ groups: { nested: false } }), 'bo')).groups).toEqual([groups[0]])
    const entries = await Promise.all(names.map((name) => one(directory, name)))
    const seen = await directory.look(entries.map(({ subject }) => subject))
    expect(seen).toHaveLength(35)
    expect(new Set(seen.map((entry) => entry.groups.join()))).toEqual(
      new Set([`cn=many,${domain.options.base}`.toLowerCase()]),
    )
  })

  it('shows an operator each step, over TLS that its authority vouches for', async () => {
    await domain.person('eve')
    const steps = await open().check?.('eve')
    expect(steps?.map(({ ok }) => ok)).toEqual(Array.from({ length: 7 }, () => true))
    await expect(open({ tls: {} }).find('eve')).rejects.toThrow(/certificate|altnames/)
  })

  it('signs its people in, and out everywhere when they are disabled', async () => {
    await domain.person('cy')
    const people = new Map<string, AuthUser>()
    const users = {
      findByIdentifier: async ({ value }: { value: string }) =>
        [...people.values()].find(({ username }) => username === value) ?? null,
      findById: async (id: string) => people.get(id) ?? null,
      async create({ username }: { username?: string | null }) {
        const user = {
          id: `u-${username}`,
          username: String(username),
          name: '',
          passwordHash: null,
        }
        people.set(user.id, user)
        return { outcome: 'created' as const, user }
      },
      delete: async (id: string) => void people.delete(id),
    }
    const directories = { list: [ldapDirectory(domain.options)], unknown: 'create' as const }
    const { auth, api, origin } = await startChat({ options: { users, directories } })
    const credentials = { user: 'cy@mail.example', password: 'Password of cy' }
    const { userId, authToken } = await signIn(api, credentials)
    expect(userId).toBe('u-cy')
    const { first, closed } = await openSocket(`${origin}/ws`, authToken)
    expect(await first).toBe('hello u-cy')
    await domain.set(dnOf('cy'), disabled)
    await auth.directories.look()
    expect(await closed).toBe(4401)
    expect((await get(`${api}/rooms`, bearer(authToken))).status).toBe(401)
    expect((await send('POST', `${api}/login`, credentials)).status).toBe(401)
  })

  describe('by the contract', () => {
    const create = async (): Promise<DirectoryHarness> => {
      const proxy = await startProxy(`${domain.options.urls[0]}:636`)
      const { port } = new URL(proxy.url)
      const urls = [`ldaps://127.0.0.1:${port}`]
      const directory = ldapDirectory({ ...domain.options, urls })
      return {
        directory,
        add: ({ username, email, password }) =>
          domain.person(username, { mail: email, unicodePwd: unicodePwd(password) }),
        disable: (username) => domain.set(dnOf(username), disabled),
        remove: (username) => domain.remove(dnOf(username)),
        setPassword: (username, password) =>
          domain.set(dnOf(username), { unicodePwd: unicodePwd(password) }),
        down: async (isDown) => (isDown ? proxy.cut() : proxy.mend()),
        async close() {
          await directory.close()
          await proxy.stop()
        },
      }
    }
    for (const { name, run } of directoryContract({ create })) it(name, run)
  })
})
