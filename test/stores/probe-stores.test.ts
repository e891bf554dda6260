import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  AuthConfigError,
  AuthError,
  type KeyStore,
  probeStores,
  type SessionRecord,
  type StoresToProbe,
} from '../../src/index.js'
import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from '../../src/stores/memory-stores.js'
import { newProof } from '../../src/stores/new-records.js'
import { optionalMembers } from '../../src/stores/rows/members.js'
import { sessionRow } from '../../src/stores/rows/session-row.js'
import { identityRecord } from '../support/records.js'
import { badStores } from '../testing/bad-stores.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

const key = (generation: number) => ({
  generation,
  kid: `kid ${generation}`,
  sealedKey: 'sealed',
  createdAt: new Date(),
  activatesAt: new Date(),
})

async function keysOf(...generations: number[]): Promise<KeyStore> {
  const keys = memoryKeyStore()
  for (const generation of generations) await keys.insert(key(generation))
  return keys
}

const problemOf = (stores: StoresToProbe, callers?: number) =>
  probeStores(stores, callers === undefined ? {} : { callers }).then(
    () => 'none',
    (error: unknown) => error,
  )

const probed = [
  'codes',
  'sessions',
  'secondFactors',
  'tickets',
  'proofs',
  'identities',
  'keys',
  'consents',
  'once',
  'passkeys',
] as const

describe('the probe of stores at start-up', () => {
  it.each([2, 20, 100])('lets good stores pass, with %i callers', async (callers) => {
    const { consents, once } = memoryOAuthStores()
    const keys = await keysOf(1, 2)
    const passkeys = memoryPasskeyStore()
    await probeStores({ ...memoryStores(), keys, consents, once, passkeys }, { callers })
    const { codes, sessions } = memoryStores()
    await probeStores({ codes, sessions }, { callers })
  })

  it('leaves nothing that opens anything', async () => {
    const stores = memoryStores()
    const saved = vi.spyOn(stores.codes, 'save')
    const created = vi.spyOn(stores.sessions, 'create')
    const activated = vi.spyOn(stores.secondFactors, 'activate')
    const ticketed = vi.spyOn(stores.tickets, 'save')
    const proven = vi.spyOn(stores.proofs, 'save')
    await probeStores(stores)

    const code = saved.mock.calls[0]?.[0]
    expect(code?.userId).toMatch(/^mar-probe-[\w-]{22}$/)
    expect(await stores.codes.find(code?.codeHash ?? '')).toMatchObject({
      consumedAt: expect.any(Date),
    })
    expect(created).toHaveBeenCalledTimes(5)
    for (const [{ id }] of created.mock.calls) {
      expect(await stores.sessions.find(id)).toMatchObject({
        endedAt: expect.any(Date),
        userId: code?.userId,
      })
    }
    expect(await stores.secondFactors.find(activated.mock.calls[0]?.[0].userId ?? '')).toBeNull()
    const ticket = await stores.tickets.consume(
      ticketed.mock.calls[0]?.[0].ticketHash ?? '',
      new Date(),
    )
    expect(ticket).toEqual({ outcome: 'unknown' })
    expect(proven).toHaveBeenCalledTimes(2)
    for (const [{ idHash, purpose }] of proven.mock.calls) {
      expect(await stores.proofs.find(idHash, purpose)).toMatchObject({
        consumedAt: expect.any(Date),
        userId: code?.userId,
      })
    }
    const later = new Date(Date.now() + 61_000)
    expect([
      await stores.codes.purge(later),
      await stores.sessions.purge(later),
      await stores.tickets.purge(later),
    ]).toEqual([1, 5, 0])
  })

  it.each([
    ['codes: read, then write', 'let 20 of 20 callers consume one code, instead of exactly one.'],
    ['codes: GET and DEL', /^let \d+ of 20 callers consume one code/],
    [
      'sessions: rotate reads, then writes',
      'let 20 of 20 callers rotate one refresh token, instead of exactly one.',
    ],
    [
      'sessions: end reads, then writes',
      'let 20 of 20 callers end one session, instead of exactly one.',
    ],
    [
      'sessions: end says true to everyone',
      'let 20 of 20 callers end one session, instead of exactly one.',
    ],
    [
      'sessions: endAllForUser reads again afterwards',
      /^let 20 of 20 callers end all sessions of one user, and be told the same one/,
    ],
    [
      'sessions: endAllForClient names what it read before',
      /^let 20 of 20 callers end all sessions of one client, and be told the same one/,
    ],
    [
      'sessions: endChildren names what it read before',
      /^let 20 of 20 callers end all sessions that one has opened, and be told the same one/,
    ],
    ['sessions: replaceSecret reads, then writes', /^let 20 of 20 callers replace one secret/],
    ['secondFactors: activate overwrites', /^let 20 of 20 callers activate a factor for one user/],
    ['secondFactors: advanceStep with >=', /^let 20 of 20 callers use one TOTP step/],
    [
      'secondFactors: recovery codes as one list in a value',
      /^let 20 of 20 callers use one recovery code/,
    ],
    [
      'secondFactors: deactivate says so to everyone',
      /^let 20 of 20 callers deactivate one factor/,
    ],
    ['tickets: GET and DEL', /^let 20 of 20 callers consume one ticket/],
    ['proofs: takeTry reads, then writes', /^let 20 of 20 callers take the last try of one proof/],
    ['proofs: consume reads, then writes', /^let 20 of 20 callers consume one proof/],
    [
      'proofs: voidForUser counts what it has read',
      /^let 20 of 20 callers void the proofs of one user, and be told of the same one/,
    ],
    ['deviceCodes: claim reads, then writes', /^let 20 of 20 callers claim one device code/],
    [
      'deviceCodes: takeTry reads, then writes',
      /^let 20 of 20 callers take the last try of one device code/,
    ],
    ['deviceCodes: poll reads, then writes', /^let 20 of 20 callers poll one device code/],
    ['deviceCodes: decide reads, then writes', /^let 20 of 20 callers decide one device code/],
    ['identities: link reads, then writes', /^let 20 of 20 callers link one identity/],
    ['identities: link as an upsert', /^let 20 of 20 callers link one identity/],
    [
      'identities: unlink counts, then deletes',
      /^let 2 of 20 callers unlink one of two identities, unless it is the last/,
    ],
    ['consents: grant reads, then writes', 'kept the scopes of 1 of 20 callers.'],
    ['consents: revoke reads, then writes', /^let 20 of 20 callers revoke one consent/],
    ['once: reads, then writes', /^let 20 of 20 callers claim one key, /],
    [
      'once: an expired note is read, then written',
      /^let 20 of 20 callers claim one key whose note has expired/,
    ],
    [
      'once: an expired note stays in the way',
      /^let 0 of 20 callers claim one key whose note has expired/,
    ],
    ['passkeys: use reads, then writes', /^let 20 of 20 callers move one counter/],
    [
      'passkeys: remove counts, then deletes',
      /^let 2 of 20 callers remove one of two passkeys, unless it is the last/,
    ],
  ] as const)('refuses a store that is wrong: %s', async (name, problem) => {
    const error = await problemOf({ ...memoryStores(), ...badStores[name]() })
    expect(error).toBeInstanceOf(AuthConfigError)
    expect(error).toMatchObject({
      option: name.split(':')[0],
      remedy: expect.stringContaining('one conditional write'),
    })
    expect((error as AuthConfigError).problem).toMatch(problem)
  })

  it('leaves no consent behind, also where a store fails in between', async () => {
    const { consents } = memoryOAuthStores()
    const granted = vi.spyOn(consents, 'grant')
    await probeStores({ ...memoryStores(), consents })
    const failing = { ...consents, find: () => Promise.reject(new Error('timeout')) }
    await expect(probeStores({ ...memoryStores(), consents: failing })).rejects.toThrow('timeout')
    expect(granted).toHaveBeenCalledTimes(40)
    for (const [{ userId }] of granted.mock.calls) {
      expect(userId).toMatch(/^mar-probe-/)
      expect(await consents.listForUser(userId)).toEqual([])
    }
  })

  it('does not take clients, which could be asked for while they are there', async () => {
    const stores = { ...memoryStores(), clients: memoryOAuthStores().clients }
    await expect(probeStores(stores)).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'probeStores(stores).clients',
      remedy: expect.stringContaining('take it out'),
    })
  })

  it('refuses a store that drops what a code may have, and names it and the remedy', async () => {
    const bad = badStores['codes: save drops the members it has no column for']()
    expect(await problemOf({ ...memoryStores(), ...bad })).toMatchObject({
      name: 'AuthConfigError',
      option: 'codes',
      problem: expect.stringContaining('clientId, redirectUri'),
    })
  })

  it.each([
    ['proofs: what is sealed is cut', 'sealed'],
    ['proofs: save drops the mark', 'mark'],
  ] as const)('refuses a store that keeps less of a proof: %s', async (name, member) => {
    expect(await problemOf({ ...memoryStores(), ...badStores[name]() })).toMatchObject({
      name: 'AuthConfigError',
      option: 'proofs',
      problem: expect.stringContaining(`without its ${member}`),
      remedy: expect.stringContaining('add a column'),
    })
  })

  it.each(['clientId', 'resources', 'name', 'requestedIp'] as const)(
    'refuses a store that drops the %s of a device code',
    async (member) => {
      const { deviceCodes } = memoryStores()
      const absent = member === 'resources' ? [] : null
      const save: typeof deviceCodes.save = (code) =>
        deviceCodes.save({ ...code, [member]: absent })
      const error = await problemOf({ ...memoryStores(), deviceCodes: { ...deviceCodes, save } })
      expect(error).toMatchObject({
        name: 'AuthConfigError',
        option: 'deviceCodes',
        problem: expect.stringContaining(`without its ${member}`),
      })
    },
  )

  it('refuses a store that keeps less of an identity, and leaves none behind', async () => {
    const { identities } = memoryStores()
    const link: typeof identities.link = (identity) => identities.link({ ...identity, label: null })
    const linked = vi.fn(link)
    const error = await problemOf({
      ...memoryStores(),
      identities: { ...identities, link: linked },
    })
    expect(error).toMatchObject({
      name: 'AuthConfigError',
      option: 'identities',
      problem: expect.stringContaining('without its label'),
    })
    const [{ userId } = identityRecord()] = linked.mock.calls[0] ?? []
    expect(userId).toMatch(/^mar-probe-/)
    expect(await identities.listForUser(userId)).toEqual([])
  })

  it('leaves no identity behind', async () => {
    const stores = memoryStores()
    const linked = vi.spyOn(stores.identities, 'link')
    await probeStores(stores)
    expect(linked).toHaveBeenCalledTimes(23)
    for (const [{ provider, subject, userId }] of linked.mock.calls) {
      expect(await stores.identities.find(provider, subject)).toBeNull()
      expect(await stores.identities.wasUnlinked(provider, subject)).toBe(false)
      expect(await stores.identities.listForUser(userId)).toEqual([])
    }
  })

  it('leaves no proof that can be used, also where a store fails in between', async () => {
    const { proofs } = memoryStores()
    const saved = vi.spyOn(proofs, 'save')
    const failing = { ...proofs, takeTry: () => Promise.reject(new Error('timeout')) }
    await expect(probeStores({ ...memoryStores(), proofs: failing })).rejects.toThrow('timeout')
    const [{ idHash, purpose } = newProof(() => new Date())] = saved.mock.calls[0] ?? []
    expect(await proofs.find(idHash, purpose)).toMatchObject({ consumedAt: expect.any(Date) })
  })

  it('asks a store only for what it has', async () => {
    const { sessions, ...others } = memoryStores()
    const { endAllForClient: _client, endChildren: _children, ...some } = sessions
    const { replaceSecret: _secret, ...older } = some
    await probeStores({ ...others, sessions: older })
  })

  it('refuses a store that drops what a session may have, and names it and the remedy', async () => {
    const bad = badStores['sessions: create drops the members it has no column for']()
    const error = await problemOf({ ...memoryStores(), ...bad })
    expect(error).toMatchObject({
      name: 'AuthConfigError',
      option: 'sessions',
      problem: expect.stringContaining(
        `without its ${Object.keys(optionalMembers(sessionRow)).join(', ')}`,
      ),
      remedy: expect.stringMatching(/migrateSql\(\).*add a column/),
    })
  })

  it('refuses a store that lets nobody win, or answers nothing at all', async () => {
    const stores = memoryStores()
    const { tickets, codes } = stores
    const nobody = {
      ...stores,
      tickets: { ...tickets, consume: async () => ({ outcome: 'unknown' as const }) },
    }
    expect(await problemOf(nobody, 5)).toMatchObject({
      option: 'tickets',
      problem: expect.stringMatching(/^let 0 of 5 callers/),
    })
    const silent = { ...stores, codes: { ...codes, consume: async () => undefined as never } }
    expect(await problemOf(silent, 5)).toMatchObject({
      option: 'codes',
      problem: expect.stringMatching(/^let 0 of 5 callers/),
    })
  })

  it('warns of a redemption for another session store, which the router would not use', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => warned.mockRestore())
    const { codes, sessions } = memoryStores()
    const redemption = { sessions, redeem: async () => ({ outcome: 'unknown' as const }) }
    await probeStores({ codes: { ...codes, redemption }, sessions })
    expect(warned).not.toHaveBeenCalled()
    await probeStores({ codes: { ...codes, redemption }, sessions: { ...sessions } })
    const said = expect.stringMatching(
      /codes\.redemption\.sessions is another object than `sessions`.*Hand out the very object/,
    )
    expect(warned.mock.calls).toEqual([[said, { code: 'MAR_REDEMPTION_NOT_USED' }]])
  })

  it('refuses a key store that replaces a key, and touches no other key', async () => {
    const keys = await keysOf(1, 3, 2)
    const before = await keys.list()
    const insert = vi.fn(async () => ({ outcome: 'inserted' as const }))
    const error = await problemOf({ ...memoryStores(), keys: { ...keys, insert } }, 7)
    expect(error).toMatchObject({
      option: 'keys',
      problem: 'let 7 of 7 callers insert a generation that was already there.',
    })
    expect(insert).toHaveBeenCalledWith(before.find(({ generation }) => generation === 3))
    expect(await keys.list()).toEqual(before)
  })

  it('does not probe a key store that is empty: running rings would take the probe for a key', async () => {
    const insert = vi.fn()
    await probeStores({ ...memoryStores(), keys: { ...memoryKeyStore(), insert } })
    expect(insert).not.toHaveBeenCalled()
  })

  it.each(probed)('tells a failure of %s from an unsafe store', async (name) => {
    const failure = new Error('connection refused')
    const fails = new Proxy({}, { get: () => () => Promise.reject(failure) })
    const error = await problemOf({ ...memoryStores(), keys: await keysOf(1), [name]: fails })
    expect(error).toBeInstanceOf(AuthError)
    expect(error).not.toBeInstanceOf(AuthConfigError)
    const message = `${name}: the store could not be probed: connection refused`
    expect(error).toMatchObject({ code: 'temporarily-unavailable', cause: failure, message })
  })

  it.each(probed)(
    'tells of %s that give no answer after 10 seconds, instead of waiting for ever',
    async (name) => {
      const keys = await keysOf(1)
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const silent = new Proxy({}, { get: () => () => new Promise(() => {}) })
      const told = problemOf({ ...memoryStores(), keys, [name]: silent })
      await vi.advanceTimersByTimeAsync(10_000)
      const message = `${name}: the store could not be probed: no answer within 10000 ms`
      expect(await told).toMatchObject({
        name: 'AuthError',
        code: 'temporarily-unavailable',
        message,
      })
    },
  )

  it('ends its sessions and deactivates its factor also when a store fails in between', async () => {
    const { codes, sessions, secondFactors } = memoryStores()
    const created: SessionRecord[] = []
    const failingSessions = {
      ...sessions,
      create: (session: SessionRecord) => {
        created.push(session)
        return sessions.create(session)
      },
      rotateRefresh: () => Promise.reject(new Error('timeout')),
    }
    await expect(probeStores({ codes, sessions: failingSessions })).rejects.toThrow('timeout')
    expect(await sessions.find(created[0]?.id ?? '')).toMatchObject({ endedAt: expect.any(Date) })

    const activate = vi.spyOn(secondFactors, 'activate')
    const failingFactors = {
      ...secondFactors,
      activate,
      advanceStep: () => Promise.reject('a text'),
    }
    await expect(probeStores({ codes, sessions, secondFactors: failingFactors })).rejects.toThrow(
      'could not be probed: a text',
    )
    expect(await secondFactors.find(activate.mock.calls[0]?.[0].userId ?? '')).toBeNull()
  })

  it.each([1, 1001, 2.5, '20'])('refuses %j callers', async (callers) => {
    await expect(probeStores(memoryStores(), { callers: callers as number })).rejects.toThrow(
      'from 2 to 1000',
    )
  })
})
