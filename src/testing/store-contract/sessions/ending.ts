import type { SessionStore } from '../../../stores/contract.js'
import { newSession } from '../../../stores/new-records.js'
import { check, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** A session ends once, for the first reason, and the one caller who ended it is told so. */
export function endingContract(part: Part<SessionStore>): void {
  endOne(part)
  endAll(part)
  endAllEdges(part)
  endAllWhileCreated(part)
  endAllAtOnce(part)
}

function endOne({ it }: Part<SessionStore>): void {
  it('an ended session shows when and why, and the first reason stays', async (sessions, at) => {
    const session = newSession(at)
    await sessions.create(session)
    const ended = { ...(await sessions.find(session.id)), endedAt: at(1.234), endReason: 'evicted' }
    same(
      await sessions.end(session.id, 'evicted', at(1.234)),
      true,
      'sessions.end is true for the caller who ended it.',
    )
    same(await sessions.find(session.id), ended, 'sessions.find right after sessions.end.')
    same(
      await sessions.end(session.id, 'revoked', at(2)),
      false,
      'sessions.end is false for a session that has ended.',
    )
    same(
      await sessions.endAllForUser(session.userId, 'revoked', at(3)),
      [],
      'endAllForUser names only what it ended itself.',
    )
    same(await sessions.find(session.id), ended, 'The first reason stays, and the first moment.')
  })

  it('ending an unknown session is false', async (sessions, at) => {
    const { id } = newSession(at)
    same(await sessions.end(id, 'logout', at(1)), false, 'sessions.end is false for an unknown id.')
    same(await sessions.find(id), null, 'sessions.end made a session. Update; never upsert.')
  })
}

function endAll({ it }: Part<SessionStore>): void {
  it('endAllForUser ends the sessions of that user only, and answers their ids', async (sessions, at) => {
    const { userId } = newSession(at)
    const own = [newSession(at, { userId }), newSession(at, { userId }), newSession(at, { userId })]
    const stranger = newSession(at)
    for (const session of [...own, stranger]) await sessions.create(session)
    const others = await sessions.find(stranger.id)
    const answer = await sessions.endAllForUser(userId, 'revoked', at(1))
    same(
      [...answer].sort(),
      own.map(({ id }) => id).sort(),
      'sessions.endAllForUser answers the ids of those it ended.',
    )
    for (const session of own) {
      const found = await sessions.find(session.id)
      same(
        [found?.endedAt, found?.endReason],
        [at(1), 'revoked'],
        'sessions.find after sessions.endAllForUser.',
      )
    }
    same(
      await sessions.find(stranger.id),
      others,
      'sessions.endAllForUser must leave other users’ sessions alone.',
    )
    same(
      await sessions.endAllForUser(newSession(at).userId, 'revoked', at(1)),
      [],
      'endAllForUser of a user without sessions.',
    )
  })

  it('endAllForUser spares exceptId', async (sessions, at) => {
    const kept = newSession(at)
    const other = newSession(at, { userId: kept.userId })
    await sessions.create(kept)
    await sessions.create(other)
    const before = await sessions.find(kept.id)
    const answer = await sessions.endAllForUser(kept.userId, 'revoked', at(1), kept.id)
    same(
      answer,
      [other.id],
      'endAllForUser with exceptId: "sign out everywhere else" must not sign out here.',
    )
    same(await sessions.find(kept.id), before, 'The session of exceptId must be left as it was.')
  })
}

function endAllEdges({ it }: Part<SessionStore>): void {
  it('endAllForUser ends and names sessions that idled out, or are past their absolute end, too', async (sessions, at) => {
    const living = newSession(at)
    const idle = newSession(at, { userId: living.userId, idleExpiresAt: at(300) })
    const expired = newSession(at, {
      userId: living.userId,
      idleExpiresAt: at(300),
      expiresAt: at(300),
    })
    for (const session of [living, idle, expired]) await sessions.create(session)
    const answer = await sessions.endAllForUser(living.userId, 'revoked', at(400))
    const why = 'a process whose clock is behind would let it live on. Go by `endedAt` alone.'
    check(
      answer.includes(idle.id),
      `sessions.endAllForUser left out a session that had idled out: ${why}`,
    )
    check(
      answer.includes(expired.id),
      `sessions.endAllForUser left out a session past its expiresAt: ${why}`,
    )
    same(
      [...answer].sort(),
      [living.id, idle.id, expired.id].sort(),
      'sessions.endAllForUser of three sessions, two of them over.',
    )
    for (const { id } of [idle, expired]) {
      const found = await sessions.find(id)
      same(
        [found?.endedAt, found?.endReason],
        [at(400), 'revoked'],
        'sessions.find of a session that was over, after endAllForUser.',
      )
    }
  })
}

function endAllWhileCreated({ inRounds }: Part<SessionStore>): void {
  inRounds(
    'endAllForUser and create, at once: the new session is ended and named, or neither',
    async (sessions, at, round) => {
      const old = newSession(at)
      const fresh = newSession(at, { userId: old.userId })
      await sessions.create(old)
      const create = () => sessions.create(fresh).then(() => [])
      const endAll = () => sessions.endAllForUser(old.userId, 'revoked', at(1))
      const named = (await atOnce(round, create, endAll)).flat()
      const isEnded = (await sessions.find(fresh.id))?.endedAt !== null
      check(
        named.includes(old.id),
        'sessions.endAllForUser did not name a session that was there before it was called.',
      )
      check(
        named.includes(fresh.id) === isEnded,
        `endAllForUser ${isEnded ? 'ended but did not name' : 'named but did not end'} a ` +
          'session that was created meanwhile.',
      )
    },
  )
}

function endAllAtOnce({ it, inRounds }: Part<SessionStore>): void {
  it('endAllForUser by 10 callers, at once: each id is named by exactly one', async (sessions, at) => {
    const { userId } = newSession(at)
    const own = Array.from({ length: 10 }, () => newSession(at, { userId }))
    for (const session of own) await sessions.create(session)
    const answers = await Promise.all(
      own.map(() => sessions.endAllForUser(userId, 'revoked', at(1))),
    )
    same(
      answers.flat().sort(),
      own.map(({ id }) => id).sort(),
      'Ten callers of endAllForUser together must name each id once. Answer the rows that this ' +
        'write has changed.',
    )
  })

  inRounds(
    'end and endAllForUser, at once: the session is ended by exactly one of them',
    async (sessions, at, round) => {
      const session = newSession(at)
      await sessions.create(session)
      const end = async () => ((await sessions.end(session.id, 'logout', at(1))) ? 1 : 0)
      const all = async () =>
        (await sessions.endAllForUser(session.userId, 'revoked', at(1))).length
      const counts = await atOnce(round, end, all)
      const ended = counts.reduce((sum, count) => sum + count, 0)
      check(
        ended === 1,
        `${ended} of 2 callers ended one session, one by end and one by endAllForUser. ` +
          'Condition both on endedAt.',
      )
    },
  )
}
