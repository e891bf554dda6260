import type { Audit } from '../audit/events.js'
import type { HostCall } from '../lib/host-call.js'
import { failClosedOnce } from '../stores/fail-closed-oauth-stores.js'
import { failClosedPasskeys } from '../stores/fail-closed-passkeys.js'
import type { OnceStore } from '../stores/once-contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { KeptCodes } from '../two-factor/kept-codes.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { AuthUser } from '../users/contract.js'
import { type Challenges, createChallenges } from './challenges.js'
import type { PasskeyVerifier } from './contract.js'
import { failClosedVerifier } from './fail-closed-verifier.js'
import { createForgetKeptCodes, type ForgetKeptCodes } from './forget-kept-codes.js'
import type { RelyingParty } from './judge-response.js'
import { createPasskeyFactor } from './passkey-factor.js'
import type { CheckedPasskeysOptions } from './passkeys-options.js'
import { createVerifyPasskey, type VerifyPasskey } from './verify-passkey.js'

/** The parts shared by the passkey endpoints, the pages and the sign-in decision. */
export interface PasskeyServer {
  readonly relyingParty: RelyingParty
  readonly rpId: string
  /** The name of this service in authenticators. */
  readonly rpName: string
  readonly passkeyStore: PasskeyStore
  readonly once: OnceStore
  readonly verifier: PasskeyVerifier
  readonly challenges: Challenges
  readonly verifyPasskey: VerifyPasskey
  /** Passkeys as the second factor, for the sign-in decision. */
  readonly factor: PasskeyFactor
  readonly forgetKeptCodes: ForgetKeptCodes
}

export interface PasskeyServerDeps {
  readonly options: CheckedPasskeysOptions
  readonly encryptionKeys: readonly Buffer[]
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly keptCodes: KeptCodes
  readonly throttle: Pick<Throttle, 'countRefusedPasskey'>
  readonly call: HostCall
  readonly clock: () => Date
  readonly audit: Audit
}

/** Wraps the host's stores and verifier in their contracts, and builds the shared parts on them. */
export function createPasskeyServer(deps: PasskeyServerDeps): PasskeyServer {
  const { options, keptCodes, call } = deps
  const { rpId, rpName, origins, asSecondFactor } = options
  const passkeyStore = failClosedPasskeys(options.store, call)
  const once = failClosedOnce(options.once, call)
  const verifier = failClosedVerifier(options.verifier, call)
  const challenges = createChallenges({ ...deps, once })
  const relyingParty = { rpId, origins }
  const own = { relyingParty, rpId, rpName, passkeyStore, once, verifier, challenges }
  const verifyPasskey = createVerifyPasskey({ ...deps, ...own })
  const factor = createPasskeyFactor({ ...deps, ...own, asSecondFactor, verifyPasskey })
  const forgetKeptCodes = createForgetKeptCodes(passkeyStore, keptCodes)
  return { ...own, verifyPasskey, factor, forgetKeptCodes }
}
