import { z } from 'zod'
import { noRequest } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { parseInput, parseOptions } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { lazily } from '../lib/async.js'
import { isHostId } from '../lib/texts.js'
import { ownerOf } from '../principal/principal.js'
import { isPlaceholder } from '../sessions/placeholder-session.js'
import { requireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { AuthenticationMethod, SessionRecord } from '../stores/contract.js'
import type { IssuedAccessToken } from '../tokens/access-token.js'
import { newRefreshToken } from '../tokens/refresh-token.js'
import {
  codeChallengePattern,
  codeVerifierPattern,
  findCode,
  type IssuedAuthorizationCode,
  issueCode,
  verifierMatches,
} from './authorization-code.js'
import { redeemCode } from './redeem-code.js'

/**
 * Authorization codes with PKCE: issued to a signed-in client or to the host, and exchanged for
 * tokens.
 */
export interface Pkce extends Capability {
  readonly issueAuthorizationCode: IssueAuthorizationCode
}

/** A code for the host's own sign-in page. */
export interface IssueAuthorizationCodeRequest {
  /** The user the host has just signed in. */
  readonly userId: string
  /**
   * From the client: 43 base64url characters, `S256` of
   * [RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2).
   */
  readonly codeChallenge: string
  /**
   * The second-factor code the user typed. Required if the user has a second factor: the host's
   * page does not bypass it.
   */
  readonly code?: string
  /**
   * The scope of the resulting session: a list of words, up to 1000 characters joined by blanks.
   * Default `['*']`: everything the user may do.
   */
  readonly scope?: readonly string[]
}

/** Issues a code for a user whom the host's own page has signed in. */
export type IssueAuthorizationCode = (
  request: IssueAuthorizationCodeRequest,
) => Promise<IssuedAuthorizationCode>

/** The endpoints of PKCE, and `auth.issueAuthorizationCode` for the host's own sign-in page. */
export function createPkce(kit: SignInKit): Pkce {
  const token = kit.throttle.limitFailures('token', tokenEndpoint(kit))
  return {
    routes: [
      ['/auth/pkce/authorize', { POST: authorizeEndpoint(kit) }],
      ['/auth/pkce/token', { POST: token }, 'oauth'],
    ],
    issueAuthorizationCode: (request) => issueForHost(kit, request),
  }
}

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

// `POST /auth/pkce/authorize`: a signed-in client gets a code for another device of its user.
function authorizeEndpoint(kit: SignInKit): Endpoint {
  return async function authorize(request) {
    const { context, readJson } = request
    // 400, 401, 403, 503. Requires full scope: a code opens a session that would outlive a client
    // with less.
    const { session, user } = await ownerOf(kit.signedIn, request)
    // 400, 413, 415
    const { codeChallenge } = parseInput(codeRequest, await readJson())
    // 403
    await requireRecentSignIn(kit.sessions, session, kit.maxSignInAge, kit.clock)
    // 403. An endless chain of devices would cost a read for each.
    if (kit.endWithIssuer && session.parentId !== undefined) throw endsWithAnother()

    const { id: issuedBySessionId, methods, scope, authenticatedAt } = session
    // 401, 403
    const asked = { door: 'authorization-code', user, methods, code: undefined, context } as const
    const decision = await kit.decideSignIn(asked)
    if (!decision.allowed) throw decision.error

    const { approved } = decision
    // The new session gets the scope of the session that asks.
    const code = { approved, codeChallenge, scope, authenticatedAt, issuedBySessionId }
    return ok({ status: 'success', data: await issueCode(kit, code, context) })
  }
}

function endsWithAnother(): AuthError {
  return new AuthError('forbidden', {
    clientMessage: 'This device was signed in by another one. Ask for the code there.',
  })
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

// `POST /auth/pkce/token`: exchanges a code and its verifier for a session with tokens.
function tokenEndpoint(kit: SignInKit): Endpoint {
  return async function exchangeCode({ context, readJson }) {
    // 400, 413, 415
    const { authorizationCode, codeVerifier } = parseInput(exchangeRequest, await readJson())
    // 503
    const code = await findCode(kit, authorizationCode)
    const answer = await redeemCode(
      kit,
      {
        door: 'code-exchange',
        code,
        refusalOf: ({ codeChallenge }) =>
          verifierMatches(codeVerifier, codeChallenge) ? null : 'wrong-verifier',
        open({ opensSessionId, issuedBySessionId: issuer }) {
          const { token, refresh } = newRefreshToken(opensSessionId)
          // The placeholder of the host's page expires within minutes.
          const parent = kit.endWithIssuer && !isPlaceholder(issuer) ? { parentId: issuer } : {}
          return {
            session: { kind: 'pkce', refresh, ...parent },
            sign: (session) => sign(kit, session, token),
          }
        },
      },
      context,
    )
    return ok(answer)
  }
}

function sign(
  { accessTokens, accessTokenLifetime }: SignInKit,
  session: SessionRecord,
  refresh_token: string,
) {
  const use = ({ token: access_token, expiresIn: expires_in }: IssuedAccessToken) => ({
    access_token,
    token_type: 'Bearer',
    expires_in,
    refresh_token,
  })
  return accessTokens.issue(session, accessTokenLifetime, session.createdAt, undefined, use)
}

/** An access token contains the scope and is limited to 4096 characters. */
const maxScopeChars = 1000

const schema = lazily(() =>
  z.strictObject({
    userId: z.string().refine(isHostId),
    codeChallenge: z.string().regex(codeChallengePattern),
    code: z.string().min(1).max(64).optional(),
    // RFC 6749 §3.3: scope-token.
    scope: z
      .array(z.string().regex(/^[!#-[\]-~]+$/))
      .min(1)
      .refine(
        (words) => words.join(' ').length <= maxScopeChars,
        `is longer than ${maxScopeChars} characters`,
      )
      .default(['*']),
  }),
)

// Decides as for every other sign-in.
async function issueForHost(
  kit: SignInKit,
  request: IssueAuthorizationCodeRequest,
): Promise<IssuedAuthorizationCode> {
  const { userId, codeChallenge, code = null, scope: words } = parseOptions(schema(), request)
  const user = await kit.users.findById(userId)
  const methods: readonly AuthenticationMethod[] = ['host']
  const asked = { door: 'authorization-code', user, methods, code, context: noRequest } as const
  const decision = await kit.decideSignIn(asked)
  if (!decision.allowed) {
    kit.audit({ type: 'code.refused', reason: decision.reason, userId }, noRequest)
    throw decision.error
  }
  const { approved } = decision
  const scope = words.join(' ')
  const authenticatedAt = kit.clock()
  const issued = { approved, codeChallenge, scope, authenticatedAt, issuedBySessionId: null }
  return issueCode(kit, issued, noRequest)
}
