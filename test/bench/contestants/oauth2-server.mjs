// @node-oauth/oauth2-server, with a model over maps: no latency, as with our stores in memory.
// Access tokens are made with jose and a CryptoKey, as ours are. It keeps codes and tokens as they
// are, where we hash them.
import { randomBytes } from 'node:crypto'
import OAuth2Server from '@node-oauth/oauth2-server'
import express from 'express'
import { makeKey, makePkce, makeUsers, signAccessToken, tokenRequests } from './fixtures.mjs'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const redirectUri = 'http://localhost/done'
const client = {
  id: 'app',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [redirectUri],
}

export async function start() {
  const { users } = makeUsers(1000)
  const key = await makeKey()
  const codes = new Map()
  const refreshTokens = new Map()
  const server = new OAuth2Server({
    model: makeModel(key, codes, refreshTokens),
    accessTokenLifetime: 600,
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  })
  const app = express()
  app.post('/token', express.urlencoded({ extended: false }), async (request, response) => {
    const answer = new OAuth2Server.Response(response)
    try {
      await server.token(new OAuth2Server.Request(request), answer)
    } catch (error) {
      response
        .status(error.code ?? 500)
        .json({ error: error.name, error_description: error.message })
      return
    }
    response.set(answer.headers).status(answer.status).json(answer.body)
  })

  const prepare = {
    codes({ count }) {
      const bodies = Array.from({ length: count }, (_none, i) => {
        const code = randomBytes(32).toString('base64url')
        const { codeVerifier, codeChallenge } = makePkce()
        const fixed = {
          redirectUri,
          scope: ['chat'],
          client,
          codeChallenge,
          codeChallengeMethod: 'S256',
        }
        codes.set(code, {
          ...fixed,
          authorizationCode: code,
          expiresAt: new Date(Date.now() + 600_000),
          user: users[i % users.length],
        })
        const fields = {
          grant_type: 'authorization_code',
          client_id: client.id,
          redirect_uri: redirectUri,
          code,
        }
        return String(new URLSearchParams({ ...fields, code_verifier: codeVerifier }))
      })
      return tokenRequests('/token', form, bodies)
    },
    refresh({ count }) {
      const asked = `grant_type=refresh_token&client_id=${client.id}&refresh_token=`
      const bodies = Array.from({ length: count }, (_none, i) => {
        const refreshToken = randomBytes(32).toString('base64url')
        refreshTokens.set(refreshToken, {
          refreshToken,
          scope: ['chat'],
          client,
          user: users[i % users.length],
        })
        return asked + refreshToken
      })
      return tokenRequests('/token', form, bodies)
    },
  }
  return { listener: app, prepare: (input) => prepare[input.kind](input) }
}

function makeModel(key, codes, refreshTokens) {
  return {
    getClient: async (id) => (id === client.id ? client : null),
    getAuthorizationCode: async (code) => codes.get(code) ?? null,
    revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
    getRefreshToken: async (token) => refreshTokens.get(token) ?? null,
    revokeToken: async ({ refreshToken }) => refreshTokens.delete(refreshToken),
    validateScope: async (_user, _client, scope) => scope,
    generateAccessToken: (_client, user) => signAccessToken(key, user.id, 600),
    generateRefreshToken: async () => randomBytes(32).toString('base64url'),
    async saveToken(token, savedClient, user) {
      const saved = { ...token, client: savedClient, user }
      refreshTokens.set(token.refreshToken, saved)
      return saved
    },
  }
}
