import type { Provider } from './provider.js'

/** What a person copies into the settings of a client that knows no discovery. */
export interface Endpoints {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  readonly introspection_endpoint: string
  readonly userinfo_endpoint: string
  readonly jwks_uri: string
}

/** From the metadata. */
export async function endpointsOf({ issuer }: Provider): Promise<Endpoints> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`)
  return (await response.json()) as Endpoints
}

/** What UserInfo says to the owner of a token; its status where that is not 200. */
export async function userInfo(provider: Provider, accessToken: string): Promise<unknown> {
  const { userinfo_endpoint } = await endpointsOf(provider)
  const headers = { Authorization: `Bearer ${accessToken}` }
  const response = await fetch(userinfo_endpoint, { headers })
  return response.ok ? response.json() : response.status
}
