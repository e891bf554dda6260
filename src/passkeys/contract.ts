/** A new passkey to verify. */
export interface CreationToVerify {
  /**
   * The browser's `RegistrationResponseJSON` (or `AuthenticationResponseJSON`), of which only the
   * shape has been checked.
   */
  readonly response: unknown
  /** The challenge that the signed client data must contain, in base64url. */
  readonly challenge: string
  readonly origins: readonly string[]
  readonly rpId: string
}

/** A verified new passkey. Bytes are in base64url. */
export interface VerifiedCreation {
  readonly credentialId: string
  /** A COSE_Key. */
  readonly publicKey: string
  readonly counter: number
  readonly backupEligible: boolean
  readonly backedUp: boolean
  /** The authenticator model, as a UUID; all zeros if unknown. */
  readonly aaguid: string
}

/** An assertion to verify. */
export interface AssertionToVerify extends CreationToVerify {
  /** The stored COSE_Key of the passkey, in base64url. */
  readonly publicKey: string
  readonly requireUserVerification: boolean
}

/** A verified assertion. */
export interface VerifiedAssertion {
  readonly counter: number
  readonly backedUp: boolean
  readonly userVerified: boolean
}

/**
 * Parses and verifies the responses that authenticators sign, by [WebAuthn Level 3
 * §7](https://www.w3.org/TR/webauthn-3/#sctn-rp-operations). Shipped: `simpleWebAuthn()`. Return
 * null for anything invalid; reject only if verification is impossible, which counts as an outage.
 * The router checks the counter.
 */
export interface PasskeyVerifier {
  /** Verifies a new passkey; its user must have been verified, by PIN, finger or face. */
  verifyCreation(input: CreationToVerify): Promise<VerifiedCreation | null>
  /** Verifies an assertion, including its signature. */
  verifyAssertion(input: AssertionToVerify): Promise<VerifiedAssertion | null>
  /**
   * Loads the parts that the verifier needs. Called some seconds after the start, or by the first
   * ceremony, which waits for it: at most 30 seconds, not `storeTimeout`. Called again after a
   * failure.
   */
  ready?(): Promise<void>
}
