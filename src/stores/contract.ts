/** How the user proved who they are: password, TOTP, recovery code, or vouched for by the host's own sign-in page. */
export type AuthenticationMethod = 'pwd' | 'otp' | 'recovery' | 'host'

/** What opened a session: `POST /login`, or the exchange of an authorization code. */
export type SessionKind = 'login' | 'pkce'

/** Why a session ended. The first reason stays. */
export type EndReason = 'logout' | 'revoked' | 'code-replayed'

/** One authorization code. The code itself is never stored, only its SHA-256. */
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
  /** Until this moment a used code must be remembered, so that a replay is recognised. Later, `purge` may delete it. */
  readonly retainUntil: Date
  /** Null until consumed. */
  readonly consumedAt: Date | null
}

/** Who won: exactly one caller ever gets `consumed`. */
export type ConsumeResult =
  | { readonly outcome: 'consumed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'replayed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'unknown' }

/** One-time authorization codes. */
export interface AuthorizationCodeStore {
  /** Inserts; rejects if the hash is already there. */
  save(code: AuthorizationCodeRecord): Promise<void>
  /**
   * In ONE conditional write: if the code is there, unused and `now < expiresAt`, sets `consumedAt = now` and answers
   * `consumed`. If it was used before, answers `replayed` with the record as the first use left it. Otherwise `unknown`.
   * A read followed by a write lets two callers win: RFC 6749 §4.1.2 says a code works once.
   */
  consume(codeHash: string, now: Date): Promise<ConsumeResult>
  /** Deletes records whose `retainUntil` has passed and says how many. Nothing may depend on it being called. */
  purge(now: Date): Promise<number>
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
  /** The session ends here if it is not used before. Moves with `touch`, never beyond `expiresAt`. */
  readonly idleExpiresAt: Date
  /** The absolute end. Never moves. */
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
  /** SHA-256 of the current refresh token; null for a login session, which has none. */
  readonly refreshHash: string | null
  readonly endedAt: Date | null
  readonly endReason: EndReason | null
}

/** What `touch` may change. */
export interface SessionSeen {
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly ip: string | null
}

/** Sessions: an allow-list. A session that is not found is not signed in, so losing data revives nobody. */
export interface SessionStore {
  /** Inserts; rejects if the id is already there. */
  create(session: SessionRecord): Promise<void>
  /** The record, ended or not; null when there is none. Times are judged by the caller. */
  find(id: string): Promise<SessionRecord | null>
  /** Updates only a session that exists and has not ended. Never inserts: an upsert would bring a dead session back. */
  touch(id: string, seen: SessionSeen): Promise<void>
  /**
   * In ONE conditional write: marks the session ended, unless it already was. True for the one caller who ended it, false
   * for everybody else and for an unknown id. Durable before it resolves: a logout is acknowledged on the strength of it.
   */
  end(id: string, reason: EndReason, now: Date): Promise<boolean>
  /** Deletes sessions that ended, idled out or expired before `now`, and says how many. */
  purge(now: Date): Promise<number>
}

/** A user's active second factor. The seed is sealed with a key the database does not hold. */
export interface SecondFactorRecord {
  readonly userId: string
  readonly sealedSeed: string
  /** The last accepted TOTP step (RFC 6238 §5.2); -1 before the first. */
  readonly lastStep: number
  readonly createdAt: Date
}

/** One row per user, one row per recovery code. */
export interface SecondFactorStore {
  find(userId: string): Promise<SecondFactorRecord | null>
  /** Inserts factor and recovery codes together, unless the user already has a factor. */
  activate(
    factor: SecondFactorRecord,
    recoveryCodeHashes: readonly string[],
  ): Promise<{ readonly outcome: 'activated' | 'already-active' }>
  /** In ONE conditional write: sets `lastStep = step` only if `step > lastStep`. `advanced` for exactly one caller per step. */
  advanceStep(userId: string, step: number): Promise<{ readonly outcome: 'advanced' | 'stale' }>
  /** In ONE conditional write: deletes the user's recovery code with this hash. `consumed` for exactly one caller. */
  consumeRecoveryCode(userId: string, codeHash: string): Promise<{ readonly outcome: 'consumed' | 'unknown' }>
}
