/**
 * The account of a user at a provider, as the pair of provider and subject. Both have up to 255
 * bytes of UTF-8, and are compared by their bytes.
 */
export interface IdentityRecord {
  /** The id of the provider: a provider speaks of its own accounts alone. */
  readonly provider: string
  readonly subject: string
  /** The issuer of the identity, as the provider named itself. It is not a part of the key. */
  readonly issuer: string
  readonly userId: string
  /** Unique; names it in addresses. */
  readonly id: string
  /** The label that its owner knows it by, such as an address; null without. */
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

/**
 * The accounts of users at providers. The rows must last: a user whose row is lost cannot sign in
 * by it.
 *
 * A row that was unlinked stays, so that an address does not connect what its owner has
 * disconnected. Only `wasUnlinked`, `link` and `unlinkAllForUser` see it.
 */
export interface IdentityStore {
  /** The record of exactly this provider and subject, or null. */
  find(provider: string, subject: string): Promise<IdentityRecord | null>
  /** Whether this pair was unlinked, by whatever user, and is not linked since. */
  wasUnlinked(provider: string, subject: string): Promise<boolean>
  /**
   * In ONE conditional write under the unique key of provider and subject: inserts, or takes the
   * place of an unlinked row, or answers `exists`, also if the identity is this user's already. It
   * never moves an identity to another user. With `unlessUnlinked`, an unlinked identity answers
   * `exists`, too. Rejects for an `id` that is there with another provider or subject.
   */
  link(
    identity: IdentityRecord,
    options?: { readonly unlessUnlinked?: boolean },
  ): Promise<LinkIdentityResult>
  /** All of the user's, the oldest first, then by the bytes of their ids. */
  listForUser(userId: string): Promise<IdentityRecord[]>
  /**
   * Up to `limit` of a provider's, by the bytes of their subjects, from the first one after `after`
   * on; null: from the beginning. So a directory looks at everybody, page by page.
   */
  listOfProvider(provider: string, after: string | null, limit: number): Promise<IdentityRecord[]>
  /** Sets `lastUsedAt`, of one that is there. Never inserts. */
  used(provider: string, subject: string, now: Date): Promise<void>
  /**
   * Unlinks the identity with this id if it is this user's; otherwise `unknown`. Its label is
   * forgotten. With `unlessLast` only if the user has another one, decided by the same statement or
   * transaction: of two identities that are removed at one moment, one stays. Otherwise `last`.
   */
  unlink(
    userId: string,
    id: string,
    options: { readonly unlessLast: boolean },
  ): Promise<UnlinkIdentityResult>
  /**
   * Deletes all identities of the user, and the rows of unlinked identities; says how many rows it
   * has deleted. Durable before it resolves.
   */
  unlinkAllForUser(userId: string): Promise<number>
}
