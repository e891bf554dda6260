/**
 * Reads the password hashes that another system has written, for `combinedHasher`. The shipped ones
 * are `preDigestedBcrypt`, `pbkdf2`, `scrypt` and, from `messaging-auth-router/hashers/argon2`,
 * `argon2`.
 */
export interface PasswordReader {
  /** One for each cost that occurs. Each is worked through at every login, in this order. */
  readonly settings: readonly ReaderSetting[]
  /** Optional. Ends what the reader has started, such as threads. */
  close?(): Promise<void>
}

/**
 * Hashes of one format and one exact cost. What costs anything else is not read, so that no stored
 * text decides how much work is done.
 */
export interface ReaderSetting {
  /** What a message calls it, such as `pbkdf2-sha256, 600000 iterations`. */
  readonly name: string
  /** About how many milliseconds of one core `verify` takes. */
  readonly estimatedMs: number
  /** Whether a stored text is of this format and cost. Texts have at most 2,048 characters. */
  canRead(hash: string): boolean
  /**
   * Resolves to exactly `true` for the right password of a hash that this setting can read. For
   * `null` the same work is done, and the answer is `false`. Reject only when the work could not be
   * done.
   */
  verify(plain: string, hash: string | null): Promise<boolean>
  /**
   * Optional. Whether a password looks like what this setting makes of passwords before it hashes
   * them, such as 64 hexadecimal digits. Such a password is never compared as it is with a hash
   * that this setting can read: a thief of the digest could sign in with it.
   */
  looksLikeDigest?(plain: string): boolean
}
