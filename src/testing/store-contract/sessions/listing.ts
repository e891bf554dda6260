import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import { newRefreshable, newRotation, newSession } from '../../../stores/new-records.js'
import { check, same, sessionsOf } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

/** Which sessions are live. */
export function listingContract(part: Part<SessionStore>): void {
  listing(part)
  ties(part)
  liveness(part)
  expiryEdges(part)
  movedEnds(part)
}

function listing({ it }: Part<SessionStore>): void {
  it('listForUser answers the live sessions of that user, the oldest first', async (sessions, at) => {
    const { userId } = newSession(at)
    const aged = (seconds: number) =>
      newSession(at, { userId, createdAt: at(-seconds), authenticatedAt: at(-seconds) })
    const byAge = [aged(50), aged(40), aged(0.002), aged(0.001), aged(0)]
    const ended = aged(45)
    // Neither in this order nor in its reverse, or a store that sorts by insertion would pass.
    for (const index of [2, 0, 4, 1, 3]) await sessions.create(byAge[index] as SessionRecord)
    await sessions.create(ended)
    await sessions.create(newSession(at))
    await sessions.end(ended.id, 'logout', at(1))
    const listed = (await sessions.listForUser(userId, at(2))).map(({ id }) => id)
    const ids = byAge.map(({ id }) => id)
    same(listed, ids, 'sessions.listForUser: this user’s, not ended, sorted by createdAt.')
    same(
      await sessions.listForUser(newSession(at).userId, at(2)),
      [],
      'sessions.listForUser of a user without sessions.',
    )
  })
}

function ties({ it }: Part<SessionStore>): void {
  it('listForUser answers sessions of the same createdAt by id', async (sessions, at) => {
    const { userId } = newSession(at)
    // By bytes, capital letters come before small ones, and surrogate pairs come last. A collation,
    // or `<`, sorts them in another way.
    const ids = ['', '', '', '\u{1f600}', '\uff21', 'Z', '\u00e9', 'a'].map(
      (first) => `${first}${newSession(at).id}`,
    )
    const byId = [...ids].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    // Their order of creation and their other times must not matter.
    for (const [index, id] of ids.entries()) {
      await sessions.create(
        newSession(at, { id, userId, lastSeenAt: at(-index), expiresAt: at(3600 - index) }),
      )
    }
    const listed = (await sessionsOf(sessions, userId, at(1))).map(({ id }) => id)
    same(
      listed,
      byId,
      'sessions.listForUser of sessions with one createdAt: by the bytes of their ids, so that ' +
        'no list jumps about.',
    )
  })
}

function liveness({ it }: Part<SessionStore>): void {
  it('liveAmong answers only ids that live, however the question is put', async (sessions, at) => {
    const [live, notAsked, ended, unknown] = [
      newSession(at),
      newSession(at),
      newSession(at),
      newSession(at),
    ]
    for (const session of [live, notAsked, ended]) await sessions.create(session)
    await sessions.end(ended.id, 'logout', at(1))
    same(
      await sessions.liveAmong([], at(2)),
      [],
      'sessions.liveAmong of no ids. An empty IN () must not be an error.',
    )
    const asked = [unknown.id, live.id, ended.id]
    same(
      await sessions.liveAmong(asked, at(2)),
      [live.id],
      'sessions.liveAmong must leave out unknown and ended sessions.',
    )
    same(
      await sessions.liveAmong([ended.id], at(2)),
      [],
      'sessions.liveAmong of an ended session alone.',
    )
    const twice = await sessions.liveAmong([live.id, ended.id, live.id, ended.id], at(2))
    same([...new Set(twice)], [live.id], 'sessions.liveAmong with ids asked for twice.')
    check(twice.length <= 2, `sessions.liveAmong answered one id ${twice.length} times.`)
  })
}

function expiryEdges({ it }: Part<SessionStore>): void {
  for (const name of ['idleExpiresAt', 'expiresAt'] as const) {
    it(`a session is live one millisecond before ${name}, and over at that very moment`, async (sessions, at) => {
      const session = newSession(at, {
        idleExpiresAt: at(600),
        expiresAt: at(600),
        [name]: at(300),
      })
      await sessions.create(session)
      const listed = async (now: Date) =>
        (await sessionsOf(sessions, session.userId, now)).map(({ id }) => id)
      const live = (now: Date) => sessions.liveAmong([session.id], now)
      same(
        await listed(at(299.999)),
        [session.id],
        `listForUser one millisecond before ${name}. Keep milliseconds.`,
      )
      same(
        await live(at(299.999)),
        [session.id],
        `liveAmong one millisecond before ${name}. Keep milliseconds.`,
      )
      same(
        await listed(at(300)),
        [],
        `listForUser at ${name}: the session is live while now < ${name}.`,
      )
      same(
        await live(at(300)),
        [],
        `liveAmong at ${name}: the session is live while now < ${name}.`,
      )
    })
  }
}

function movedEnds({ it }: Part<SessionStore>): void {
  it('touch and rotateRefresh move the idle end, for listForUser, liveAmong and purge as well', async (sessions, at) => {
    const made = {
      touch: newSession(at, { idleExpiresAt: at(30) }),
      rotateRefresh: newRefreshable(at, 'token', { idleExpiresAt: at(30) }),
    }
    const seen = { lastSeenAt: at(5), idleExpiresAt: at(900), ip: null }
    await sessions.create(made.touch)
    await sessions.create(made.rotateRefresh)
    await sessions.touch(made.touch.id, seen)
    await sessions.rotateRefresh(
      made.rotateRefresh.id,
      'token',
      { ...newRotation(at, 'next'), ...seen },
      at(5),
    )
    for (const [name, { id, userId }] of Object.entries(made)) {
      const why =
        'goes by the idle end that the session was created with, not by the one that ' +
        `sessions.${name} has set. Move what it goes by.`
      const listed = async (now: Date) =>
        (await sessionsOf(sessions, userId, now)).map((session) => session.id)
      same(await listed(at(800)), [id], `sessions.listForUser ${why}`)
      same(await sessions.liveAmong([id], at(800)), [id], `sessions.liveAmong ${why}`)
      same(
        [await listed(at(901)), await sessions.liveAmong([id], at(901))],
        [[], []],
        `sessions.listForUser or liveAmong ${why}`,
      )
      await sessions.purge(at(800))
      check((await sessions.find(id)) !== null, `sessions.purge ${why}`)
    }
  })

  it('a session is live for a process whose clock is behind, too', async (sessions, at) => {
    const session = newSession(at)
    await sessions.create(session)
    const why =
      'two seconds before createdAt: clocks of processes differ. Ask only whether the end has come.'
    same(await sessions.liveAmong([session.id], at(-2)), [session.id], `sessions.liveAmong ${why}`)
    same(
      (await sessionsOf(sessions, session.userId, at(-2))).length,
      1,
      `sessions.listForUser ${why}`,
    )
  })
}
