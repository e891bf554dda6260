// A provider of OpenID Connect that others wrote.
import { createServer } from 'node:http'
import express from 'express'
import { exportJWK, generateKeyPair } from 'jose'
import OidcProvider, { type ClientMetadata } from 'oidc-provider'
import { listen } from './browser.js'

export const client = { client_id: 'chat', client_secret: 'secret-of-the-client-1' }

/** Starts it, unmodified, with one client: whoever goes there is alice. Its issuer. */
export async function startOidcProvider(registered: Partial<ClientMetadata>): Promise<string> {
  const app = express()
  const issuer = await listen(createServer(app))
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new OidcProvider(issuer, {
    clients: [{ ...client, ...registered, id_token_signed_response_alg: 'ES256' }],
    jwks: {
      keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', kid: 'k1', use: 'sig' }],
    } as never,
    claims: { profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    // By itself it sends nothing to this machine.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        name: 'Alice',
        email: 'a@example.com',
        email_verified: true,
      }),
    }),
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: client.client_id,
        accountId: ctx.oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
  app.get('/interaction/:uid', (req, res) =>
    provider.interactionFinished(req, res, { login: { accountId: 'alice-1' } }),
  )
  app.use(provider.callback())
  return issuer
}
