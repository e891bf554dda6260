import { hash } from 'node:crypto'
import type { PasskeyFault } from '../audit/passkey-events.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import type { AuthenticatorData, ClientData } from '../two-factor/passkey-response.js'

/** Whom passkeys are made for. */
export interface RelyingParty {
  readonly rpId: string
  readonly origins: readonly string[]
}

/**
 * Judges what a browser has had signed, before any signature is checked; null where all is well.
 * The client data: steps 11 to 13 of [WebAuthn Level 3
 * §7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion).
 */
export function judgeClientData(
  { type, origin, crossOrigin, topOrigin }: ClientData,
  expected: 'webauthn.create' | 'webauthn.get',
  { origins }: RelyingParty,
): PasskeyFault | null {
  if (type !== expected) return 'wrong-type'
  if (typeof origin !== 'string' || !origins.includes(origin)) return 'wrong-origin'
  // In a frame of another site its user does not see who asks. Some browsers leave out whose.
  const isFramed = crossOrigin !== undefined && crossOrigin !== false
  return isFramed || topOrigin !== undefined ? 'cross-origin' : null
}

/** How a passkey must have been used. */
export interface ExpectedUse {
  readonly requireUserVerification: boolean
  /** Whether the passkey itself must say whose it is, because nobody else has. */
  readonly requireUserHandle: boolean
}

/** The same for what the authenticator says: §7.2, steps 6 and 14 to 19. */
export function judgeAuthenticatorData(
  data: AuthenticatorData,
  userHandle: string | undefined,
  passkey: Pick<PasskeyRecord, 'userHandle' | 'backupEligible'>,
  { rpId }: RelyingParty,
  { requireUserVerification, requireUserHandle }: ExpectedUse,
): PasskeyFault | null {
  // A handle that is sent must be right also where none is asked for.
  if (userHandle === undefined ? requireUserHandle : userHandle !== passkey.userHandle)
    return 'wrong-user-handle'
  if (!data.rpIdHash.equals(hash('sha256', rpId, 'buffer'))) return 'wrong-rp-id'
  if (!data.userPresent) return 'user-not-present'
  if (requireUserVerification && !data.userVerified) return 'user-not-verified'
  if (data.backedUp && !data.backupEligible) return 'impossible-backup-state'
  return data.backupEligible === passkey.backupEligible ? null : 'changed-backup-eligibility'
}
