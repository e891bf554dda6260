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
  /** Whether a session ends with the session that asked for its code. */
  readonly endWithIssuer: boolean
}

/** `POST /auth/pkce/authorize`: a signed-in client gets a code for another device of its user. */
export function authorizeEndpoint(deps: AuthorizeDeps): Endpoint {
  const { signedIn, requireRecentSignIn, decideSignIn, codes, endWithIssuer } = deps
  return async function authorize(request) {
    const { context, readJson } = request
    // 400, 401, 403, 503. Requires full scope: a code opens a session that would outlive a client
    // with less.
    const { session, user } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { codeChallenge } = parseInput(codeRequest, await readJson())
    // 403
    await requireRecentSignIn(session)
    // 403. An endless chain of devices would cost a read for each.
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

    // The new session gets the scope of the session that asks.
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
