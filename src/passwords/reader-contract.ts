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
