// https://github.com/panva/openid-client: a service that shows its own credentials, RFC 6749 §4.4.
import { exportJWK, generateKeyPair } from 'jose'
import * as oidc from 'openid-client'
import { expect, it, onTestFinished } from 'vitest'
import { generateClientSecret, type OAuthClient } from '../../dist/index.js'
import { startOurs } from './provider-ours.js'
import { alice } from './support/provider.js'

const { secret, hash } = generateClientSecret()
const key = await generateKeyPair('ES256')
const archive: OAuthClient = {
  id: 'archive',
  name: 'Archive',
  type: 'service',
  redirectUris: [],
  scopes: ['messages:read'],
  secretHashes: [hash],
  serviceUserId: alice.id,
}
const { secretHashes: _hashes, ...withoutSecret } = archive
const signing: OAuthClient = {
  ...withoutSecret,
  id: 'signing',
  jwks: { keys: [{ ...(await exportJWK(key.publicKey)), alg: 'ES256' }] },
}

async function discover(id: string, by: oidc.ClientAuth) {
  const ours = await startOurs('', [archive, signing], {
    oauth: (origin) => ({
      clients: [archive, signing].map((one) => ({
        ...one,
        resources: [`${origin}/api/v1`, `${origin}/mcp`],
      })),
      scopes: { 'messages:read': 'Read messages' },
      resources: { [`${origin}/mcp`]: { scopes: ['messages:read'] } },
    }),
    after(app, auth, origin) {
      const resource = `${origin}/mcp`
      app.get('/mcp', auth.requireAuth({ resource, scope: 'messages:read' }), (req, res) => {
        res.json(req.auth)
      })
      app.get('/rooms', auth.requireAuth({ scope: 'messages:read' }), (req, res) => {
        res.json(req.auth)
      })
    },
  })
  onTestFinished(() => ours.stop())
  const server = new URL(ours.issuer)
  const execute = [oidc.allowInsecureRequests]
  return { ours, config: await oidc.discovery(server, id, undefined, by, { execute }) }
}

it.each<[string, string, oidc.ClientAuth]>([
  ['its secret in the header', 'archive', oidc.ClientSecretBasic(secret)],
  ['its secret in the body', 'archive', oidc.ClientSecretPost(secret)],
  ['its key', 'signing', oidc.PrivateKeyJwt(key.privateKey)],
])('openid-client gets tokens for a service by %s, and uses them', async (_what, id, by) => {
  const { ours, config } = await discover(id, by)
  const scope = 'messages:read'
  const sids = new Set<unknown>()
  for (const [parameters, path] of [
    [{ scope }, '/rooms'],
    [{ scope, resource: `${ours.issuer}/mcp` }, '/mcp'],
    [{ scope }, '/rooms'],
  ] as const) {
    const tokens = await oidc.clientCredentialsGrant(config, parameters)
    expect(tokens).toMatchObject({ token_type: 'bearer', scope, expires_in: 600 })
    expect(tokens.refresh_token).toBeUndefined()
    const url = new URL(ours.issuer + path)
    const answer = await oidc.fetchProtectedResource(config, tokens.access_token, url, 'GET')
    const principal = (await answer.json()) as { readonly sessionId: string }
    expect(principal).toMatchObject({ userId: alice.id, kind: 'service', scope: [scope] })
    sids.add(principal.sessionId)
  }
  expect(sids.size).toBe(2)
})

it('openid-client learns from a refusal what is at fault', async () => {
  const { config } = await discover('archive', oidc.ClientSecretBasic(secret))
  for (const [parameters, error] of [
    [{ scope: 'messages:read offline_access' }, 'invalid_scope'],
    [{ scope: 'messages:read', resource: 'https://files.example.com/' }, 'invalid_target'],
  ] as const)
    await expect(oidc.clientCredentialsGrant(config, parameters)).rejects.toMatchObject({ error })
})
