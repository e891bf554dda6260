import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Capability } from '../http/capability.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { createRefreshSession, type RefreshSessionDeps } from './refresh-session.js'

export interface RefreshDeps extends RefreshSessionDeps {
  readonly throttle: Pick<Throttle, 'limitFailures'>
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  /** Seconds. */
  readonly accessTokenLifetime: number
}

const text = z.string().min(1)

/** The body of `POST /auth/refresh`: exactly one of the two members. */
export const refreshRequest: z.ZodObject<{
  refreshToken: z.ZodOptional<z.ZodString>
  refresh_token: z.ZodOptional<z.ZodString>
}> = z
  .object({ refreshToken: text.optional(), refresh_token: text.optional() })
  .refine(
    ({ refreshToken, refresh_token }) =>
      (refreshToken === undefined) !== (refresh_token === undefined),
    {
      path: ['refreshToken'],
      message: 'Invalid input: expected refreshToken, a non-empty string',
    },
  )

/** The exchange of refresh tokens; failures are limited by network. */
export function createRefresh(deps: RefreshDeps): Capability {
  const refresh = deps.throttle.limitFailures('refresh', refreshEndpoint(deps))
  return { routes: [['/auth/refresh', { POST: refresh }, 'oauth']] }
}

/** `POST /auth/refresh`: exchanges a refresh token for a new one and a new access token. */
function refreshEndpoint(deps: RefreshDeps): Endpoint {
  const refreshSession = createRefreshSession(deps)

  return async function refresh({ context, readJson }) {
    // 400, 413, 415
    const input = parseInput(refreshRequest, await readJson())
    const presented = (input.refreshToken ?? input.refresh_token) as string
    const answer = await refreshSession(
      {
        presented,
        // An app's refresh token is valid only at the OAuth token endpoint, where the app
        // authenticates.
        admits: ({ kind }) => kind !== 'oauth',
        rotates: true,
        open:
          () =>
          async ({ refreshToken, session }) => {
            const { token, expiresIn } = await deps.accessTokens.issue(
              session,
              deps.accessTokenLifetime,
              deps.clock(),
            )
            return {
              access_token: token,
              token_type: 'Bearer',
              expires_in: expiresIn,
              refresh_token: refreshToken,
            }
          },
      },
      context,
    )
    return ok(answer)
  }
}
