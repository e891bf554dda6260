import { z } from 'zod'
import type { SignedIn } from '../guard/principal.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthorizationCodes } from './authorization-code.js'
import { codeChallengePattern } from './code-challenge.js'

const schema = z.object({
  codeChallenge: z.string().regex(codeChallengePattern, 'Invalid input: expected 43 base64url characters'),
  codeChallengeMethod: z.literal('S256').optional(),
})

/** `POST /auth/pkce/authorize`, wire §4: a signed-in client obtains a code for another of its user's devices. */
export function authorizeEndpoint(signedIn: SignedIn, decideSignIn: DecideSignIn, codes: AuthorizationCodes): Endpoint {
  return async ({ incoming, context, readJson }) => {
    const { session, user } = await signedIn(incoming, context) //                       400, 401, 503
    const { codeChallenge } = parseInput(schema, await readJson()) //                    400, 413, 415

    const { methods, scope, authenticatedAt } = session
    const decision = await decideSignIn({ door: 'authorization-code', user, methods, code: undefined, context })
    if (!decision.allowed) throw decision.error //                                       401, 403

    // A code never opens more than the session that asked for it may do.
    const issuedBySessionId = session.id
    const { approved } = decision
    return ok({
      status: 'success',
      data: await codes.issue({ approved, codeChallenge, scope, authenticatedAt, issuedBySessionId }, context),
    })
  }
}
