/**
 * The SHA-256 of a password, as clients of Meteor and Rocket.Chat send it. The digest is enough to
 * sign in, so it is as secret as the password.
 */
export interface DigestedPassword {
  /** 64 hexadecimal digits. */
  readonly digest: string
  readonly algorithm: 'sha-256'
}

/** The password of a login, or its digest. */
export type ShownPassword = string | DigestedPassword

/**
 * Hashes and checks passwords, off the main thread. Shipped: `bcryptHasher`, `argon2`,
 * `combinedHasher`.
 *
 * Rules: `verify` resolves with exactly `true` for the right password, and with `false` for any
 * other string and for any hash that it cannot read, in the same time. It rejects only if the work
 * could not be done; the answer is then 503.
 */
export interface PasswordHasher {
  /**
   * Rejects with `AuthError('invalid-request')` for a password that the hasher cannot distinguish
   * from others.
   */
  hash(plain: string): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
  /**
   * Optional, for a hasher of the SHA-256 of passwords: like `verify`, for the digest of a
   * password, 64 digits in lower case. Required for clients that send digests.
   */
  verifyDigest?(digest: string, hash: string): Promise<boolean>
  /**
   * True if a verified hash should be replaced by a new one, for example because its cost is below
   * the setting.
   */
  needsRehash(hash: string): boolean
  /**
   * Optional. False for a stored value that this hasher can never verify (another scheme, damaged,
   * absurd cost). The account then cannot sign in, as with a wrong password, and the event
   * `password.unreadable` is raised.
   */
  canRead?(hash: string): boolean
  /**
   * Optional. Why a refused password could not be compared with a hash, for the reason of
   * `login.failed`; null if it was wrong. It is called after `verify`, for readable hashes.
   */
  whyRefused?(plain: string, hash: string): 'password-over-72-bytes' | null
  /**
   * Optional. How many passwords it works on at once, 1-1000. The router queues the others and
   * takes turns between networks. Default: the number of cores.
   */
  readonly concurrency?: number
  /**
   * Optional. Approximate time of `verify` in milliseconds of one core; `combinedHasher` adds them
   * up. Default 0.
   */
  readonly estimatedMs?: number
  /**
   * Optional. A hash that no password matches and that takes as long to compare as any other. The
   * router compares with it if there is no user, or no readable hash. Without it, the router makes
   * such a hash at the first login, whose client waits for it.
   */
  readonly unmatchable?: string
  /**
   * Optional. Starts preparations for the first password, such as threads. Returns at once and must
   * not keep a process alive. Called once, shortly after a router is made. Errors are ignored: the
   * first password runs into them again.
   */
  prepare?(): void
}

/**
 * Reads password hashes of another system, for `combinedHasher`. Shipped: `preDigestedBcrypt`,
 * `pbkdf2`, `scrypt` and, from `messaging-auth-router/hashers/argon2`, `argon2`.
 */
export interface PasswordReader {
  /** One for each cost that occurs. Every login does the work of each, in this order. */
  readonly settings: readonly ReaderSetting[]
  /** Optional. Ends threads and other resources of the reader. */
  close?(): Promise<void>
}

/**
 * Hashes of one format and one exact cost. Other costs are not read, so that a stored text cannot
 * decide the amount of work.
 */
export interface ReaderSetting {
  /** A name for messages, such as `pbkdf2-sha256, 600000 iterations`. */
  readonly name: string
  /** Approximate time of `verify` in milliseconds of one core. */
  readonly estimatedMs: number
  /** Whether a stored text has this format and cost. Texts have at most 2,048 characters. */
  canRead(hash: string): boolean
  /**
   * Resolves with exactly `true` for the right password of a hash that this setting can read. For
   * `null` it does the same work and resolves with `false`. Rejects only if the work could not be
   * done.
   */
  verify(plain: string, hash: string | null): Promise<boolean>
  /**
   * Optional. Whether a password looks like the digests that this setting hashes, such as 64
   * hexadecimal digits. Such a password is never compared directly with a hash of this setting:
   * otherwise a thief of the digest could sign in with it.
   */
  looksLikeDigest?(plain: string): boolean
}
