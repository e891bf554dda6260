import type { RequestContext } from '../../audit/events.js'
import type { CodeRefusal } from '../../audit/refusals.js'
import { AuthError } from '../../errors.js'
import type { RequestParameters } from '../../http/input.js'
import { codeVerifierPattern, verifierMatches } from '../../pkce/authorization-code.js'
import { type OpenedByCode, redeemCode } from '../../pkce/redeem-code.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { AuthorizationCodeRecord } from '../../stores/one-time-contract.js'
import { newRefreshToken } from '../../tokens/refresh-token.js'
import type { AppsKit } from '../apps-kit.js'
import { findOAuthCode } from '../authorization-codes.js'
import { redirectOfCode } from '../client-documents/client-document.js'
import { audiencesOf, getsRefreshToken, isConfidential } from '../client-schema.js'
import { type IssuedTokens, issueTokens } from '../issue-tokens.js'
import { requireNothingDue } from './nothing-due.js'
import { remainingGrant, requireStillAllowed, targetOf } from './remaining-grant.js'

/** The answer to a client. */
export interface GrantedTokens extends IssuedTokens {
  readonly refresh_token?: string
}

/**
 * A grant: how an authenticated client gets tokens. Throws 400 with the error names of [RFC 6749
 * §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2), and 503.
 */
export type Grant = (
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
) => Promise<GrantedTokens>

/** The parameters sent with a code. */
interface Proof {
  readonly client: OAuthClient
  /** Null if the client's document is gone. */
  readonly redirectUri: string | null
  readonly verifier: string | null
}

/** The parameters of the grant, for the description of the API. */
export const codeParameters = {
  code: 'of the first',
  redirect_uri: 'of the first: the one that the code was sent to',
  code_verifier: 'of the first (RFC 7636 §4.1)',
} as const

/** `authorization_code`: exchanges a code for a session of the client it was issued to. */
export async function exchangeCode(
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
): Promise<GrantedTokens> {
  // 400
  const presented = required(parameters, 'code')
  const asked = required(parameters, 'redirect_uri')
  const verifier = verifierOf(parameters)
  const resources = audiencesOf(parameters.all('resource'), kit)
  // 503
  const code = await findOAuthCode(kit, presented)
  const asRead = await kit.clients.withRedirects(client, context)
  const redirectUri = asRead && redirectOfCode(asRead, asked)
  const refusal = (found: AuthorizationCodeRecord) =>
    refusalOf(found, { client, redirectUri, verifier })
  return redeem(kit, { door: 'code-exchange', code, refusal, client, resources }, context)
}

/** A code that an authenticated client exchanges. */
interface Redeeming {
  readonly door: 'code-exchange' | 'device'
  /** The record, used or not; null if no such code was issued. */
  readonly code: AuthorizationCodeRecord | null
  readonly refusal: (code: AuthorizationCodeRecord) => CodeRefusal | null
  readonly client: OAuthClient
  /** The APIs that the request names. */
  readonly resources: readonly string[]
}

/** Opens the session of a client by a code, once, and signs its tokens. Throws 400 and 503. */
export async function redeem(
  kit: AppsKit,
  { door, code, refusal, client, resources }: Redeeming,
  context: RequestContext,
): Promise<GrantedTokens> {
  const open = (found: AuthorizationCodeRecord) => {
    const opened = openByCode(kit, found, client, resources)
    const sign: typeof opened.sign = async (session, approved) => {
      // 400, 503. Before the code is used up.
      await requireNothingDue(kit, { door, session, user: approved.user }, context)
      return opened.sign(session, approved)
    }
    return { ...opened, sign }
  }
  const tokens = await redeemCode(kit, { door, code, refusalOf: refusal, open }, context)
  // `redeemCode` has refused an unknown code.
  if (code !== null) await requireStillAllowed(kit, client, code, context)
  return tokens
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

// The session of a client that a code opens, and its tokens. Throws 400.
function openByCode(
  kit: AppsKit,
  code: AuthorizationCodeRecord,
  client: OAuthClient,
  resources: readonly string[],
): OpenedByCode<GrantedTokens> {
  // 400
  const { scopes, resources: granted } = remainingGrant(code, client, kit.ownResource)
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
      const tokens = await issueTokens(kit, session, { ...grant, user })
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
