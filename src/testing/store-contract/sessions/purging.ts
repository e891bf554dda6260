import type { SessionStore } from '../../../stores/contract.js'
import {
  inTurns,
  type Moment,
  moments,
  newRefreshable,
  newRotation,
  newSession,
} from '../../../stores/new-records.js'
import { checkGone, countTrue, purgeContract } from '../every-store/purge-contract.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

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
    same(
      await sessions.find(living.id),
      before,
      'sessions.purge must leave a living session as it is.',
    )
  })

  purgeContract(part, {
    method: 'sessions.purge',
    row: 'session',
    moments: (['idleExpiresAt', 'expiresAt'] as const).map((name) => ({
      title: `a session at ${name}`,
      tooEarly: `deleted a session one millisecond before ${name}`,
      over: 300,
      async add(sessions, at) {
        const both = { idleExpiresAt: at(600), expiresAt: at(600) }
        const session = newSession(at, { ...both, [name]: at(300) })
        await sessions.create(session)
        return () => isSession(sessions, session.id)
      },
    })),
    isCountable: true,
    purge: (sessions, now, limit) => sessions.purge(now, limit),
    addLiving: (sessions, at) => sessions.create(newSession(at)),
    addOver: addSessionsThatAreOver,
    over: 30,
  })
  purgeLeavesOthers(part)
}

const isSession = async (sessions: SessionStore, id: string) => !isNone(await sessions.find(id))

/** Adds sessions that have ended, idled out and expired, in turn. */
async function addSessionsThatAreOver(
  sessions: SessionStore,
  at: Moment,
  count: number,
): Promise<() => Promise<number>> {
  const ways = [{}, { idleExpiresAt: at(30) }, { idleExpiresAt: at(30), expiresAt: at(30) }]
  const rows = Array.from({ length: count }, (_none, index) =>
    newSession(at, ways[index % ways.length]),
  )
  await inTurns(rows, async (session, index) => {
    await sessions.create(session)
    if (index % ways.length === 0) await sessions.end(session.id, 'logout', at(1))
  })
  return () => countTrue(rows.map(({ id }) => isSession(sessions, id)))
}

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
