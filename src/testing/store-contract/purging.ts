import type { AuthorizationCodeStore, SecondFactorStore, SessionStore, SocketTicketStore } from '../../stores/contract.js'
import { check, same } from './checks.js'
import {
  type Moment,
  moments,
  newCode,
  newFactor,
  newPending,
  newRefreshable,
  newRotation,
  newSession,
  newTicket,
} from './records.js'
import type { Part } from './suite.js'

// `purge` deletes whatever is over, also what others have put there: these tests need a database of their own. A store whose database
// expires its rows answers 0, and is then only checked for what it must keep.

/** Deleting codes: unused ones when they expire, used ones when nobody needs to know of them any more. */
export function codesPurge({ it, store }: Part<AuthorizationCodeStore>): void {
  const isThere = async (codes: AuthorizationCodeStore, hash: string) => (await codes.find(hash)) !== null

  it('purge deletes an unused code at the moment it expires, and not before', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    await codes.purge(at(59.999))
    check(await isThere(codes, code.codeHash), 'codes.purge deleted a code one millisecond before it expired.')
    await checkGone('codes.purge', codes.purge(at(60)), () => isThere(codes, code.codeHash))
  })

  it('purge keeps a used code until retainUntil', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    await codes.consume(code.codeHash, at(1))
    await codes.purge(at(3599.999))
    const expected = { outcome: 'replayed', code: { ...code, consumedAt: at(1) } }
    const replay = await codes.consume(code.codeHash, at(3599.999))
    same(replay, expected, 'codes.purge deleted a used code before retainUntil: a stolen code that is replayed goes unnoticed.')
    await checkGone('codes.purge', codes.purge(at(3600)), () => isThere(codes, code.codeHash))
  })

  it('purge deletes at most so many codes as it is told', async () => {
    const at = moments()
    const codes = await store()
    await codes.purge(at(60))
    const rows = Array.from({ length: 5 }, () => newCode(at))
    for (const code of rows) await codes.save(code)
    await checkLimit(
      'codes.purge',
      (limit) => codes.purge(at(60), limit),
      () => countTrue(rows.map(({ codeHash }) => isThere(codes, codeHash))),
    )
  })

  it('purge with a limit of 0 deletes no code', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    await checkNone('codes.purge', codes.purge(at(60), 0), () => isThere(codes, code.codeHash))
  })
}

/** Deleting sessions. */
export function sessionsPurge({ it, store, rounds }: Part<SessionStore>): void {
  const isThere = async (sessions: SessionStore, id: string) => (await sessions.find(id)) !== null

  for (const name of ['idleExpiresAt', 'expiresAt'] as const) {
    it(`purge deletes a session at ${name}, and not before`, async () => {
      const at = moments()
      const sessions = await store()
      const session = newSession(at, { idleExpiresAt: at(600), expiresAt: at(600), [name]: at(300) })
      await sessions.create(session)
      await sessions.purge(at(299.999))
      same(await sessions.find(session.id), session, `sessions.purge deleted a session one millisecond before ${name}.`)
      await checkGone('sessions.purge', sessions.purge(at(300)), () => isThere(sessions, session.id))
    })
  }

  it('purge deletes a session at the moment it ended, and not before, and no living one', async () => {
    const at = moments()
    const sessions = await store()
    const [ended, living] = [newSession(at), newRefreshable(at, 'token')]
    await sessions.create(ended)
    await sessions.create(living)
    await sessions.end(ended.id, 'logout', at(2))
    await sessions.purge(at(1.999))
    const left = { ...ended, endedAt: at(2), endReason: 'logout' }
    same(await sessions.find(ended.id), left, 'sessions.purge deleted a session that ended one millisecond after `now`.')
    await checkGone('sessions.purge', sessions.purge(at(2)), () => isThere(sessions, ended.id))
    same(await sessions.find(living.id), living, 'sessions.purge must leave a living session as it is.')
  })

  it('purge deletes at most so many sessions as it is told', async () => {
    const at = moments()
    const sessions = await store()
    await sessions.purge(at(1))
    const rows = Array.from({ length: 5 }, () => newSession(at))
    for (const session of rows) {
      await sessions.create(session)
      await sessions.end(session.id, 'logout', at(1))
    }
    await checkLimit(
      'sessions.purge',
      (limit) => sessions.purge(at(1), limit),
      () => countTrue(rows.map(({ id }) => isThere(sessions, id))),
    )
  })

  it('purge with a limit of 0 deletes no session', async () => {
    const at = moments()
    const sessions = await store()
    const session = newSession(at)
    await sessions.create(session)
    await sessions.end(session.id, 'logout', at(1))
    await checkNone('sessions.purge', sessions.purge(at(1), 0), () => isThere(sessions, session.id))
  })

  it('purge and use, at once: a session that was used in time stays', async () => {
    for (let round = 0; round < rounds; round += 1) await purgeWhileUsed(await store(), moments())
  })
}

async function purgeWhileUsed(sessions: SessionStore, at: Moment): Promise<void> {
  const touched = newSession(at)
  const rotated = newRefreshable(at, 'token', { idleExpiresAt: at(10) })
  await sessions.create(touched)
  await sessions.create(rotated)
  const touch = (second: number) =>
    sessions.touch(touched.id, { lastSeenAt: at(second), idleExpiresAt: at(600 + second), ip: null })
  const [, , , rotation] = await Promise.all([
    sessions.purge(at(11)),
    touch(8),
    touch(9),
    sessions.rotateRefresh(rotated.id, 'token', newRotation(at, 'next'), at(9)),
    touch(10),
    sessions.purge(at(11)),
  ])
  check((await sessions.find(touched.id)) !== null, 'sessions.purge deleted a living session while it was touched.')
  // The rotation moved the idle end from 10 to 602 seconds. Who came first is open, but not that a rotated session is there.
  check(
    rotation.outcome !== 'rotated' || (await sessions.find(rotated.id)) !== null,
    'sessions.purge deleted a session that was refreshed meanwhile. Delete by the condition, not by ids that were read before.',
  )
}

/** Deleting tickets. */
export function ticketsPurge({ it, store }: Part<SocketTicketStore>): void {
  const consume = async (tickets: SocketTicketStore, hash: string, now: Date) =>
    (await tickets.consume(hash, now)).outcome === 'consumed'

  it('purge deletes a ticket at the moment it expires, and not before', async () => {
    const at = moments()
    const tickets = await store()
    const [kept, gone] = [newTicket(at), newTicket(at)]
    await tickets.save(kept)
    await tickets.purge(at(29.999))
    check(await consume(tickets, kept.ticketHash, at(1)), 'tickets.purge deleted a ticket one millisecond before it expired.')
    await tickets.save(gone)
    await checkGone('tickets.purge', tickets.purge(at(30)), () => consume(tickets, gone.ticketHash, at(1)))
  })

  it('purge deletes at most so many tickets as it is told', async () => {
    const at = moments()
    const tickets = await store()
    await tickets.purge(at(30))
    const rows = Array.from({ length: 5 }, () => newTicket(at))
    for (const ticket of rows) await tickets.save(ticket)
    const purged = await tickets.purge(at(30), 2)
    // A ticket can be looked at only by using it up, so the rows are counted once.
    const left = await countTrue(rows.map(({ ticketHash }) => consume(tickets, ticketHash, at(1))))
    checkCount('tickets.purge', purged, left)
  })

  it('purge with a limit of 0 deletes no ticket', async () => {
    const at = moments()
    const tickets = await store()
    const ticket = newTicket(at)
    await tickets.save(ticket)
    await checkNone('tickets.purge', tickets.purge(at(30), 0), () => consume(tickets, ticket.ticketHash, at(1)))
  })
}

/** Deleting enrolments, and nothing else of a user's. */
export function enrolmentsPurge({ it, store }: Part<SecondFactorStore>): void {
  const isThere = async (factors: SecondFactorStore, userId: string) => (await factors.findPending(userId)) !== null

  it('purge deletes an enrolment at the moment it expires, and not before', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at)
    await factors.savePending(pending)
    await factors.purge(at(599.999))
    same(await factors.findPending(pending.userId), pending, 'secondFactors.purge deleted an enrolment before it expired.')
    await checkGone('secondFactors.purge', factors.purge(at(600)), () => isThere(factors, pending.userId))
  })

  it('purge deletes at most so many enrolments as it is told', async () => {
    const at = moments()
    const factors = await store()
    await factors.purge(at(600))
    const rows = Array.from({ length: 5 }, () => newPending(at))
    for (const pending of rows) await factors.savePending(pending)
    await checkLimit(
      'secondFactors.purge',
      (limit) => factors.purge(at(600), limit),
      () => countTrue(rows.map(({ userId }) => isThere(factors, userId))),
    )
  })

  it('purge with a limit of 0 deletes no enrolment', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at)
    await factors.savePending(pending)
    await checkNone('secondFactors.purge', factors.purge(at(600), 0), () => isThere(factors, pending.userId))
  })
}

/** What deleting enrolments must leave. */
export function enrolmentsPurgeSpares({ it, store, rounds }: Part<SecondFactorStore>): void {
  it('purge leaves active factors and their recovery codes, however old they are', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at, { createdAt: at(-1e8) })
    await factors.activate(factor, ['one', 'other'])
    await factors.savePending(newPending(at, { userId: factor.userId }))
    await factors.purge(at(1e9))
    same(
      await factors.find(factor.userId),
      factor,
      'secondFactors.purge deleted or changed an active factor: the user has none any more.',
    )
    same(await factors.countRecoveryCodes(factor.userId), 2, 'secondFactors.purge deleted recovery codes of an active factor.')
  })

  it('purge and savePending, at once: the new enrolment stays', async () => {
    const at = moments()
    const factors = await store()
    for (let round = 0; round < rounds; round += 1) {
      const old = newPending(at)
      const next = newPending(at, { userId: old.userId, createdAt: at(600), expiresAt: at(1200) })
      await factors.savePending(old)
      const save = () => factors.savePending(next)
      const purge = () => factors.purge(at(600))
      await Promise.all(round % 2 === 0 ? [purge(), save()] : [save(), purge()])
      const found = await factors.findPending(old.userId)
      same(
        found,
        next,
        'secondFactors.purge deleted an enrolment that was begun meanwhile. Delete by the condition, not by ids read before.',
      )
    }
  })
}

async function checkNone(method: string, purging: Promise<number>, isThere: () => Promise<boolean>): Promise<void> {
  const purged = await purging
  check(purged === 0, `${method} with a limit of 0 must delete nothing and answer 0; it answered ${purged}.`)
  check(await isThere(), `${method} took a limit of 0 for none: it deleted what it was told to leave.`)
}

async function checkGone(method: string, purging: Promise<number>, isThere: () => Promise<boolean>): Promise<void> {
  const purged = await purging
  check(Number.isInteger(purged) && purged >= 0, `${method} must answer how many rows it deleted; it answered ${purged}.`)
  check(purged === 0 || !(await isThere()), `${method} deleted ${purged} rows, but left one that is over.`)
}

async function checkLimit(method: string, purge: (limit: number) => Promise<number>, rows: () => Promise<number>): Promise<void> {
  const first = await purge(2)
  checkCount(method, first, await rows())
  const second = await purge(10)
  check(first === 0 || second === 5 - first, `${method} deleted ${first} of 5 rows and then ${second}: a limit must not lose rows.`)
}

function checkCount(method: string, purged: number, left: number): void {
  check(
    purged === 0 || (purged <= 2 && left === 5 - purged),
    `${method} with a limit of 2 deleted ${5 - left} of 5 rows and answered ${purged}: a large table would be locked for long.`,
  )
}

async function countTrue(questions: readonly Promise<boolean>[]): Promise<number> {
  return (await Promise.all(questions)).filter((answer) => answer).length
}
