/** The audit events of second factors, and of browsers that are not asked for them. */
export type SecondFactorEvent =
  /** A user has started to set up TOTP. */
  | { readonly type: 'second-factor.begun'; readonly userId: string }
  /**
   * A user has activated TOTP, or with `method` codes by mail or text message. The other sessions
   * end.
   */
  | {
      readonly type: 'second-factor.enabled'
      readonly userId: string
      readonly method?: 'email' | 'sms'
    }
  /** A user has deactivated TOTP, or such codes. The other sessions end. */
  | {
      readonly type: 'second-factor.disabled'
      readonly userId: string
      readonly method?: 'email' | 'sms'
    }
  /** A user who wanted to change the second factor sent a wrong code. */
  | { readonly type: 'second-factor.refused'; readonly userId: string }
  /**
   * The host has removed a user's second factor, or an undo of the address has, since a thief may
   * have set it up. The user's sessions end.
   */
  | { readonly type: 'second-factor.reset'; readonly userId: string; readonly hadFactor: boolean }
  /** A code was sent to a user, by mail or by the host's factor `method`. */
  | { readonly type: 'second-factor.code-sent'; readonly userId: string; readonly method: string }
  /** A user has made new recovery codes; old ones no longer work. */
  | { readonly type: 'recovery-codes.replaced'; readonly userId: string }
  /** A second factor was imported from another system. */
  | { readonly type: 'second-factor.imported'; readonly userId: string }
  /**
   * A stored seed cannot be decrypted (is an encryption key missing?), so its user cannot sign in.
   */
  | { readonly type: 'second-factor.unreadable'; readonly userId: string }
  /** A recovery code was used. */
  | { readonly type: 'recovery-code.used'; readonly userId: string }
  /** A user is not asked for a second factor in this browser for some days. */
  | { readonly type: 'remembered.added'; readonly userId: string; readonly browserId: string }
  /** A user has forgotten a remembered browser. */
  | { readonly type: 'remembered.ended'; readonly userId: string; readonly browserId: string }
  /**
   * A used token of a remembered browser came again with the right password: there is a copy. The
   * browser is forgotten.
   */
  | { readonly type: 'remembered.reused'; readonly userId: string; readonly browserId: string }
