import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { Proof, Proved } from '../sign-in-again.js'
import type { AuthUser } from '../users/contract.js'

/**
 * Requires what a change of the password or the address and a deletion need: a fresh sign-in, and
 * the password of whoever has one, or a passkey. Throws 401, 403, 429 or 503.
 */
export type ProvePresent = (
  kit: SignInKit,
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<Pick<Proved, 'user' | 'passkeyAddedAt'> | null>

/** For requests: whose proof is a password, with a code if the user has a factor, or a passkey. */
export const provePresent: ProvePresent = async (kit, asking, proof, request) =>
  requireStrong(kit, asking.user, await kit.requireFresh(asking, proof, request))

/** For the account page, whose user has a fresh sign-in, and types the password beside it. */
export const provePresentOnPage: ProvePresent = async (kit, asking, { password }, request) => {
  await kit.requireFresh(asking, nothingShown, request)
  const proved =
    password === undefined
      ? null
      : { user: await kit.provePassword(asking.user.id, password, request) }
  return requireStrong(kit, asking.user, proved)
}

/** By name: an empty object would inherit from a polluted Object.prototype. */
export const nothingShown = { password: undefined, code: undefined, passkey: undefined }

/** A thief of a session adds a passkey with nothing else: one of the last three days may be his. */
const youngPasskeyMs = 72 * 60 * 60_000

// A fresh session alone may be stolen.
async function requireStrong(
  kit: SignInKit,
  user: AuthUser,
  proved: Awaited<ReturnType<ProvePresent>>,
): ReturnType<ProvePresent> {
  const { passkeyAddedAt = new Date(0) } = proved ?? {}
  const isYoung = kit.clock().getTime() - passkeyAddedAt.getTime() < youngPasskeyMs
  if ((proved === null || isYoung) && (await kit.owesPassword(user)))
    throw new AuthError('reauthentication-required')
  return proved
}
