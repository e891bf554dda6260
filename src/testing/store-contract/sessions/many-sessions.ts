import { randomId } from '../../../lib/random.js'
import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import { inTurns, newSession } from '../../../stores/new-records.js'
import { check, same, sessionsOf } from '../harness/checks.js'
import { many, type Part, whereOffered } from '../harness/suite.js'

/** Many sessions: all of them are listed, ended and checked. */
export function manySessions(part: Part<SessionStore>): void {
  createdAtOnce(part)
  ofOneUser(part)
  ofOneClient(part)
  asked(part)
}

function createdAtOnce({ it, rounds }: Part<SessionStore>): void {
  it('10 sessions of one user created at once are all listed', async (sessions, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const { userId } = newSession(at)
      const own = Array.from({ length: 10 }, () => newSession(at, { userId }))
      await Promise.all(own.map((session) => sessions.create(session)))
      const listed = await sessionsOf(sessions, userId, at(1))
      check(
        listed.length === 10,
        `sessions.listForUser answered ${listed.length} of 10 sessions that one user opened at ` +
          'once. Ask the rows by an index of the ' +
          'database, or keep a row for each; a list in a value loses one of two changes.',
      )
    }
  })
}

function ofOneUser({ it }: Part<SessionStore>): void {
  it(`${many} sessions of one user are all listed, counted and ended`, async (sessions, at) => {
    const { userId } = newSession(at)
    // Six have the same moment, so that a page of 10, 25, 50, 100, 500 or 1000 ends between them.
    const own = Array.from({ length: many }, (_none, index) =>
      newSession(at, { userId, createdAt: at(Math.floor(index / -6)) }),
    )
    await inTurns(own, (session) => sessions.create(session))
    const pages =
      'Ask for the next page until there is none, after the last createdAt and id together.'
    const listed = (await sessionsOf(sessions, userId, at(1))).map(idOf)
    check(
      listed.length === many,
      `sessions.listForUser answered ${listed.length} of ${many} sessions of one user. ${pages}`,
    )
    same(
      listed,
      [...own].sort(byAge).map(idOf),
      `sessions.listForUser of ${many} sessions: by createdAt, and by the bytes of the id where ` +
        'that is the same.',
    )
    const count = Number((await sessions.countForUser?.(userId, at(1))) ?? many)
    const few = `sessions.countForUser answered ${count} of ${many} sessions: count all pages.`
    check(count >= many, few)
    const ended = await sessions.endAllForUser(userId, 'revoked', at(1))
    const left = await sessionsOf(sessions, userId, at(2))
    const why =
      `of ${many} sessions of one user: a device lives on after "sign out everywhere". Go on ` +
      'until none is left, batch by batch.'
    check(left.length === 0, `sessions.endAllForUser left ${left.length} ${why}`)
    same(
      [...ended].sort(),
      own.map(idOf).sort(),
      `sessions.endAllForUser named ${ended.length} ${why}`,
    )
  })
}

function ofOneClient(part: Part<SessionStore>): void {
  const { it } = whereOffered(part, 'endAllForClient')
  it('with a limit, called until it answers fewer, leaves none', async (sessions, at) => {
    const clientId = randomId()
    const own = Array.from({ length: 35 }, () => newSession(at, { clientId }))
    await inTurns(own, (session) => sessions.create(session))
    const limit = 10
    const ended: string[] = []
    let answer: readonly string[]
    do {
      answer = await sessions.endAllForClient(clientId, { limit }, 'revoked', at(1))
      ended.push(...answer)
      check(ended.length <= own.length, 'sessions.endAllForClient named a session twice.')
    } while (answer.length >= limit)
    same(
      [...ended].sort(),
      own.map(idOf).sort(),
      'sessions.endAllForClient with a limit of 10: fewer ids than that say that none is left. ' +
        'Go on until there are as many.',
    )
  })
}

function asked({ it }: Part<SessionStore>): void {
  it('liveAmong answers 500 ids at once', async (sessions, at) => {
    const changes = [
      {},
      {},
      { idleExpiresAt: at(300) },
      { idleExpiresAt: at(300), expiresAt: at(300) },
    ]
    const records = Array.from({ length: 500 }, (_none, index) =>
      newSession(at, changes[index % changes.length]),
    )
    await inTurns(records, async (session, index) => {
      await sessions.create(session)
      if (index % changes.length === 0) await sessions.end(session.id, 'logout', at(1))
    })
    const expected = records.filter((_record, index) => index % changes.length === 1).map(idOf)
    const live = await sessions.liveAmong(records.map(idOf), at(400))
    same(
      [...live].sort(),
      expected.sort(),
      'sessions.liveAmong is asked for up to 500 at a time, and leaves out which ended, idled ' +
        'out or expired: judge each of them.',
    )
  })
}

function byAge(one: SessionRecord, other: SessionRecord): number {
  return (
    one.createdAt.getTime() - other.createdAt.getTime() ||
    Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
  )
}

function idOf({ id }: SessionRecord): string {
  return id
}
