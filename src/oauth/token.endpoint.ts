import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { readParameters } from '../http/parameters.js'
import type { AuthorizationCodes } from '../pkce/authorization-code.js'
import { createRedeemCode, type RedeemCodeDeps } from '../pkce/redeem-code.js'
import { createRefreshSession, type RefreshSessionDeps } from '../refresh/refresh-session.js'
import type { OAuthGrant } from '../stores/client-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthenticateClient } from './client-auth.js'
import { grantsOf } from './client-defaults.js'
import { createCodeGrant, type Grant } from './grants/code.js'
import { createRefreshGrant } from './grants/refresh.js'
import { createIssueTokens, type IssueTokensDeps } from './issue-tokens.js'
import { createStillAllowed, type StillAllowedDeps } from './still-allowed.js'

/** What {@link tokenEndpoint} needs. */
export interface TokenEndpointDeps
  extends Omit<RedeemCodeDeps, 'burn' | 'sessions'>,
    Pick<RefreshSessionDeps, 'refreshGrace'>,
    Pick<StillAllowedDeps, 'clients' | 'consents'>,
    IssueTokensDeps {
  readonly authenticateClient: AuthenticateClient
  /** Those of the authorization endpoint. */
  readonly codes: Pick<AuthorizationCodes, 'find' | 'burn'>
  readonly sessions: RedeemCodeDeps['sessions'] & RefreshSessionDeps['sessions']
  readonly throttle: Pick<Throttle, 'limitFailures'>
}

/**
 * `POST /oauth/token`, [RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2): a code
 * or a refresh token for tokens. The client is authenticated first, so that nobody learns anything
 * of a code who is not one.
 */
export function tokenEndpoint(deps: TokenEndpointDeps): Endpoint {
  const grants = createGrants(deps)
  const { authenticateClient, throttle } = deps

  return throttle.limitFailures('oauth-token', async function answerTokens(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await authenticateClient(request, parameters)
    const grantType = parameters.one('grant_type')
    if (grantType === null)
      throw new AuthError('invalid-request', { clientMessage: 'grant_type is missing.' })
    if (!isGrant(grants, grantType)) throw new AuthError('unsupported_grant_type')
    if (!grantsOf(client).includes(grantType)) throw new AuthError('unauthorized_client')
    return ok(await grants[grantType](client, parameters, request.context))
  })
}

type Grants = Readonly<Record<OAuthGrant, Grant>>

function isGrant(grants: Grants, word: string): word is OAuthGrant {
  return Object.hasOwn(grants, word)
}

function createGrants(deps: TokenEndpointDeps): Grants {
  const { users, decideSignIn, passwordStands, sessions, clock, audit, ownResource } = deps
  const issueTokens = createIssueTokens({
    accessTokens: deps.accessTokens,
    accessTokenLifetime: deps.accessTokenLifetime,
    signer: deps.signer,
    requireFitSigner: deps.requireFitSigner,
    userClaims: deps.userClaims,
    hasShownFactor: deps.hasShownFactor,
    ownResource,
    call: deps.call,
    clock,
  })
  const redeemCode = createRedeemCode({
    burn: deps.codes.burn,
    users,
    decideSignIn,
    factorStands: deps.factorStands,
    passwordStands,
    passwordWatch: deps.passwordWatch,
    sessions,
    clock,
    audit,
  })
  const refreshSession = createRefreshSession({
    sessions,
    users,
    passwordStands,
    decideSignIn,
    refreshGrace: deps.refreshGrace,
    clock,
    audit,
  })
  const { clients, consents } = deps
  const stillAllowed = createStillAllowed({ clients, consents, sessions, audit })
  return {
    authorization_code: createCodeGrant({
      codes: deps.codes,
      redeemCode,
      issueTokens,
      stillAllowed,
      ownResource,
    }),
    refresh_token: createRefreshGrant({ refreshSession, issueTokens, stillAllowed, ownResource }),
  }
}
