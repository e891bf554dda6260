import { randomSecret } from '../lib/secrets.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import type { AuthUser } from '../users/contract.js'
import { challengeMs } from './challenges.js'
import type { PasskeysKit } from './passkey-kit.js'

/** A passkey in the options of a ceremony. */
export interface CredentialDescriptor {
  readonly type: 'public-key'
  readonly id: string
  readonly transports: readonly string[]
}

/**
 * For `navigator.credentials.create`, by `PublicKeyCredential.parseCreationOptionsFromJSON`
 * ([WebAuthn Level 3 §5.1.9](https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON)).
 */
export interface PasskeyCreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[]
  readonly timeout: number
  readonly excludeCredentials: readonly CredentialDescriptor[]
  readonly authenticatorSelection: {
    readonly residentKey: 'required'
    readonly requireResidentKey: true
    readonly userVerification: 'required'
  }
  readonly attestation: 'none'
  readonly extensions: { readonly credProps: true }
}

/**
 * For `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`
 * ([WebAuthn Level 3 §5.1.10](https://www.w3.org/TR/webauthn-3/#sctn-parseRequestOptionsFromJSON)).
 */
export interface PasskeyRequestOptions {
  readonly challenge: string
  readonly rpId: string
  readonly timeout: number
  /** Default: any passkey for this site. */
  readonly allowCredentials?: readonly CredentialDescriptor[]
  readonly userVerification: 'required' | 'discouraged'
}

/** ES256, EdDSA and RS256, in order of preference. */
const algorithms = [-7, -8, -257] as const

/** The options of a new passkey. Rejects with 503. */
export async function creationOptions(
  { rpId, rpName, challenges, passkeyStore }: PasskeysKit,
  { id: userId, username, name }: AuthUser,
  sessionId: string,
): Promise<PasskeyCreationOptions> {
  const [userHandle, passkeys] = await Promise.all([
    passkeyStore.claimHandle(userId, randomSecret()),
    passkeyStore.listForUser(userId),
  ])
  return {
    challenge: challenges.make({ purpose: 'register', userId, sessionId }),
    rp: { id: rpId, name: rpName },
    user: { id: userHandle, name: username, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    // The lifetime of the challenge: not everybody is quick.
    timeout: challengeMs,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    extensions: { credProps: true },
  }
}

/** Describes a passkey in the options of a ceremony. */
export function descriptorOf({
  credentialId,
  transports,
}: Pick<PasskeyRecord, 'credentialId' | 'transports'>): CredentialDescriptor {
  return { type: 'public-key', id: credentialId, transports }
}
