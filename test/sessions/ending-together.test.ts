import { describe, expect, it } from 'vitest'
import { type AuthEventBody, noRequest } from '../../src/audit/events.js'
import type { SessionEnded, SessionRecord, SessionStore } from '../../src/index.js'
import { createHostCall } from '../../src/lib/host-call.js'
import { createSessionEnding } from '../../src/sessions/ending.js'
import { createLiveSessions } from '../../src/sessions/live-sessions.js'
import { createRevocations } from '../../src/sessions/revocations.js'
import type { SessionRowsKit } from '../../src/sessions/rows-kit.js'
import type { UserSessionsKit } from '../../src/sessions/sessions-kit.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import { kitOf } from '../support/kit-of.js'
import { memoryBus } from '../support/memory-bus.js'
import { at } from '../support/records.js'

const call = createHostCall(2000, () => {})

/** What ends sessions in one process, what another process hears, and what is remembered here. */
async function start(
  change: (good: SessionStore) => Partial<SessionStore> = () => ({}),
  opensChildren = true,
) {
  const { sessions: good } = memoryStores()
  const store = { ...good, ...change(good) }
  const bus = memoryBus()
  const heard: SessionEnded[] = []
  await bus.subscribe((event) => void ('sessionId' in event && heard.push(event)))
  const events: AuthEventBody[] = []
  const revocations = createRevocations(bus, call, 2000)
  const ending = createSessionEnding(
    kitOf<SessionRowsKit>({
      store,
      revocations,
      clock: () => at(1),
      audit: (event) => void events.push(event),
      opensChildren,
      forgetBrowsers: undefined,
    }),
  )
  const live = createLiveSessions(
    kitOf<UserSessionsKit>({
      sessions: {
        findLive: async (id) => {
          const found = await good.find(id)
          return found?.endedAt === null ? found : null
        },
        isInUse: () => true,
        isLive: () => true,
        seenNow: () => null,
        touch: () => {},
      },
      users: { findById: async (id) => ({ id, username: id, name: id, passwordHash: null }) },
      passwordStands: async () => true,
      requiredOf: () => [],
      revocations,
      clock: () => at(1),
    }),
  )
  const open = async (given: Partial<SessionRecord>) => {
    const session = newSession(at, { kind: 'oauth', ...given })
    await good.create(session)
    await live.require(session.id, null)
    return session
  }
  const isRemembered = ({ id }: SessionRecord) => live.remembered(id, at(1)) !== undefined
  return { ...ending, store: good, heard, events, open, isRemembered }
}

const told = ({ id, userId }: SessionRecord, reason: string) => ({
  type: 'session.ended',
  sessionId: id,
  userId,
  reason,
})
const byId = (one: { sessionId?: string }, other: { sessionId?: string }) =>
  String(one.sessionId) < String(other.sessionId) ? -1 : 1

describe('ending the sessions of a client', () => {
  it('ends those of every user, tells each with its user, and every process', async () => {
    const process = await start()
    const mine = await Promise.all(
      Array.from({ length: 50 }, () => process.open({ clientId: 'wiki' })),
    )
    const other = await process.open({ clientId: 'desktop' })
    expect(await process.endClient('wiki', null, 'client-disabled', noRequest)).toBe(50)
    const expected = mine.map((session) => told(session, 'client-disabled')).sort(byId)
    expect([...(process.events as { sessionId: string }[])].sort(byId)).toEqual(expected)
    const published = expected.map(({ type: _type, ...event }) => ({ ...event, at: at(1) }))
    expect(process.heard.sort(byId)).toEqual(published)
    expect(mine.filter(process.isRemembered)).toEqual([])
    expect(process.isRemembered(other)).toBe(true)
    expect(await process.endClient('wiki', null, 'client-disabled', noRequest)).toBe(0)
  })

  it('ends 1200 in calls of which none ends more than 500', async () => {
    const numbers: number[] = []
    const process = await start((good) => ({
      async endAllForClient(...given) {
        const ended = (await good.endAllForClient?.(...given)) ?? []
        numbers.push(ended.length)
        return ended
      },
    }))
    for (let count = 0; count < 1200; count += 1)
      await process.store.create(newSession(at, { kind: 'oauth', clientId: 'wiki' }))
    expect(await process.endClient('wiki', null, 'client-disabled', noRequest)).toBe(1200)
    // Once more at the end, for those that were being opened.
    expect(numbers).toEqual([500, 500, 200, 0])
    expect(process.events).toHaveLength(1200)
  })

  it('comes to an end with a store that knows no limit, or names the same for ever', async () => {
    const same = Array.from({ length: 600 }, (_none, index) => `s-${index}`)
    const forgetful = await start(() => ({ endAllForClient: async () => same }))
    expect(await forgetful.endClient('wiki', null, 'client-disabled', noRequest)).toBe(1200)
    const old = await start((good) => ({
      endAllForClient: async (clientId, { limit: _unknown, ...only }, ...more) =>
        (await good.endAllForClient?.(clientId, only, ...more)) ?? [],
    }))
    for (let count = 0; count < 600; count += 1)
      await old.store.create(newSession(at, { kind: 'oauth', clientId: 'wiki' }))
    expect(await old.endClient('wiki', null, 'client-disabled', noRequest)).toBe(600)
  })

  it('of one user leaves those of other users, and of other clients', async () => {
    const process = await start()
    const mine = await process.open({ clientId: 'wiki', userId: 'u-alice' })
    const others = [
      await process.open({ clientId: 'wiki' }),
      await process.open({ clientId: 'desktop', userId: 'u-alice' }),
    ]
    expect(await process.endClient('wiki', 'u-alice', 'consent-revoked', noRequest)).toBe(1)
    expect(process.events).toEqual([told(mine, 'consent-revoked')])
    expect(process.heard).toMatchObject([{ sessionId: mine.id, userId: 'u-alice' }])
    for (const { id } of others) expect((await process.store.find(id))?.endedAt).toBeNull()
  })

  it('ends one that was being opened during the first call', async () => {
    const late = newSession(at, { kind: 'oauth', clientId: 'wiki' })
    let calls = 0
    const process = await start((good) => ({
      async endAllForClient(...given) {
        const ended = (await good.endAllForClient?.(...given)) ?? []
        calls += 1
        if (calls === 1) await good.create(late)
        return ended
      },
    }))
    expect(await process.endClient('wiki', null, 'client-disabled', noRequest)).toBe(1)
    expect(process.events).toEqual([told(late, 'client-disabled')])
  })

  it('closes sockets of a session also where the store can no longer say whose it was', async () => {
    const process = await start(() => ({ find: async () => null }))
    const session = await process.open({ clientId: 'wiki' })
    expect(await process.endClient('wiki', null, 'client-disabled', noRequest)).toBe(1)
    expect(process.heard).toMatchObject([{ sessionId: session.id, reason: 'client-disabled' }])
    expect(process.events).toEqual([])
  })

  it.each([null, 'u-alice'])(
    'forgets what it remembers where the store has lost its answer, or a name: of user %s',
    async (userId) => {
      const answers = [() => [], () => Promise.reject(new Error('cut off after the commit'))]
      for (const answer of answers) {
        const process = await start((good) => ({
          async endAllForClient(...given) {
            await good.endAllForClient?.(...given)
            return answer()
          },
        }))
        const session = await process.open({ clientId: 'wiki', userId: 'u-alice' })
        await process.endClient('wiki', userId, 'client-disabled', noRequest).catch(() => {})
        expect(process.isRemembered(session)).toBe(false)
      }
    },
  )

  it('does nothing with a store that knows no clients', async () => {
    const process = await start(() => ({ endAllForClient: undefined as never }))
    const session = await process.open({ clientId: 'wiki' })
    expect(await process.endClient('wiki', null, 'client-disabled', noRequest)).toBe(0)
    expect((await process.store.find(session.id))?.endedAt).toBeNull()
  })
})

describe('ending a session that has opened others', () => {
  /** Counts the calls of `endChildren`. */
  function counting() {
    const asked: string[] = []
    const change = (good: SessionStore): Partial<SessionStore> => ({
      async endChildren(id, ...rest) {
        asked.push(id)
        return (await good.endChildren?.(id, ...rest)) ?? []
      },
    })
    return { asked, change }
  }

  it('ends those with it, for the same reason, and tells every process', async () => {
    const process = await start()
    const parent = await process.open({ kind: 'browser', userId: 'u-alice' })
    const child = await process.open({ parentId: parent.id, userId: 'u-alice' })
    const other = await process.open({ userId: 'u-alice' })
    expect(await process.end(parent, 'logout', noRequest)).toBe(true)
    expect(process.events).toEqual([told(parent, 'logout'), told(child, 'logout')])
    expect(process.heard.map(({ sessionId }) => sessionId)).toEqual([parent.id, child.id])
    expect(process.isRemembered(child)).toBe(false)
    expect((await process.store.find(other.id))?.endedAt).toBeNull()
  })

  it('ends the apps of the browser that a web app has signed in', async () => {
    const process = await start()
    const web = await process.open({ kind: 'login', userId: 'u-alice' })
    const browser = await process.open({ kind: 'browser', userId: 'u-alice', parentId: web.id })
    const app = await process.open({ parentId: browser.id, userId: 'u-alice' })
    // By its id alone, too: what it is need not be known.
    await process.end({ id: web.id, userId: 'u-alice' }, 'revoked', noRequest)
    expect(process.events).toEqual([web, browser, app].map((one) => told(one, 'revoked')))
  })

  it('finishes what a call that failed has left, and says so by rejecting', async () => {
    let isDown = true
    const process = await start((good) => ({
      endChildren: async (...given) => {
        if (isDown) throw new Error('away')
        return (await good.endChildren?.(...given)) ?? []
      },
    }))
    const parent = await process.open({ kind: 'browser', userId: 'u-alice' })
    const child = await process.open({ parentId: parent.id, userId: 'u-alice' })
    await expect(process.end(parent, 'logout', noRequest)).rejects.toThrow('away')
    expect(process.isRemembered(child)).toBe(false)
    isDown = false
    expect(await process.end(parent, 'logout', noRequest)).toBe(false)
    expect(process.events).toEqual([told(parent, 'logout'), told(child, 'logout')])
  })

  it('asks for none where none is ever opened, nor of a bot or an app', async () => {
    const without = counting()
    const alone = await start(without.change, false)
    await alone.end(await alone.open({ kind: 'browser' }), 'logout', noRequest)
    expect(without.asked).toEqual([])
    const { asked, change } = counting()
    const process = await start(change)
    const browser = await process.open({ kind: 'browser' })
    // Nor of the app that ends with the browser.
    await process.open({ parentId: browser.id, userId: browser.userId })
    for (const one of [await process.open({ kind: 'token' }), await process.open({}), browser])
      await process.end(one, 'logout', noRequest)
    expect(asked).toEqual([browser.id])
  })

  it('asks for none besides all of a user, since theirs they are', async () => {
    const { asked, change } = counting()
    const process = await start(change)
    const parent = await process.open({ kind: 'browser', userId: 'u-alice' })
    await process.open({ parentId: parent.id, userId: 'u-alice' })
    expect(await process.endAllButNamed('u-alice', 'password-changed', noRequest)).toBe(2)
    const later = await process.open({ kind: 'browser', userId: 'u-alice' })
    await process.open({ parentId: later.id, userId: 'u-alice' })
    expect(await process.endAllForUser('u-alice', 'revoked', noRequest)).toBe(2)
    expect(asked).toEqual([])
  })

  it('does nothing more with a store that knows no children', async () => {
    const process = await start(() => ({ endChildren: undefined as never }))
    const parent = await process.open({ kind: 'browser' })
    expect(await process.end(parent, 'logout', noRequest)).toBe(true)
  })
})
