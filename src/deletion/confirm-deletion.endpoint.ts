import { confirmEmailRequest } from '../accounts/confirm-email.endpoint.js'
import { sessionParts } from '../accounts/email.endpoint.js'
import type { FormerAddresses } from '../accounts/former-addresses.js'
import type { FoundProof, Proofs } from '../accounts/proofs.js'
import { type RequireCodeDeps, requireCode } from '../accounts/require-code.js'
import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Throttle } from '../throttle/throttle.js'
import type { DeleteEverything } from './delete-everything.js'

/**
 * Deletes the account by the mailed code, in the session that has asked for it. If a deletion with
 * this code has begun, its session has ended: then the code alone completes it. Throws what
 * `asking` is if it is an error, 400 `proof-refused`, 429, 503; after the latter, call it again.
 */
export type ConfirmDeletion = (
  asking: Pick<SignedInRequest, 'session'> | AuthError,
  given: { readonly requestId: string; readonly code: string },
  request: Pick<EndpointRequest, 'context'>,
) => Promise<void>

export interface ConfirmDeletionDeps extends RequireCodeDeps {
  readonly proofs: Proofs
  readonly formerAddresses: Pick<FormerAddresses, 'requireNone'>
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly deleteEverything: DeleteEverything
  readonly audit: Audit
}

export function createConfirmDeletion(deps: ConfirmDeletionDeps): ConfirmDeletion {
  const { proofs, deleteEverything, audit } = deps
  return async function confirmDeletion(asking, { requestId, code }, { context }) {
    const proof = await proofs.findCode(['delete'], requestId, context)
    const { userId } = proof.record
    const isHere = await mayTypeCode(deps, asking, proof)
    await requireCode(deps, proof, { code, userId, isHere }, context)
    // Only a code of a user is right.
    if (userId === null) throw proofs.refusal('no-user', proof.record, context)
    // The address may have changed since the code was mailed.
    if (!(await proofs.hasBegun(proof))) await deps.formerAddresses.requireNone(userId)
    await proofs.begin(proof)
    await deleteEverything(userId, context)
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    audit({ type: 'account.deleted', userId }, context)
  }
}

// Once the deletion has begun there is no session any more.
async function mayTypeCode(
  { proofs, sessions }: ConfirmDeletionDeps,
  asking: Parameters<ConfirmDeletion>[0],
  proof: FoundProof,
): Promise<boolean> {
  if (await proofs.hasBegun(proof)) return true
  if (asking instanceof AuthError) throw asking
  await sessions.requireLive(asking.session)
  return proofs.isMark(proof, sessionParts(asking.session.id))
}

/** `POST /auth/account/delete/confirm`: deletes the account. */
export function confirmDeletionEndpoint(
  signedIn: SignedIn,
  confirmDeletion: ConfirmDeletion,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('account-delete', async function confirm(request) {
    // 403, 503
    const asking = await ownerOf(signedIn, request).catch(notSignedIn)
    // 400, 413, 415
    const body = await request.readJson()
    // 401, for whoever does not even send a code.
    if (asking instanceof AuthError && !confirmEmailRequest.safeParse(body).success) throw asking
    const given = parseInput(confirmEmailRequest, body)
    // 400, 401, 429, 503
    await confirmDeletion(asking, given, request)
    return ok({ status: 'success', data: {} })
  })
}

function notSignedIn(error: unknown): AuthError {
  if (error instanceof AuthError && error.status === 401) return error
  throw error
}
