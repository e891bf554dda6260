import type { Audit, RequestContext } from '../audit/events.js'
import type { PasskeyFault } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { PasskeyRecord, PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import {
  type AssertionResponse,
  readAuthenticatorData,
  readClientData,
} from '../two-factor/passkey-response.js'
import type { ChallengeBinding, Challenges } from './challenges.js'
import type { PasskeyVerifier, VerifiedAssertion } from './contract.js'
import { judgeCounter } from './counter.js'
import { judgeAuthenticatorData, judgeClientData, type RelyingParty } from './judge-response.js'

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

/** Verifies a passkey and uses its challenge up. Rejects with 503. */
export type VerifyPasskey = (
  shown: ShownPasskey,
  context: RequestContext,
) => Promise<PasskeyVerdict>

export interface VerifyPasskeyDeps {
  readonly relyingParty: RelyingParty
  readonly challenges: Pick<Challenges, 'open' | 'claim'>
  readonly verifier: Pick<PasskeyVerifier, 'verifyAssertion'>
  readonly passkeyStore: Pick<PasskeyStore, 'find' | 'use' | 'suspectClone'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** The only place in which passkeys are verified. */
export function createVerifyPasskey(deps: VerifyPasskeyDeps): VerifyPasskey {
  return async function verifyPasskey(shown, context) {
    const { purpose, userId } = shown
    const verdict = await judge(deps, shown, context)
    if (verdict.right) {
      const { userId: owner, credentialId: passkeyId } = verdict.passkey
      deps.audit({ type: 'passkey.used', userId: owner, passkeyId, purpose }, context)
      return verdict
    }
    const { fault: reason, passkey } = verdict
    const whose = userId ?? passkey?.userId ?? null
    deps.audit({ type: 'passkey.refused', purpose, reason, userId: whose }, context)
    return verdict
  }
}

async function judge(
  deps: VerifyPasskeyDeps,
  shown: ShownPasskey,
  context: RequestContext,
): Promise<PasskeyVerdict> {
  const { response, purpose, userId, sessionId } = shown
  // From the signed data: a stranger could write anything into a copy beside it.
  const clientData = readClientData(response.response.clientDataJSON)
  if (clientData === null) return refused('malformed')
  const challenge = deps.challenges.open(clientData.challenge, { purpose, userId, sessionId })
  if (challenge === null) return refused('unknown-challenge')
  const passkey = await deps.passkeyStore.find(response.id)
  if (passkey === null) return refused('unknown-credential')
  if (userId !== null && passkey.userId !== userId)
    return refused('credential-of-another-user', passkey)
  const data = readAuthenticatorData(response.response.authenticatorData)
  if (data === null) return refused('malformed', passkey)
  const requireUserVerification = purpose !== 'second-factor'
  const fault =
    judgeClientData(clientData, 'webauthn.get', deps.relyingParty) ??
    judgeAuthenticatorData(data, response.response.userHandle, passkey, deps.relyingParty, {
      requireUserVerification,
      requireUserHandle: userId === null,
    })
  if (fault !== null) return refused(fault, passkey)
  const verified = await deps.verifier.verifyAssertion({
    response,
    challenge: clientData.challenge,
    ...deps.relyingParty,
    publicKey: passkey.publicKey,
    requireUserVerification,
  })
  if (verified === null) return refused('not-verified', passkey)
  // Checked last, since it writes: only the holder of the private key can fill the store with rows.
  // Of two responses to one challenge, one still succeeds.
  if (!(await deps.challenges.claim(challenge))) return refused('used-challenge', passkey)
  return noteUse(deps, passkey, verified, context)
}

/** How often a counter is checked again when others change it meanwhile. */
const maxTries = 3

async function noteUse(
  deps: VerifyPasskeyDeps,
  first: PasskeyRecord,
  signed: VerifiedAssertion,
  context: RequestContext,
): Promise<PasskeyVerdict> {
  let passkey: PasskeyRecord | null = first
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await noteOnce(deps, passkey, signed, context)
    if (outcome === 'used') return { right: true, passkey }
    if (outcome === 'clone') return refused('suspected-clone', passkey)
    if (outcome === 'overtaken') return refused('overtaken', passkey)
    // Another use, or a suspected clone, was stored since the row was read, so this use is checked
    // again.
    if (outcome === 'superseded') passkey = await deps.passkeyStore.find(passkey.credentialId)
    if (outcome === 'gone' || passkey === null) return refused('unknown-credential')
  }
  throw new AuthError('temporarily-unavailable', {
    message: 'a passkey is in use too often at once for its counter to be compared',
    retryAfter: 1,
  })
}

async function noteOnce(
  { passkeyStore, clock, audit }: VerifyPasskeyDeps,
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
  { fault, passkey }: Refused,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
  countRefusedPasskey: Throttle['countRefusedPasskey'],
): Promise<AuthError> {
  const signal = fault === 'unknown-credential' ? { signal: 'unknown-credential' } : {}
  // `wrong` distinguishes this from an ended session, as for a password.
  const clientMessage = 'The passkey is not valid here.'
  const details = { wrong: 'passkey', ...signal }
  const error = new AuthError('Unauthorized', { clientMessage, details })
  return countRefusedPasskey(passkey?.credentialId ?? null, request, error)
}
