/** The audit events of mail addresses and numbers. */
export type AddressEvent =
  /** A user has proven the address, with `channel` the number. */
  | { readonly type: 'address.verified'; readonly userId: string; readonly channel?: 'phone' }
  /** A user has changed the address, with `channel` the number, and has proven the new one. */
  | { readonly type: 'address.changed'; readonly userId: string; readonly channel?: 'phone' }
  /**
   * The holder of the former address has taken its change back: somebody else was in the account.
   * All sessions end.
   */
  | { readonly type: 'address.undone'; readonly userId: string; readonly channel?: 'phone' }
  /**
   * Somebody else has proven the number of a user, who was told by mail and may lose it after 72
   * hours.
   */
  | { readonly type: 'phone.claimed'; readonly userId: string }
  /**
   * A user has lost the number: to somebody else, or by a new password, since a thief may have
   * added it.
   */
  | { readonly type: 'phone.removed'; readonly userId: string }
  /**
   * Of the last 50 codes to numbers that begin with `prefix`, fewer than ten were typed. No more
   * are sent there for an hour: somebody earns money by them.
   */
  | { readonly type: 'phone.prefix-paused'; readonly prefix: string }
