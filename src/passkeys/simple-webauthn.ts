import { noLibrary, requireLibrary } from '../lib/require-library.js'
import type {
  AssertionToVerify,
  CreationToVerify,
  PasskeyVerifier,
  VerifiedAssertion,
  VerifiedCreation,
} from './contract.js'
import { isEcdsaSignature } from './ecdsa-signature.js'

export type {
  AssertionToVerify,
  CreationToVerify,
  PasskeyVerifier,
  VerifiedAssertion,
  VerifiedCreation,
} from './contract.js'

type Library = typeof import('@simplewebauthn/server')
type Helpers = typeof import('@simplewebauthn/server/helpers')
type Registration = Parameters<Library['verifyRegistrationResponse']>[0]['response']
type Authentication = Parameters<Library['verifyAuthenticationResponse']>[0]['response']

/**
 * ES256, EdDSA and RS256, by their
 * [COSE](https://www.iana.org/assignments/cose/cose.xhtml#algorithms) numbers.
 */
const algorithms = [-7, -8, -257]

const installed = ['simpleWebAuthn()', '@simplewebauthn/server', 14] as const

/**
 * Verifies passkeys with `@simplewebauthn/server` 14.0.3 or later, which you install beside this
 * package. It is loaded with the first ceremony, or some seconds after the start: it weighs 7 MB,
 * and adds members to `Reflect` and to the global object.
 *
 * @throws AuthConfigError at once, if the library is not installed; in a bundle, at the first use
 *
 * @example
 * ```ts
 * import { simpleWebAuthn } from 'messaging-auth-router/passkeys'
 *
 * const verifier = simpleWebAuthn()
 * ```
 */
export function simpleWebAuthn(): PasskeyVerifier {
  requireLibrary(...installed)
  let loading: Promise<[Library, Helpers]> | undefined
  const load = () => {
    loading ??= loadLibrary().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    async ready() {
      await load()
    },
    async verifyCreation(input) {
      const [library, helpers] = await load()
      return unlessRefused(() => verifyCreation(library, helpers, input))
    },
    async verifyAssertion(input) {
      const [library, helpers] = await load()
      return unlessRefused(() => verifyAssertion(library, helpers, input))
    },
  }
}

async function loadLibrary(): Promise<[Library, Helpers]> {
  try {
    return await Promise.all([
      import('@simplewebauthn/server'),
      import('@simplewebauthn/server/helpers'),
    ])
  } catch {
    throw noLibrary(...installed)
  }
}

// The library throws for anything invalid. Its error texts quote data that a stranger has sent.
async function unlessRefused<Verified>(
  verify: () => Promise<Verified | null>,
): Promise<Verified | null> {
  try {
    return await verify()
  } catch {
    return null
  }
}

async function verifyCreation(
  { verifyRegistrationResponse }: Library,
  { isoBase64URL, isoCBOR, decodeAttestationObject }: Helpers,
  { response, challenge, origins, rpId }: CreationToVerify,
): Promise<VerifiedCreation | null> {
  const given = response as Registration
  const attested = decodeAttestationObject(
    isoBase64URL.toBuffer(given.response.attestationObject),
  ).get('authData')
  // The attestation is not checked: that would parse certificates from strangers for nothing, and
  // fetch revocation lists from the addresses in them.
  const none = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', attested],
  ])
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(none))
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...given, response: { ...given.response, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  })
  if (verified !== true || registrationInfo === undefined) return null
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo
  return {
    credentialId: credential.id,
    publicKey: isoBase64URL.fromBuffer(credential.publicKey),
    counter: credential.counter,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    aaguid,
  }
}

async function verifyAssertion(
  { verifyAuthenticationResponse }: Library,
  { isoBase64URL, decodeCredentialPublicKey, cose }: Helpers,
  { response, challenge, origins, rpId, requireUserVerification, ...kept }: AssertionToVerify,
): Promise<VerifiedAssertion | null> {
  const given = response as Authentication
  const publicKey = isoBase64URL.toBuffer(kept.publicKey)
  // The library parses DER leniently, and ignores bytes that follow it.
  const isEcdsa = decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg) === -7
  if (isEcdsa && !isEcdsaSignature(Buffer.from(given.response.signature, 'base64url'))) return null
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: given,
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification,
    // With the stored counter it would refuse every lower one, before the signature is verified.
    credential: { id: given.id, publicKey, counter: 0 },
  })
  if (verified !== true) return null
  const { newCounter: counter, credentialBackedUp: backedUp, userVerified } = authenticationInfo
  return { counter, backedUp, userVerified }
}
