import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
  ConsumeTicketResult,
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
  SessionRecord,
  SessionStore,
  SocketTicketRecord,
  SocketTicketStore,
} from './contract.js'

// Each store is used only through these wrappers. A failure is a 503, and so is an answer its contract does not know: a store that
// answers `undefined`, or another's row, must not be mistaken for one that said yes.

/** Codes as the router uses them: an exchange is always one call. */
export interface RedeemableCodes extends Omit<AuthorizationCodeStore, 'redemption'> {
  /** Consumes the code and stores the session it opens; the session of whoever was not first is not stored. */
  redeem(codeHash: string, session: SessionRecord, now: Date): Promise<ConsumeResult>
}

/** Codes behind their contract. */
export function failClosedCodes(store: AuthorizationCodeStore, sessions: SessionStore, call: HostCall): RedeemableCodes {
  const shared = store.redemption?.sessions === sessions ? store.redemption : undefined
  const redeem: RedeemableCodes['redeem'] =
    shared === undefined
      ? consumeThenCreate(failClosedSessions(sessions, call), (codeHash, now) => codes.consume(codeHash, now))
      : (codeHash, session, now) =>
          call('codes.redeem', async () => consumeResult(await shared.redeem(codeHash, session, now), codeHash))
  const codes: RedeemableCodes = {
    save: (code) => call('codes.save', () => store.save(code)),
    find: (codeHash) => call('codes.find', async () => codeOrNull(await store.find(codeHash), codeHash)),
    consume: (codeHash, now) => call('codes.consume', async () => consumeResult(await store.consume(codeHash, now), codeHash)),
    redeem,
    purge: (now, limit) => call('codes.purge', async () => count(await store.purge(now, limit))),
  }
  return codes
}

// Two databases know no common transaction. A crash between the two writes leaves a dead code and no session: the user asks for another.
function consumeThenCreate(sessions: SessionStore, consume: AuthorizationCodeStore['consume']): RedeemableCodes['redeem'] {
  return async (codeHash, session, now) => {
    const result = await consume(codeHash, now)
    if (result.outcome === 'consumed') await sessions.create(session)
    return result
  }
}

/** Sessions behind their contract. */
export function failClosedSessions(store: SessionStore, call: HostCall): SessionStore {
  return {
    create: (session) => call('sessions.create', () => store.create(session)),
    find: (id) => call('sessions.find', async () => sessionOrNull(await store.find(id), id)),
    rotateRefresh: (id, presentedHash, next, now) =>
      call('sessions.rotateRefresh', async () =>
        outcome(await store.rotateRefresh(id, presentedHash, next, now), ['rotated', 'superseded', 'ended']),
      ),
    touch: (id, seen) => call('sessions.touch', () => store.touch(id, seen)),
    setMethods: (id, methods) => call('sessions.setMethods', () => store.setMethods(id, methods)),
    end: (id, reason, now) => call('sessions.end', async () => bool(await store.end(id, reason, now))),
    endAllForUser: (userId, reason, now, exceptId) =>
      call('sessions.endAllForUser', async () => texts(await store.endAllForUser(userId, reason, now, exceptId))),
    listForUser: (userId, now) =>
      call('sessions.listForUser', async () => sessionsOf(await store.listForUser(userId, now), userId)),
    liveAmong: (ids, now) => call('sessions.liveAmong', async () => texts(await store.liveAmong(ids, now))),
    purge: (now, limit) => call('sessions.purge', async () => count(await store.purge(now, limit))),
  }
}

/** Second factors behind their contract. */
export function failClosedSecondFactors(store: SecondFactorStore, call: HostCall): SecondFactorStore {
  return {
    find: (userId) => call('secondFactors.find', async () => factorOrNull(await store.find(userId), userId)),
    activate: (factor, hashes) =>
      call('secondFactors.activate', async () => outcome(await store.activate(factor, hashes), ['activated', 'already-active'])),
    savePending: (pending) => call('secondFactors.savePending', () => store.savePending(pending)),
    findPending: (userId) => call('secondFactors.findPending', async () => pendingOrNull(await store.findPending(userId), userId)),
    confirm: (factor, hashes, now) =>
      call('secondFactors.confirm', async () =>
        outcome(await store.confirm(factor, hashes, now), ['activated', 'already-active', 'not-pending']),
      ),
    reseal: (userId, from, to) =>
      call('secondFactors.reseal', async () => outcome(await store.reseal(userId, from, to), ['resealed', 'superseded'])),
    replaceRecoveryCodes: (userId, hashes) =>
      call('secondFactors.replaceRecoveryCodes', async () =>
        outcome(await store.replaceRecoveryCodes(userId, hashes), ['replaced', 'not-active']),
      ),
    countRecoveryCodes: (userId) =>
      call('secondFactors.countRecoveryCodes', async () => count(await store.countRecoveryCodes(userId))),
    purge: (now, limit) => call('secondFactors.purge', async () => count(await store.purge(now, limit))),
    advanceStep: (userId, step) =>
      call('secondFactors.advanceStep', async () => outcome(await store.advanceStep(userId, step), ['advanced', 'stale'])),
    consumeRecoveryCode: (userId, codeHash) =>
      call('secondFactors.consumeRecoveryCode', async () =>
        outcome(await store.consumeRecoveryCode(userId, codeHash), ['consumed', 'unknown']),
      ),
    deactivate: (userId) =>
      call('secondFactors.deactivate', async () => outcome(await store.deactivate(userId), ['deactivated', 'not-active'])),
  }
}

/** Socket tickets behind their contract. */
export function failClosedTickets(store: SocketTicketStore, call: HostCall): SocketTicketStore {
  return {
    save: (ticket) => call('tickets.save', () => store.save(ticket)),
    consume: (ticketHash, now) =>
      call('tickets.consume', async () => ticketResult(await store.consume(ticketHash, now), ticketHash)),
    purge: (now, limit) => call('tickets.purge', async () => count(await store.purge(now, limit))),
  }
}

function ticketResult(answer: unknown, ticketHash: string): ConsumeTicketResult {
  const result = outcome(answer as ConsumeTicketResult, ['consumed', 'unknown'])
  if (result.outcome === 'unknown') return result
  const ticket: Partial<Record<keyof SocketTicketRecord, unknown>> = fieldsOf(result.ticket)
  requireSame('ticketHash', ticket.ticketHash, ticketHash)
  requireTexts(ticket, ['sessionId', 'userId', 'scope'])
  requireDates(ticket, ['tokenExpiresAt', 'expiresAt'])
  return result
}

function consumeResult(answer: unknown, codeHash: string): ConsumeResult {
  const result = outcome(answer as ConsumeResult, ['consumed', 'replayed', 'unknown'])
  if (result.outcome === 'unknown') return result
  requireCode(result.code, codeHash)
  requireDates(fieldsOf(result.code), ['consumedAt'])
  return result
}

function codeOrNull(answer: unknown, codeHash: string): AuthorizationCodeRecord | null {
  if (answer === null) return null
  requireCode(answer, codeHash)
  return answer as AuthorizationCodeRecord
}

function requireCode(answer: unknown, codeHash: string): void {
  const code: Partial<Record<keyof AuthorizationCodeRecord, unknown>> = fieldsOf(answer)
  requireSame('codeHash', code.codeHash, codeHash)
  requireTexts(code, ['userId', 'opensSessionId', 'codeChallenge', 'scope'])
  requireDates(code, ['authenticatedAt', 'createdAt', 'expiresAt'])
  if (code.consumedAt !== null) requireDates(code, ['consumedAt'])
  if (code.issuedBySessionId !== null) requireTexts(code, ['issuedBySessionId'])
  texts(code.methods)
}

function sessionOrNull(answer: unknown, id: string): SessionRecord | null {
  if (answer === null) return null
  const session: Partial<Record<keyof SessionRecord, unknown>> = fieldsOf(answer)
  requireSame('id', session.id, id)
  requireTexts(session, ['userId', 'kind', 'scope'])
  requireTextsOrNull(session, ['ip', 'userAgent'])
  requireDates(session, ['authenticatedAt', 'createdAt', 'lastSeenAt', 'idleExpiresAt', 'expiresAt'])
  if (session.endedAt !== null) requireDates(session, ['endedAt'])
  texts(session.methods)
  if (session.refresh !== null) requireRefreshState(session.refresh)
  return answer as SessionRecord
}

function sessionsOf(answer: unknown, userId: string): SessionRecord[] {
  requireList(answer)
  // Spread, since `map` and `every` pass over the holes of a list.
  return [...(answer as unknown[])].map((row) => {
    const { id } = fieldsOf(row)
    requireTexts(fieldsOf(row), ['id'])
    const session = sessionOrNull(row, id as string) as SessionRecord
    requireSame('userId', session.userId, userId)
    return session
  })
}

function requireRefreshState(answer: unknown): void {
  const refresh = fieldsOf(answer)
  requireTexts(refresh, ['hash', 'familyKey'])
  requireList(refresh['spent'])
  for (const spent of refresh['spent'] as unknown[]) {
    requireTexts(fieldsOf(spent), ['hash', 'salt'])
    requireDates(fieldsOf(spent), ['spentAt'])
  }
}

function texts(answer: unknown): string[] {
  requireList(answer)
  if ([...(answer as unknown[])].every((id) => typeof id === 'string')) return answer as string[]
  throw new UnexpectedAnswer('the answer is not a list of texts')
}

function factorOrNull(answer: unknown, userId: string): SecondFactorRecord | null {
  if (answer === null) return null
  const factor: Partial<Record<keyof SecondFactorRecord, unknown>> = fieldsOf(answer)
  requireSame('userId', factor.userId, userId)
  requireTexts(factor, ['sealedSeed'])
  // Whether a code was issued for this factor or for an earlier one is told by it.
  requireDates(factor, ['createdAt'])
  return answer as SecondFactorRecord
}

function pendingOrNull(answer: unknown, userId: string): PendingSecondFactor | null {
  if (answer === null) return null
  const pending: Partial<Record<keyof PendingSecondFactor, unknown>> = fieldsOf(answer)
  requireSame('userId', pending.userId, userId)
  requireTexts(pending, ['sealedSeed'])
  requireDates(pending, ['expiresAt'])
  return answer as PendingSecondFactor
}

function outcome<T extends { readonly outcome: string }>(answer: T, allowed: readonly T['outcome'][]): T {
  const fields = fieldsOf(answer)
  // Its own, so that a polluted Object.prototype consumes no code.
  const named = Object.hasOwn(fields, 'outcome') ? fields['outcome'] : undefined
  if (typeof named === 'string' && allowed.includes(named)) return answer
  throw new UnexpectedAnswer(`outcome is none of ${allowed.join(', ')}`)
}

function count(answer: unknown): number {
  if (Number.isSafeInteger(answer) && (answer as number) >= 0) return answer as number
  throw new UnexpectedAnswer('the answer is not a count')
}

function bool(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new UnexpectedAnswer('the answer is not a boolean')
}

function fieldsOf(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
  throw new UnexpectedAnswer('the answer is not an object')
}

function requireSame(field: string, found: unknown, asked: string): void {
  if (found !== asked) throw new UnexpectedAnswer(`${field} is not the one that was asked for`)
}

function requireTexts(record: Readonly<Record<string, unknown>>, fields: readonly string[]): void {
  const wrong = fields.find((field) => typeof record[field] !== 'string')
  if (wrong !== undefined) throw new UnexpectedAnswer(`${wrong} is not a string`)
}

function requireTextsOrNull(record: Readonly<Record<string, unknown>>, fields: readonly string[]): void {
  requireTexts(
    record,
    fields.filter((field) => record[field] !== null),
  )
}

function requireDates(record: Readonly<Record<string, unknown>>, fields: readonly string[]): void {
  const wrong = fields.find((field) => !(record[field] instanceof Date) || Number.isNaN(record[field].getTime()))
  if (wrong !== undefined) throw new UnexpectedAnswer(`${wrong} is not a date`)
}

function requireList(list: unknown): void {
  if (!Array.isArray(list)) throw new UnexpectedAnswer('a list was expected')
}
