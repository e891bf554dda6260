import { z } from 'zod'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { typedDigits } from '../lib/typed-code.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { RequireRecentSignIn } from '../sessions/recent-sign-in.js'
import { type ProveAgain, proofRequest } from '../sign-in-again.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser } from '../users/contract.js'
import { approverOf } from './approver.js'
import type { LinkDecisions } from './decide-link.js'

/** The id of a link: a digest. */
export const linkIdSchema: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'Invalid input: expected 43 base64url characters')

/** The body of `POST /auth/device-links/approve`. */
export const approveRequest: z.ZodObject<
  { linkId: z.ZodString; checkCode: z.ZodString } & typeof proofRequest.shape
> = z.object({
  linkId: linkIdSchema,
  checkCode: z
    .string()
    .max(20, { abort: true })
    .overwrite(typedDigits)
    .regex(/^\d{4}$/, 'Invalid input: expected four digits'),
  ...proofRequest.shape,
})

export interface ApproveDeps {
  readonly signedIn: SignedIn
  readonly requireFreshSignIn: RequireRecentSignIn
  readonly proveAgain: ProveAgain
  /** Whether the user has something to show besides a password. */
  readonly hasMoreToShow: (user: AuthUser) => Promise<boolean>
  readonly linkDecisions: Pick<LinkDecisions, 'requireCheckCode' | 'approve'>
  readonly throttle: Pick<Throttle, 'limitFailures'>
}

/**
 * `POST /auth/device-links/approve`: the user who has opened a link types what the new device
 * shows. A picture alone signs nobody in: it may come from a stranger.
 */
export function approveEndpoint(deps: ApproveDeps): Endpoint {
  const { linkDecisions, proveAgain, throttle } = deps
  return throttle.limitFailures('device-link', async function approveLink(request) {
    const { context } = request
    // 400, 401, 403, 503
    const asking = await approverOf(deps.signedIn, request)
    const { session } = asking
    // 400, 413, 415
    const { linkId, checkCode, ...proof } = parseInput(approveRequest, await request.readJson())
    // 403, 503. Costs no try: most clients learn by this what they have to ask for.
    if (proof.password === undefined && proof.passkey === undefined)
      await requireNothingToShow(deps, asking)
    // 400, 503. Before the proof: a code or a challenge works once, and a mistyped check code must
    // not use it up. It counts before it is compared, so a wrong proof does not make it guessable.
    const link = await linkDecisions.requireCheckCode(session, { linkId, checkCode }, context)
    // 400, 401, 403, 429, 503
    const proved = await proveAgain(asking, proof, request)
    // 400, 401, 403, 429, 503
    await linkDecisions.approve(session, link, proved, context)
    return ok({ status: 'success' })
  })
}

// A stolen session must not become a session on another device. So the sign-in is a fresh one, and
// a
// user with a factor or a passkey shows it again.
async function requireNothingToShow(
  { requireFreshSignIn, hasMoreToShow }: ApproveDeps,
  { session, user }: SignedInRequest,
): Promise<void> {
  await requireFreshSignIn(session)
  if (await hasMoreToShow(user)) throw new AuthError('reauthentication-required')
}
