/** The scopes that a user has allowed a client. */
export interface ConsentRecord {
  readonly userId: string
  readonly clientId: string
  /**
   * All scopes that were ever granted and not taken back, in no order, none of them twice. Each is
   * a `scope-token` of [RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3):
   * printable ASCII without blank, quote and backslash. Words that begin with `mar-` are the
   * router's own: a scope at another API, or the destination of an answer.
   */
  readonly scopes: readonly string[]
  readonly grantedAt: Date
  readonly updatedAt: Date
}

/** Consents, which must last: one row for a user and a client. */
export interface ConsentStore {
  /** The row; null without a consent. */
  find(userId: string, clientId: string): Promise<ConsentRecord | null>
  /**
   * In ONE statement: inserts the row, or adds the scopes to the scopes of the existing row and
   * sets its `updatedAt`; `grantedAt` stays. Of two grants at once none is lost: the user has
   * agreed to the union.
   */
  grant(consent: ConsentRecord): Promise<void>
  /** Deletes the row. Exactly one of several callers gets `revoked`. Durable before it resolves. */
  revoke(userId: string, clientId: string): Promise<{ readonly outcome: 'revoked' | 'unknown' }>
  /** The user's rows, the oldest `grantedAt` first; of one moment by the bytes of `clientId`. */
  listForUser(userId: string): Promise<ConsentRecord[]>
}
