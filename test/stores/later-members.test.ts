import { describe, expect, it, vi } from 'vitest'
import { createHostCall } from '../../src/lib/host-call.js'
import { failClosedCodes, failClosedSessions } from '../../src/stores/fail-closed-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession, newWholeSession } from '../../src/stores/new-records.js'
import { at, codeRecord } from '../support/records.js'
import { badStores } from '../testing/bad-stores.js'

const call = createHostCall(2000, () => {})
const dropping = badStores['sessions: create drops the members it has no column for']
const refusal = { name: 'AuthConfigError', option: 'sessions' }

describe('a session with members that an earlier release does not know', () => {
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

  it('is 503 while the store is away, and asked again by the next', async () => {
    const { sessions: store } = memoryStores()
    const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new Error('away'))
    const sessions = failClosedSessions(store, call)
    await expect(sessions.create(newWholeSession(at))).rejects.toMatchObject({ status: 503 })
    await sessions.create(newWholeSession(at))
    expect(find).toHaveBeenCalledTimes(2)
  })

  it.each([
    { secretHash: null },
    { passwordMark: 7 },
    { lifetime: { idle: 'ever', absolute: 1 } },
    { lifetime: {} },
    { parentId: {} },
  ])('that comes back as it cannot be is an outage, not a session: %j', async (member) => {
    const { sessions: store } = memoryStores()
    const session = newSession(at)
    vi.spyOn(store, 'find').mockResolvedValue({ ...session, ...member } as never)
    const sessions = failClosedSessions(store, call)
    await expect(sessions.find(session.id)).rejects.toMatchObject({ status: 503 })
  })
})
