// oidc-provider, with an adapter over a map: no latency, as with our stores in memory, and none of
// the searching that the adapter it brings does for development. Its access tokens are ES256 JWTs
// for one resource. With `openid` its client has a secret, and gets an ID Token with each code.
// With `inExpress` it is mounted in an application of Express, as its users mount it; without, it
// answers Node's server itself.
import express from 'express'
import Provider from 'oidc-provider'
import {
  audience,
  basicForm,
  issuer,
  makeKey,
  makePkce,
  makeUsers,
  tokenRequests,
} from './fixtures.mjs'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const redirectUri = 'http://localhost/done'
const resource = 'https://chat.example.com/api'
const clientId = 'app'
const secret = 'a secret of forty-three characters, or more'
const day = 86_400

export async function start({ openid = false, inExpress = false }) {
  const { users, byId } = makeUsers(1000)
  const { privateJwk, kid } = await makeKey()
  const provider = new Provider(issuer, {
    adapter: mapAdapter(),
    jwks: { keys: [{ ...privateJwk, kid, alg: 'ES256', use: 'sig' }] },
    clients: [
      {
        client_id: clientId,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        ...(openid
          ? { token_endpoint_auth_method: 'client_secret_basic', client_secret: secret }
          : { token_endpoint_auth_method: 'none' }),
        id_token_signed_response_alg: 'ES256',
      },
    ],
    scopes: ['chat'],
    findAccount: async (_context, id) =>
      byId.has(id) && { accountId: id, claims: async () => ({ sub: id }) },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 600, AuthorizationCode: 600, Grant: 90 * day, RefreshToken: 14 * day },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          scope: 'chat',
          audience,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  const client = await provider.Client.find(clientId)

  async function makeGrant(accountId) {
    const grant = new provider.Grant({ accountId, clientId })
    grant.addResourceScope(resource, 'chat')
    if (openid) grant.addOIDCScope('openid')
    return grant.save()
  }
  const common = {
    client,
    gty: 'authorization_code',
    resource,
    scope: openid ? 'openid chat' : 'chat',
    expiresWithSession: false,
  }

  const prepare = {
    async codes({ count }) {
      const bodies = []
      for (let i = 0; i < count; i += 1) {
        const accountId = users[i % users.length].id
        const { codeVerifier, codeChallenge } = makePkce()
        const fields = {
          accountId,
          grantId: await makeGrant(accountId),
          redirectUri,
          codeChallenge,
          codeChallengeMethod: 'S256',
        }
        const code = await new provider.AuthorizationCode({
          ...common,
          ...fields,
          authTime: now(),
        }).save()
        const asked = {
          grant_type: 'authorization_code',
          redirect_uri: redirectUri,
          code,
          ...(openid ? {} : { client_id: clientId }),
        }
        bodies.push(String(new URLSearchParams({ ...asked, code_verifier: codeVerifier })))
      }
      const headers = openid ? basicForm(clientId, encodeURIComponent(secret)) : form
      return tokenRequests('/token', headers, bodies, { idToken: openid })
    },
    async refresh({ count }) {
      const tokens = []
      for (let i = 0; i < count; i += 1) {
        const accountId = users[i % users.length].id
        const grantId = await makeGrant(accountId)
        const token = new provider.RefreshToken({
          ...common,
          accountId,
          grantId,
          authTime: now(),
          rotations: 0,
          iiat: now(),
        })
        tokens.push(await token.save())
      }
      const asked = `grant_type=refresh_token&client_id=${clientId}&refresh_token=`
      return tokenRequests(
        '/token',
        form,
        tokens.map((token) => asked + encodeURIComponent(token)),
      )
    },
  }
  const listener = inExpress ? express().use(provider.callback()) : provider.callback()
  return { listener, prepare: (input) => prepare[input.kind](input) }
}

const now = () => Math.floor(Date.now() / 1000)

// Methods and meanings as its documentation of adapters has them.
function mapAdapter() {
  return class {
    rows = new Map()
    idsByGrant = new Map()

    async upsert(id, payload) {
      this.rows.set(id, payload)
      if (payload.grantId === undefined) return
      const ids = this.idsByGrant.get(payload.grantId) ?? []
      ids.push(id)
      this.idsByGrant.set(payload.grantId, ids)
    }

    async find(id) {
      return this.rows.get(id)
    }

    async findByUid(uid) {
      return [...this.rows.values()].find((row) => row.uid === uid)
    }

    async consume(id) {
      this.rows.get(id).consumed = now()
    }

    async destroy(id) {
      this.rows.delete(id)
    }

    async revokeByGrantId(grantId) {
      for (const id of this.idsByGrant.get(grantId) ?? []) this.rows.delete(id)
      this.idsByGrant.delete(grantId)
    }
  }
}
