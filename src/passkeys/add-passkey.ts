import type { RequestContext } from '../audit/events.js'
import type { PasskeyFault } from '../audit/refusals.js'
import { AuthError, invalidRequest } from '../errors.js'
import { randomSecret } from '../lib/secrets.js'
import type { SignedInRequest } from '../principal/principal.js'
import { noteMethods } from '../sessions/note-methods.js'
import { markOfMaker } from '../sessions/password-watch.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import { type CreationResponse, readClientData } from '../two-factor/passkey-response.js'
import { newRecoveryCodes } from '../two-factor/recovery-codes.js'
import type { VerifiedCreation } from './contract.js'
import type { PasskeysKit } from './passkey-kit.js'
import { forgetKeptCodes, forgetLastFactor, hasOtherFactor } from './remove-passkey.js'
import { judgeClientData } from './verify-passkey.js'

/** A new passkey, as the browser has made it. */
export interface MadePasskey {
  readonly response: CreationResponse
  readonly name: string
  /** Called after verification, before anything changes. */
  readonly beforehand: () => Promise<void>
}

interface NewPasskey extends MadePasskey {
  readonly userId: string
  readonly sessionId: string
  /** {@link PasskeyRecord.passwordMark} */
  readonly passwordMark: string | null
  /** Whether recovery codes are made, if it is the user's only passkey. */
  readonly withRecoveryCodes: boolean
}

/** An added passkey. */
export interface AddedPasskey {
  readonly passkey: PasskeyRecord
  /** Null if none were made. */
  readonly recoveryCodes: readonly string[] | null
}

/** Passkeys per user: more than anybody has devices. */
const maxPasskeys = 20

/**
 * Adds a passkey to the user of a session, which then counts as signed in with it, too. Throws 400
 * if it cannot be verified, 401, 409 and 503.
 */
export async function addPasskey(
  kit: PasskeysKit,
  { session, user }: Pick<SignedInRequest, 'session' | 'user'>,
  made: MadePasskey,
  context: RequestContext,
): Promise<AddedPasskey> {
  // 503. Another factor comes with recovery codes of its own.
  const withRecoveryCodes = !(await hasOtherFactor(kit, user))
  // 401
  await kit.sessions.requireLive(session)
  // 503
  await forgetKeptCodes(kit, user.id)
  // 400, 409, 503
  const { id: sessionId, userId } = session
  const passwordMark = markOfMaker(session, user)
  const asked = { ...made, userId, sessionId, passwordMark, withRecoveryCodes }
  const added = await registerPasskey(kit, asked, context)
  // If this fails, the user must sign in again soon. The recovery codes are shown all the same.
  await notePasskey(kit, sessionId).catch(() => {})
  // It may have been removed before the session was updated.
  await forgetLastFactor(kit, session, user).catch(() => {})
  return added
}

// The session is read again: another process may have removed a factor since it was cached.
async function notePasskey(kit: PasskeysKit, sessionId: string): Promise<void> {
  const session = await kit.sessions.findLive(sessionId)
  if (session === null) return
  const methods = [...session.methods.filter((method) => method !== 'passkey'), 'passkey'] as const
  await noteMethods(kit, session, methods)
}

// The only place in which passkeys are added.
async function registerPasskey(
  kit: PasskeysKit,
  asked: NewPasskey,
  context: RequestContext,
): Promise<AddedPasskey> {
  const { passkeyStore, clock, audit } = kit
  const { userId, response, name, passwordMark, withRecoveryCodes } = asked
  const verified = await verify(kit, asked)
  if (typeof verified === 'string') {
    audit({ type: 'passkey.refused', purpose: 'register', reason: verified, userId }, context)
    throw invalidRequest([{ path: 'response', message: 'The passkey could not be verified.' }])
  }
  await asked.beforehand()
  await kit.sessions.forgetBrowsers(userId)
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
  await removeOutdated(kit, asked, passkeyId, tell)
  tell()
  return { passkey, recoveryCodes: answer.isFirst && withRecoveryCodes ? codes : null }
}

// If the user signed out everywhere meanwhile, to shut out a thief in this session, the thief's
// passkey must not stay. This is checked again after the write: one of the two sees the other.
async function removeOutdated(
  { passkeyStore, sessions }: PasskeysKit,
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
  kit: PasskeysKit,
  { userId, sessionId, response }: NewPasskey,
): Promise<VerifiedCreation | PasskeyFault> {
  const clientData = readClientData(response.response.clientDataJSON)
  if (clientData === null) return 'malformed'
  const binding = { purpose: 'register', userId, sessionId } as const
  const challenge = kit.challenges.open(clientData.challenge, binding)
  if (challenge === null) return 'unknown-challenge'
  const fault = judgeClientData(clientData, 'webauthn.create', kit.relyingParty)
  if (fault !== null) return fault
  const verified = await kit.verifier.verifyCreation({
    response,
    challenge: clientData.challenge,
    ...kit.relyingParty,
  })
  // Only the id in the authenticator data is signed; the sender can change the other.
  if (verified === null || verified.credentialId !== response.id) return 'not-verified'
  return (await kit.challenges.claim(challenge)) ? verified : 'used-challenge'
}
