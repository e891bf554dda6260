import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import { readCredentials } from '../http/credentials.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/principal.js'
import { requiredIn } from '../principal/required-actions.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { OpenedSession, SessionRequest } from '../sessions/issuing.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import type { SessionRecord } from '../stores/contract.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import { type AssertionResponse, assertionSchema } from '../two-factor/passkey-response.js'
import type { AuthUser } from '../users/contract.js'
import { descriptorOf, type PasskeyRequestOptions } from './ceremony-options.js'
import { challengeMs } from './challenges.js'
import type { PasskeysKit } from './passkey-kit.js'
import { refusalOf, verifyPasskey } from './verify-passkey.js'

/**
 * `POST /auth/passkey/options`: request options for a browser. Everybody gets equal options,
 * without a store call; a signed-in user gets the options for `POST /auth/reauthenticate`.
 */
export function passkeyOptionsEndpoint(kit: PasskeysKit): Endpoint {
  return async function passkeyOptions(request) {
    // 400, 401
    const isSignedIn = readCredentials(request.incoming) !== null
    // 401, 403, 503
    const data = isSignedIn ? await optionsOfOwner(kit, request) : optionsForAnybody(kit)
    return ok({ status: 'success', data })
  }
}

/** Request options for a sign-in: the same for everybody. */
export function optionsForAnybody({ rpId, challenges }: PasskeysKit): PasskeyRequestOptions {
  const challenge = challenges.make({ purpose: 'sign-in', userId: null, sessionId: null })
  return { challenge, rpId, timeout: challengeMs, userVerification: 'required' }
}

async function optionsOfOwner(
  { rpId, signedIn, challenges, passkeyStore }: PasskeysKit,
  request: EndpointRequest,
): Promise<PasskeyRequestOptions> {
  const { session } = await ownerOf(signedIn, request, 'any')
  const { id: sessionId, userId } = session
  const allowCredentials = (await passkeyStore.listForUser(userId)).map(descriptorOf)
  const challenge = challenges.make({ purpose: 'reauthenticate', userId, sessionId })
  return { challenge, rpId, timeout: challengeMs, allowCredentials, userVerification: 'required' }
}

/** The body of `POST /auth/passkey/login`. */
export const passkeyLoginRequest: z.ZodObject<{
  response: typeof assertionSchema
  tokens: typeof tokensSchema
}> = z.object({ response: assertionSchema, tokens: tokensSchema })

/** `POST /auth/passkey/login`: opens a session by passkey, as `POST /login` does by password. */
export function passkeyLoginEndpoint(kit: PasskeysKit): Endpoint {
  return async function passkeyLogin(request) {
    // 400, 413, 415
    const { response, tokens } = parseInput(passkeyLoginRequest, await request.readJson())
    // 401, 403, 429, 503
    const approval = await approveByPasskey(kit, response, request)
    if (!approval.right) throw approval.error
    const { approved, passkey } = approval
    const known = await knownPasskeys(kit, approved.user, passkey)
    // 401, 503
    const opened = await openByPasskey(
      kit,
      { approved, tokens, lifetime: undefined, passkey },
      request.context,
    )
    const { token: authToken, me, refreshToken, expiresIn } = opened
    const refreshable = refreshToken === null ? {} : { refreshToken, expiresIn }
    const { userId } = passkey
    const actions = requiredIn(opened.required)
    const data = { userId, authToken, me, passkeys: known, ...actions, ...refreshable }
    return ok({ status: 'success', data })
  }
}

// For PublicKeyCredential.signalAllAcceptedCredentials: pickers then drop passkeys removed here.
async function knownPasskeys(
  { rpId, passkeyStore }: PasskeysKit,
  { id: userId }: AuthUser,
  { userHandle }: PasskeyRecord,
) {
  const passkeys = await passkeyStore.listForUser(userId)
  return { rpId, userHandle, credentialIds: passkeys.map(({ credentialId }) => credentialId) }
}

/** The outcome of a passkey sign-in. */
export type PasskeyApproval =
  | { readonly right: true; readonly approved: ApprovedSignIn; readonly passkey: PasskeyRecord }
  /** `isStale`: its challenge has expired or was answered before. */
  | { readonly right: false; readonly error: AuthError; readonly isStale: boolean }

/**
 * Verifies a passkey and makes the sign-in decision; `error` is a 401, 403 or 429. Rejects with
 * 503.
 */
export async function approveByPasskey(
  kit: PasskeysKit,
  response: AssertionResponse,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
): Promise<PasskeyApproval> {
  const { context } = request
  const shown = { purpose: 'sign-in', userId: null, sessionId: null, response } as const
  const verdict = await verifyPasskey(kit, shown, context)
  if (!verdict.right) {
    const error = await refusalOf(kit, verdict, request)
    const isStale = verdict.fault === 'unknown-challenge' || verdict.fault === 'used-challenge'
    return { right: false, error, isStale }
  }
  const { userId } = verdict.passkey
  const user = await kit.users.findById(userId)
  // The passkey counts as both factors, since its user was verified.
  const methods = ['passkey'] as const
  const door = 'passkey'
  const decision = await kit.decideSignIn({ door, user, methods, code: undefined, context })
  if (decision.allowed)
    return { right: true, approved: decision.approved, passkey: verdict.passkey }
  const { reason, error } = decision
  kit.audit({ type: 'passkey.refused', purpose: 'sign-in', reason, userId }, context)
  return { right: false, error, isStale: false }
}

/** An approved sign-in by passkey. */
export interface PasskeySignIn {
  readonly approved: ApprovedSignIn
  readonly tokens: SessionRequest['tokens']
  /** Undefined: the router's lifetimes. */
  readonly lifetime: AskedLifetime | undefined
  readonly passkey: PasskeyRecord
}

/** Opens the session of such a sign-in. Throws 401 or 503; no session exists then. */
export async function openByPasskey(
  kit: PasskeysKit,
  { approved, tokens, lifetime, passkey }: PasskeySignIn,
  context: RequestContext,
): Promise<OpenedSession> {
  const { user, methods } = approved
  const [me, network, required] = await Promise.all([
    kit.describeMe(user),
    kit.knownNetworks.standing(user.id, context),
    kit.requiredOf(user, methods),
  ])
  const issued = await kit.issueSession({ approved, tokens, lifetime }, context)
  const { session } = issued
  await refuseOutdated(kit, approved, passkey, session, context)
  // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
  if (required.length === 0) await network.remember().catch(() => {})
  const { userId, id: sessionId } = session
  kit.audit({ type: 'login.succeeded', userId, sessionId, methods }, context)
  return { ...issued, me, required, rememberToken: null }
}

// If the user was disabled or the passkey removed while this session was opened, all sessions ended
// except this one, which did not exist yet. This is checked again after the write: one of the two
// sees the other.
async function refuseOutdated(
  kit: PasskeysKit,
  approved: ApprovedSignIn,
  passkey: PasskeyRecord,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const end = (reason: 'revoked' | 'factor-changed') => kit.sessions.end(session, reason, context)
  const changed = await whatChanged(kit, approved, passkey, session).catch(
    async (error: unknown) => {
      // The client will try again; otherwise a session would stay whose token nobody has.
      await end('revoked')
      throw error
    },
  )
  if (changed === null) return
  await end(changed)
  const reason = 'the user, the passkey or the factor changed during the sign-in'
  kit.audit({ type: 'request.refused', reason }, context)
  throw new AuthError('Unauthorized')
}

async function whatChanged(
  { users, passkeyStore, factorStands, passwordWatch }: PasskeysKit,
  approved: ApprovedSignIn,
  { credentialId }: PasskeyRecord,
  session: SessionRecord,
): Promise<'revoked' | 'factor-changed' | null> {
  const user = await users.findById(session.userId)
  if (user === null || user.disabled === true) return 'revoked'
  if (!passwordWatch.fits(session, user))
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'the password hash changed while the session was opened',
    })
  const found = await passkeyStore.find(credentialId)
  if (found === null || found.userId !== session.userId) return 'factor-changed'
  return (await factorStands(approved)) ? null : 'factor-changed'
}
