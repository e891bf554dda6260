import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import { proofRequest, type RequireFresh } from '../sign-in-again.js'
import type { AuthUser } from '../users/contract.js'
import type { AddPasskey } from './add-passkey.js'
import type { PasskeyCreationOptions } from './ceremony-options.js'
import { type OwnPasskeys, passkeyIdOf } from './own-passkeys.js'
import { newPasskeyRequest } from './passkey-name.js'
import { summaryOf } from './summary.js'

export interface PasskeyEndpointsDeps {
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly creationOptions: (user: AuthUser, sessionId: string) => Promise<PasskeyCreationOptions>
  readonly addPasskey: AddPasskey
  readonly ownPasskeys: OwnPasskeys
}

/**
 * `POST /auth/passkeys/options`: creation options for a browser. Requires a sign-in within the last
 * ten minutes, or a proof in the body.
 */
export function newPasskeyOptionsEndpoint(deps: PasskeyEndpointsDeps): Endpoint {
  return async function newPasskeyOptions(request) {
    // 401, 403
    const asking = await ownerOf(deps.signedIn, request, 'may-enrol')
    // 400, 413, 415
    const proof = parseInput(proofRequest, await request.readJson())
    // 401, 403, 429, 503
    await deps.requireFresh(asking, proof, request)
    // 503
    const options = await deps.creationOptions(asking.user, asking.session.id)
    return ok({ status: 'success', data: options })
  }
}

/** `POST /auth/passkeys`: adds the browser's new passkey to this session's user. */
export function addPasskeyEndpoint({ signedIn, addPasskey }: PasskeyEndpointsDeps): Endpoint {
  return async function addMyPasskey(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const { response, name } = parseInput(newPasskeyRequest, await request.readJson())
    // 400, 401, 409, 503
    const made = { response, name, beforehand: nothing }
    const added = await addPasskey(asking, made, request.context)
    const { passkey, recoveryCodes } = added
    const codes = recoveryCodes === null ? {} : { recoveryCodes }
    return ok({ status: 'success', data: { passkey: summaryOf(passkey), ...codes } })
  }
}

// A session presented by a signed token has no secret to replace.
async function nothing(): Promise<void> {}

/** `GET /auth/passkeys`: my passkeys, oldest first. */
export function listPasskeysEndpoint({ signedIn, ownPasskeys }: PasskeyEndpointsDeps): Endpoint {
  return async function listPasskeys(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 503
    const passkeys = await ownPasskeys.list(session.userId)
    return ok({ status: 'success', data: { passkeys } })
  }
}

/** `POST /auth/passkeys/:id`: renames one of my passkeys. */
export function renamePasskeyEndpoint({ signedIn, ownPasskeys }: PasskeyEndpointsDeps): Endpoint {
  return async function renamePasskey(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const named = await request.readJson()
    // 400, 404, 503
    const name = await ownPasskeys.rename(session.userId, request.parameters['id'], named)
    return ok({ status: 'success', data: { name } })
  }
}

/**
 * `DELETE /auth/passkeys/:id`: removes one of my passkeys. Requires a sign-in within the last ten
 * minutes.
 */
export function removePasskeyEndpoint({
  signedIn,
  requireFresh,
  ownPasskeys,
}: PasskeyEndpointsDeps): Endpoint {
  return async function deletePasskey(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    const credentialId = passkeyIdOf(request.parameters['id'])
    // 403
    await requireFresh(asking, {}, request)
    // 401, 404, 409, 503
    await ownPasskeys.remove(asking, credentialId, request.context)
    return ok({ status: 'success', data: { message: 'The passkey is removed.' } })
  }
}
