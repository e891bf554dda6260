import { hash } from 'node:crypto'
import type { PasskeyFault } from '../audit/refusals.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import type { AuthenticatorData, ClientData } from '../two-factor/passkey-response.js'

/** The relying party of WebAuthn: the site that passkeys belong to. */
export interface RelyingParty {
  readonly rpId: string
  readonly origins: readonly string[]
}

/**
 * Checks the client data before any signature is verified; null if valid. Steps 11 to 13 of
 * [WebAuthn Level 3 §7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion).
 */
export function judgeClientData(
  { type, origin, crossOrigin, topOrigin }: ClientData,
  expected: 'webauthn.create' | 'webauthn.get',
  { origins }: RelyingParty,
): PasskeyFault | null {
  if (type !== expected) return 'wrong-type'
  if (typeof origin !== 'string' || !origins.includes(origin)) return 'wrong-origin'
  // In a frame of another site the user cannot see who asks. Some browsers do not tell whose frame
  // it is.
  const isFramed = crossOrigin !== undefined && crossOrigin !== false
  return isFramed || topOrigin !== undefined ? 'cross-origin' : null
}

/** What a use of a passkey must show. */
export interface ExpectedUse {
  readonly requireUserVerification: boolean
  /** Whether the response must name the user, because nothing else has. */
  readonly requireUserHandle: boolean
}

/** Checks the authenticator data: §7.2, steps 6 and 14 to 19. */
export function judgeAuthenticatorData(
  data: AuthenticatorData,
  userHandle: string | undefined,
  passkey: Pick<PasskeyRecord, 'userHandle' | 'backupEligible'>,
  { rpId }: RelyingParty,
  { requireUserVerification, requireUserHandle }: ExpectedUse,
): PasskeyFault | null {
  // A handle that is sent must match, even if none is required.
  if (userHandle === undefined ? requireUserHandle : userHandle !== passkey.userHandle)
    return 'wrong-user-handle'
  if (!data.rpIdHash.equals(hash('sha256', rpId, 'buffer'))) return 'wrong-rp-id'
  if (!data.userPresent) return 'user-not-present'
  if (requireUserVerification && !data.userVerified) return 'user-not-verified'
  if (data.backedUp && !data.backupEligible) return 'impossible-backup-state'
  return data.backupEligible === passkey.backupEligible ? null : 'changed-backup-eligibility'
}
