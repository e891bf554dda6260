import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { isWellFormed } from '../lib/well-formed.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { creationSchema } from '../two-factor/passkey-response.js'
import type { AuthUser } from '../users/contract.js'
import type { AddPasskey } from './add-passkey.js'
import type { PasskeyCreationOptions } from './ceremony-options.js'
import { proofRequest } from './prove-again.js'
import { noPasskey, type RemovePasskey } from './remove-passkey.js'
import type { RequireFresh } from './require-fresh.js'
import { summaryOf } from './summary.js'

/** What adding a passkey over HTTP needs. */
export interface NewPasskeyDeps {
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly creationOptions: (user: AuthUser, sessionId: string) => Promise<PasskeyCreationOptions>
  readonly addPasskey: AddPasskey
}

const maxNameChars = 100
const name: z.ZodString = z
  .string()
  .max(maxNameChars, { abort: true })
  .trim()
  .min(1)
  .refine(
    (text) => /^[^\p{Cc}]+$/u.test(text) && isWellFormed(text),
    'Invalid input: expected text without control characters',
  )
/** The body of `POST /auth/passkeys`. */
export const newPasskeyRequest: z.ZodObject<{
  response: typeof creationSchema
  name: z.ZodDefault<typeof name>
}> = z.object({ response: creationSchema, name: name.default('Passkey') })
/** The body of `POST /auth/passkeys/:id`. */
export const passkeyNameRequest: z.ZodObject<{ name: typeof name }> = z.object({ name })

/**
 * `POST /auth/passkeys/options`: what a browser needs to make a passkey, for who has signed in
 * within ten minutes, or proves it anew in the body.
 */
export function newPasskeyOptionsEndpoint(deps: NewPasskeyDeps): Endpoint {
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

/** `POST /auth/passkeys`: adds the passkey that the browser has made, to this session's user. */
export function addPasskeyEndpoint({
  signedIn,
  addPasskey,
}: Pick<NewPasskeyDeps, 'signedIn' | 'addPasskey'>): Endpoint {
  return async function addMyPasskey(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const { response, name } = parseInput(newPasskeyRequest, await request.readJson())
    // 400, 401, 409, 503
    const added = await addPasskey(asking, { response, name }, request.context)
    const { passkey, recoveryCodes } = added
    const codes = recoveryCodes === null ? {} : { recoveryCodes }
    return ok({ status: 'success', data: { passkey: summaryOf(passkey), ...codes } })
  }
}

/** What looking at passkeys and giving them names needs. */
export interface ManagePasskeysDeps {
  readonly signedIn: SignedIn
  readonly store: Pick<PasskeyStore, 'listForUser' | 'rename'>
}

/** What removing a passkey needs. */
export interface RemovePasskeyDeps {
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly removePasskey: RemovePasskey
}

/** `GET /auth/passkeys`: my passkeys, the oldest first. */
export function listPasskeysEndpoint({ signedIn, store }: ManagePasskeysDeps): Endpoint {
  return async function listPasskeys(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 503
    const passkeys = await store.listForUser(session.userId)
    return ok({ status: 'success', data: { passkeys: passkeys.map(summaryOf) } })
  }
}

/** `POST /auth/passkeys/:id`: gives one of mine another name. */
export function renamePasskeyEndpoint({ signedIn, store }: ManagePasskeysDeps): Endpoint {
  return async function renamePasskey(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { name } = parseInput(passkeyNameRequest, await request.readJson())
    // 404, 503
    if (!(await store.rename(session.userId, idOf(request), name))) throw noPasskey()
    return ok({ status: 'success', data: { name } })
  }
}

/** `DELETE /auth/passkeys/:id`: removes one of mine, for who has just signed in. */
export function removePasskeyEndpoint({
  signedIn,
  requireFresh,
  removePasskey,
}: RemovePasskeyDeps): Endpoint {
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

// Of whatever else stands there, no store is asked.
function idOf({ parameters }: EndpointRequest): string {
  const id = Object.hasOwn(parameters, 'id') ? parameters['id'] : undefined
  if (typeof id === 'string' && /^[\w-]{1,1364}$/.test(id)) return id
  throw noPasskey()
}
