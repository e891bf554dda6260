import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import { newRefreshable, newRotation, newSession } from '../../../stores/new-records.js'
import { check, same } from '../harness/checks.js'
import { type Part, whereOffered } from '../harness/suite.js'

/** `countForUser` never returns fewer sessions than listForUser lists. */
export function countingContract(part: Part<SessionStore>): void {
  // Without it, every sign-in asks for the list.
  const offering = whereOffered(part, 'countForUser')
  ofThatUser(offering)
  createdAtOnce(offering)
  movedEnds(offering)
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

function movedEnds({ it }: Part<Counting>): void {
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
