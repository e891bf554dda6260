/** How the user proved who they are: password, TOTP, recovery code, or vouched for by the host's own sign-in page. */
export type AuthenticationMethod = 'pwd' | 'otp' | 'recovery' | 'host'

/** What opened a session: `POST /login`, or the exchange of an authorization code. */
export type SessionKind = 'login' | 'pkce'

/** Why a session ended. The first reason stays. */
export type EndReason = 'logout' | 'revoked' | 'evicted' | 'code-replayed' | 'refresh-reused' | 'factor-changed'

/**
 * One authorization code. The code itself is never stored, only its SHA-256.
 *
 * In all records, ids and hashes have up to 1024 bytes, as have sealed seeds; other texts have up to 16,000 characters. A store takes
 * them whole or rejects them.
 */
export interface AuthorizationCodeRecord {
  readonly codeHash: string
  readonly userId: string
  /** The session that asked for the code, and with which the code dies. Null when the host asked. */
  readonly issuedBySessionId: string | null
  /** The id the session will have that this code opens. Known beforehand so that a replay can end it without a second write. */
  readonly opensSessionId: string
  /** RFC 7636 §4.2, S256. */
  readonly codeChallenge: string
  readonly scope: string
  readonly methods: readonly AuthenticationMethod[]
  readonly authenticatedAt: Date
  readonly createdAt: Date
  /** From this moment on the code is void. */
  readonly expiresAt: Date
  /** Until this moment, never before `expiresAt`, a used code is remembered, so that a replay is recognised. Then `purge` may delete it. */
  readonly retainUntil: Date
  /** Null until consumed. */
  readonly consumedAt: Date | null
}

/** Who won: exactly one caller ever gets `consumed`. */
export type ConsumeResult =
  | { readonly outcome: 'consumed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'replayed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'unknown' }

/**
 * For stores that keep codes and sessions in one database: both writes of a code exchange in one transaction, so that a crash between
 * them leaves either both or neither.
 */
export interface CodeRedemption {
  /**
   * The store the sessions go to. A router that keeps its sessions elsewhere does not use this. It goes by identity: whoever wraps the
   * session store in another object turns the redemption off, unless the wrapper stands here, too.
   */
  readonly sessions: SessionStore
  /**
   * As `consume`; and for the one caller who is answered `consumed`, inserts the session in the same transaction. Rejects, and leaves
   * the code as it was, if the session cannot be inserted.
   */
  redeem(codeHash: string, session: SessionRecord, now: Date): Promise<ConsumeResult>
}

/** One-time authorization codes. */
export interface AuthorizationCodeStore {
  /** Inserts; rejects if the hash is already there. */
  save(code: AuthorizationCodeRecord): Promise<void>
  /** The record, used, expired or not; null when there is none. Nothing is decided on the strength of it but what never changes. */
  find(codeHash: string): Promise<AuthorizationCodeRecord | null>
  /**
   * In ONE conditional write: if the code is there, unused and `now < expiresAt`, sets `consumedAt = now` and answers
   * `consumed`. If it was used before, answers `replayed` with the record as the first use left it; for as long as it is there, also
   * after `expiresAt` and `retainUntil`. Otherwise `unknown`.
   * A read followed by a write lets two callers win: RFC 6749 §4.1.2 says a code works once.
   */
  consume(codeHash: string, now: Date): Promise<ConsumeResult>
  /**
   * Deletes unused codes whose `expiresAt`, and used ones whose `retainUntil` is not after `now`, at most `limit` of them where one is
   * given (none for 0), and says how many. A store that lets the database expire its rows answers 0. Nothing may depend on it being
   * called.
   */
  purge(now: Date, limit?: number): Promise<number>
  /** Optional: consumption and session in one transaction. Without it they are two writes, and a crash between them loses the code. */
  readonly redemption?: CodeRedemption
}

/** A refresh token that has been spent lately, and the salt with which its successor is derived from it again. */
export interface SpentRefreshToken {
  /** SHA-256 of the token. */
  readonly hash: string
  readonly salt: string
  readonly spentAt: Date
}

/** The refresh tokens of one session. No token is in here, and none can be made from what is. */
export interface RefreshState {
  /** SHA-256 of the current token. */
  readonly hash: string
  /** Marks tokens as this session's, so that a spent one is known from an invented one. */
  readonly familyKey: string
  /** The newest last; a handful. */
  readonly spent: readonly SpentRefreshToken[]
}

/** One sign-in on one device. No token is in it, only hashes. */
export interface SessionRecord {
  readonly id: string
  readonly userId: string
  readonly kind: SessionKind
  readonly scope: string
  readonly methods: readonly AuthenticationMethod[]
  readonly authenticatedAt: Date
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** The session ends here if it is not used before. Moves with `touch` and `rotateRefresh`, never beyond `expiresAt`. */
  readonly idleExpiresAt: Date
  /** The absolute end. Never moves. */
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
  /** Null for a login session, which has no refresh token. Kept as one value: it is only ever replaced whole. */
  readonly refresh: RefreshState | null
  readonly endedAt: Date | null
  readonly endReason: EndReason | null
}

/** What `touch` may change. */
export interface SessionSeen {
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly ip: string | null
}

/** What a rotation changes, all of it in the one write. */
export interface RefreshRotation extends SessionSeen {
  readonly refresh: RefreshState
}

/** Who won: exactly one caller per current token ever gets `rotated`. */
export type RotateResult = { readonly outcome: 'rotated' | 'superseded' | 'ended' }

/**
 * Sessions: an allow-list. A session that is not found is not signed in, so losing data revives nobody.
 *
 * Whether a session can be changed depends on whether it has ended, not on whether it has idled out or expired: that, the caller has
 * judged.
 */
export interface SessionStore {
  /** Inserts; rejects if the id is already there. */
  create(session: SessionRecord): Promise<void>
  /** The record, ended or not; null when there is none. Times are judged by the caller. */
  find(id: string): Promise<SessionRecord | null>
  /**
   * In ONE conditional write: if the session is there, has not ended, and its `refresh.hash` is still `presentedHash`, replaces
   * `refresh`, `lastSeenAt`, `idleExpiresAt` and `ip`, and answers `rotated`. Answers `superseded` when another token is current, and
   * `ended` when the session has ended or is not there. A read followed by a write would let two callers win, or revive a session
   * that was ended in between. `now` is for stores that keep times of their own.
   */
  rotateRefresh(id: string, presentedHash: string, next: RefreshRotation, now: Date): Promise<RotateResult>
  /** Updates only a session that exists and has not ended. Never inserts: an upsert would bring a dead session back. */
  touch(id: string, seen: SessionSeen): Promise<void>
  /** Replaces the methods of a session that exists and has not ended: a second factor was shown, or taken away. Never inserts. */
  setMethods(id: string, methods: readonly AuthenticationMethod[]): Promise<void>
  /**
   * In ONE conditional write: marks the session ended, unless it already was. True for the one caller who ended it, false
   * for everybody else and for an unknown id. Durable before it resolves: a logout is acknowledged on the strength of it.
   */
  end(id: string, reason: EndReason, now: Date): Promise<boolean>
  /**
   * Ends every session of the user that has not ended, but `exceptId`, and answers the ids of those this call ended, idled out or not:
   * their sockets are closed by it. A session that is created meanwhile is ended and named, or neither. Durable before it resolves.
   */
  endAllForUser(userId: string, reason: EndReason, now: Date, exceptId?: string): Promise<string[]>
  /** The user's sessions that have not ended and are not over at `now`, the oldest first; those of the same `createdAt` by id. */
  listForUser(userId: string, now: Date): Promise<SessionRecord[]>
  /**
   * Those of the ids whose sessions exist, have not ended and are not over at `now`, in any order. An id that is asked for twice may be
   * answered twice. Asked every few seconds for the sessions with open sockets, up to 500 at a time: one query, so that a lost message
   * is not a lost logout.
   */
  liveAmong(ids: readonly string[], now: Date): Promise<string[]>
  /**
   * Deletes sessions that ended, idled out or expired by `now`, at most `limit` of them where one is given (none for 0), and says how
   * many. A store that lets the database expire its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/** A user's active second factor. The seed is sealed with a key the database does not hold. */
export interface SecondFactorRecord {
  readonly userId: string
  readonly sealedSeed: string
  /** The last accepted TOTP step (RFC 6238 §5.2); -1 before the first. */
  readonly lastStep: number
  readonly createdAt: Date
}

/** An enrolment that waits for its first code. Nothing of it is active. */
export interface PendingSecondFactor {
  readonly userId: string
  readonly sealedSeed: string
  readonly createdAt: Date
  /** From this moment on it cannot be confirmed. */
  readonly expiresAt: Date
}

/** One row per user, one row per pending enrolment, one row per recovery code. */
export interface SecondFactorStore {
  /** The active factor; null when there is none. */
  find(userId: string): Promise<SecondFactorRecord | null>
  /**
   * Inserts factor and recovery codes together, unless the user already has a factor. Whatever recovery codes are left of an earlier
   * factor are void from then on.
   */
  activate(
    factor: SecondFactorRecord,
    recoveryCodeHashes: readonly string[],
  ): Promise<{ readonly outcome: 'activated' | 'already-active' }>
  /** Keeps an enrolment, in the place of an earlier one of this user: only the seed that was shown last can be confirmed. */
  savePending(pending: PendingSecondFactor): Promise<void>
  /** The enrolment, expired or not; null when there is none. */
  findPending(userId: string): Promise<PendingSecondFactor | null>
  /**
   * In ONE transaction: if the user's enrolment is there, has this `sealedSeed`, and `now < expiresAt`, deletes it and does what
   * `activate` does. `activated` for exactly one caller; `not-pending`, with nothing changed, when the enrolment is another one, over
   * or not there.
   */
  confirm(
    factor: SecondFactorRecord,
    recoveryCodeHashes: readonly string[],
    now: Date,
  ): Promise<{ readonly outcome: 'activated' | 'already-active' | 'not-pending' }>
  /** In ONE conditional write: sets `lastStep = step` only if `step > lastStep`. `advanced` for exactly one caller per step. */
  advanceStep(userId: string, step: number): Promise<{ readonly outcome: 'advanced' | 'stale' }>
  /** In ONE conditional write: replaces the sealed seed, if it is still `from`. The same seed under a newer key. */
  reseal(userId: string, from: string, to: string): Promise<{ readonly outcome: 'resealed' | 'superseded' }>
  /** In ONE conditional write: deletes the user's recovery code with this hash. `consumed` for exactly one caller. */
  consumeRecoveryCode(userId: string, codeHash: string): Promise<{ readonly outcome: 'consumed' | 'unknown' }>
  /**
   * Deletes the user's recovery codes and inserts these, together, if the user has a factor. Of two calls at once, the codes of one are
   * left, never a mixture.
   */
  replaceRecoveryCodes(
    userId: string,
    recoveryCodeHashes: readonly string[],
  ): Promise<{ readonly outcome: 'replaced' | 'not-active' }>
  /** How many recovery codes the user has left. */
  countRecoveryCodes(userId: string): Promise<number>
  /**
   * Deletes factor, recovery codes and pending enrolment together. `deactivated` for exactly one caller; `not-active` when there was no
   * factor, though there may have been an enrolment.
   */
  deactivate(userId: string): Promise<{ readonly outcome: 'deactivated' | 'not-active' }>
  /**
   * Deletes enrolments that have expired by `now`, at most `limit` of them where one is given (none for 0), and says how many. A store
   * that lets the database expire its rows answers 0. Factors and recovery codes stay.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/** A ticket that opens one socket. The ticket itself is never stored, only its SHA-256. */
export interface SocketTicketRecord {
  readonly ticketHash: string
  readonly sessionId: string
  readonly userId: string
  /** What the socket may do, and until when: no more than the token the ticket was bought with. */
  readonly scope: string
  readonly tokenExpiresAt: Date
  readonly createdAt: Date
  /** From this moment on the ticket is void. */
  readonly expiresAt: Date
}

/** Who won: exactly one caller ever gets `consumed`. */
export type ConsumeTicketResult =
  | { readonly outcome: 'consumed'; readonly ticket: SocketTicketRecord }
  | { readonly outcome: 'unknown' }

/** One-time tickets for sockets of browsers, which cannot send headers with an upgrade. */
export interface SocketTicketStore {
  /** Inserts; rejects if the hash is already there. */
  save(ticket: SocketTicketRecord): Promise<void>
  /** In ONE conditional write: deletes the ticket, if it is there and `now < expiresAt`, and answers `consumed`. Otherwise `unknown`. */
  consume(ticketHash: string, now: Date): Promise<ConsumeTicketResult>
  /**
   * Deletes tickets that have expired by `now`, at most `limit` of them where one is given (none for 0), and says how many. A store that
   * lets the database expire its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}
