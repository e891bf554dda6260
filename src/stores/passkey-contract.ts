/** A passkey of a user. Nothing in it is a secret. */
export interface PasskeyRecord {
  /** As the authenticator names it: 1023 bytes at most, which are 1364 characters of base64url. */
  readonly credentialId: string
  readonly userId: string
  /** The handle that authenticators know the user by. It is equal in all of one user's passkeys. */
  readonly userHandle: string
  /** A COSE_Key ([RFC 9052 §7](https://www.rfc-editor.org/rfc/rfc9052#section-7)) in base64url. */
  readonly publicKey: string
  /** From 0 to 4294967295. */
  readonly counter: number
  /** Whether it may be on several devices. It never changes. */
  readonly backupEligible: boolean
  readonly backedUp: boolean
  /** How the authenticator may be reached, as its browser says: such as `internal` or `usb`. */
  readonly transports: readonly string[]
  /** The model of the authenticator; only zeros where it does not say. */
  readonly aaguid: string
  /** The name that its user gives it. */
  readonly name: string
  /**
   * The last time that its counter had a value which a single authenticator cannot have; null:
   * never.
   */
  readonly suspectedCloneAt: Date | null
  /**
   * Null: it was added after more than a password, such as a code. Otherwise a thief of the
   * password may have added it: then this is the mark of the password hash of the session that
   * added it, or `unmarked` if the session had no mark. Never changes.
   */
  readonly passwordMark: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** The members that a use of a passkey changes, all in the one write. */
export interface PasskeySeen {
  readonly counter: number
  readonly backedUp: boolean
  readonly lastUsedAt: Date
}

/** The limits and recovery codes of a new passkey. */
export interface PasskeyLimits {
  /** How many one user may have. */
  readonly most: number
  /** SHA-256 of the recovery codes that its user gets if it is the only one. */
  readonly recoveryCodeHashes: readonly string[]
}

/** Passkeys, which must last, and the recovery codes of users who have any. */
export interface PasskeyStore {
  /**
   * In ONE conditional write: keeps the handle as the user's handle, unless one is kept already,
   * and answers the kept handle. All of several callers get this one handle.
   */
  claimHandle(userId: string, userHandle: string): Promise<string>
  /**
   * Inserts, unless there is a passkey with this `credentialId`, of whichever user (`exists`), or
   * the user has `most` of them (`full`). Of several calls at once, no more than `most` passkeys
   * are there afterwards. If it is the user's only passkey, `isFirst` is true, for one of several
   * callers, and all recovery codes of the user are replaced by these, in the same transaction.
   */
  create(
    passkey: PasskeyRecord,
    limits: PasskeyLimits,
  ): Promise<
    | { readonly outcome: 'created'; readonly isFirst: boolean }
    | { readonly outcome: 'exists' }
    | { readonly outcome: 'full' }
  >
  /** The row; null for an unknown id. */
  find(credentialId: string): Promise<PasskeyRecord | null>
  /** The user's rows, the oldest `createdAt` first; of one moment in any order. */
  listForUser(userId: string): Promise<PasskeyRecord[]>
  /**
   * In ONE conditional write: if the counter is still `fromCounter`, and no copy is suspected
   * (`suspectedCloneAt` is null), replaces `counter`, `backedUp` and `lastUsedAt`. `superseded`
   * where the counter is another one by now or a copy is suspected, `gone` where there is no such
   * passkey.
   */
  use(
    credentialId: string,
    fromCounter: number,
    seen: PasskeySeen,
  ): Promise<{ readonly outcome: 'used' | 'superseded' | 'gone' }>
  /** Notes when the counter stood where it cannot, and changes nothing else. Never inserts. */
  suspectClone(credentialId: string, at: Date): Promise<void>
  /** Replaces the name of a passkey of this user; false where the user has no such passkey. */
  rename(userId: string, credentialId: string, name: string): Promise<boolean>
  /**
   * Deletes a passkey of this user. `removed` for one of several callers. With `unlessLast`: `last`
   * where the user has no other passkey, also for one of two that are removed at once. With the
   * last passkey, the user's recovery codes go, in the same transaction.
   */
  remove(
    userId: string,
    credentialId: string,
    options: { readonly unlessLast: boolean },
  ): Promise<{ readonly outcome: 'removed' | 'last' | 'unknown' }>
  /** Deletes all that is kept of a user, handle and codes included; says how many passkeys. */
  removeAllForUser(userId: string): Promise<number>
  /** Deletes a recovery code of a user; `consumed` for one of several callers. */
  consumeRecoveryCode(
    userId: string,
    codeHash: string,
  ): Promise<{ readonly outcome: 'consumed' | 'unknown' }>
}
