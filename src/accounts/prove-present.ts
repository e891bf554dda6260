import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { ProvePassword } from '../principal/prove-password.js'
import type { Proof, Proved, RequireFresh } from '../sign-in-again.js'
import type { AuthUser } from '../users/contract.js'

/**
 * Requires what a change of the password or the address and a deletion need: a fresh sign-in, and
 * the password of whoever has one, or a passkey. Throws 401, 403, 429 or 503.
 */
export type ProvePresent = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<Pick<Proved, 'user' | 'passkeyAddedAt'> | null>

export interface ProvePresentDeps {
  readonly requireFresh: RequireFresh
  readonly provePassword: ProvePassword
  /** Who may sign in by password; undefined: everybody. */
  readonly mayUsePassword: ((user: AuthUser) => Promise<boolean>) | undefined
  readonly clock: () => Date
}

/** Whether somebody with the user's session alone is asked for the password as well. */
export async function owesPassword(
  { mayUsePassword }: Pick<ProvePresentDeps, 'mayUsePassword'>,
  user: AuthUser,
): Promise<boolean> {
  if (user.passwordHash === null) return false
  // A password that no door takes cannot be shown.
  return mayUsePassword === undefined || (await mayUsePassword(user))
}

/** For requests: whose proof is a password, with a code if the user has a factor, or a passkey. */
export function createProvePresent(deps: ProvePresentDeps): ProvePresent {
  return demanding(deps, deps.requireFresh)
}

/** For the account page, whose user has a fresh sign-in, and types the password beside it. */
export function createProvePresentOnPage(deps: ProvePresentDeps): ProvePresent {
  return demanding(deps, async (asking, { password }, request) => {
    await deps.requireFresh(asking, nothingShown, request)
    if (password === undefined) return null
    return { user: await deps.provePassword(asking.user.id, password, request) }
  })
}

/** By name: an empty object would inherit from a polluted Object.prototype. */
export const nothingShown = { password: undefined, code: undefined, passkey: undefined }

/** A thief of a session adds a passkey with nothing else: one of the last three days may be his. */
const youngPasskeyMs = 72 * 60 * 60_000

// A fresh session alone may be stolen.
function demanding(deps: ProvePresentDeps, prove: ProvePresent): ProvePresent {
  return async function provePresent(asking, proof, request) {
    const proved = await prove(asking, proof, request)
    const { passkeyAddedAt = new Date(0) } = proved ?? {}
    const isYoung = deps.clock().getTime() - passkeyAddedAt.getTime() < youngPasskeyMs
    if ((proved === null || isYoung) && (await owesPassword(deps, asking.user)))
      throw new AuthError('reauthentication-required')
    return proved
  }
}
