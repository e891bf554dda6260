import { z } from 'zod'
import { ok } from '../http/answer.js'
import { readCredentials } from '../http/credentials.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import type { PasskeyRecord, PasskeyStore } from '../stores/passkey-contract.js'
import { assertionSchema } from '../two-factor/passkey-response.js'
import type { AuthUser } from '../users/contract.js'
import type { ApproveByPasskey } from './approve-by-passkey.js'
import { descriptorOf, type PasskeyRequestOptions } from './ceremony-options.js'
import { type Challenges, challengeMs } from './challenges.js'
import type { OpenByPasskey } from './open-by-passkey.js'

export interface PasskeySignInDeps {
  readonly rpId: string
  readonly signedIn: SignedIn
  readonly challenges: Pick<Challenges, 'make'>
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser'>
  readonly approveByPasskey: ApproveByPasskey
  readonly openByPasskey: OpenByPasskey
}

/**
 * `POST /auth/passkey/options`: request options for a browser. The same for everybody, without a
 * store call; for a signed-in user, those for `POST /auth/reauthenticate`.
 */
export function passkeyOptionsEndpoint(deps: PasskeySignInDeps): Endpoint {
  return async function passkeyOptions(request) {
    // 400, 401
    const isSignedIn = readCredentials(request.incoming) !== null
    // 401, 403, 503
    const data = isSignedIn ? await optionsOfOwner(deps, request) : optionsForAnybody(deps)
    return ok({ status: 'success', data })
  }
}

/** Request options for a sign-in: the same for everybody. */
export function optionsForAnybody({
  rpId,
  challenges,
}: Pick<PasskeySignInDeps, 'rpId' | 'challenges'>): PasskeyRequestOptions {
  const challenge = challenges.make({ purpose: 'sign-in', userId: null, sessionId: null })
  return { challenge, rpId, timeout: challengeMs, userVerification: 'required' }
}

async function optionsOfOwner(
  { rpId, signedIn, challenges, passkeyStore }: PasskeySignInDeps,
  request: EndpointRequest,
): Promise<PasskeyRequestOptions> {
  const { session } = await ownerOf(signedIn, request, 'may-enrol')
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
export function passkeyLoginEndpoint(deps: PasskeySignInDeps): Endpoint {
  return async function passkeyLogin(request) {
    // 400, 413, 415
    const { response, tokens } = parseInput(passkeyLoginRequest, await request.readJson())
    // 401, 403, 429, 503
    const approval = await deps.approveByPasskey(response, request)
    if (!approval.right) throw approval.error
    const { approved, passkey } = approval
    const known = await knownPasskeys(deps, approved.user, passkey)
    // 401, 503
    const opened = await deps.openByPasskey(
      { approved, tokens, lifetime: undefined, passkey },
      request.context,
    )
    const { token: authToken, me, refreshToken, expiresIn } = opened
    const refreshable = refreshToken === null ? {} : { refreshToken, expiresIn }
    const data = { userId: passkey.userId, authToken, me, passkeys: known, ...refreshable }
    return ok({ status: 'success', data })
  }
}

// For PublicKeyCredential.signalAllAcceptedCredentials: pickers then drop passkeys removed here.
async function knownPasskeys(
  { rpId, passkeyStore }: PasskeySignInDeps,
  { id: userId }: AuthUser,
  { userHandle }: PasskeyRecord,
) {
  const passkeys = await passkeyStore.listForUser(userId)
  return { rpId, userHandle, credentialIds: passkeys.map(({ credentialId }) => credentialId) }
}
