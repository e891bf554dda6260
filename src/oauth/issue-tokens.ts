import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { acrOf } from '../two-factor/acr.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'

import type { RequireFitSigner } from './fit-signer.js'
import { idTokenClaims } from './id-token.js'

/** The grant that tokens are issued for. */
export interface TokenGrant {
  readonly client: OAuthClient
  readonly user: AuthUser
  /** At least one. */
  readonly scopes: readonly string[]
  /** The API that the access token is for. */
  readonly resource: string
  /** The `acr` at the time the code was issued; null: derived from the session. */
  readonly acr: string | null
  readonly nonce: string | null
}

/** The token response, RFC 6749 §5.1. */
export interface IssuedTokens {
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Seconds. */
  readonly expires_in: number
  /** Always present, since a client may have got less than it asked for. */
  readonly scope: string
  /** With the scope `openid`. */
  readonly id_token?: string
}

/** Signs the tokens of a session, which need not be stored yet. Throws 503. */
export type IssueTokens = (session: SessionRecord, grant: TokenGrant) => Promise<IssuedTokens>

export interface IssueTokensDeps {
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  /** Seconds. */
  readonly accessTokenLifetime: number
  readonly signer: Pick<TokenSigner, 'signIdToken'>
  readonly requireFitSigner: RequireFitSigner
  /** The claims that an app gets about a user. Rejects with 503. */
  readonly userClaims: (
    user: AuthUser,
    request: { readonly scope: readonly string[]; readonly client: OAuthClient },
  ) => Promise<Readonly<Record<string, unknown>>>
  readonly meetsFactorPolicy: SecondFactors['meetsFactorPolicy']
  /** The host's own API. */
  readonly ownResource: string
  readonly call: HostCall
  readonly clock: () => Date
}

export function createIssueTokens(deps: IssueTokensDeps): IssueTokens {
  const { accessTokens, accessTokenLifetime, ownResource, clock } = deps
  return async function issueTokens(session, grant) {
    if (grant.resource !== ownResource) await deps.requireFitSigner()
    const scope = grant.scopes.join(' ')
    const now = clock()
    const { token, expiresIn } = await accessTokens.issue(
      { ...session, scope },
      accessTokenLifetime,
      now,
      grant.resource === ownResource ? undefined : grant.resource,
    )
    const idToken = grant.scopes.includes('openid')
      ? { id_token: await signIdToken(deps, session, grant, token, now) }
      : {}
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope,
      ...idToken,
    }
  }
}

// Clients with the scope `openid` are refused unless the signer can do this, so a missing method is
// a failure.
async function signIdToken(
  { signer, userClaims, meetsFactorPolicy, call }: IssueTokensDeps,
  session: SessionRecord,
  { client, user, scopes, acr, nonce }: TokenGrant,
  accessToken: string,
  now: Date,
): Promise<string> {
  const claims = idTokenClaims({
    session,
    clientId: client.id,
    accessToken,
    acr: acr ?? acrOf(session.methods, meetsFactorPolicy),
    nonce,
    claims: await userClaims(user, { scope: scopes, client }),
    now,
  })
  const { idTokenAlgorithm: algorithm = 'ES256' } = client
  return call('signer.signIdToken', async () => {
    const token: unknown = await signer.signIdToken?.(claims, { algorithm })
    if (typeof token === 'string' && token !== '') return token
    throw new UnexpectedAnswer('the signer did not return a token')
  })
}
