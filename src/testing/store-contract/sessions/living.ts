import type { AuthenticationMethod, SessionRecord, SessionStore } from '../../../stores/contract.js'
import {
  derivedHash,
  type Moment,
  newRefreshable,
  newRotation,
  newWholeSession,
} from '../../../stores/new-records.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import { atOnce, type Part, whereOffered } from '../harness/suite.js'

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
