/** The audit events of mail addresses and numbers. */
export type AddressEvent =
  /** A user has proven the address of the account; with `channel`, the number. */
  | { readonly type: 'address.verified'; readonly userId: string; readonly channel?: 'phone' }
  /** A user has changed the address, and has proven the new one; with `channel`, the number. */
  | { readonly type: 'address.changed'; readonly userId: string; readonly channel?: 'phone' }
  /**
   * Whoever has the former address has taken its change back: somebody else was in the account. All
   * sessions of the user end.
   */
  | { readonly type: 'address.undone'; readonly userId: string; readonly channel?: 'phone' }
  /**
   * Somebody else has proven the number of a user, who was told by mail. After 72 hours it may be
   * taken over.
   */
  | { readonly type: 'phone.claimed'; readonly userId: string }
  /**
   * The number of a user is gone: somebody else has it by now; or a thief may have added it, and a
   * new password has removed it.
   */
  | { readonly type: 'phone.removed'; readonly userId: string }
  /**
   * Of the last 50 codes to numbers that begin with `prefix`, fewer than ten were typed. No more
   * are sent there for an hour: somebody earns money by them.
   */
  | { readonly type: 'phone.prefix-paused'; readonly prefix: string }
