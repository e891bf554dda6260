import { describe, expect, it, vi } from 'vitest'
import { createHostCall } from '../../src/lib/host-call.js'
import {
  failClosedCodes,
  failClosedDeviceCodes,
  failClosedProofs,
  failClosedSessions,
} from '../../src/stores/fail-closed-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession, newWholeCode, newWholeSession } from '../../src/stores/new-records.js'
import { at, codeRecord, deviceCodeRecord, proofRecord } from '../support/records.js'
import { badStores } from '../testing/bad-stores.js'

const call = createHostCall(2000, () => {})
const dropping = badStores['sessions: create drops the members it has no column for']
const refusal = { name: 'AuthConfigError', option: 'sessions' }

describe('a session with members that the store may not know', () => {
  it('is not stored where the store drops them, and says which and what to do', async () => {
    const store = dropping().sessions
    if (store === undefined) throw new Error('no sessions')
    const sessions = failClosedSessions(store, call)
    const session = newSession(at, { secretHash: 'hash' })
    await expect(sessions.create(session)).rejects.toMatchObject({
      ...refusal,
      problem: expect.stringContaining('secretHash'),
      remedy: expect.stringContaining('migrateSql()'),
    })
    expect(await store.find(session.id)).toBeNull()
    // Every other session is none of its business.
    await sessions.create(newSession(at))
  })

  it('does not use up the code that would open it', async () => {
    const { codes } = memoryStores()
    const store = dropping().sessions
    if (store === undefined) throw new Error('no sessions')
    const code = codeRecord()
    await codes.save(code)
    const session = newSession(at, { passwordMark: 'mark' })
    const redeeming = failClosedCodes(codes, store, call).redeem(code.codeHash, session, at(1))
    await expect(redeeming).rejects.toMatchObject(refusal)
    expect((await codes.find(code.codeHash))?.consumedAt).toBeNull()
  })

  it('has the store asked once, by a row that opens nothing and has ended', async () => {
    const { sessions: store } = memoryStores()
    const created = vi.spyOn(store, 'create')
    const sessions = failClosedSessions(store, call)
    await sessions.create(newSession(at))
    expect(created).toHaveBeenCalledTimes(1)
    await Promise.all(Array.from({ length: 50 }, () => sessions.create(newWholeSession(at))))
    expect(created).toHaveBeenCalledTimes(52)
    const probes = created.mock.calls.filter(([{ userId }]) => userId.startsWith('mar-probe-'))
    expect(probes).toHaveLength(1)
    expect(await store.find(probes[0]?.[0].id ?? '')).toMatchObject({
      scope: '',
      methods: [],
      endedAt: expect.any(Date),
    })
  })

  it('is stored without resources where the store drops those alone', async () => {
    const { sessions: good } = memoryStores()
    const create: typeof good.create = ({ resources: _dropped, ...rest }) => good.create(rest)
    const sessions = failClosedSessions({ ...good, create }, call)
    const { resources, ...other } = newWholeSession(at)
    await sessions.create(other)
    expect(await sessions.find(other.id)).toEqual(other)
    const app = newSession(at, { resources })
    await expect(sessions.create(app)).rejects.toMatchObject({
      ...refusal,
      problem: expect.stringContaining('without its resources,'),
    })
    expect(await good.find(app.id)).toBeNull()
  })

  it('is refused where the store drops the identity that opened it: a logout could not end it', async () => {
    const { sessions: good } = memoryStores()
    const create: typeof good.create = ({ upstream: _dropped, ...rest }) => good.create(rest)
    const sessions = failClosedSessions({ ...good, create }, call)
    const session = newSession(at, { upstream: 'work a-digest another' })
    await expect(sessions.create(session)).rejects.toMatchObject({
      ...refusal,
      problem: expect.stringContaining('without its upstream,'),
    })
    expect(await good.find(session.id)).toBeNull()
  })

  it('is refused where the store drops who acts: it would be a session of the user’s own', async () => {
    const { sessions: good } = memoryStores()
    const create: typeof good.create = ({ actorId: _dropped, ...rest }) => good.create(rest)
    const sessions = failClosedSessions({ ...good, create }, call)
    const session = newSession(at, { actorId: 'u-bob' })
    await expect(sessions.create(session)).rejects.toMatchObject({
      ...refusal,
      problem: expect.stringContaining('without its actorId,'),
    })
    expect(await good.find(session.id)).toBeNull()
  })

  it('is stored all the same where the store drops only what lets nobody in', async () => {
    const { sessions: good } = memoryStores()
    const create: typeof good.create = ({
      openedBySessionId: _opener,
      formerSecret: _before,
      ...rest
    }) => good.create(rest)
    const sessions = failClosedSessions({ ...good, create }, call)
    for (const session of [newSession(at, { openedBySessionId: 'page' }), newWholeSession(at)]) {
      const { openedBySessionId: _told, formerSecret: _former, ...kept } = session
      await sessions.create(session)
      expect(await sessions.find(session.id)).toEqual(kept)
    }
  })

  it('is 503 while the store is away, and asked again by the next', async () => {
    const { sessions: store } = memoryStores()
    const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new Error('away'))
    const sessions = failClosedSessions(store, call)
    await expect(sessions.create(newWholeSession(at))).rejects.toMatchObject({ status: 503 })
    await sessions.create(newWholeSession(at))
    expect(find).toHaveBeenCalledTimes(2)
  })
})

describe('a code with members that the store may not know', () => {
  const refused = { name: 'AuthConfigError', option: 'codes' }
  const parts = [
    { clientId: 'wiki' },
    { redirectUri: 'https://wiki.example.com/cb' },
    { nonce: 'n' },
    { resources: ['urn:files'] },
    { acr: 'phr' },
  ]

  it.each(parts)('is not stored where the store drops one of them: %j', async (part) => {
    const store = badStores['codes: save drops the members it has no column for']().codes
    if (store === undefined) throw new Error('no codes')
    const codes = failClosedCodes(store, memoryStores().sessions, call)
    const code = codeRecord(part)
    await expect(codes.save(code)).rejects.toMatchObject({
      ...refused,
      problem: expect.stringContaining('clientId, redirectUri'),
      remedy: expect.stringContaining('migrateSql()'),
    })
    expect(await store.find(code.codeHash)).toBeNull()
    // Every other code is none of its business.
    await codes.save(codeRecord())
  })

  it('has the store asked once, by a row that opens nothing and is used up', async () => {
    const { codes: store, sessions } = memoryStores()
    const saved = vi.spyOn(store, 'save')
    const codes = failClosedCodes(store, sessions, call)
    await codes.save(codeRecord())
    expect(saved).toHaveBeenCalledTimes(1)
    await Promise.all(Array.from({ length: 50 }, () => codes.save(newWholeCode(at))))
    expect(saved).toHaveBeenCalledTimes(52)
    const probes = saved.mock.calls.filter(([{ userId }]) => userId.startsWith('mar-probe-'))
    expect(probes).toHaveLength(1)
    expect(await store.find(probes[0]?.[0].codeHash ?? '')).toMatchObject({
      scope: '',
      methods: [],
      consumedAt: expect.any(Date),
    })
  })

  it('is 503 while the store is away, and asked again by the next', async () => {
    const { codes: store, sessions } = memoryStores()
    const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new Error('away'))
    const codes = failClosedCodes(store, sessions, call)
    await expect(codes.save(newWholeCode(at))).rejects.toMatchObject({ status: 503 })
    await codes.save(newWholeCode(at))
    expect(find).toHaveBeenCalledTimes(2)
  })
})

describe('a proof', () => {
  const cut = (sealed: string | null) => sealed?.slice(0, 255) ?? null

  it.each([
    ['codeTag', { codeTag: null }],
    ['mark', { mark: null }],
    ['sealed', { sealed: null }],
    ['userId', { userId: null }],
    ['triesLeft', { triesLeft: 6 }],
  ])('is not stored where the store drops or changes its %s', async (name, change) => {
    const { proofs: store } = memoryStores()
    const changing = {
      ...store,
      save: (proof: object) => store.save({ ...proof, ...change } as never),
    }
    const proof = proofRecord({ codeTag: null, mark: null, sealed: null })
    const saving = failClosedProofs(changing, call).save(proof)
    await expect(saving).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'proofs',
      problem: expect.stringContaining(name),
      remedy: expect.stringContaining('migrateSql()'),
    })
    expect(await store.find(proof.idHash, proof.purpose)).toBeNull()
  })

  it('is not stored where the store would cut off what is sealed in another', async () => {
    const { proofs: store } = memoryStores()
    const cutting: typeof store = {
      ...store,
      save: (proof) => store.save({ ...proof, sealed: cut(proof.sealed) }),
    }
    const saving = failClosedProofs(cutting, call).save(proofRecord())
    await expect(saving).rejects.toMatchObject({ option: 'proofs' })
  })

  it('has the store asked once, by a row that proves nothing and is used up', async () => {
    const { proofs: store } = memoryStores()
    const saved = vi.spyOn(store, 'save')
    const proofs = failClosedProofs(store, call)
    await Promise.all(Array.from({ length: 50 }, () => proofs.save(proofRecord())))
    expect(saved).toHaveBeenCalledTimes(51)
    const probes = saved.mock.calls.filter(([{ userId }]) => userId?.startsWith('mar-probe-'))
    expect(probes).toHaveLength(1)
    const [{ idHash, purpose }] = probes[0] ?? [proofRecord()]
    expect(await store.find(idHash, purpose)).toMatchObject({ consumedAt: expect.any(Date) })
  })

  it('is 503 while the store is away, and asked again by the next', async () => {
    const { proofs: store } = memoryStores()
    const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new Error('away'))
    const proofs = failClosedProofs(store, call)
    await expect(proofs.save(proofRecord())).rejects.toMatchObject({ status: 503 })
    await proofs.save(proofRecord())
    expect(find).toHaveBeenCalledTimes(2)
  })
})

describe('a device code', () => {
  it.each([
    ['clientId', { clientId: null }],
    ['triesLeft', { triesLeft: 4 }],
    ['resources', { resources: [] }],
    ['requestedIp', { requestedIp: null }],
    ['authorizationCodeHash', { authorizationCodeHash: null }],
    ['expiresAt', { expiresAt: at(1e6) }],
  ])('is not stored where the store drops or changes its %s', async (name, change) => {
    const { deviceCodes: store } = memoryStores()
    const changing: typeof store = { ...store, save: (code) => store.save({ ...code, ...change }) }
    const code = deviceCodeRecord({ clientId: null, authorizationCodeHash: null })
    const saving = failClosedDeviceCodes(changing, call).save(code)
    await expect(saving).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'deviceCodes',
      problem: expect.stringContaining(`without its ${name},`),
      remedy: expect.stringContaining('migrateSql()'),
    })
    expect(await store.find(code.userCodeHash)).toBeNull()
  })

  it('has the store asked once, by a row that signs nobody in and expires soon', async () => {
    const { deviceCodes: store } = memoryStores()
    const saved = vi.spyOn(store, 'save')
    const codes = failClosedDeviceCodes(store, call)
    await Promise.all(Array.from({ length: 50 }, () => codes.save(deviceCodeRecord())))
    expect(saved).toHaveBeenCalledTimes(51)
    const probes = saved.mock.calls.filter(([{ userId }]) => userId?.startsWith('mar-probe-'))
    expect(probes).toHaveLength(1)
    const { createdAt, expiresAt, state } = probes[0]?.[0] ?? deviceCodeRecord()
    expect([state, expiresAt.getTime() - createdAt.getTime()]).toEqual(['denied', 60_000])
  })

  it('is 503 while the store is away, and asked again by the next', async () => {
    const { deviceCodes: store } = memoryStores()
    const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new Error('away'))
    const codes = failClosedDeviceCodes(store, call)
    await expect(codes.save(deviceCodeRecord())).rejects.toMatchObject({ status: 503 })
    await codes.save(deviceCodeRecord())
    expect(find).toHaveBeenCalledTimes(2)
  })
})
