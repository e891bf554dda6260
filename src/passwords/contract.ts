/**
 * Hashes and checks passwords, off the main thread. The shipped one is `bcryptHasher`; write your own for Argon2id or scrypt.
 *
 * Rules: `verify` resolves to exactly `true` only for the right password, to `false` for any other string and for any hash
 * it cannot read, and takes as long either way. Reject only when the work could not be done (answered with 503).
 */
export interface PasswordHasher {
  /** Rejects with `AuthError('invalid-request')` for a password this hasher could not tell from another one. */
  hash(plain: string): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
  /** True when a hash that verified should be replaced by a new one, e.g. because its cost is below the setting. */
  needsRehash(hash: string): boolean
  /**
   * Optional. False for a stored value this hasher can never verify (another scheme, damaged, absurd cost). The account then
   * cannot sign in, exactly as with a wrong password, and the event `password.unreadable` is raised.
   */
  canRead?(hash: string): boolean
  /**
   * Optional. How many passwords it works on at once, 1-1000; the router keeps the others waiting, so that it can take turns between
   * networks. Default: as many as the machine has cores.
   */
  readonly concurrency?: number
}
