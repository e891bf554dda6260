// A process whose clock is wrong, beside one whose clock is right.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import {
  type DatabaseKind,
  databaseKinds,
  openDatabase,
  type TestDatabase,
} from '../support/databases.js'
import { startHost, type TestHost } from '../support/host.js'
import { at, pendingRecord, sessionRecord } from '../support/records.js'

type Stores = Required<Pick<AuthRouterOptions, 'codes' | 'sessions' | 'secondFactors' | 'tickets'>>

const day = 86_400
const interval = 600
const alarms = ({ events }: TestHost) => events.filter(({ type }) => type.startsWith('clock.'))

/**
 * Starts a process whose clock is so many seconds ahead, and waits until it has been through one
 * round of deleting.
 */
async function afterOneRound(
  stores: Stores,
  users: AuthRouterOptions['users'],
  ahead: number,
): Promise<TestHost> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const timers = vi.spyOn(globalThis, 'setTimeout')
  // The next round is planned when the one before is over; nothing else waits for so long.
  const waits = () =>
    timers.mock.calls.map(([, delay]) => Number(delay)).filter((delay) => delay >= interval * 500)
  const planned = () => waits().length
  const now = new Date(Date.now() + ahead * 1000)
  const host = await startHost({ now, options: { ...stores, users } })
  expect(planned()).toBe(1)
  // Up to the round and no further: calls of a store that are under way have time limits.
  await vi.advanceTimersByTimeAsync(waits()[0] as number)
  while (planned() === 1) await new Promise((resolve) => setImmediate(resolve))
  timers.mockRestore()
  vi.useRealTimers()
  return host
}

function promises(open: () => Stores): void {
  it('15 days ahead deletes nothing, so that nobody is signed out, and tells of it once', async () => {
    const stores = open()
    const right = await startHost({ options: stores })
    const { authToken } = await logIn(right)
    const code = await obtainCode(right, authToken)
    const { refresh_token } = (await post(right, '/auth/pkce/token', code)).body
    const pending = pendingRecord({ expiresAt: at(600) })
    await stores.secondFactors.savePending(pending)
    const wrong = await afterOneRound(stores, right.users, 15 * day)
    expect(alarms(wrong)).toMatchObject([{ type: 'clock.ahead', requestId: null }])
    expect(
      Math.abs((alarms(wrong)[0] as unknown as { seconds: number }).seconds - 15 * day),
    ).toBeLessThan(60)
    expect((await get(right, '/me', bearer(authToken))).status).toBe(200)
    expect((await post(right, '/auth/refresh', { refresh_token })).status).toBe(200)
    expect(await stores.secondFactors.findPending(pending.userId, pending.sessionId)).toEqual(
      pending,
    )
    // And a used code is remembered.
    expect((await post(right, '/auth/pkce/token', code)).status).toBe(400)
    expect(right.events.filter(({ type }) => type === 'code.refused')).toMatchObject([
      { reason: 'replayed' },
    ])
  })

  it('hours ahead deletes by the clock that is right, and what was over for an hour', async () => {
    const stores = open()
    const users = (await startHost({ options: stores })).users
    // From now on, and not from when this worker began: an hour is meant to the minute.
    const late = (Date.now() - at(0).getTime()) / 1000
    const sessions = [-3700, -3500, 60, 7200].map((end) =>
      sessionRecord({ idleExpiresAt: at(end + late), createdAt: at(-9000), lastSeenAt: at(-9000) }),
    )
    for (const session of sessions) await stores.sessions.create(session)
    const wrong = await afterOneRound(stores, users, 20 * 3600)
    expect(alarms(wrong)).toEqual([])
    const left = await Promise.all(sessions.map(({ id }) => stores.sessions.find(id)))
    expect(left).toEqual([null, ...sessions.slice(1)])
  })

  it('behind deletes by its own, and tells of the difference', async () => {
    const stores = open()
    const users = (await startHost({ options: stores })).users
    const sessions = [-5 * day, -3 * day].map((end) =>
      sessionRecord({ idleExpiresAt: at(end), createdAt: at(-9 * day), lastSeenAt: at(-9 * day) }),
    )
    for (const session of sessions) await stores.sessions.create(session)
    const wrong = await afterOneRound(stores, users, -4 * day)
    expect(alarms(wrong)).toMatchObject([{ type: 'clock.skewed' }])
    const left = await Promise.all(sessions.map(({ id }) => stores.sessions.find(id)))
    expect(left).toEqual([null, sessions[1]])
  })
}

describe.each(databaseKinds)('a process over $name whose clock is', (kind: DatabaseKind) => {
  describe.skipIf(kind.open === null)('', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database.close())
    promises(() => {
      const { keys: _none, ...stores } = database.stores
      return stores
    })
  })
})

describe('a process over memory whose clock is', () => promises(() => memoryStores()))

describe('a process whose database does not tell the time', () => {
  it.each([
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers no date', async () => 7 as unknown as Date],
    ['answers no moment', async () => new Date(Number.NaN)],
  ])('deletes nothing in this round: it %s', async (_name, databaseTime) => {
    const stores = memoryStores()
    const purges = [stores.codes, stores.sessions, stores.tickets].map((store) =>
      vi.spyOn(store, 'purge'),
    )
    const host = await afterOneRound(
      { ...stores, sessions: { ...stores.sessions, databaseTime } },
      (await startHost()).users,
      0,
    )
    expect(host.events.filter(({ type }) => type === 'host.failed')).toMatchObject([
      { operation: 'sessions.databaseTime' },
    ])
    for (const purge of purges) expect(purge).not.toHaveBeenCalled()
  })

  it('since it has no such method, goes by its own clock, an hour late', async () => {
    const stores = memoryStores()
    const { databaseTime: _none, ...sessions } = stores.sessions
    const purge = vi.spyOn(stores.codes, 'purge')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const host = await startHost({ now: new Date('2040-01-01'), options: { ...stores, sessions } })
    await vi.advanceTimersByTimeAsync(interval * 1500)
    expect(purge).toHaveBeenCalledWith(new Date(host.clock().getTime() - 3_600_000), 1000)
    expect(alarms(host)).toEqual([])
  })
})
