import type { AuthenticationMethod, SessionRecord, SessionStore } from '../../stores/contract.js'
import {
  derivedHash,
  type Moment,
  newRefreshable,
  newRotation,
  newSession,
  newWholeSession,
  optionalOfSession,
} from '../../stores/new-records.js'
import { checkGone } from './every-store/purge-contract.js'
import { comesBack } from './every-store/rows.js'
import {
  atOnce,
  check,
  isNone,
  type Part,
  resolves,
  same,
  sessionsOf,
  whereOffered,
} from './harness.js'
import { sessionRows } from './sessions.js'

/** The optional members of a session are kept, whatever else changes. */
export function wholeRowsContract(part: Part<SessionStore>): void {
  wholeRows(part)
  partOfThem(part)
  ownLifetimes(part)
}

const dropped =
  'A member that is dropped fails nothing: a secret is never compared, a session outlives its ' +
  'password. Keep every member of SessionRecord, each in a column of its own.'

function wholeRows({ it }: Part<SessionStore>): void {
  it('a session with every member comes back as it was created, from find and listForUser', async (sessions, at) => {
    await comesBack(sessions, newWholeSession(at), sessionRows, dropped)
  })

  it('touch, rotateRefresh, setMethods and end leave every other member as it was', async (sessions, at) => {
    const session = newWholeSession(at)
    await sessions.create(session)
    const { refresh: _refresh, ...seen } = newRotation(at, 'next')
    const changes = {
      touch: () => sessions.touch(session.id, seen),
      rotateRefresh: () =>
        sessions.rotateRefresh(
          session.id,
          session.refresh?.hash ?? '',
          newRotation(at, 'next'),
          at(2),
        ),
      setMethods: () => sessions.setMethods(session.id, ['host']),
      end: () => sessions.end(session.id, 'logout', at(3)),
    }
    for (const [name, change] of Object.entries(changes)) {
      await change()
      const found = await sessions.find(session.id)
      // Another test detects a store that deletes a session when it ends.
      if (name === 'end' && isNone(found)) return
      same(
        optionalOf(found),
        optionalOf(session),
        `sessions.find after sessions.${name}. ${dropped}`,
      )
    }
  })
}

function partOfThem({ it }: Part<SessionStore>): void {
  it('what a session was created without is left out, whichever else it has', async (sessions, at) => {
    for (const [name, value] of Object.entries(optionalOf(newWholeSession(at)))) {
      const session = newSession(at, { kind: 'token', [name]: value })
      await comesBack(
        sessions,
        session,
        sessionRows,
        'What was left out is left out, or undefined, and never null or empty.',
      )
    }
  })

  it('the resources of a session come back as they were: none, one, or some odd texts', async (sessions, at) => {
    const lists = [
      [],
      ['urn:a b'],
      ['', '["x"]', "it's \\ \u{1f4d6}", 'https://api.example/?a=1,2'],
    ]
    for (const resources of lists) {
      await comesBack(
        sessions,
        newSession(at, { kind: 'oauth', resources }),
        sessionRows,
        '`resources` is a list of texts in its order, and an empty one stays one. ' +
          'Otherwise an app gets tokens for an API that it was not granted.',
      )
    }
  })

  it('the longest ids and hashes come back whole in every member', async (sessions, at) => {
    const longest = (name: string) => `${name}${'\u00e9'.repeat(490)}`
    const keys = optionalOfSession.filter(([, { content }]) => content.kind === 'key')
    const session = newSession(at, {
      ...Object.fromEntries(keys.map(([name]) => [name, longest(name)])),
      formerSecret: { hash: longest('former'), until: at(10) },
      upstream: 'work '.padEnd(160, '\u00e9'),
    })
    await comesBack(
      sessions,
      session,
      sessionRows,
      'Ids have up to 1024 bytes, and `upstream` up to 160 characters.',
    )
  })
}

function ownLifetimes({ it, expires }: Part<SessionStore>): void {
  it('a session with times of its own is over by those: a year without idle end, or a minute', async (sessions, at) => {
    const year = 365 * 86_400
    const { userId } = newSession(at)
    const long = withLifetime(at, userId, { idle: year, absolute: year })
    const short = withLifetime(at, userId, { idle: 30, absolute: 60 })
    await sessions.create(long)
    await sessions.create(short)
    const why =
      'goes by times of its own. What counts are idleExpiresAt and expiresAt of each session, ' +
      'which the router has made from its `lifetime`.'
    const live = async (now: Date) =>
      [...(await sessions.liveAmong([long.id, short.id], now))].sort()
    const listed = async (now: Date) =>
      (await sessionsOf(sessions, userId, now)).map(({ id }) => id).sort()
    const both = [long.id, short.id].sort()
    same([await live(at(29)), await listed(at(29))], [both, both], `sessions.liveAmong ${why}`)
    for (const seconds of [30, year - 1])
      same(
        [await live(at(seconds)), await listed(at(seconds))],
        [[long.id], [long.id]],
        `sessions.liveAmong or listForUser ${why}`,
      )
    await checkGone(
      expires,
      'sessions.purge',
      sessions.purge(at(30)),
      async () => !isNone(await sessions.find(short.id)),
    )
    same(await sessions.find(long.id), long, `sessions.purge ${why}`)
  })
}

function withLifetime(at: Moment, userId: string, lifetime: { idle: number; absolute: number }) {
  const ends = { idleExpiresAt: at(lifetime.idle), expiresAt: at(lifetime.absolute) }
  return newSession(at, { userId, kind: 'token', lifetime, ...ends })
}

// Other tests compare the other members.
function optionalOf(session: Partial<SessionRecord> | null): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown>(Object.entries(session ?? {}))
  return Object.fromEntries(optionalOfSession.map(([name]) => [name, members.get(name)]))
}

/** A change of a session that has not ended. It must not change one that has. */
interface LivingChange {
  readonly name: 'touch' | 'setMethods' | 'setAuthenticated' | 'replaceSecret' | 'addPasswordMark'
  readonly newSession: (at: Moment) => SessionRecord
  readonly change: (sessions: SessionStore, session: SessionRecord, at: Moment) => Promise<unknown>
  /** The members that it changes, with their new values. */
  readonly changed: (session: SessionRecord, at: Moment) => Partial<SessionRecord>
  /** What it returns if there is nothing to change. */
  readonly inVain?: unknown
}

const refreshable = (at: Moment) => newRefreshable(at, 'token')
const seen = (at: Moment) => ({
  lastSeenAt: at(5),
  idleExpiresAt: at(605),
  ip: '203.0.113.7',
})
const touch: LivingChange = {
  name: 'touch',
  newSession: refreshable,
  change: (sessions, { id }, at) => sessions.touch(id, seen(at)),
  changed: (_session, at) => seen(at),
}

const methods: readonly AuthenticationMethod[] = ['pwd', 'otp', 'recovery']
const setMethods: LivingChange = {
  name: 'setMethods',
  newSession: refreshable,
  change: (sessions, { id }) => sessions.setMethods(id, methods),
  changed: () => ({ methods }),
}

const proved = (at: Moment) => ({ methods: ['pwd'], authenticatedAt: at(2) }) as const
const setAuthenticated: LivingChange = {
  name: 'setAuthenticated',
  newSession: newWholeSession,
  change: async (sessions, { id }, at) => sessions.setAuthenticated?.(id, proved(at)),
  changed: (_session, at) => proved(at),
}

const replaceSecret: LivingChange = {
  name: 'replaceSecret',
  newSession: newWholeSession,
  change: async (sessions, { id, secretHash: from = '' }, at) =>
    sessions.replaceSecret?.(id, { from, to: derivedHash('next', id), formerUntil: at(20) }),
  changed: ({ id, secretHash: hash = '' }, at) => ({
    secretHash: derivedHash('next', id),
    formerSecret: { hash, until: at(20) },
  }),
  inVain: false,
}

const addPasswordMark: LivingChange = {
  name: 'addPasswordMark',
  newSession: (at) => newRefreshable(at, 'token', { passwordMark: 'from' }),
  change: async (sessions, { userId }) => sessions.addPasswordMark?.(userId, 'from', 'to'),
  changed: () => ({ passwordMarkNext: 'to' }),
}

/** Each change at the same time as an end or a rotation, and of sessions that do not live. */
export function livingContract(part: Part<SessionStore>): void {
  for (const one of [touch, setMethods]) {
    neverInserts(part, one)
    leavesEnded(part, one)
  }
  for (const one of [setAuthenticated, replaceSecret]) neverInsertsAndLeavesEnded(part, one)
  // A rotation and touch write the same columns: another test races them.
  for (const one of [setMethods, setAuthenticated, replaceSecret, addPasswordMark])
    besideRotation(part, one)
  for (const one of [touch, setMethods, setAuthenticated, replaceSecret, addPasswordMark])
    besideEnd(part, one)
}

/** The part whose titles begin with the name of the method. */
function testsOf(part: Part<SessionStore>, { name }: LivingChange): Part<SessionStore> {
  if (name !== 'touch' && name !== 'setMethods') return whereOffered(part, name)
  return {
    ...part,
    it: (title, body) => part.it(`${name} ${title}`, body),
    inRounds: (title, body) => part.inRounds(`${name} ${title}`, body),
  }
}

function neverInserts(part: Part<SessionStore>, one: LivingChange): void {
  testsOf(part, one).it('never inserts', (sessions, at) => tryUnknown(one, sessions, at))
}

function leavesEnded(part: Part<SessionStore>, one: LivingChange): void {
  testsOf(part, one).it('leaves an ended session as it ended', (sessions, at) =>
    tryEnded(one, sessions, at),
  )
}

function neverInsertsAndLeavesEnded(part: Part<SessionStore>, one: LivingChange): void {
  const title = 'never inserts, and leaves an ended session as it ended'
  testsOf(part, one).it(title, async (sessions, at) => {
    await tryUnknown(one, sessions, at)
    await tryEnded(one, sessions, at)
  })
}

async function tryUnknown(one: LivingChange, sessions: SessionStore, at: Moment): Promise<void> {
  const { name, newSession, change, inVain } = one
  const unknown = newSession(at)
  const answer = await resolves(
    change(sessions, unknown, at),
    `sessions.${name} of a session that is not there must do nothing, and resolve.`,
  )
  same(
    await sessions.find(unknown.id),
    null,
    `sessions.${name} made a session that nobody signed in to. Update; never upsert.`,
  )
  if (inVain !== undefined) same(answer, inVain, `sessions.${name} of a session that is not there.`)
}

async function tryEnded(one: LivingChange, sessions: SessionStore, at: Moment): Promise<void> {
  const { name, newSession, change, inVain } = one
  const session = newSession(at)
  await sessions.create(session)
  await sessions.end(session.id, 'logout', at(1))
  const ended = await sessions.find(session.id)
  const answer = await resolves(
    change(sessions, session, at),
    `sessions.${name} of a session that has ended must do nothing, and resolve.`,
  )
  same(
    await sessions.find(session.id),
    ended,
    `sessions.${name} changed a session that had ended. Update only where it has not; never ` +
      'upsert.',
  )
  if (inVain !== undefined) same(answer, inVain, `sessions.${name} of a session that has ended.`)
}

function besideRotation(part: Part<SessionStore>, one: LivingChange): void {
  const { name, newSession, change, changed } = one
  const title = 'and rotateRefresh, at once: both changes are there'
  testsOf(part, one).inRounds(title, async (sessions, at, round) => {
    const session = newSession(at)
    const next = newRotation(at, 'next')
    await sessions.create(session)
    const before = await sessions.find(session.id)
    await atOnce(
      round,
      () => change(sessions, session, at),
      () => sessions.rotateRefresh(session.id, session.refresh?.hash ?? '', next, at(2)),
    )
    same(
      await sessions.find(session.id),
      { ...before, ...next, ...changed(session, at) },
      `${name} and rotateRefresh lost a change: a refresh token that is brought back locks the ` +
        'client out. Update the columns; do not write the row.',
    )
  })
}

function besideEnd(part: Part<SessionStore>, one: LivingChange): void {
  const { name, newSession, change } = one
  const title = 'and end, at once: the session has ended'
  testsOf(part, one).inRounds(title, async (sessions, at, round) => {
    const session = newSession(at)
    await sessions.create(session)
    const changing = () => change(sessions, session, at)
    const ending = () => sessions.end(session.id, 'revoked', at(6))
    await atOnce(round, changing, ending, changing)
    const found = await sessions.find(session.id)
    check(
      isNone(found) || (!isNone(found?.endedAt) && found?.endReason === 'revoked'),
      `sessions.${name} brought a session back that was ended meanwhile. Make the end a ` +
        'condition of the same write.',
    )
  })
}
