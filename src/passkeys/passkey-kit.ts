import type { GroundKit } from '../kits/ground-kit.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { OnceStore } from '../stores/one-time-contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { KeptCodes } from '../two-factor/recovery-codes.js'
import type { Challenges } from './challenges.js'
import type { PasskeyVerifier } from './contract.js'

/** The relying party of WebAuthn: the site that passkeys belong to. */
export interface RelyingParty {
  readonly rpId: string
  readonly origins: readonly string[]
}

/** The passkeys of users, in a server and from a terminal. */
export interface StoredPasskeysKit extends ManagementKit {
  readonly passkeyStore: PasskeyStore
  /** Recovery codes that were kept from TOTP. */
  readonly keptCodes: KeptCodes
}

/** The parts that the option `passkeys` adds. */
export interface PasskeyServer {
  readonly relyingParty: RelyingParty
  readonly rpId: string
  /** The name of this service in authenticators. */
  readonly rpName: string
  /** `always`: users with a passkey must show it besides a password. */
  readonly asSecondFactor: 'when-required' | 'always'
  readonly passkeyStore: PasskeyStore
  readonly keptCodes: KeptCodes
  readonly once: OnceStore
  readonly verifier: PasskeyVerifier
  readonly challenges: Challenges
}

/** The parts that verify passkeys, before there is a decision about sign-ins. */
export interface VerifyingKit extends GroundKit, StoredPasskeysKit, PasskeyServer {}

/** The parts that all of passkeys needs. */
export interface PasskeysKit extends SignInKit, VerifyingKit {
  readonly passkeyStore: PasskeyStore
}
