import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import { check, same } from './checks.js'
import { moments, newSession } from './records.js'
import type { Part } from './suite.js'

/** Which sessions are live. */
export function listingContract(part: Part<SessionStore>): void {
  listing(part)
  ties(part)
  liveness(part)
  expiryEdges(part)
}

function listing({ it, store }: Part<SessionStore>): void {
  it('listForUser answers the live sessions of that user, the oldest first', async () => {
    const at = moments()
    const sessions = await store()
    const { userId } = newSession(at)
    const aged = (seconds: number) => newSession(at, { userId, createdAt: at(-seconds), authenticatedAt: at(-seconds) })
    const byAge = [aged(50), aged(40), aged(0.002), aged(0.001), aged(0)]
    const ended = aged(45)
    // Neither in this order nor in its reverse: a store that goes by when it was told would look right.
    for (const index of [2, 0, 4, 1, 3]) await sessions.create(byAge[index] as SessionRecord)
    await sessions.create(ended)
    await sessions.create(newSession(at))
    await sessions.end(ended.id, 'logout', at(1))
    same(await sessions.listForUser(userId, at(2)), byAge, 'sessions.listForUser: this user’s, not ended, sorted by createdAt.')
    same(await sessions.listForUser(newSession(at).userId, at(2)), [], 'sessions.listForUser of a user without sessions.')
  })
}

function ties({ it, store }: Part<SessionStore>): void {
  it('listForUser answers sessions of the same createdAt by id', async () => {
    const at = moments()
    const sessions = await store()
    const { userId } = newSession(at)
    const ids = Array.from({ length: 6 }, () => newSession(at).id)
    // Capital letters come before small ones: a collation of the database may see it otherwise.
    const byId = [...ids].sort()
    // Neither their order of creation nor that of their times says anything.
    for (const [index, id] of ids.entries()) {
      await sessions.create(newSession(at, { id, userId, lastSeenAt: at(-index), expiresAt: at(3600 - index) }))
    }
    const listed = (await sessions.listForUser(userId, at(1))).map(({ id }) => id)
    same(
      listed,
      byId,
      'sessions.listForUser of sessions with one createdAt: by the bytes of their ids, so that no list jumps about.',
    )
  })
}

function liveness({ it, store }: Part<SessionStore>): void {
  it('liveAmong answers only ids that live, however the question is put', async () => {
    const at = moments()
    const sessions = await store()
    const [live, notAsked, ended, unknown] = [newSession(at), newSession(at), newSession(at), newSession(at)]
    for (const session of [live, notAsked, ended]) await sessions.create(session)
    await sessions.end(ended.id, 'logout', at(1))
    same(await sessions.liveAmong([], at(2)), [], 'sessions.liveAmong of no ids. An empty IN () must not be an error.')
    const asked = [unknown.id, live.id, ended.id]
    same(await sessions.liveAmong(asked, at(2)), [live.id], 'sessions.liveAmong must leave out unknown and ended sessions.')
    same(await sessions.liveAmong([ended.id], at(2)), [], 'sessions.liveAmong of an ended session alone.')
    const twice = await sessions.liveAmong([live.id, ended.id, live.id, ended.id], at(2))
    same([...new Set(twice)], [live.id], 'sessions.liveAmong with ids asked for twice.')
    check(twice.length <= 2, `sessions.liveAmong answered one id ${twice.length} times.`)
  })

  it('liveAmong answers 500 ids at once', async () => {
    const at = moments()
    const sessions = await store()
    const records = Array.from({ length: 500 }, () => newSession(at))
    const ids = records.map(({ id }) => id)
    const ended = ids.filter((_id, index) => index % 50 === 0)
    for (const session of records) await sessions.create(session)
    for (const id of ended) await sessions.end(id, 'logout', at(1))
    const expected = ids.filter((id) => !ended.includes(id)).sort()
    same([...(await sessions.liveAmong(ids, at(2)))].sort(), expected, 'sessions.liveAmong is asked for up to 500 at a time.')
  })
}

function expiryEdges({ it, store }: Part<SessionStore>): void {
  for (const name of ['idleExpiresAt', 'expiresAt'] as const) {
    it(`a session is live one millisecond before ${name}, and over at that very moment`, async () => {
      const at = moments()
      const sessions = await store()
      const session = newSession(at, { idleExpiresAt: at(600), expiresAt: at(600), [name]: at(300) })
      await sessions.create(session)
      const listed = async (now: Date) => (await sessions.listForUser(session.userId, now)).map(({ id }) => id)
      const live = (now: Date) => sessions.liveAmong([session.id], now)
      same(await listed(at(299.999)), [session.id], `listForUser one millisecond before ${name}. Keep milliseconds.`)
      same(await live(at(299.999)), [session.id], `liveAmong one millisecond before ${name}. Keep milliseconds.`)
      same(await listed(at(300)), [], `listForUser at ${name}: the session is live while now < ${name}.`)
      same(await live(at(300)), [], `liveAmong at ${name}: the session is live while now < ${name}.`)
    })
  }
}
