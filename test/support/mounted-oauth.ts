// The option `oauth` for hosts of tests: a router whose OAuth endpoints are mounted.
import {
  type AuthRouterOptions,
  type ClientSecret,
  generateClientSecret,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
  type TokenSigner,
} from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'

export const issuer = 'https://chat.example.com'
const baseUrl = `${issuer}/api/v1`
/** Signs ID tokens with ES256. By the system's clock, unlike that of a host. */
export const signer: TokenSigner = joseSigner({
  issuer,
  audience: 'chat',
  keys: [await generateSigningKey('ES256')],
})
export const wikiSecret: ClientSecret = generateClientSecret()
/** A server of the same makers, with a secret. */
export const wiki: OAuthClient = {
  id: 'wiki',
  name: 'Team wiki',
  type: 'web',
  firstParty: true,
  redirectUris: ['https://wiki.example.com/callback'],
  scopes: ['openid', 'profile', 'offline_access', 'messages:read'],
  secretHashes: [wikiSecret.hash],
}

/** Options of a router with `oauth`, and the wiki as its client. */
export function oauthOptions(change: Partial<OAuthOptions> = {}): Partial<AuthRouterOptions> {
  const { consents, once } = memoryOAuthStores()
  const scopes = { 'messages:read': 'Read your messages' }
  return { signer, oauth: { baseUrl, clients: [wiki], consents, once, scopes, ...change } }
}

/** The option `oauth.registration`, for hosts with every route. */
export function registrationOption(): Pick<OAuthOptions, 'registration'> {
  return { registration: { clients: memoryOAuthStores().clients, scopes: ['openid'] } }
}
