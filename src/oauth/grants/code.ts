import type { RequestContext } from '../../audit/events.js'
import type { CodeRefusal } from '../../audit/refusals.js'
import { AuthError } from '../../errors.js'
import type { RequestParameters } from '../../http/parameters.js'
import type { AuthorizationCodes } from '../../pkce/authorization-code.js'
import { codeVerifierPattern, verifierMatches } from '../../pkce/code-challenge.js'
import type { OpenedByCode, RedeemCode } from '../../pkce/redeem-code.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { AuthorizationCodeRecord } from '../../stores/code-contract.js'
import { newRefreshToken } from '../../tokens/refresh-token.js'
import { audiencesOf, getsRefreshToken, isConfidential, type OwnNames } from '../client-defaults.js'
import { redirectOfCode } from '../client-documents/client-document.js'
import type { Clients } from '../clients.js'
import type { IssuedTokens, IssueTokens } from '../issue-tokens.js'
import type { StillAllowed } from '../still-allowed.js'
import { remainingGrant, targetOf } from './remaining-grant.js'

/** The answer to a client. */
export interface GrantedTokens extends IssuedTokens {
  readonly refresh_token?: string
}

/**
 * A grant: how an authenticated client gets tokens. Throws 400 with the error names of [RFC 6749
 * §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2), and 503.
 */
export type Grant = (
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
) => Promise<GrantedTokens>

export interface CodeGrantDeps extends OwnNames {
  /** The codes of the authorization endpoint. */
  readonly codes: Pick<AuthorizationCodes, 'find'>
  readonly clients: Pick<Clients, 'withRedirects'>
  readonly redeemCode: RedeemCode
  readonly issueTokens: IssueTokens
  readonly stillAllowed: Pick<StillAllowed, 'afterOpening'>
}

/** The parameters sent with a code. */
interface Proof {
  readonly client: OAuthClient
  /** Null if the client's document is gone. */
  readonly redirectUri: string | null
  readonly verifier: string | null
}

/** Codes of `/auth/pkce` have another prefix: neither endpoint accepts the other's. */
const codePattern = /^mar_oc_[A-Za-z0-9_-]{43}$/

/** The parameters of the grant, for the description of the API. */
export const codeParameters = {
  code: 'of the first',
  redirect_uri: 'of the first: the one that the code was sent to',
  code_verifier: 'of the first (RFC 7636 §4.1)',
} as const

/** `authorization_code`: exchanges a code for a session of the client it was issued to. */
export function createCodeGrant(deps: CodeGrantDeps): Grant {
  const { codes, redeemCode, stillAllowed } = deps

  async function find(presented: string): Promise<AuthorizationCodeRecord | null> {
    const code = codePattern.test(presented) ? await codes.find(presented) : null
    return code?.clientId === undefined ? null : code
  }

  return async function exchangeCode(client, parameters, context) {
    // 400
    const presented = required(parameters, 'code')
    const redirectUri = required(parameters, 'redirect_uri')
    const verifier = verifierOf(parameters)
    const resources = audiencesOf(parameters.all('resource'), deps)
    // 503
    const code = await find(presented)
    const asRead = await deps.clients.withRedirects(client, context)
    const redirectOf = asRead && redirectOfCode(asRead, redirectUri)
    const tokens = await redeemCode(
      {
        door: 'code-exchange',
        code,
        refusalOf: (found) => refusalOf(found, { client, redirectUri: redirectOf, verifier }),
        open: (found) => openByCode(deps, found, client, resources),
      },
      context,
    )
    // `redeemCode` has refused an unknown code.
    if (code !== null) await stillAllowed.afterOpening(client, code, context)
    return tokens
  }
}

/** A parameter that must be there. Throws 400. */
export function required(parameters: RequestParameters, name: string): string {
  const value = parameters.one(name)
  if (value !== null) return value
  throw new AuthError('invalid-request', { clientMessage: `${name} is missing.` })
}

function verifierOf(parameters: RequestParameters): string | null {
  const verifier = parameters.one('code_verifier')
  if (verifier === null || codeVerifierPattern.test(verifier)) return verifier
  throw new AuthError('invalid-request', {
    clientMessage: 'code_verifier is not 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
  })
}

function refusalOf(code: AuthorizationCodeRecord, proof: Proof): CodeRefusal | null {
  if (code.clientId !== proof.client.id) return 'wrong-client'
  if (code.redirectUri !== proof.redirectUri) return 'wrong-redirect-uri'
  return isProven(code, proof) ? null : 'wrong-verifier'
}

// Without a challenge, a verifier shows that the client has sent another request (RFC 9700 §4.8.2),
// and only the secret binds the code to the client.
function isProven(
  { codeChallenge }: AuthorizationCodeRecord,
  { client, verifier }: Proof,
): boolean {
  if (codeChallenge === '') return verifier === null && isConfidential(client)
  return verifier !== null && verifierMatches(verifier, codeChallenge)
}

/** The session of a client that a code opens, and its tokens. Throws 400. */
export function openByCode(
  { issueTokens, ownResource }: Pick<CodeGrantDeps, 'issueTokens' | 'ownResource'>,
  code: AuthorizationCodeRecord,
  client: OAuthClient,
  resources: readonly string[],
): OpenedByCode<GrantedTokens> {
  // 400
  const { scopes, resources: granted } = remainingGrant(code, client, ownResource)
  const refreshing = getsRefreshToken(client, scopes) ? newRefreshToken(code.opensSessionId) : null
  const grant = {
    client,
    scopes,
    // 400
    resource: targetOf(resources, granted),
    acr: code.acr ?? null,
    nonce: code.nonce ?? null,
  }
  return {
    session: {
      kind: 'oauth',
      // The user agent is the app's server, which its user does not know.
      name: client.name,
      clientId: client.id,
      scope: scopes.join(' '),
      resources: granted,
      refresh: refreshing?.refresh ?? null,
      ...parentOf(code, refreshing !== null),
    },
    async sign(session, { user }) {
      const tokens = await issueTokens(session, { ...grant, user })
      return refreshing === null ? tokens : { ...tokens, refresh_token: refreshing.token }
    },
  }
}

// A refreshable session counts as a device of its own, and stays when the browser is signed out.
function parentOf(
  { issuedBySessionId }: AuthorizationCodeRecord,
  isRefreshed: boolean,
): { readonly parentId?: string } {
  return isRefreshed ? {} : { parentId: issuedBySessionId }
}
