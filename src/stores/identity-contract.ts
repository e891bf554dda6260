/**
 * The account of a user at a provider, as the pair of issuer and subject. Both have up to 255 bytes
 * of UTF-8, and are compared by their bytes.
 */
export interface IdentityRecord {
  readonly issuer: string
  readonly subject: string
  readonly userId: string
  /** Unique; names it in addresses. */
  readonly id: string
  /** The id of the provider. */
  readonly provider: string
  /** What its owner knows it by, such as an address; null without. */
  readonly label: string | null
  /** As {@link PasskeyRecord.passwordMark}: how it was added. Never changes. */
  readonly passwordMark: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** Whether the identity was stored. */
export interface LinkIdentityResult {
  readonly outcome: 'linked' | 'exists'
}

/** Whether the identity was removed; `last`: it is the only one of the user, and was spared. */
export interface UnlinkIdentityResult {
  readonly outcome: 'unlinked' | 'last' | 'unknown'
}

/** Whose account at which provider. It must last: whoever loses a row cannot sign in by it. */
export interface IdentityStore {
  /** The record of exactly this issuer and subject, or null. */
  find(issuer: string, subject: string): Promise<IdentityRecord | null>
  /**
   * In ONE conditional write under the unique key of issuer and subject: inserts, or answers
   * `exists`, also if it is the same user's. It never moves an identity to another user. Rejects
   * for an `id` that is there with another issuer or subject.
   */
  link(identity: IdentityRecord): Promise<LinkIdentityResult>
  /** All of the user's, the oldest first, then by the bytes of their ids. */
  listForUser(userId: string): Promise<IdentityRecord[]>
  /** Sets `lastUsedAt`, of one that is there. Never inserts. */
  used(issuer: string, subject: string, now: Date): Promise<void>
  /**
   * Deletes the identity with this id if it is this user's; otherwise `unknown`. With `unlessLast`
   * only if the user has another one, decided by the same statement or transaction: of two that are
   * removed at the same moment, one stays. Otherwise `last`.
   */
  unlink(
    userId: string,
    id: string,
    options: { readonly unlessLast: boolean },
  ): Promise<UnlinkIdentityResult>
  /** Deletes all of the user's, and says how many. Durable before it resolves. */
  unlinkAllForUser(userId: string): Promise<number>
}
