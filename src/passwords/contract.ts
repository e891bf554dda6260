/**
 * A password as clients of Meteor and Rocket.Chat send it: not itself, but its SHA-256. Whoever has
 * the digest can sign in with it, so it is as secret as the password.
 */
export interface DigestedPassword {
  /** 64 digits in hexadecimal. */
  readonly digest: string
  readonly algorithm: 'sha-256'
}

/** What a login shows: the password, or all that the client has sent of it. */
export type ShownPassword = string | DigestedPassword

/**
 * Hashes and checks passwords, off the main thread. The shipped one is `bcryptHasher`; write your
 * own for Argon2id or scrypt.
 *
 * Rules: `verify` resolves to exactly `true` only for the right password, to `false` for any other
 * string and for any hash it cannot read, and takes as long either way. Reject only when the work
 * could not be done (answered with 503).
 */
export interface PasswordHasher {
  /**
   * Rejects with `AuthError('invalid-request')` for a password this hasher could not tell from
   * another one.
   */
  hash(plain: string): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
  /**
   * Optional, for a hasher that hashes the SHA-256 of passwords: whether the hash is of the
   * password with this digest, of 64 digits in lower case. By the rules of `verify`, and as slow.
   * Only with it can digests sign in.
   */
  verifyDigest?(digest: string, hash: string): Promise<boolean>
  /**
   * True when a hash that verified should be replaced by a new one, e.g. because its cost is below
   * the setting.
   */
  needsRehash(hash: string): boolean
  /**
   * Optional. False for a stored value this hasher can never verify (another scheme, damaged,
   * absurd cost). The account then cannot sign in, exactly as with a wrong password, and the event
   * `password.unreadable` is raised.
   */
  canRead?(hash: string): boolean
  /**
   * Optional. Why a password that was refused could not even be compared with a hash, as the reason
   * of `login.failed`; null where it was simply wrong. Asked after `verify`, for hashes that
   * can be read.
   */
  whyRefused?(plain: string, hash: string): 'password-over-72-bytes' | null
  /**
   * Optional. How many passwords it works on at once, 1-1000; the router keeps the others waiting,
   * so that it can take turns between networks. Default: as many as the machine has cores.
   */
  readonly concurrency?: number
  /**
   * Optional. About how many milliseconds of one core `verify` takes; `combinedHasher` adds
   * them up. Left out counts as nothing.
   */
  readonly estimatedMs?: number
  /**
   * Optional. A text that is read like one of its hashes, that no password matches, and that takes
   * as long to compare as any: what is compared where there is no user, or none with a hash that
   * can be read. Without it the router makes a hash of nobody's password with the first login,
   * whose client waits for both.
   */
  readonly unmatchable?: string
  /**
   * Optional. Begins what the first password would have to wait for, such as the start of threads.
   * It answers at once, and must not keep a process alive. Called once, a moment after a router was
   * made. What it throws is ignored: the first password meets it again.
   */
  prepare?(): void
}
