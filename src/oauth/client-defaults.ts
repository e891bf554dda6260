import type { OAuthClient, OAuthGrant } from '../stores/client-contract.js'
import { redirectMatches } from './redirect-uri.js'

const bothGrants: readonly OAuthGrant[] = ['authorization_code', 'refresh_token']

/** The device grant, as clients name it. */
export const deviceGrant: Extract<OAuthGrant, `urn:${string}`> =
  'urn:ietf:params:oauth:grant-type:device_code'

/** The grant of services. */
export const serviceGrant: Extract<OAuthGrant, 'client_credentials'> = 'client_credentials'

/**
 * The grants of a client: code and refresh token by default, for a service its own if it has a
 * user.
 */
export function grantsOf({ grants, type, serviceUserId }: OAuthClient): readonly OAuthGrant[] {
  if (grants !== undefined || type !== 'service') return grants ?? bothGrants
  return serviceUserId === undefined ? [] : [serviceGrant]
}

/** Whether a client authenticates with a secret or a key. */
export function isConfidential({ secretHashes = [], jwks }: OAuthClient): boolean {
  return secretHashes.length > 0 || (jwks?.keys.length ?? 0) > 0
}

/** The redirect URI of a request, as sent, if it is the client's; otherwise null. */
export function redirectOf(client: OAuthClient, presented: string): string | null {
  const { redirectUris, type } = client
  return redirectUris.some((registered) => redirectMatches(presented, registered, type))
    ? presented
    : null
}

/** The same for the address after signing out. */
export function postLogoutRedirectOf(client: OAuthClient, presented: string): string | null {
  const { postLogoutRedirectUris = [], type } = client
  return postLogoutRedirectUris.some((registered) => redirectMatches(presented, registered, type))
    ? presented
    : null
}

/**
 * Whether a sign-in with these scopes yields a refresh token. By default native clients always get
 * one, others if they ask for `offline_access`.
 */
export function getsRefreshToken(client: OAuthClient, scopes: readonly string[]): boolean {
  if (!grantsOf(client).includes('refresh_token')) return false
  const { refreshTokens = client.type === 'native' ? 'always' : 'on-request' } = client
  return refreshTokens === 'always' || scopes.includes('offline_access')
}

/** The names of the host's own API: in tokens, and its URL. */
export interface OwnNames {
  readonly ownResource: string
  readonly ownAddress: string
}

/**
 * The APIs that a request names, by their names in tokens. They are compared byte for byte: only
 * the host's own has a second name.
 */
export function audiencesOf(
  resources: readonly string[],
  { ownResource, ownAddress }: OwnNames,
): readonly string[] {
  return resources.map((resource) => (resource === ownAddress ? ownResource : resource))
}

/**
 * The APIs a client may request tokens for: by default only the host's own.
 *
 * @param ownResource - the host's own API
 */
export function resourcesOf({ resources }: OAuthClient, ownResource: string): readonly string[] {
  return resources ?? [ownResource]
}
