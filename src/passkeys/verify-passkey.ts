import { hash } from 'node:crypto'
import type { RequestContext } from '../audit/events.js'
import type { PasskeyFault } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import {
  type AssertionResponse,
  type AuthenticatorData,
  type ClientData,
  readAuthenticatorData,
  readClientData,
} from '../two-factor/passkey-response.js'
import type { ChallengeBinding } from './challenges.js'
import type { VerifiedAssertion } from './contract.js'
import type { RelyingParty, VerifyingKit } from './passkey-kit.js'

/** A presented passkey and its purpose. */
export interface ShownPasskey extends ChallengeBinding {
  readonly purpose: 'sign-in' | 'second-factor' | 'reauthenticate'
  readonly response: AssertionResponse
}

/** `passkey` of a refusal is null if no passkey has its id. */
export type PasskeyVerdict =
  | { readonly right: true; readonly passkey: PasskeyRecord }
  | {
      readonly right: false
      readonly fault: PasskeyFault
      readonly passkey: PasskeyRecord | null
    }

/** Verifies a passkey and uses its challenge up: the only place. Rejects with 503. */
export async function verifyPasskey(
  kit: VerifyingKit,
  shown: ShownPasskey,
  context: RequestContext,
): Promise<PasskeyVerdict> {
  const { purpose, userId } = shown
  const verdict = await judge(kit, shown, context)
  if (verdict.right) {
    const { userId: owner, credentialId: passkeyId } = verdict.passkey
    kit.audit({ type: 'passkey.used', userId: owner, passkeyId, purpose }, context)
    return verdict
  }
  const { fault: reason, passkey } = verdict
  const whose = userId ?? passkey?.userId ?? null
  kit.audit({ type: 'passkey.refused', purpose, reason, userId: whose }, context)
  return verdict
}

async function judge(
  kit: VerifyingKit,
  shown: ShownPasskey,
  context: RequestContext,
): Promise<PasskeyVerdict> {
  const { response, purpose, userId, sessionId } = shown
  // The values come from the signed data: a stranger could write anything into a copy beside it.
  const clientData = readClientData(response.response.clientDataJSON)
  if (clientData === null) return refused('malformed')
  const challenge = kit.challenges.open(clientData.challenge, { purpose, userId, sessionId })
  if (challenge === null) return refused('unknown-challenge')
  const passkey = await kit.passkeyStore.find(response.id)
  if (passkey === null) return refused('unknown-credential')
  if (userId !== null && passkey.userId !== userId)
    return refused('credential-of-another-user', passkey)
  const data = readAuthenticatorData(response.response.authenticatorData)
  if (data === null) return refused('malformed', passkey)
  const requireUserVerification = purpose !== 'second-factor'
  const fault =
    judgeClientData(clientData, 'webauthn.get', kit.relyingParty) ??
    judgeAuthenticatorData(data, response.response.userHandle, passkey, kit.relyingParty, {
      requireUserVerification,
      requireUserHandle: userId === null,
    })
  if (fault !== null) return refused(fault, passkey)
  const verified = await kit.verifier.verifyAssertion({
    response,
    challenge: clientData.challenge,
    ...kit.relyingParty,
    publicKey: passkey.publicKey,
    requireUserVerification,
  })
  if (verified === null) return refused('not-verified', passkey)
  // This check is the last, since it writes: only the holder of the private key can fill the store
  // with rows. Of two responses to one challenge, one still succeeds.
  if (!(await kit.challenges.claim(challenge))) return refused('used-challenge', passkey)
  return noteUse(kit, passkey, verified, context)
}

/** How often a counter is checked again when others change it meanwhile. */
const maxTries = 3

async function noteUse(
  kit: VerifyingKit,
  first: PasskeyRecord,
  signed: VerifiedAssertion,
  context: RequestContext,
): Promise<PasskeyVerdict> {
  let passkey: PasskeyRecord | null = first
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await noteOnce(kit, passkey, signed, context)
    if (outcome === 'used') return { right: true, passkey }
    if (outcome === 'clone') return refused('suspected-clone', passkey)
    if (outcome === 'overtaken') return refused('overtaken', passkey)
    // Another use, or a suspected clone, was stored since the row was read, so this use is checked
    // again.
    if (outcome === 'superseded') passkey = await kit.passkeyStore.find(passkey.credentialId)
    if (outcome === 'gone' || passkey === null) return refused('unknown-credential')
  }
  throw new AuthError('temporarily-unavailable', {
    message: 'a passkey is in use too often at once for its counter to be compared',
    retryAfter: 1,
  })
}

async function noteOnce(
  { passkeyStore, clock, audit }: VerifyingKit,
  passkey: PasskeyRecord,
  { counter: signed, backedUp }: VerifiedAssertion,
  context: RequestContext,
): Promise<'used' | 'superseded' | 'gone' | 'clone' | 'overtaken'> {
  // If two have the key, nobody can tell which is the owner: the passkey is disabled.
  if (passkey.suspectedCloneAt !== null) return 'clone'
  const { credentialId, userId, name, counter: kept } = passkey
  const ofPasskey = { userId, passkeyId: credentialId }
  const now = clock()
  const verdict = judgeCounter({ ...passkey, kept, signed, now })
  if (verdict === 'overtaken') return 'overtaken'
  if (verdict === 'clone') {
    await passkeyStore.suspectClone(credentialId, now)
    audit({ type: 'passkey.clone-suspected', ...ofPasskey, name }, context)
    return 'clone'
  }
  // The higher value stays: otherwise the device that is behind would not be behind again.
  const counter = Math.max(kept, signed)
  const { outcome } = await passkeyStore.use(credentialId, kept, {
    counter,
    backedUp,
    lastUsedAt: now,
  })
  if (outcome !== 'used') return outcome
  if (verdict === 'regressed') audit({ type: 'passkey.counter-regressed', ...ofPasskey }, context)
  if (backedUp !== passkey.backedUp)
    audit({ type: 'passkey.backup-changed', ...ofPasskey, backedUp }, context)
  return 'used'
}

function refused(fault: PasskeyFault, passkey: PasskeyRecord | null = null): PasskeyVerdict {
  return { right: false, fault, passkey }
}

type Refused = Extract<PasskeyVerdict, { readonly right: false }>

/**
 * The error for a refused passkey: a 401, or a 429 beyond the limit. It does not tell the reason,
 * except that a passkey is unknown here, so that the client can drop it from its picker. Ids are
 * random, so this reveals nothing about passkeys of others.
 */
export function refusalOf(
  { throttle }: VerifyingKit,
  { fault, passkey }: Refused,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
): Promise<AuthError> {
  const signal = fault === 'unknown-credential' ? { signal: 'unknown-credential' } : {}
  // `wrong` distinguishes this from an ended session, as for a password.
  const clientMessage = 'The passkey is not valid here.'
  const details = { wrong: 'passkey', ...signal }
  const error = new AuthError('Unauthorized', { clientMessage, details })
  return throttle.countRefusedPasskey(passkey?.credentialId ?? null, request, error)
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

/** The requirements on a use of a passkey. */
interface ExpectedUse {
  readonly requireUserVerification: boolean
  /** Whether the response must name the user, because nothing else has named the user. */
  readonly requireUserHandle: boolean
}

/** Checks the authenticator data: §7.2, steps 6 and 14 to 19. */
function judgeAuthenticatorData(
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

/**
 * The verdict on a signature counter ([WebAuthn Level 3
 * §6.1.1](https://www.w3.org/TR/webauthn-3/#sctn-sign-counter)).
 */
type CounterVerdict = 'advanced' | 'regressed' | 'overtaken' | 'clone'

/** The most signatures by which a use may be behind another use that overtook it on the way. */
const maxBehind = 3
/** How long after the other, in milliseconds. */
const overtakingMs = 60_000

/** A signed counter, the stored passkey, and the time. */
interface CounterJudgement {
  readonly kept: number
  readonly signed: number
  readonly backupEligible: boolean
  readonly lastUsedAt: Date | null
  readonly now: Date
}

/**
 * Compares a signed counter with the stored one. Most authenticators never count. A passkey on
 * several devices may have a counter on each, so a lower counter proves nothing. If only one device
 * can have the passkey, a lower counter shows that two devices have the key. But two uses of one
 * device may overtake each other on the way: the late use is refused, and proves nothing.
 */
function judgeCounter({
  kept,
  signed,
  backupEligible,
  lastUsedAt,
  now,
}: CounterJudgement): CounterVerdict {
  if (signed > kept || (signed === 0 && kept === 0)) return 'advanced'
  if (backupEligible) return 'regressed'
  // A repeated number is not overtaking: one device signs with each number once.
  const isLate = signed !== 0 && signed < kept && kept - signed <= maxBehind
  const age = lastUsedAt === null ? overtakingMs : now.getTime() - lastUsedAt.getTime()
  return isLate && age < overtakingMs ? 'overtaken' : 'clone'
}
