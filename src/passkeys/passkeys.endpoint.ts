import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { isOneLine } from '../lib/one-line.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import { proofRequest, type RequireFresh } from '../sign-in-again.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { creationSchema } from '../two-factor/passkey-response.js'
import type { AuthUser } from '../users/contract.js'
import type { AddPasskey } from './add-passkey.js'
import type { PasskeyCreationOptions } from './ceremony-options.js'
import { noPasskey, type RemovePasskey } from './remove-passkey.js'
import { summaryOf } from './summary.js'

export interface PasskeyEndpointsDeps {
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly creationOptions: (user: AuthUser, sessionId: string) => Promise<PasskeyCreationOptions>
  readonly addPasskey: AddPasskey
  readonly removePasskey: RemovePasskey
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser' | 'rename'>
}

const maxNameChars = 100
const name: z.ZodString = z
  .string()
  .max(maxNameChars, { abort: true })
  .trim()
  .min(1)
  .refine(isOneLine, 'Invalid input: expected text without control or bidirectional characters')
/** The body of `POST /auth/passkeys`. */
export const newPasskeyRequest: z.ZodObject<{
  response: typeof creationSchema
  name: z.ZodDefault<typeof name>
}> = z.object({ response: creationSchema, name: name.default('Passkey') })
/** The body of `POST /auth/passkeys/:id`. */
export const passkeyNameRequest: z.ZodObject<{ name: typeof name }> = z.object({ name })

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
export function listPasskeysEndpoint({ signedIn, passkeyStore }: PasskeyEndpointsDeps): Endpoint {
  return async function listPasskeys(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 503
    const passkeys = await passkeyStore.listForUser(session.userId)
    return ok({ status: 'success', data: { passkeys: passkeys.map(summaryOf) } })
  }
}

/** `POST /auth/passkeys/:id`: renames one of my passkeys. */
export function renamePasskeyEndpoint({ signedIn, passkeyStore }: PasskeyEndpointsDeps): Endpoint {
  return async function renamePasskey(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { name } = parseInput(passkeyNameRequest, await request.readJson())
    // 404, 503
    if (!(await passkeyStore.rename(session.userId, idOf(request), name))) throw noPasskey()
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
  removePasskey,
}: PasskeyEndpointsDeps): Endpoint {
  return async function deletePasskey(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    const credentialId = idOf(request)
    // 403
    await requireFresh(asking, {}, request)
    // 401, 404, 409, 503
    await removePasskey(asking, credentialId, request.context)
    return ok({ status: 'success', data: { message: 'The passkey is removed.' } })
  }
}

// Anything else is not an id, and no store is asked.
function idOf({ parameters }: EndpointRequest): string {
  const id = Object.hasOwn(parameters, 'id') ? parameters['id'] : undefined
  if (typeof id === 'string' && /^[\w-]{1,1364}$/.test(id)) return id
  throw noPasskey()
}
