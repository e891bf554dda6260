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
  answers,
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
    const { id, userId } = session
    const find = () => sessions.find(id)
    const list = () => sessions.listForUser(userId, at(1))
    await answers([
      [find, null, 'sessions.find must answer null when there is no record.'],
      [list, [], 'sessions.listForUser of a user without sessions.'],
    ])
    await sessions.create(session)
    const found = [await find(), ...(await list())].map((one) => one?.id)
    const why = 'that was asked for before it was created. Do not remember what is not there.'
    same(found, [id, id], `sessions.find and listForUser of a session ${why}`)
  })
}

function sessionIdentity({ it }: Part<SessionStore>): void {
  it('creating an id again rejects and changes nothing, while it lives and after it has ended', async (sessions, at) => {
    const session = newSession(at)
    const { id } = session
    await sessions.create(session)
    const before = await sessions.find(id)
    const again = () => sessions.create(newSession(at, { id }))
    const rejected = 'A rejected sessions.create must leave'
    const taken = 'sessions.create took an id that is already there: somebody else gets a session.'
    await rejects(again(), taken)
    same(await sessions.find(id), before, `${rejected} the first record.`)
    await sessions.end(id, 'logout', at(1))
    const ended = await sessions.find(id)
    // Another test detects a store that deletes a session when it ends.
    if (isNone(ended)) return
    const revived = 'sessions.create took the id of an ended session: an upsert brings it back.'
    await rejects(again(), revived)
    same(await sessions.find(id), ended, `${rejected} an ended session ended.`)
  })
}

function sessionsByTheByte({ it }: Part<SessionStore>): void {
  it('ids that differ in one byte are different sessions', async (sessions, at) => {
    for (const [what, first, second] of awkwardPairs(newSession(at).id)) {
      const confuses = `confuses ids that differ by ${what}. Compare ids bytewise.`
      const find = () => sessions.find(second)
      await sessions.create(newSession(at, { id: first }))
      check(isNone(await find()), `sessions.find ${confuses}`)
      same(await sessions.liveAmong([second], at(1)), [], `sessions.liveAmong ${confuses}`)
      const create = sessions.create(newSession(at, { id: second }))
      await resolves(create, `sessions.create ${confuses}`)
      const before = await find()
      await sessions.setMethods(first, ['host'])
      same(await find(), before, `sessions.setMethods ${confuses}`)
      await sessions.end(first, 'logout', at(1))
      same(await find(), before, `sessions.end ${confuses}`)
    }
  })
}

function usersByTheByte({ it }: Part<SessionStore>): void {
  it('user ids that differ in one byte are different users', async (sessions, at) => {
    for (const [what, first, second] of awkwardPairs(newSession(at).id)) {
      const one = newSession(at, { userId: first })
      const other = newSession(at, { userId: second })
      const listed = async () => (await sessions.listForUser(first, at(1))).map(({ id }) => id)
      const endAll = () => sessions.endAllForUser(second, 'revoked', at(1))
      const confuses =
        `confuses user ids that differ by ${what}: one user would see and end another’s ` +
        'sessions.'
      await sessions.create(one)
      await resolves(sessions.create(other), `sessions.create ${confuses}`)
      await answers([
        [listed, [one.id], `sessions.listForUser ${confuses}`],
        [endAll, [other.id], `sessions.endAllForUser ${confuses}`],
        [listed, [one.id], `sessions.endAllForUser ${confuses}`],
      ])
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
    const { id } = session
    const endAll = () => sessions.endAllForUser(other.userId, 'revoked', now)
    const changed = 'changed the stored record. Copy Dates and lists.'
    for (const [name, key, change, given] of [
      ['rotateRefresh', id, () => sessions.rotateRefresh(id, 'hash', rotation, now), rotation],
      ['touch', id, () => sessions.touch(id, seen), seen],
      ['end', id, () => sessions.end(id, 'logout', now), { now }],
      ['endAllForUser', other.id, endAll, { now }],
    ] as const) {
      await change()
      const stored = structuredClone(await sessions.find(key))
      spoil(given)
      const what = `Changing what was given to sessions.${name} ${changed}`
      same(await sessions.find(key), stored, what)
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
      const why = 'sessions.touch sets lastSeenAt, idleExpiresAt and ip.'
      await sessions.touch(session.id, seen)
      same(await sessions.find(session.id), { ...before, ...seen }, why)
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
    const rotated = { ...before, ...seen, refresh }
    same(await sessions.find(session.id), rotated, `sessions.rotateRefresh ${why}`)
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
