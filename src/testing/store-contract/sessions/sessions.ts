import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import {
  type Moment,
  newRefresh,
  newRefreshable,
  newRotation,
  newSession,
} from '../../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from '../every-store/rows.js'
import { check, isNone, rejects, resolves, same, spoil } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { awkwardPairs, awkwardText } from '../harness/texts.js'
import { touchContract } from './touching.js'

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
