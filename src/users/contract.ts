/** Values of a user's `status`. */
export type PresenceStatus = 'online' | 'away' | 'busy' | 'offline'

/** How the client named the account. `user` means any way that the host supports. */
export interface LoginIdentifier {
  readonly kind: 'email' | 'username' | 'user'
  /**
   * Well-formed text of 1-320 characters, without control characters, unchanged by NFKC, and
   * without blanks at either end. `email` and `username` are in lower case; `user` is as typed,
   * since it may be an id; with `accounts.phones`, a mobile number is in the form E.164:
   * `+491701234567`. The domain of an address is in ASCII in both: `anna@xn--mller-kva.de`
   * for `anna@müller.de`.
   */
  readonly value: string
}

/**
 * The members of the host's user object that the router reads. The object may have more.
 */
export interface AuthUser {
  /** Never changes and never belongs to another user. Convert a number to a string. */
  readonly id: string
  readonly username: string
  readonly name: string
  /** Default: `offline`. */
  readonly status?: PresenceStatus
  /**
   * As {@link PasswordHasher} made it; null if the user has no password and so cannot use `POST
   * /login`.
   */
  readonly passwordHash: string | null
  /** True refuses every way to sign in. */
  readonly disabled?: boolean
  /**
   * True: every session opens nothing until the user has set another password. As
   * `requirePasswordChange` stored it, or your own code. Default false.
   */
  readonly mustChangePassword?: boolean | null
  /**
   * When the password stops signing in, for a temporary one. As `requirePasswordChange` stored it.
   * Default: never.
   */
  readonly passwordUntil?: Date | null
  /**
   * The user's language in your service, as in `lang`: `de`, `pt-BR`. The sign-in pages use it once
   * they know the user, if the app requests no language and they have this one. Default: the
   * language of the browser.
   */
  readonly locale?: string | null
}

/** A version of a document that a user has accepted. */
export interface AcceptedDocument {
  readonly id: string
  readonly version: string
}

/** How a user can be reached by mail. */
export interface UserContact {
  /** Exactly as it is stored; null if the user has none. */
  readonly email: string | null
  /** True only if the user has shown that mail to this address arrives. */
  readonly emailVerified: boolean
  /** The language of mails, as {@link AuthUser.locale}. Default: that one. */
  readonly locale?: string | null
  /**
   * True if the user has switched on codes by mail as a second factor. As `setEmailFactor` stored
   * it. Default false.
   */
  readonly emailFactor?: boolean
  /** The mobile number in the form E.164, such as `+491701234567`. Default: none. */
  readonly phone?: string | null
  /** True only if the user has shown that messages to this number arrive. Default false. */
  readonly phoneVerified?: boolean
  /**
   * True if the user has switched on codes by text message as a second factor. As `setPhoneFactor`
   * stored it. Default false.
   */
  readonly phoneFactor?: boolean
}

/** A user who registers. */
export interface NewUser {
  /**
   * Proven. It has a domain in lower case and in ASCII, and the rest as its owner typed it. Null
   * for a user who has come from a provider without `trustEmail`: then there is none until the
   * user adds one.
   */
  readonly email: string | null
  /** As it was typed: well-formed text of 1-320 characters, like {@link LoginIdentifier.value}. */
  readonly username: string
  /** The name that others see. */
  readonly name: string
  /** Null: a user without a password. */
  readonly passwordHash: string | null
  /** The language that the user has chosen. */
  readonly locale?: string
  /** The invitation that was used, with the note that you gave it. */
  readonly invitation?: { readonly id: string; readonly note: string | null }
  /**
   * The account at a provider that the user has come with, as the store of identities has it. The
   * router connects it.
   */
  readonly identity?: {
    readonly provider: string
    readonly issuer: string
    readonly subject: string
  }
}

/** Whether a user was created, and if not, the field that another user has already. */
export type UserCreation =
  | { readonly outcome: 'created'; readonly user: AuthUser }
  | { readonly outcome: 'taken'; readonly field: 'email' | 'username' }

/** The outcome of {@link UserStore.updateEmail} and {@link UserStore.updatePhone}. */
export type EmailChange = 'changed' | 'superseded' | 'taken'

/**
 * The host's users: the only adapter that a host must write. It never receives or compares a
 * password. A rejection, or no answer within `storeTimeout`, becomes 503.
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
   * The one user with this identifier, or null. If two match, return null: signing the wrong one in
   * is worse than signing nobody in.
   */
  findByIdentifier(identifier: LoginIdentifier): Promise<AuthUser | null>
  /** The user with exactly this id, or null. */
  findById(userId: string): Promise<AuthUser | null>
  /**
   * Optional. Replaces the hash only if it is still `from`, in one statement; resolves with whether
   * it did. Called after a successful login whose hash is weaker than the hasher's setting. Without
   * it, hashes are never upgraded.
   *
   * `from` is null for the first password of a user who has none: `password_hash is null` in SQL,
   * where `= null` matches nothing. Only the option `accounts` passes null.
   */
  updatePasswordHash?(userId: string, from: string | null, to: string): Promise<boolean>
  /**
   * Optional. Sets `mustChangePassword` and `passwordUntil` of the user, and the hash `to`, only if
   * the hash is still `from`, in one statement; resolves with whether it did. From then on
   * `updatePasswordHash` clears both members with each hash that it stores.
   */
  requirePasswordChange?(
    userId: string,
    from: string | null,
    to: string,
    until: Date | null,
  ): Promise<boolean>
  /**
   * Optional. Stores that the user has accepted a version of a document, and when. Called again
   * with the same one, it changes nothing. It must be stored before it resolves.
   */
  accepted?(userId: string, document: AcceptedDocument & { readonly at: Date }): Promise<void>
  /**
   * Optional. The contact for mail to this user; null without. Everything that sends mail needs it.
   */
  findContact?(userId: string): Promise<UserContact | null>
  /**
   * Optional. Sets the address to `to`, and marks it as proven, only if it is still `from`, in one
   * statement. `superseded`: it is another one by now, or there is no such user. `taken`: another
   * user has `to`, in whatever case; nothing is written. Never rejects for that: translate the
   * error of the unique index.
   *
   * `to` has a domain in lower case and in ASCII, and the rest as its owner typed it. Store it
   * unchanged; `findByIdentifier` is asked for it in lower case.
   */
  updateEmail?(
    userId: string,
    from: string | null,
    to: string,
  ): Promise<{ readonly outcome: EmailChange }>
  /**
   * Optional. Marks the address as proven only if it is still this one, in one statement; resolves
   * with whether it is this one. True also if it was proven already.
   */
  markEmailVerified?(userId: string, email: string): Promise<boolean>
  /**
   * Optional. Switches codes by mail as a second factor on or off. Creates no user. It must be
   * stored before it resolves.
   */
  setEmailFactor?(userId: string, on: boolean): Promise<void>
  /**
   * Optional. Sets the number to `to`, and marks it as proven, only if it is still `from`, in one
   * statement; null is no number. `from` and `to` may be one number, which is marked as proven
   * then. The outcomes are those of `updateEmail`. `findByIdentifier` is asked for numbers with the
   * kind `user`. The option `accounts.phones` needs it.
   */
  updatePhone?(
    userId: string,
    from: string | null,
    to: string | null,
  ): Promise<{ readonly outcome: EmailChange }>
  /**
   * Optional. Switches codes by text message as a second factor on or off. It must be stored before
   * it resolves.
   */
  setPhoneFactor?(userId: string, on: boolean): Promise<void>
  /**
   * Optional. Creates a user with a proven address or none, in one statement under your unique
   * indexes: that is the decision, so of two with the same address or user name one wins. `taken`
   * names the field that another user has already, in whatever case; nothing is written then. If it
   * is both, name the address. Never rejects for that: translate the error of the unique index.
   */
  create?(user: NewUser): Promise<UserCreation>
  /**
   * Optional. Whether a user name may be registered: it is free, and a name by your rules, which
   * also refuse names such as `admin`. It reserves nothing.
   */
  nameIsFree?(username: string): Promise<boolean>
  /**
   * Optional. Deletes the user, after all sessions have ended; the other data that the router has
   * stored goes right after it. Called again after a crash: a user who is gone already is deleted.
   * From then on no method finds the user.
   */
  delete?(userId: string): Promise<void>
}
