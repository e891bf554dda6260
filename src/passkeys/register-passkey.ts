import type { Audit, RequestContext } from '../audit/events.js'
import type { PasskeyFault } from '../audit/refusals.js'
import { AuthError, invalidRequest } from '../errors.js'
import { randomSecret } from '../lib/random.js'
import type { Sessions } from '../sessions/sessions.js'
import type { PasskeyRecord, PasskeyStore } from '../stores/passkey-contract.js'
import { type CreationResponse, readClientData } from '../two-factor/passkey-response.js'
import { newRecoveryCodes } from '../two-factor/recovery-codes.js'
import type { Challenges } from './challenges.js'
import type { PasskeyVerifier, VerifiedCreation } from './contract.js'
import { judgeClientData, type RelyingParty } from './judge-response.js'

/** A passkey that a signed-in user wants to add. */
export interface NewPasskey {
  readonly userId: string
  readonly sessionId: string
  readonly response: CreationResponse
  readonly name: string
  /** {@link PasskeyRecord.passwordMark} */
  readonly passwordMark: string | null
  /** Whether recovery codes are made, if it is the user's only passkey. */
  readonly withRecoveryCodes: boolean
  /** Called after verification, before anything changes. */
  readonly beforehand: () => Promise<void>
}

/** An added passkey. */
export interface AddedPasskey {
  readonly passkey: PasskeyRecord
  /** Null if none were made. */
  readonly recoveryCodes: readonly string[] | null
}

/** Adds a passkey. Throws 400 if it cannot be verified, 401, 409 and 503. */
export type RegisterPasskey = (asked: NewPasskey, context: RequestContext) => Promise<AddedPasskey>

export interface RegisterPasskeyDeps {
  readonly relyingParty: RelyingParty
  readonly challenges: Pick<Challenges, 'open' | 'claim'>
  readonly verifier: Pick<PasskeyVerifier, 'verifyCreation'>
  readonly passkeyStore: Pick<PasskeyStore, 'claimHandle' | 'create' | 'remove'>
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** Passkeys per user: more than anybody has devices. */
const maxPasskeys = 20

/** The only place in which passkeys are added. */
export function createRegisterPasskey(deps: RegisterPasskeyDeps): RegisterPasskey {
  const { passkeyStore, clock, audit } = deps
  return async function registerPasskey(asked, context) {
    const { userId, response, name, passwordMark, withRecoveryCodes } = asked
    const verified = await verify(deps, asked)
    if (typeof verified === 'string') {
      audit({ type: 'passkey.refused', purpose: 'register', reason: verified, userId }, context)
      throw invalidRequest([{ path: 'response', message: 'The passkey could not be verified.' }])
    }
    await asked.beforehand()
    const { backedUp } = verified
    const passkey: PasskeyRecord = {
      ...verified,
      userId,
      // The handle in the options: requesting them has claimed one.
      userHandle: await passkeyStore.claimHandle(userId, randomSecret()),
      transports: response.response.transports,
      name,
      suspectedCloneAt: null,
      passwordMark,
      createdAt: clock(),
      lastUsedAt: null,
    }
    const { codes, hashes } = withRecoveryCodes ? newRecoveryCodes() : { codes: [], hashes: [] }
    const answer = await passkeyStore.create(passkey, {
      most: maxPasskeys,
      recoveryCodeHashes: hashes,
    })
    if (answer.outcome === 'exists') throw new AuthError('passkey-exists')
    if (answer.outcome === 'full') throw new AuthError('too-many-passkeys')
    const passkeyId = passkey.credentialId
    const tell = () => audit({ type: 'passkey.added', userId, passkeyId, name, backedUp }, context)
    await removeOutdated(deps, asked, passkeyId, tell)
    tell()
    return { passkey, recoveryCodes: answer.isFirst && withRecoveryCodes ? codes : null }
  }
}

// If the user signed out everywhere meanwhile, to shut out a thief in this session, the thief's
// passkey must not stay. Checked again after the write, one of the two sees the other.
async function removeOutdated(
  { passkeyStore, sessions }: RegisterPasskeyDeps,
  { sessionId: id, userId }: NewPasskey,
  credentialId: string,
  onLeft: () => void,
): Promise<void> {
  await sessions.requireLive({ id, userId }).catch(async (error: unknown) => {
    await passkeyStore
      .remove(userId, credentialId, { unlessLast: false })
      .catch((failure: unknown) => {
        // The passkey stays, so the event must be written.
        onLeft()
        throw failure
      })
    throw error
  })
}

async function verify(
  deps: RegisterPasskeyDeps,
  { userId, sessionId, response }: NewPasskey,
): Promise<VerifiedCreation | PasskeyFault> {
  const clientData = readClientData(response.response.clientDataJSON)
  if (clientData === null) return 'malformed'
  const binding = { purpose: 'register', userId, sessionId } as const
  const challenge = deps.challenges.open(clientData.challenge, binding)
  if (challenge === null) return 'unknown-challenge'
  const fault = judgeClientData(clientData, 'webauthn.create', deps.relyingParty)
  if (fault !== null) return fault
  const verified = await deps.verifier.verifyCreation({
    response,
    challenge: clientData.challenge,
    ...deps.relyingParty,
  })
  // Only the id in the authenticator data is signed; the sender can change the other.
  if (verified === null || verified.credentialId !== response.id) return 'not-verified'
  return (await deps.challenges.claim(challenge)) ? verified : 'used-challenge'
}
