import { z } from 'zod'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { RequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthorizationCodes } from './authorization-code.js'
import { codeChallengePattern } from './code-challenge.js'

/** The body of `POST /auth/pkce/authorize`. */
export const codeRequest: z.ZodObject<{
  codeChallenge: z.ZodString
  codeChallengeMethod: z.ZodOptional<z.ZodLiteral<'S256'>>
}> = z.object({
  codeChallenge: z
    .string()
    .regex(codeChallengePattern, 'Invalid input: expected 43 base64url characters'),
  codeChallengeMethod: z.literal('S256').optional(),
})

export interface AuthorizeDeps {
  readonly signedIn: SignedIn
  readonly requireRecentSignIn: RequireRecentSignIn
  readonly decideSignIn: DecideSignIn
  readonly codes: Pick<AuthorizationCodes, 'issue'>
  /** Whether what a code opens ends with the session that asks for it. */
  readonly endWithIssuer: boolean
}

/**
 * `POST /auth/pkce/authorize`: a signed-in client obtains a code for another of its user's devices.
 */
export function authorizeEndpoint(deps: AuthorizeDeps): Endpoint {
  const { signedIn, requireRecentSignIn, decideSignIn, codes, endWithIssuer } = deps
  return async function authorize(request) {
    const { context, readJson } = request
    // 400, 401, 403, 503. Only with full scope: a code opens a session, which would outlive a
    // client that was granted less.
    const { session, user } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { codeChallenge } = parseInput(codeRequest, await readJson())
    // 403
    await requireRecentSignIn(session)
    // 403. Devices that hang on one another without end would cost a read each.
    if (endWithIssuer && session.parentId !== undefined) throw endsWithAnother()

    const { methods, scope, authenticatedAt } = session
    // 401, 403
    const decision = await decideSignIn({
      door: 'authorization-code',
      user,
      methods,
      code: undefined,
      context,
    })
    if (!decision.allowed) throw decision.error

    // A code never opens more than the session that asked for it may do.
    const issuedBySessionId = session.id
    const { approved } = decision
    return ok({
      status: 'success',
      data: await codes.issue(
        { approved, codeChallenge, scope, authenticatedAt, issuedBySessionId },
        context,
      ),
    })
  }
}

function endsWithAnother(): AuthError {
  return new AuthError('forbidden', {
    clientMessage: 'This device was signed in by another one. Ask for the code there.',
  })
}
