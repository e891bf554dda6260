/** What a verifier is asked about a new passkey. */
export interface CreationToVerify {
  /** A `RegistrationResponseJSON` of the browser's, of which only the shape has been checked. */
  readonly response: unknown
  /** As it must be in the signed client data: base64url. */
  readonly challenge: string
  readonly origins: readonly string[]
  readonly rpId: string
}

/** A new passkey, as its authenticator describes it. Texts of bytes are base64url. */
export interface VerifiedCreation {
  readonly credentialId: string
  /** A COSE_Key. */
  readonly publicKey: string
  readonly counter: number
  readonly backupEligible: boolean
  readonly backedUp: boolean
  /** The model, as a UUID; only zeros where the authenticator does not say. */
  readonly aaguid: string
}

/** What a verifier is asked about the use of a passkey. */
export interface AssertionToVerify extends CreationToVerify {
  /** The COSE_Key that is kept of the passkey, in base64url. */
  readonly publicKey: string
  readonly requireUserVerification: boolean
}

/** What a signed use of a passkey says. */
export interface VerifiedAssertion {
  readonly counter: number
  readonly backedUp: boolean
  readonly userVerified: boolean
}

/**
 * What reads and checks what authenticators sign, by
 * [WebAuthn Level 3 §7](https://www.w3.org/TR/webauthn-3/#sctn-rp-operations). Shipped:
 * `simpleWebAuthn()`. It answers null for whatever it does not accept, and rejects only where it
 * cannot judge: that is an outage. The counter is not its business.
 */
export interface PasskeyVerifier {
  /** Checks a new passkey, which a person must have confirmed by PIN, finger or face. */
  verifyCreation(input: CreationToVerify): Promise<VerifiedCreation | null>
  /** Checks a use of a passkey, the signature included. */
  verifyAssertion(input: AssertionToVerify): Promise<VerifiedAssertion | null>
  /**
   * Loads what it needs. Called some seconds after the start or by the first ceremony, which waits
   * for it: not for `storeTimeout`, but for 30 seconds at most. Called again where it has failed.
   */
  ready?(): Promise<void>
}
