import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import {
  type Moment,
  moments,
  newRefreshable,
  newRotation,
  newSession,
} from '../../stores/new-records.js'
import { checkGone, purgeContract } from './every-store/purge-contract.js'
import {
  answers,
  check,
  isNone,
  type Part,
  resolves,
  same,
  sessionsOf,
  whereOffered,
} from './harness.js'

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
    const listed = (user: string) => async () =>
      (await sessions.listForUser(user, at(2))).map(({ id }) => id)
    const ids = byAge.map(({ id }) => id)
    await answers([
      [listed(userId), ids, 'listForUser: this user’s, not ended, sorted by createdAt.'],
      [listed(newSession(at).userId), [], 'listForUser of a user without sessions.'],
    ])
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
    same(listed, byId, 'listForUser of sessions with one createdAt: by the bytes of their ids.')
  })
}

function liveness({ it }: Part<SessionStore>): void {
  it('liveAmong answers only ids that live, however the question is put', async (sessions, at) => {
    const rows = [newSession(at), newSession(at), newSession(at), newSession(at)]
    const [live = '', ended = '', unknown = ''] = rows.map(({ id }) => id)
    for (const session of rows.filter(({ id }) => id !== unknown)) await sessions.create(session)
    await sessions.end(ended, 'logout', at(1))
    const among = (...ids: string[]) => sessions.liveAmong(ids, at(2))
    const left = 'sessions.liveAmong must leave out unknown and ended sessions.'
    await answers([
      [() => among(), [], 'sessions.liveAmong of no ids. An empty IN () must not be an error.'],
      [() => among(unknown, live, ended), [live], left],
      [() => among(ended), [], 'sessions.liveAmong of an ended session alone.'],
    ])
    const twice = await among(live, ended, live, ended)
    same([...new Set(twice)], [live], 'sessions.liveAmong with ids asked for twice.')
    check(twice.length <= 2, `sessions.liveAmong answered one id ${twice.length} times.`)
  })
}

function expiryEdges({ it }: Part<SessionStore>): void {
  for (const name of ['idleExpiresAt', 'expiresAt'] as const) {
    it(`a session is live one millisecond before ${name}, and over at that very moment`, async (sessions, at) => {
      const ends = { idleExpiresAt: at(600), expiresAt: at(600), [name]: at(300) }
      const session = newSession(at, ends)
      const { id } = session
      await sessions.create(session)
      const listed = (seconds: number) => async () =>
        (await sessionsOf(sessions, session.userId, at(seconds))).map((row) => row.id)
      const live = (seconds: number) => () => sessions.liveAmong([id], at(seconds))
      const before = `one millisecond before ${name}. Keep milliseconds.`
      const then = `at ${name}: the session is live while now < ${name}.`
      await answers([
        [listed(299.999), [id], `listForUser ${before}`],
        [live(299.999), [id], `liveAmong ${before}`],
        [listed(300), [], `listForUser ${then}`],
        [live(300), [], `liveAmong ${then}`],
      ])
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
    const next = { ...newRotation(at, 'next'), ...seen }
    await sessions.rotateRefresh(made.rotateRefresh.id, 'token', next, at(5))
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

/** `countForUser` never returns fewer sessions than listForUser lists. */
export function countingContract(part: Part<SessionStore>): void {
  // Without it, every sign-in asks for the list.
  const offering = whereOffered(part, 'countForUser')
  ofThatUser(offering)
  createdAtOnce(offering)
  countedByEnd(offering)
  otherClocks(offering)
}

type Counting = SessionStore & Required<Pick<SessionStore, 'countForUser'>>

const tooFew = 'A user keeps more sessions than maxSessionsPerUser.'

// The first of these tests detects a store that returns a text.
async function countOf(sessions: Counting, userId: string, now: Date): Promise<number> {
  return Number(await sessions.countForUser(userId, now))
}

function ofThatUser({ it }: Part<Counting>): void {
  it('counts the sessions of that user', async (sessions, at) => {
    const [{ userId }, other] = [newSession(at), newSession(at)]
    await sessions.create(other)
    const why =
      'sessions.countForUser: all sessions of this user that live, and nobody else’s; what is ' +
      'over may be counted until it is deleted.'
    same(await sessions.countForUser(userId, at(1)), 0, why)
    const own = [1, 2, 3].map(() => newSession(at, { userId }))
    for (const session of own) await sessions.create(session)
    same(await sessions.countForUser(userId, at(1)), 3, why)
    await sessions.end((own[0] as SessionRecord).id, 'logout', at(2))
    const left = await sessions.countForUser(userId, at(3))
    check(left === 2 || left === 3, `${why} One of 3 has ended: ${left}.`)
    same(await sessions.countForUser(other.userId, at(3)), 1, why)
  })
}

function createdAtOnce({ it, rounds }: Part<Counting>): void {
  const callers = 10
  it(`of ${callers} created at once, one sees all`, async (sessions, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const { userId } = newSession(at)
      const counted = await Promise.all(
        Array.from({ length: callers }, async () => {
          await sessions.create(newSession(at, { userId }))
          return countOf(sessions, userId, at(1))
        }),
      )
      check(
        Math.max(...counted) >= callers,
        `sessions.countForUser: whoever asked last counted ${Math.max(...counted)} of ${callers} ` +
          'sessions that were created at once. Count the rows; a number in a row of its own ' +
          `loses one of two changes, and a replica is late. ${tooFew}`,
      )
    }
  })
}

function countedByEnd({ it }: Part<Counting>): void {
  it('counts by the idle end that was set last', async (sessions, at) => {
    const { userId } = newSession(at)
    const soon = { userId, idleExpiresAt: at(30) }
    const [touched, rotated] = [newSession(at, soon), newRefreshable(at, 'token', soon)]
    const seen = { lastSeenAt: at(5), idleExpiresAt: at(900), ip: null }
    for (const session of [touched, rotated]) await sessions.create(session)
    await sessions.touch(touched.id, seen)
    const next = { ...newRotation(at, 'next'), ...seen }
    await sessions.rotateRefresh(rotated.id, 'token', next, at(5))
    check(
      (await countOf(sessions, userId, at(800))) >= 2,
      'sessions.countForUser goes by the idle end that the sessions were created with, not by ' +
        `the one that touch and rotateRefresh have set. ${tooFew}`,
    )
  })
}

function otherClocks({ it }: Part<Counting>): void {
  it('counts for a process whose clock is behind, too', async (sessions, at) => {
    const session = newSession(at)
    await sessions.create(session)
    check(
      (await countOf(sessions, session.userId, at(-2))) >= 1,
      'sessions.countForUser two seconds before createdAt: clocks of processes differ. Ask only ' +
        `whether the end has come. ${tooFew}`,
    )
  })
}

/** `purge` of sessions. */
export function sessionsPurge(part: Part<SessionStore>): void {
  const { it, expires } = part
  it('purge deletes a session at the moment it ended, and not before, and no living one', async (sessions, at) => {
    const [ended, living] = [newSession(at), newRefreshable(at, 'token')]
    await sessions.create(ended)
    await sessions.create(living)
    const before = await sessions.find(living.id)
    await sessions.end(ended.id, 'logout', at(2))
    const isLeft = await isSession(sessions, ended.id)
    await sessions.purge(at(1.999))
    check(
      !isLeft || (await isSession(sessions, ended.id)),
      'sessions.purge deleted a session that ended one millisecond after `now`.',
    )
    if (isLeft)
      await checkGone(expires, 'sessions.purge', sessions.purge(at(2)), () =>
        isSession(sessions, ended.id),
      )
    same(await sessions.find(living.id), before, 'purge must leave a living session as it is.')
  })

  const both = (at: Moment) => ({ idleExpiresAt: at(600), expiresAt: at(600) })
  purgeContract(part, {
    method: 'sessions.purge',
    row: 'session',
    moments: (['idleExpiresAt', 'expiresAt'] as const).map((name) => [
      `a session at ${name}`,
      300,
      (at) => newSession(at, { ...both(at), [name]: at(300) }),
    ]),
    save: (sessions, session) => sessions.create(session),
    isThere: (sessions, { id }) => isSession(sessions, id),
    isCountable: true,
    living: newSession,
    // One that will be ended, one that has idled out and one that has expired, in turn.
    make: (at, index) => {
      const idle = { idleExpiresAt: at(30) }
      return newSession(at, [{}, idle, { ...idle, expiresAt: at(30) }][index % 3])
    },
    use: async (sessions, { id }, at, index) =>
      index % 3 === 0 && sessions.end(id, 'logout', at(1)),
    over: 30,
  })
  purgeLeavesOthers(part)
}

const isSession = async (sessions: SessionStore, id: string) => !isNone(await sessions.find(id))

function purgeLeavesOthers({ it, store, rounds, expires }: Part<SessionStore>): void {
  it('purge leaves a living session that nobody has used for two months', async (sessions, at) => {
    const day = 24 * 60 * 60
    const far = { idleExpiresAt: at(90 * day), expiresAt: at(90 * day) }
    const session = newSession(at, { kind: 'token', ...far })
    await sessions.create(session)
    await sessions.purge(at(60 * day))
    check(
      await isSession(sessions, session.id),
      'sessions.purge deleted a living session by when it was made or last seen. Only ' +
        '`idleExpiresAt`, `expiresAt` and `endedAt` say that one is over: a named token may rest ' +
        'for months.',
    )
  })

  it('purge and use, at once: a session that was used in time stays', async () => {
    for (let round = 0; round < rounds; round += 1) await purgeWhileUsed(await store(), moments())
  })

  it('after purge a user has the other sessions, and no others', async (sessions, at) => {
    const gone = newSession(at, { idleExpiresAt: at(30) })
    const kept = newSession(at, { userId: gone.userId })
    await sessions.create(gone)
    await sessions.create(kept)
    await sessions.purge(at(30))
    // The database may delete it later. Other tests detect a purge that does not delete.
    if (expires === 'database' || (await isSession(sessions, gone.id))) return
    const why =
      'after sessions.purge has deleted one of the user’s two sessions: what is deleted must ' +
      'leave every index, too.'
    const listed = await resolves(
      sessions.listForUser(gone.userId, at(29)),
      `sessions.listForUser failed ${why}`,
    )
    same(
      listed.map((session) => session?.id),
      [kept.id],
      `sessions.listForUser ${why}`,
    )
    const ended = await resolves(
      sessions.endAllForUser(gone.userId, 'revoked', at(31)),
      `endAllForUser failed ${why}`,
    )
    same(ended, [kept.id], `sessions.endAllForUser ${why}`)
  })
}

async function purgeWhileUsed(sessions: SessionStore, at: Moment): Promise<void> {
  const touched = newSession(at)
  const rotated = newRefreshable(at, 'token', { idleExpiresAt: at(10) })
  await sessions.create(touched)
  await sessions.create(rotated)
  const touch = (second: number) =>
    sessions.touch(touched.id, {
      lastSeenAt: at(second),
      idleExpiresAt: at(600 + second),
      ip: null,
    })
  const [, , , rotation] = await Promise.all([
    sessions.purge(at(11)),
    touch(8),
    touch(9),
    sessions.rotateRefresh(rotated.id, 'token', newRotation(at, 'next'), at(9)),
    touch(10),
    sessions.purge(at(11)),
  ])
  check(
    (await sessions.find(touched.id)) !== null,
    'sessions.purge deleted a living session while it was touched.',
  )
  // The rotation moves the idle end from 10 to 602 seconds. Either may come first, but a rotated
  // session must exist.
  check(
    rotation.outcome !== 'rotated' || (await sessions.find(rotated.id)) !== null,
    'sessions.purge deleted a session that was refreshed meanwhile. Delete by the condition, ' +
      'not by ids that were read before.',
  )
}
