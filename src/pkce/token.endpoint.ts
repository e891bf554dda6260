import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { isPlaceholder } from '../sessions/placeholder-session.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { newRefreshToken } from '../tokens/refresh-token.js'
import type { AuthorizationCodes } from './authorization-code.js'
import { codeVerifierPattern, verifierMatches } from './code-challenge.js'
import { createRedeemCode, type RedeemCodeDeps } from './redeem-code.js'

export interface TokenDeps extends RedeemCodeDeps {
  readonly codes: Pick<AuthorizationCodes, 'find' | 'burn'>
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  /** Seconds. */
  readonly accessTokenLifetime: number
  /** Whether a session ends with the session that asked for its code. */
  readonly endWithIssuer: boolean
}

/** The body of `POST /auth/pkce/token`. */
export const exchangeRequest: z.ZodObject<{
  authorizationCode: z.ZodString
  codeVerifier: z.ZodString
}> = z.object({
  authorizationCode: z.string().min(1),
  codeVerifier: z
    .string()
    .regex(
      codeVerifierPattern,
      'Invalid input: expected 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    ),
})

/** `POST /auth/pkce/token`: exchanges a code and its verifier for a session with tokens. */
export function tokenEndpoint(deps: TokenDeps): Endpoint {
  const { codes, accessTokens, accessTokenLifetime, endWithIssuer } = deps
  const redeemCode = createRedeemCode(deps)

  return async function exchangeCode({ context, readJson }) {
    // 400, 413, 415
    const { authorizationCode, codeVerifier } = parseInput(exchangeRequest, await readJson())
    // 503
    const code = await codes.find(authorizationCode)
    const answer = await redeemCode(
      {
        door: 'code-exchange',
        code,
        refusalOf: ({ codeChallenge }) =>
          verifierMatches(codeVerifier, codeChallenge) ? null : 'wrong-verifier',
        open({ opensSessionId, issuedBySessionId: issuer }) {
          const { token: refresh_token, refresh } = newRefreshToken(opensSessionId)
          return {
            session: {
              kind: 'pkce',
              refresh,
              // The placeholder of the host's page expires within minutes.
              ...(endWithIssuer && !isPlaceholder(issuer) ? { parentId: issuer } : {}),
            },
            async sign(session) {
              const issued = await accessTokens.issue(
                session,
                accessTokenLifetime,
                session.createdAt,
              )
              return {
                access_token: issued.token,
                token_type: 'Bearer',
                expires_in: issued.expiresIn,
                refresh_token,
              }
            },
          }
        },
      },
      context,
    )
    return ok(answer)
  }
}
