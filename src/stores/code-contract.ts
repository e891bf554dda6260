import type { SessionRecord, SessionStore, StoredMethod } from './contract.js'

/**
 * One authorization code. The code itself is never stored, only its SHA-256.
 *
 * In all records, ids, hashes and sealed seeds have up to 1024 bytes of UTF-8. Other texts have up
 * to 16,000 characters as JavaScript counts them (`length`, UTF-16 units). A store must take them
 * whole. It must reject, or keep exactly as it is, a value that is longer, no string, or not
 * well-formed text: replaced or cut off, one value would be taken for another.
 *
 * `kind`, `endReason` and `methods` are texts to a store: values it does not know come from a later
 * release, and are passed on. Members that a record has beyond those named here may be dropped.
 *
 * The last members may be left out, as they are for `/auth/pkce`. A member that was left out when
 * the code was saved is left out, or `undefined`, when it is read. Every other member comes back as
 * it was.
 */
export interface AuthorizationCodeRecord {
  readonly codeHash: string
  readonly userId: string
  /**
   * The session that asked for the code, and with which the code dies. If the host asked, this
   * session stands in for the host's page: its id begins with `code.`, and no token belongs to it.
   */
  readonly issuedBySessionId: string
  /**
   * The id the session will have that this code opens. Known beforehand so that a replay can end it
   * without a second write.
   */
  readonly opensSessionId: string
  /** S256 of the verifier, [RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2). */
  readonly codeChallenge: string
  readonly scope: string
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
  readonly createdAt: Date
  /** From this moment on the code is void. */
  readonly expiresAt: Date
  /**
   * Until this moment, never before `expiresAt`, a used code is remembered, so that a replay is
   * recognised. Then `purge` may delete it.
   */
  readonly retainUntil: Date
  /** Null until consumed. */
  readonly consumedAt: Date | null
  /** The client that the code was issued to: no other client may exchange it. */
  readonly clientId?: string
  /** The address to which the code was sent. The exchange must name this address. */
  readonly redirectUri?: string
  /** Goes into the ID Token as it is. */
  readonly nonce?: string
  /** The APIs that were asked for, [RFC 8707](https://www.rfc-editor.org/rfc/rfc8707). */
  readonly resources?: readonly string[]
  /** How surely the user was known, as the ID Token says it. */
  readonly acr?: string
}

/** The outcome: exactly one caller ever gets `consumed`. */
export type ConsumeResult =
  | { readonly outcome: 'consumed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'replayed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'unknown' }

/**
 * For stores that keep codes and sessions in one database: both writes of a code exchange in one
 * transaction, so that a crash between them leaves either both or neither.
 */
export interface CodeRedemption {
  /**
   * The store the sessions go to. A router that keeps its sessions elsewhere does not use this. It
   * goes by identity: to wrap the session store in another object turns the redemption off, unless
   * the wrapper stands here, too.
   */
  readonly sessions: SessionStore
  /**
   * As `consume`; and for the one caller who is answered `consumed`, inserts the session in the
   * same transaction. Rejects, and leaves the code as it was, if the session cannot be inserted.
   */
  redeem(codeHash: string, session: SessionRecord, now: Date): Promise<ConsumeResult>
}

/** One-time authorization codes. */
export interface AuthorizationCodeStore {
  /** Inserts; rejects if the hash is already there. */
  save(code: AuthorizationCodeRecord): Promise<void>
  /**
   * The record, also if used or expired; null for an unknown hash. The router decides nothing by
   * its members that can change.
   */
  find(codeHash: string): Promise<AuthorizationCodeRecord | null>
  /**
   * In ONE conditional write: if the code is there, unused and `now < expiresAt`, sets `consumedAt
   * = now` and answers `consumed`. If it was used before, answers `replayed` with the record as the
   * first use left it; for as long as it is there, also after `expiresAt` and `retainUntil`.
   * Otherwise `unknown`. A read followed by a write lets two callers win: a code works
   * once ([RFC 6749 §4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2)).
   */
  consume(codeHash: string, now: Date): Promise<ConsumeResult>
  /**
   * Deletes unused codes whose `expiresAt` is not after `now`, and used codes whose `retainUntil`
   * is not after `now`. Deletes at most `limit` codes (0: none; left out: all of them), and says
   * how many. The router always gives a limit. A store that lets the database expire its rows
   * answers 0. Nothing may depend on it being called.
   */
  purge(now: Date, limit?: number): Promise<number>
  /**
   * Optional: consumption and session in one transaction. Without it they are two writes, and a
   * crash between them loses the code.
   */
  readonly redemption?: CodeRedemption
}
