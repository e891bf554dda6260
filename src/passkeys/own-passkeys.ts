import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { JsonBody } from '../http/body.js'
import type { Endpoint } from '../http/endpoint.js'
import { contextOfAction, type HostAction, parseInput } from '../http/input.js'
import { isHostId, isOneLine } from '../lib/texts.js'
import { ownerOf, type SignedInRequest } from '../principal/principal.js'
import { proofRequest } from '../sign-in-again.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import { creationSchema } from '../two-factor/passkey-response.js'
import { addPasskey } from './add-passkey.js'
import { creationOptions } from './ceremony-options.js'
import type { PasskeysKit, StoredPasskeysKit } from './passkey-kit.js'
import { forgetKeptCodes, noPasskey, removePasskey } from './remove-passkey.js'

/** A passkey as its user sees it. Times are in ISO 8601. */
export interface PasskeySummary {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** Whether it may exist on several devices. */
  readonly synced: boolean
  readonly backedUp: boolean
  readonly transports: readonly string[]
  /** The AAGUID of the authenticator; null if unknown. */
  readonly model: string | null
  /** When a copy of it was last suspected; null if never. */
  readonly suspectedCloneAt: string | null
}

const noModel = '00000000-0000-0000-0000-000000000000'

/** Describes a passkey. */
function summaryOf(passkey: PasskeyRecord): PasskeySummary {
  const { credentialId: id, name, createdAt, lastUsedAt, backedUp, transports, aaguid } = passkey
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    synced: passkey.backupEligible,
    backedUp,
    transports,
    model: aaguid === noModel ? null : aaguid,
    suspectedCloneAt: passkey.suspectedCloneAt?.toISOString() ?? null,
  }
}

/** The actions of users on their passkeys, at `/auth/passkeys`, and on the account page. */
export interface OwnPasskeys {
  /** Oldest first. Rejects with 503. */
  list(userId: string): Promise<readonly PasskeySummary[]>
  /** Resolves with the name as it is kept. Rejects with 400, 404 and 503. */
  rename(userId: string, id: unknown, named: JsonBody): Promise<string>
  /** The caller has required a fresh sign-in. Rejects with 401, 404, 409 and 503. */
  remove(
    asking: Pick<SignedInRequest, 'session' | 'user'>,
    id: unknown,
    context: RequestContext,
  ): Promise<void>
}

export function ownPasskeys(kit: PasskeysKit): OwnPasskeys {
  const { passkeyStore } = kit
  return {
    list: async (userId) => (await passkeyStore.listForUser(userId)).map(summaryOf),
    async rename(userId, id, named) {
      const { name } = parseInput(passkeyNameRequest, named)
      if (!(await passkeyStore.rename(userId, passkeyIdOf(id), name))) throw noPasskey()
      return name
    },
    remove: async (asking, id, context) => removePasskey(kit, asking, passkeyIdOf(id), context),
  }
}

/** Throws 404 for anything that is no id; then no store is asked. */
function passkeyIdOf(id: unknown): string {
  if (typeof id === 'string' && /^[\w-]{1,1364}$/.test(id)) return id
  throw noPasskey()
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
export function newPasskeyOptionsEndpoint(kit: PasskeysKit): Endpoint {
  return async function newPasskeyOptions(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request, 'enrol')
    // 400, 413, 415
    const proof = parseInput(proofRequest, await request.readJson())
    // 401, 403, 429, 503
    await kit.requireFresh(asking, proof, request)
    // 503
    const options = await creationOptions(kit, asking.user, asking.session.id)
    return ok({ status: 'success', data: options })
  }
}

/** `POST /auth/passkeys`: adds the browser's new passkey to this session's user. */
export function addPasskeyEndpoint(kit: PasskeysKit): Endpoint {
  return async function addMyPasskey(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request, 'enrol')
    // 400, 413, 415
    const { response, name } = parseInput(newPasskeyRequest, await request.readJson())
    // 400, 401, 409, 503
    const made = { response, name, beforehand: nothing }
    const added = await addPasskey(kit, asking, made, request.context)
    const { passkey, recoveryCodes } = added
    const codes = recoveryCodes === null ? {} : { recoveryCodes }
    return ok({ status: 'success', data: { passkey: summaryOf(passkey), ...codes } })
  }
}

// A session presented by a signed token has no secret to replace.
async function nothing(): Promise<void> {}

/** `GET /auth/passkeys`: my passkeys, oldest first. */
export function listPasskeysEndpoint({ signedIn }: PasskeysKit, own: OwnPasskeys): Endpoint {
  return async function listPasskeys(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'enrol')
    // 503
    const passkeys = await own.list(session.userId)
    return ok({ status: 'success', data: { passkeys } })
  }
}

/** `POST /auth/passkeys/:id`: renames one of my passkeys. */
export function renamePasskeyEndpoint({ signedIn }: PasskeysKit, own: OwnPasskeys): Endpoint {
  return async function renamePasskey(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const named = await request.readJson()
    // 400, 404, 503
    const name = await own.rename(session.userId, request.parameters['id'], named)
    return ok({ status: 'success', data: { name } })
  }
}

/**
 * `DELETE /auth/passkeys/:id`: removes one of my passkeys. Requires a sign-in within the last ten
 * minutes.
 */
export function removePasskeyEndpoint(
  { signedIn, requireFresh }: PasskeysKit,
  own: OwnPasskeys,
): Endpoint {
  return async function deletePasskey(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    const credentialId = passkeyIdOf(request.parameters['id'])
    // 403
    await requireFresh(asking, {}, request)
    // 401, 404, 409, 503
    await own.remove(asking, credentialId, request.context)
    return ok({ status: 'success', data: { message: 'The passkey is removed.' } })
  }
}

/** Passkeys, for the host's own code: a support desk, or the deletion of an account. */
export interface PasskeysForHost {
  /** The user's passkeys, oldest first. Rejects with 400 and 503. */
  list(userId: string): Promise<PasskeySummary[]>
  /**
   * Removes all passkeys of a user with their recovery codes, and ends the user's sessions. Returns
   * the number of passkeys. A user without another sign-in method is locked out. Rejects with 400
   * and 503.
   */
  reset(userId: string, options?: HostAction): Promise<number>
}

/** `auth.passkeys`. */
export function passkeysForHost(kit: StoredPasskeysKit): PasskeysForHost {
  const { passkeyStore, sessions, audit } = kit
  return {
    list: async (userId) => (await passkeyStore.listForUser(checked(userId))).map(summaryOf),
    async reset(userId, options) {
      const context = contextOfAction(options)
      // The sessions end before the removal: a session that is adding a passkey checks that it is
      // still alive.
      await sessions.endAllForUser(checked(userId), 'factor-changed', context)
      const removed = await passkeyStore.removeAllForUser(userId)
      audit({ type: 'passkey.reset', userId, removed }, context)
      await forgetKeptCodes(kit, userId)
      // The sessions end after the removal: a sign-in under way checks its passkey again.
      await sessions.endAllForUser(userId, 'factor-changed', context)
      return removed
    },
  }
}

function checked(userId: string): string {
  if (isHostId(userId)) return userId
  throw invalidRequest([{ path: 'userId', message: 'Invalid input: expected the id of a user' }])
}
