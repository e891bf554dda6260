import { randomId } from '../../lib/secrets.js'
import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import {
  inTurns,
  type Moment,
  newRefresh,
  newRefreshable,
  newRotation,
  newSession,
} from '../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  awkwardPairs,
  awkwardText,
  check,
  isNone,
  many,
  type Part,
  rejects,
  resolves,
  same,
  sessionsOf,
  spoil,
  whereOffered,
} from './harness.js'

/** How sessions are saved and answered. */
export const sessionRows: Rows<SessionStore, SessionRecord> = {
  saving: 'sessions.create',
  saved: 'created',
  save: (sessions, session) => sessions.create(session),
  finding: 'sessions.find',
  find: (sessions, { id }) => sessions.find(id),
  listing: 'sessions.listForUser',
  list: (sessions, { userId, createdAt }) => sessions.listForUser(userId, createdAt),
}

/** Rows of sessions: they come back as created, one row for one id, and as copies. */
export function sessionsContract(part: Part<SessionStore>): void {
  sessionShapes(part)
  unknownSessions(part)
  sessionIdentity(part)
  sessionsByTheByte(part)
  usersByTheByte(part)
  recordsAreCopies(
    part,
    (at) => newRefreshable(at, 'hash', { refresh: newRefresh(at, 'hash', 2) }),
    sessionRows,
  )
  changesAreCopies(part)
  touchContract(part)
}

function sessionShapes({ it }: Part<SessionStore>): void {
  const records: Readonly<
    Record<string, readonly [make: (at: Moment) => SessionRecord, hint?: string]>
  > = {
    'without refresh tokens': [(at) => newSession(at)],
    'with a refresh token': [
      (at) =>
        newRefreshable(at, 'hash', {
          ip: '2001:db8::1',
          userAgent: awkwardText,
          methods: ['host'],
        }),
    ],
    'without methods, with empty texts': [
      (at) => newSession(at, { methods: [], ip: '', userAgent: '' }),
      "An empty list is a list, and '' is not null.",
    ],
    'that ends in 2040': [
      (at) => newSession(at, { expiresAt: new Date(Date.UTC(2040, 1, 29, 12, 0, 0, 7)) }),
      'Moments go beyond 2038, where seconds in 32 bits and TIMESTAMP columns end.',
    ],
    'with 20 spent refresh tokens': [
      (at) =>
        newSession(at, {
          kind: 'pkce',
          refresh: newRefresh(at, 'hash', 20),
          scope: '',
          userAgent: 'long '.repeat(102),
        }),
    ],
  }
  for (const [what, [make, hint = '']] of Object.entries(records)) {
    it(`a session ${what} comes back as it was created`, async (sessions, at) =>
      comesBack(sessions, make(at), sessionRows, hint))
  }
}

function unknownSessions({ it }: Part<SessionStore>): void {
  it('an unknown session is null, not undefined, and found once it is created', async (sessions, at) => {
    const session = newSession(at)
    same(
      await sessions.find(session.id),
      null,
      'sessions.find must answer null when there is no record.',
    )
    same(
      await sessions.listForUser(session.userId, at(1)),
      [],
      'sessions.listForUser of a user without sessions.',
    )
    await sessions.create(session)
    const found = [
      await sessions.find(session.id),
      ...(await sessions.listForUser(session.userId, at(1))),
    ].map((one) => one?.id)
    same(
      found,
      [session.id, session.id],
      'sessions.find and listForUser of a session that was asked for before it was created. Do ' +
        'not remember what is not there.',
    )
  })
}

function sessionIdentity({ it }: Part<SessionStore>): void {
  it('creating an id again rejects and changes nothing, while it lives and after it has ended', async (sessions, at) => {
    const session = newSession(at)
    await sessions.create(session)
    const before = await sessions.find(session.id)
    const again = () => sessions.create(newSession(at, { id: session.id }))
    await rejects(
      again(),
      'sessions.create took an id that is already there: an upsert hands a session to somebody ' +
        'else.',
    )
    same(
      await sessions.find(session.id),
      before,
      'A rejected sessions.create must leave the first record.',
    )
    await sessions.end(session.id, 'logout', at(1))
    const ended = await sessions.find(session.id)
    // Another test detects a store that deletes a session when it ends.
    if (isNone(ended)) return
    await rejects(
      again(),
      'sessions.create took the id of an ended session: an upsert brings a dead session back.',
    )
    same(
      await sessions.find(session.id),
      ended,
      'A rejected sessions.create must leave an ended session ended.',
    )
  })
}

function sessionsByTheByte({ it }: Part<SessionStore>): void {
  it('ids that differ in one byte are different sessions', async (sessions, at) => {
    for (const [what, first, second] of awkwardPairs(newSession(at).id)) {
      const one = newSession(at, { id: first })
      const other = newSession(at, { id: second })
      await sessions.create(one)
      check(
        isNone(await sessions.find(second)),
        `sessions.find confuses ids that differ by ${what}. Compare ids bytewise.`,
      )
      same(
        await sessions.liveAmong([second], at(1)),
        [],
        `sessions.liveAmong confuses ids that differ by ${what}.`,
      )
      await resolves(
        sessions.create(other),
        `sessions.create takes ids for the same that differ by ${what}. Compare ids bytewise.`,
      )
      const before = await sessions.find(second)
      await sessions.setMethods(first, ['host'])
      same(
        await sessions.find(second),
        before,
        `sessions.setMethods changed another session, too: ids differ by ${what}.`,
      )
      await sessions.end(first, 'logout', at(1))
      same(
        await sessions.find(second),
        before,
        `sessions.end ended another session, too: ids differ by ${what}.`,
      )
    }
  })
}

function usersByTheByte({ it }: Part<SessionStore>): void {
  it('user ids that differ in one byte are different users', async (sessions, at) => {
    for (const [what, first, second] of awkwardPairs(newSession(at).id)) {
      const one = newSession(at, { userId: first })
      const other = newSession(at, { userId: second })
      const listed = async () => (await sessions.listForUser(first, at(1))).map(({ id }) => id)
      const confuses =
        `confuses user ids that differ by ${what}: one user would see and end another’s ` +
        'sessions.'
      await sessions.create(one)
      await resolves(sessions.create(other), `sessions.create ${confuses}`)
      same(await listed(), [one.id], `sessions.listForUser ${confuses}`)
      same(
        await sessions.endAllForUser(second, 'revoked', at(1)),
        [other.id],
        `sessions.endAllForUser ${confuses}`,
      )
      same(await listed(), [one.id], `sessions.endAllForUser ${confuses}`)
    }
  })
}

function changesAreCopies({ it }: Part<SessionStore>): void {
  it('changes are copies: changing what was handed in does not change the store', async (sessions, at) => {
    const [session, other] = [newRefreshable(at, 'hash'), newSession(at)]
    await sessions.create(session)
    await sessions.create(other)
    const rotation = newRotation(at, 'next')
    const seen = { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.7' }
    const now = at(6)
    const changes: Readonly<
      Record<string, readonly [id: string, change: () => Promise<unknown>, given: object]>
    > = {
      rotateRefresh: [
        session.id,
        () => sessions.rotateRefresh(session.id, 'hash', rotation, now),
        rotation,
      ],
      touch: [session.id, () => sessions.touch(session.id, seen), seen],
      end: [session.id, () => sessions.end(session.id, 'logout', now), { now }],
      endAllForUser: [
        other.id,
        () => sessions.endAllForUser(other.userId, 'revoked', now),
        { now },
      ],
    }
    for (const [name, [id, change, given]] of Object.entries(changes)) {
      await change()
      const stored = structuredClone(await sessions.find(id))
      spoil(given)
      same(
        await sessions.find(id),
        stored,
        `Changing what was given to sessions.${name} changed the stored record. Copy Dates and ` +
          'lists.',
      )
    }
  })
}

/** `touch` writes three fields of a session. */
function touchContract({ it }: Part<SessionStore>): void {
  it('touch changes what was seen and nothing else', async (sessions, at) => {
    const session = newRefreshable(at, 'hash', { ip: '203.0.113.1' })
    await sessions.create(session)
    const before = await sessions.find(session.id)
    for (const ip of ['203.0.113.7', null]) {
      const seen = { lastSeenAt: at(5.678), idleExpiresAt: at(605.678), ip }
      await sessions.touch(session.id, seen)
      same(
        await sessions.find(session.id),
        { ...before, ...seen },
        'sessions.touch sets lastSeenAt, idleExpiresAt and ip.',
      )
    }
  })

  it('touch and rotateRefresh write what they name, also when they are handed more', async (sessions, at) => {
    const session = newRefreshable(at, 'token')
    await sessions.create(session)
    const before = await sessions.find(session.id)
    const { refresh, ...seen } = newRotation(at, 'next')
    const more = {
      ...newRefreshable(at, 'stolen'),
      id: session.id,
      endedAt: at(1),
      endReason: 'logout',
      later: 'member',
    }
    const why = 'wrote members that it was not asked to write. Name the columns one by one.'
    await sessions.touch(session.id, { ...more, ...seen })
    same(await sessions.find(session.id), { ...before, ...seen }, `sessions.touch ${why}`)
    await sessions.rotateRefresh(session.id, 'token', { ...more, ...seen, refresh }, at(2))
    same(
      await sessions.find(session.id),
      { ...before, ...seen, refresh },
      `sessions.rotateRefresh ${why}`,
    )
  })
}

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
