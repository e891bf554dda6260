import type { Soon } from '../lib/async.js'
import {
  type Answers,
  bool,
  type Check,
  count,
  date,
  failClosed,
  ifThere,
  listOf,
  optional,
  orNull,
  orNullInEqualTime,
  record,
  requireExpected,
  type Shape,
  text,
  theOneAsked,
  theOtherAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type {
  ConsentRecord,
  ConsentStore,
  ManagedClientStore,
  OAuthClient,
  OpenClientStore,
} from './client-contract.js'
import type { SessionRecord, SessionStore } from './contract.js'
import type { IdentityRecord, IdentityStore } from './identity-contract.js'
import {
  createCodeCheck,
  createDeviceCodeCheck,
  createProofCheck,
  createSessionCheck,
} from './kept-members.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  CodeRedemption,
  ConsumeResult,
  DeviceCodeRecord,
  DeviceCodeStore,
  OnceStore,
  ProofRecord,
  ProofStore,
  SocketTicketRecord,
  SocketTicketStore,
} from './one-time-contract.js'
import type { PasskeyRecord, PasskeyStore } from './passkey-contract.js'
import { enrolmentRow, factorRow, passkeyRow } from './rows/factor-rows.js'
import { type Content, type Member, type Row, without } from './rows/members.js'
import { codeRow, deviceCodeRow, identityRow, proofRow, ticketRow } from './rows/one-time-rows.js'
import { sessionRow } from './rows/session-row.js'
import type {
  PendingSecondFactor,
  SealedCount,
  SecondFactorRecord,
  SecondFactorStore,
} from './second-factor-contract.js'

// Each store is used only through these wrappers. A failure is a 503. An answer that its contract
// does not know is a 503, too: a store that answers `undefined`, or another row, must not be
// mistaken for a store that said yes.

const checks = { key: text, text, moment: date, integer: count, flag: bool }

/** The check of each member that a store answers. */
function checksOf<Stored>(row: Row<Stored>): Required<Shape<Stored>> {
  const members = Object.entries<Member<unknown>>(row)
  return Object.fromEntries(members.map(([name, member]) => [name, checkOf(member)])) as Required<
    Shape<Stored>
  >
}

function checkOf({ content, absent }: Member<unknown>): Check {
  const check = checkOfContent(content)
  if (absent === 'null') return orNull(check)
  return absent === 'left out' ? optional(check) : check
}

function checkOfContent(content: Content): Check {
  if (content.kind === 'list') return listOf(checkOfContent(content.of))
  return content.kind === 'group' ? record(checksOf(content.parts)) : checks[content.kind]
}

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
    save: (code) => after(checkCode(code), () => codes.save(code)),
    // This is asked before the code is used up.
    redeem: (codeHash, session, now) =>
      after(checkSession(session), () => redeem(codeHash, session, now)),
  }
}

function after<Result>(
  checking: Promise<void> | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return checking === undefined ? work() : checking.then(work)
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
    create: (session) => after(checkSession(session), () => sessions.create(session)),
  }
}

/** Reads a session, and makes something of it in the same call: of the one that was asked for. */
export type UseSession = <Result>(
  id: string,
  use: (session: SessionRecord | null) => Soon<Result>,
) => Promise<Result>

/** Every request of a session reads it, so what is made of it costs no promise of its own. */
export function failClosedUse(store: SessionStore, call: HostCall): UseSession {
  return function useSession(id, use) {
    return call(
      'sessions.find',
      () => store.find(id),
      (session) => {
        requireExpected(sessionAnswers.find(session, [id]))
        return use(session)
      },
    ) as Promise<Awaited<ReturnType<typeof use>>>
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

// As fail-closed-stores.ts, for the stores of capabilities. A row that was not asked for would sign
// another user in; a row with two names has to have both.

const ofProof = {
  ...checksOf(proofRow),
  idHash: theOneAsked,
  purpose: theOtherAsked,
  triesLeft: count,
}
const proof = record<ProofRecord>(ofProof)
const consumed = record<ProofRecord>({ ...ofProof, consumedAt: date })
const listed = { ...checksOf(proofRow), triesLeft: count, purpose: theOneAsked }

export const proofAnswers: Answers<ProofStore> = {
  save: unread,
  find: orNull(proof),
  takeTry: { taken: { proof }, void: {} },
  consume: { consumed: { proof: consumed }, void: {} },
  voidForUser: count,
  list: listOf(record<ProofRecord>(listed)),
  purge: count,
}

/**
 * Proofs behind their contract. The store must prove that it keeps the members that a proof needs.
 */
export function failClosedProofs(store: ProofStore, call: HostCall): ProofStore {
  const proofs: ProofStore = failClosed('proofs', store, call, proofAnswers)
  const checkProof = createProofCheck(proofs)
  return {
    ...proofs,
    async save(given) {
      await checkProof(given)
      await proofs.save(given)
    },
  }
}

const identity = checksOf(identityRow)

export const identityAnswers: Answers<IdentityStore> = {
  find: orNull(
    record<IdentityRecord>({ ...identity, provider: theOneAsked, subject: theOtherAsked }),
  ),
  wasUnlinked: bool,
  link: { linked: {}, exists: {} },
  listForUser: listOf(record<IdentityRecord>({ ...identity, userId: theOneAsked })),
  listOfProvider: listOf(record<IdentityRecord>({ ...identity, provider: theOneAsked })),
  used: unread,
  unlink: { unlinked: {}, last: {}, unknown: {} },
  unlinkAllForUser: count,
}

/** Identities behind their contract. */
export function failClosedIdentities(store: IdentityStore, call: HostCall): IdentityStore {
  return failClosed('identities', store, call, identityAnswers)
}

const handle: Check = (value) =>
  typeof value === 'string' && /^[\w-]{1,86}$/.test(value) ? null : 'is not a user handle'

const passkey = { ...checksOf(passkeyRow), userHandle: handle }

export const passkeyAnswers: Answers<PasskeyStore> = {
  claimHandle: handle,
  create: { created: { isFirst: bool }, exists: {}, full: {} },
  find: orNull(record<PasskeyRecord>({ ...passkey, credentialId: theOneAsked })),
  listForUser: listOf(record<PasskeyRecord>({ ...passkey, userId: theOneAsked })),
  use: { used: {}, superseded: {}, gone: {} },
  suspectClone: unread,
  rename: bool,
  remove: { removed: {}, last: {}, unknown: {} },
  removeAllForUser: count,
  consumeRecoveryCode: { consumed: {}, unknown: {} },
}

/** Passkeys behind their contract. */
export function failClosedPasskeys(store: PasskeyStore, call: HostCall): PasskeyStore {
  return failClosed('passkeys', store, call, passkeyAnswers)
}

const ofDeviceCode = { ...checksOf(deviceCodeRow), userCodeHash: theOneAsked, triesLeft: count }
const ofUser = record<DeviceCodeRecord>({ ...ofDeviceCode, userId: theOtherAsked })
const ofDevice = record<DeviceCodeRecord>({ ...ofDeviceCode, deviceCodeHash: theOtherAsked })

export const deviceCodeAnswers: Answers<DeviceCodeStore> = {
  save: unread,
  find: orNull(record<DeviceCodeRecord>(ofDeviceCode)),
  claim: { claimed: { code: ofUser }, foreign: {}, unknown: {} },
  takeTry: { taken: { code: ofUser }, void: {} },
  decide: { decided: {}, unknown: {} },
  poll: { polled: { code: ofDevice }, 'too-soon': { code: ofDevice }, unknown: {} },
  purge: count,
}

/**
 * Device codes behind their contract. The store must prove that it keeps the members that a code
 * needs.
 */
export function failClosedDeviceCodes(store: DeviceCodeStore, call: HostCall): DeviceCodeStore {
  const codes: DeviceCodeStore = failClosed('deviceCodes', store, call, deviceCodeAnswers)
  const checkCode = createDeviceCodeCheck(codes)
  return {
    ...codes,
    async save(code) {
      await checkCode(code)
      await codes.save(code)
    },
  }
}

const consent = {
  userId: theOneAsked,
  clientId: text,
  scopes: listOf(text),
  grantedAt: date,
  updatedAt: date,
}

export const consentAnswers: Answers<ConsentStore> = {
  find: orNull(record<ConsentRecord>({ ...consent, clientId: theOtherAsked })),
  grant: unread,
  revoke: { revoked: {}, unknown: {} },
  listForUser: listOf(record<ConsentRecord>(consent)),
}

/** Consents behind their contract. */
export function failClosedConsents(store: ConsentStore, call: HostCall): ConsentStore {
  return failClosed('consents', store, call, consentAnswers)
}

export const onceAnswers: Answers<OnceStore> = { claim: { claimed: {}, known: {} }, purge: count }

/** Names that are used once, behind their contract. */
export function failClosedOnce(store: OnceStore, call: HostCall): OnceStore {
  return failClosed('once', store, call, onceAnswers)
}

// Whether the rest of a client is permissible is judged where a listed one is judged, too.
const managedClientAnswers: Answers<ManagedClientStore> = {
  find: orNull(record<OAuthClient>({ id: theOneAsked })),
  create: { created: {}, exists: {} },
  update: { updated: {}, unknown: {} },
  replaceSecrets: { replaced: {}, superseded: {} },
  setDisabled: { changed: {}, unchanged: {} },
  list: listOf(record<OAuthClient>({ id: text })),
}

/** A register of clients that is changed while the server runs, behind its contract. */
export function failClosedManagedClients(
  store: ManagedClientStore,
  call: HostCall,
): ManagedClientStore {
  return failClosed('clients', store, call, managedClientAnswers)
}

export const openClientAnswers: Answers<OpenClientStore> = {
  ...managedClientAnswers,
  register: { registered: {}, full: {} },
  use: { used: {}, unknown: {} },
  purge: count,
}

/** A register in which clients can register themselves, behind its contract. */
export function failClosedOpenClients(store: OpenClientStore, call: HostCall): OpenClientStore {
  return failClosed('clients', store, call, openClientAnswers)
}
