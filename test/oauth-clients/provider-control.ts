// The control: oidc-provider, which is certified. A test that is red here is wrong itself; one that
// is red for another provider alone has found something.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { exportJWK, generateKeyPair } from 'jose'
import OidcProvider, { type ClientMetadata, type Configuration, type JWK } from 'oidc-provider'
import {
  type Answer,
  alice,
  type IssuerPath,
  type Page,
  type Provider,
  type ProviderModule,
} from './support/provider.js'
import { type Registration, registrations } from './support/registrations.js'

export const controlModule: ProviderModule = { name: 'oidc-provider', start }

const keys = Promise.all([signingKey('ES256'), signingKey('RS256')])

async function start(path: IssuerPath): Promise<Provider> {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = `${origin}${path}`
  const provider = new OidcProvider(issuer, await configuration())
  // RFC 7009 leaves the body open, and its is empty, which simple-oauth2 cannot read.
  provider.use(async (ctx, next) => {
    await next()
    if (ctx['oidc']?.route === 'revocation' && ctx.status === 200) ctx.body = {}
  })
  // For issuers with a path it knows the form of OpenID Connect Discovery, not that of RFC 8414.
  if (path !== '') {
    app.get(`/.well-known/oauth-authorization-server${path}`, async (_req, res) => {
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
      res.json(await answer.json())
    })
  }
  app.use(path === '' ? '/' : path, provider.callback())
  return {
    issuer,
    answer,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function configuration(): Promise<Configuration> {
  const { name, preferred_username, email, email_verified } = alice.claims
  return {
    clients: registrations.map(metadataOf),
    jwks: { keys: await keys },
    claims: { profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name, preferred_username, email, email_verified }),
    }),
    features: { introspection: { enabled: true }, revocation: { enabled: true } },
    clientBasedCORS: () => true,
    pkce: {
      required: (_ctx, { clientId }) =>
        registrations.find(({ id }) => id === clientId)?.allowNonceInsteadOfPkce !== true,
    },
    cookies: { keys: ['a key for cookies of tests only'] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
  }
}

async function signingKey(alg: 'ES256' | 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg } as JWK
}

function metadataOf(client: Registration): ClientMetadata {
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: client.type,
    redirect_uris: [...client.redirectUris],
    scope: client.scopes.join(' '),
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    id_token_signed_response_alg: client.idTokenAlgorithm,
    token_endpoint_auth_method: authenticationOf(client),
    ...(client.secret === undefined ? {} : { client_secret: client.secret }),
    ...(client.jwks === undefined ? {} : { jwks: { keys: client.jwks.keys as JWK[] } }),
  }
}

function authenticationOf({ secret, secretIn, jwks }: Registration) {
  if (jwks !== undefined) return 'private_key_jwt'
  if (secret === undefined) return 'none'
  return secretIn === 'body' ? 'client_secret_post' : 'client_secret_basic'
}

/** Its pages for development: a sign-in that believes everything, a consent, and a way out. */
function answer({ url, html }: Page, agrees: boolean): Answer {
  if (html.includes('name="password"')) {
    return { fields: { login: alice.username, password: alice.password } }
  }
  if (html.includes('name="prompt" value="consent"')) {
    return agrees ? { fields: {} } : { follow: `${url.pathname}/abort` }
  }
  throw new Error(`an unknown page at ${url}: ${html.slice(0, 500)}`)
}
