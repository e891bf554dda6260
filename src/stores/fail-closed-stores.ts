import {
  type Answers,
  bool,
  count,
  date,
  failClosed,
  ifThere,
  listOf,
  orNull,
  orNullInEqualTime,
  record,
  text,
  theOneAsked,
  theOtherAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  CodeRedemption,
  ConsumeResult,
} from './code-contract.js'
import type { SessionRecord, SessionStore } from './contract.js'
import { createCodeCheck, createSessionCheck } from './kept-members.js'
import { checksOf } from './rows/checks.js'
import { enrolmentRow, factorRow } from './rows/factor-rows.js'
import { without } from './rows/members.js'
import { codeRow, ticketRow } from './rows/one-time-rows.js'
import { sessionRow } from './rows/session-row.js'
import type {
  PendingSecondFactor,
  SealedCount,
  SecondFactorRecord,
  SecondFactorStore,
} from './second-factor-contract.js'
import type { SocketTicketRecord, SocketTicketStore } from './ticket-contract.js'

// Each store is used only through these wrappers. A failure is a 503. An answer that its contract
// does not know is a 503, too: a store that answers `undefined`, or another row, must not be
// mistaken for a store that said yes.

/** Codes as the router uses them: an exchange is always one call. */
export interface RedeemableCodes extends Omit<AuthorizationCodeStore, 'redemption'> {
  /**
   * Consumes the code and stores the session it opens. Only the first caller's session is stored.
   */
  redeem(codeHash: string, session: SessionRecord, now: Date): Promise<ConsumeResult>
}

// Members that decide nothing are not looked at.
const codeShape = { ...checksOf(without(codeRow, 'retainUntil')), codeHash: theOneAsked }
const usedCode = record<AuthorizationCodeRecord>({ ...codeShape, consumedAt: date })
const consumption = { consumed: { code: usedCode }, replayed: { code: usedCode }, unknown: {} }

export const codeAnswers: Answers<AuthorizationCodeStore> = {
  save: unread,
  find: orNull(record<AuthorizationCodeRecord>(codeShape)),
  consume: consumption,
  purge: count,
}
const redemptionAnswers: Answers<CodeRedemption> = { redeem: consumption }

/**
 * Codes behind their contract. The store must prove that it keeps the members that a code needs.
 */
export function failClosedCodes(
  store: AuthorizationCodeStore,
  sessions: SessionStore,
  call: HostCall,
): RedeemableCodes {
  const codes = failClosed('codes', store, call, codeAnswers)
  const { redeem } =
    store.redemption?.sessions === sessions
      ? failClosed('codes', store.redemption, call, redemptionAnswers)
      : { redeem: consumeThenCreate(failClosedSessions(sessions, call), codes.consume) }
  const checkCode = createCodeCheck(codes)
  const checkSession = createSessionCheck(failClosed('sessions', sessions, call, sessionAnswers))
  return {
    ...codes,
    async save(code) {
      await checkCode(code)
      await codes.save(code)
    },
    // This is asked before the code is used up.
    async redeem(codeHash, session, now) {
      await checkSession(session)
      return redeem(codeHash, session, now)
    },
  }
}

// Two databases know no common transaction. A crash between the two writes leaves a dead code and
// no session: the user asks for another.
function consumeThenCreate(
  sessions: SessionStore,
  consume: AuthorizationCodeStore['consume'],
): RedeemableCodes['redeem'] {
  return async function redeem(codeHash, session, now) {
    const result = await consume(codeHash, now)
    if (result.outcome === 'consumed') await sessions.create(session)
    return result
  }
}

const sessionShape = checksOf(without(sessionRow, 'endReason'))

export const sessionAnswers: Answers<SessionStore> = {
  create: unread,
  find: orNullInEqualTime(record<SessionRecord>({ ...sessionShape, id: theOneAsked })),
  rotateRefresh: { rotated: {}, superseded: {}, ended: {} },
  touch: unread,
  setMethods: unread,
  setAuthenticated: ifThere(unread),
  replaceSecret: ifThere(bool),
  addPasswordMark: ifThere(unread),
  end: bool,
  endAllForUser: listOf(text),
  endAllForClient: ifThere(listOf(text)),
  endChildren: ifThere(listOf(text)),
  listForUser: listOf(record<SessionRecord>({ ...sessionShape, userId: theOneAsked })),
  countForUser: ifThere(count),
  liveAmong: listOf(text),
  purge: count,
  databaseTime: ifThere(date),
}

/**
 * Sessions behind their contract. The store must prove that it keeps the members that a session
 * needs.
 */
export function failClosedSessions(store: SessionStore, call: HostCall): SessionStore {
  const sessions = failClosed('sessions', store, call, sessionAnswers)
  const checkSession = createSessionCheck(sessions)
  return {
    ...sessions,
    async create(session) {
      await checkSession(session)
      await sessions.create(session)
    },
  }
}

/**
 * Stores a session unless its id is taken: true for the one caller whose session it is. The store
 * decides that by its one insert; only after a refused one it is asked whether the id was the
 * reason, which is no failure.
 */
export function failClosedInsert(
  store: SessionStore,
  call: HostCall,
): (session: SessionRecord) => Promise<boolean> {
  const checkSession = createSessionCheck(failClosed('sessions', store, call, sessionAnswers))
  return async function createUnlessThere(session) {
    await checkSession(session)
    return call('sessions.create', async () => {
      try {
        await store.create(session)
        return true
      } catch (error) {
        if ((await store.find(session.id)) === null) throw error
        return false
      }
    })
  }
}

const factor = { ...checksOf(without(factorRow, 'lastStep')), userId: theOneAsked }
const enrolment = {
  ...checksOf(without(enrolmentRow, 'createdAt')),
  userId: theOneAsked,
  sessionId: theOtherAsked,
}

export const factorAnswers: Answers<SecondFactorStore> = {
  find: orNull(record<SecondFactorRecord>(factor)),
  activate: { activated: {}, 'already-active': {} },
  savePending: unread,
  findPending: orNull(record<PendingSecondFactor>(enrolment)),
  deletePending: unread,
  confirm: { activated: {}, 'already-active': {}, 'not-pending': {} },
  advanceStep: { advanced: {}, stale: {} },
  reseal: { resealed: {}, superseded: {} },
  consumeRecoveryCode: { consumed: {}, unknown: {} },
  replaceRecoveryCodes: { replaced: {}, 'not-active': {} },
  countRecoveryCodes: count,
  deactivate: { deactivated: {}, 'not-active': {} },
  deleteKeptRecoveryCodes: unread,
  purge: count,
  countSealed: ifThere(listOf(record<SealedCount>({ mark: text, count }))),
  listSealed: ifThere(listOf(record<SecondFactorRecord>({ userId: text, sealedSeed: text }))),
}

/** Second factors behind their contract. An enrolment of another session is a wrong answer. */
export function failClosedSecondFactors(
  store: SecondFactorStore,
  call: HostCall,
): SecondFactorStore {
  return failClosed('secondFactors', store, call, factorAnswers)
}

const ticket = record<SocketTicketRecord>({
  ...checksOf(without(ticketRow, 'createdAt')),
  ticketHash: theOneAsked,
})

export const ticketAnswers: Answers<SocketTicketStore> = {
  save: unread,
  consume: { consumed: { ticket }, unknown: {} },
  purge: count,
}

/** Socket tickets behind their contract. */
export function failClosedTickets(store: SocketTicketStore, call: HostCall): SocketTicketStore {
  return failClosed('tickets', store, call, ticketAnswers)
}
