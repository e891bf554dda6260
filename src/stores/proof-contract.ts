/** The purpose of a proof. A proof of one purpose is worth nothing for another. */
export type ProofPurpose =
  | 'reset'
  | 'verify-address'
  | 'change-address'
  | 'undo-address'
  | 'former-address'
  | 'undo-password'
  | 'second-factor'
  | 'register'
  | 'invitation'
  | 'sign-in'
  | 'delete'
  | 'provider'
  | 'vouched'
  | 'upstream'
  | 'upstream-logout'
/** A purpose as stored. A purpose that this release does not know is passed on unchanged. */
export type StoredPurpose = ProofPurpose | (string & Record<never, never>)

/**
 * One thing that waits for its proof: a link or code that was mailed, a link that was shown once,
 * or an answer that is awaited. Token and code are not stored, only the values they are compared
 * with.
 *
 * Ids, hashes and purposes have up to 1024 bytes of UTF-8, other texts up to 16,000 characters, as
 * in all records. An absent value is null. Every member must come back as it was saved: a store
 * that drops `mark` would let an old link work after a change of the password.
 */
export interface ProofRecord {
  /** SHA-256 of the request id, of the token in the link, or of the state. */
  readonly idHash: string
  readonly purpose: StoredPurpose
  /**
   * Null: nobody's. Such a row is kept all the same: nothing shows who has an account. For
   * `former-address`, a digest of the address.
   */
  readonly userId: string | null
  /** A keyed digest of the code; null for links. */
  readonly codeTag: string | null
  /** The state that must not have changed, as a digest: the password, the address, the browser. */
  readonly mark: string | null
  /** The values that will be written after the proof, encrypted: up to 8 KiB of text. */
  readonly sealed: string | null
  /** How often a code or link may still be tried; never below 0. */
  readonly triesLeft: number
  readonly createdAt: Date
  /** From this moment on the proof is void. */
  readonly expiresAt: Date
  /** Null until it is consumed. */
  readonly consumedAt: Date | null
}

/** Whether the caller may compare a code or mark: as many callers as there were tries. */
export type TakeTryResult =
  | { readonly outcome: 'taken'; readonly proof: ProofRecord }
  | { readonly outcome: 'void' }

/** The outcome: exactly one caller ever gets `consumed`. */
export type ConsumeProofResult =
  | { readonly outcome: 'consumed'; readonly proof: ProofRecord }
  | { readonly outcome: 'void' }

/**
 * Everything that is mailed, shown once or waits for an answer. A proof of another purpose than the
 * one that is named is not there, and is never changed.
 */
export interface ProofStore {
  /** Inserts; rejects if the hash is already there, whatever its purpose. */
  save(proof: ProofRecord): Promise<void>
  /**
   * The record, also if it is used, expired or without tries; null for an unknown hash, and for
   * another purpose. Changes nothing, and the router decides nothing by it.
   */
  find(idHash: string, purpose: string): Promise<ProofRecord | null>
  /**
   * In ONE conditional write: if the proof is there, has this purpose, is not consumed, `now <
   * expiresAt` and `triesLeft > 0`, takes one of `triesLeft` and answers `taken` with the record.
   * Otherwise `void`. Exactly as many callers ever get `taken` as there were tries: a read followed
   * by a write lets a code of eight digits be guessed at without end.
   *
   * The record may show what other callers have changed right after, such as fewer tries.
   */
  takeTry(idHash: string, purpose: string, now: Date): Promise<TakeTryResult>
  /**
   * In ONE conditional write: if the proof is there, has this purpose, is not consumed and `now <
   * expiresAt`, sets `consumedAt = now` and answers `consumed` with the record. Otherwise `void`.
   * `triesLeft` plays no part and stays as it is: the caller has taken a try before.
   */
  consume(idHash: string, purpose: string, now: Date): Promise<ConsumeProofResult>
  /**
   * Consumes all proofs of the user that have one of these purposes and are not consumed, also
   * expired ones, since another process may have a clock that is behind. Says how many this very
   * call has consumed. Other proofs of the user, and proofs of nobody, stay as they are. Durable
   * before it resolves: after a change of the password no older link may work.
   */
  voidForUser(userId: string, purposes: readonly string[], now: Date): Promise<number>
  /**
   * All proofs with this purpose of this user (null: of nobody) that are not consumed, with
   * `now < expiresAt` and `triesLeft > 0`, in any order. A missing proof lets a thief change an
   * address whose change can still be undone.
   */
  list(purpose: string, userId: string | null, now: Date): Promise<ProofRecord[]>
  /**
   * Deletes proofs that have expired by `now`, consumed or not, at most `limit` of them (0: none;
   * left out: all of them), and says how many. A store that lets the database expire its rows
   * answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}
