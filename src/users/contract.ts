/** What a user's `status` may be in an answer. */
export type PresenceStatus = 'online' | 'away' | 'busy' | 'offline'

/** How the client named the account. `user` means "any way the host allows". */
export interface LoginIdentifier {
  readonly kind: 'email' | 'username' | 'user'
  /**
   * What was typed was well-formed, of 1-320 characters, without control characters and unchanged
   * by NFKC, and without blanks at either end unless the host makes names canonical itself. `email`
   * and `username` arrive in lower case, `user` as it was typed, since it may be an id.
   */
  readonly value: string
}

/**
 * The few things the router needs to know about one of the host's users. Your own object may hold
 * more.
 */
export interface AuthUser {
  /** Never changes and is never given to another user. A number must be turned into a string. */
  readonly id: string
  readonly username: string
  readonly name: string
  /** Default: `offline`. */
  readonly status?: PresenceStatus
  /**
   * As {@link PasswordHasher} wrote it; null when the user has no password and so cannot use `POST
   * /login`.
   */
  readonly passwordHash: string | null
  /** True locks the user out of every way in. */
  readonly disabled?: boolean
  /**
   * The language that the user has chosen in your service, as in `lang`: `de`, `pt-BR`. The sign-in
   * pages are in it where the app asks for none, once they know who is signed in. What is none of
   * their languages counts as none. Default: what the browser asks for.
   */
  readonly locale?: string | null
}

/**
 * The host's users: the only adapter a host must write. No password is compared in here, and no
 * method is told one. A rejected promise, or no answer within `storeTimeout`, is answered with 503.
 *
 * @example
 * ```ts
 * import type { UserStore, AuthUser } from 'messaging-auth-router'
 *
 * const rows = new Map<string, AuthUser & { email: string }>()
 * const users: UserStore = {
 *   async findByIdentifier({ kind, value }) {
 *     const matches = [...rows.values()].filter(
 *       (row) =>
 *         (kind !== 'username' && row.email === value.toLowerCase()) ||
 *         (kind !== 'email' && row.username === value.toLowerCase()) ||
 *         (kind === 'user' && row.id === value),
 *     )
 *     return matches.length === 1 ? (matches[0] ?? null) : null
 *   },
 *   async findById(userId) {
 *     return rows.get(userId) ?? null
 *   },
 * }
 * ```
 */
export interface UserStore {
  /**
   * The one user that goes by this identifier, or null. If two match, answer null: letting the
   * wrong one in is worse than letting none in.
   */
  findByIdentifier(identifier: LoginIdentifier): Promise<AuthUser | null>
  /** The user with exactly this id, or null. */
  findById(userId: string): Promise<AuthUser | null>
  /**
   * Optional. Replaces the hash only if it is still `from`, in one statement, and says whether it
   * did. Called after a successful login whose hash is weaker than the hasher's setting. Leave it
   * out and no hash is ever upgraded.
   */
  updatePasswordHash?(userId: string, from: string, to: string): Promise<boolean>
}
