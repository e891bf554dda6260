// This package, as it was built, with the option `oauth`: codes of its authorization endpoint and
// codes of `/auth/pkce`, at one server. Its throttle is on; there are so many users that none
// reaches a limit.
import { randomBytes } from 'node:crypto'
import express from 'express'
import {
  createAuthRouter,
  generateClientSecret,
  generateSigningKey,
  joseSigner,
} from '../../../dist/index.js'
import { memoryOAuthStores, memoryStores } from '../../../dist/stores/memory.js'
import { openConnection, requestBytes } from '../load/connection.mjs'
import { requireAnswer } from '../load/expect.mjs'
import {
  audience,
  basicForm,
  bearer,
  issuer,
  json,
  makePkce,
  makeUsers,
  tokenRequests,
} from './fixtures.mjs'

const clientId = 'app'
const redirectUri = 'https://app.example.com/done'
const base = '/api/v1'
const ownPage = { 'Sec-Fetch-Site': 'same-origin', Origin: issuer }
const fromTheApp = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}
const withCode = { status: 303, location: `${redirectUri}?code=mar_oc_` }

export async function start() {
  const { users, byName, byId } = makeUsers(6000)
  const { codes, sessions } = memoryStores()
  const { consents, once } = memoryOAuthStores()
  const { secret, hash } = generateClientSecret()
  const client = {
    id: clientId,
    name: 'An app',
    type: 'web',
    firstParty: true,
    redirectUris: [redirectUri],
    scopes: ['openid', 'chat'],
    secretHashes: [hash],
    refreshTokens: 'always',
  }
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async ({ value }) => byName.get(value) ?? null,
      findById: async (id) => byId.get(id) ?? null,
    },
    codes,
    sessions,
    signer: joseSigner({ issuer, audience, keys: [await generateSigningKey('ES256')] }),
    encryptionKeys: [randomBytes(32).toString('base64')],
    pagesOrigin: issuer,
    oauth: {
      baseUrl: `${issuer}${base}`,
      clients: [client],
      consents,
      once,
      scopes: { chat: 'Chat' },
    },
  })
  const app = express().use(base, auth)
  app.post('/sign-in/:userId', (request, response, next) => {
    const { userId } = request.params
    auth.cookie.open(request, response, { userId }).then(() => response.end(), next)
  })

  // Each user has one browser, and all take their turns over all that is prepared.
  const browsers = new Map()
  let turn = 0
  async function nextBrowser(connection) {
    const user = users[turn++ % users.length]
    const known = browsers.get(user)
    if (known !== undefined) return known
    const path = `/sign-in/${user.id}`
    const { status, head } = await connection.send(
      requestBytes({ method: 'POST', path, headers: ownPage }),
    )
    const [, Cookie] = /\r\nset-cookie: *([^;\r]+)/i.exec(head) ?? []
    if (Cookie === undefined) throw new Error(`a sign-in was answered ${status} without a cookie`)
    browsers.set(user, Cookie)
    return Cookie
  }

  async function nextAuthorization(connection, scope) {
    const Cookie = await nextBrowser(connection)
    const { codeVerifier, codeChallenge } = makePkce()
    const asked = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      state: codeChallenge,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    })
    const path = `${base}/oauth/authorize?${asked}`
    return { request: { method: 'GET', path, headers: { ...fromTheApp, Cookie } }, codeVerifier }
  }

  async function nextCode(connection, scope) {
    const { request, codeVerifier } = await nextAuthorization(connection, scope)
    const answer = await connection.send(requestBytes(request))
    requireAnswer(answer, withCode, 'an authorization')
    const [, code] = /[?]code=([\w-]+)/.exec(answer.head)
    return String(
      new URLSearchParams({
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code,
        code_verifier: codeVerifier,
      }),
    )
  }

  async function nextOwnCode() {
    const { codeVerifier, codeChallenge } = makePkce()
    const { authorizationCode } = await auth.issueAuthorizationCode({
      userId: users[turn++ % users.length].id,
      codeChallenge,
    })
    return JSON.stringify({ authorizationCode, codeVerifier })
  }

  async function exchangeOwnCode(connection) {
    const path = `${base}/auth/pkce/token`
    const userId = users[turn % users.length].id
    const body = await nextOwnCode()
    const answer = await connection.send(
      requestBytes({ method: 'POST', path, headers: json, body }),
    )
    return bearer(userId, JSON.parse(answer.body).access_token)
  }

  const codesOf = (scope, idToken) => async (count, connection) => {
    const bodies = await repeat(count, () => nextCode(connection, scope))
    return tokenRequests(`${base}/oauth/token`, basicForm(clientId, secret), bodies, { idToken })
  }
  const prepare = {
    openid: codesOf('openid chat', true),
    plain: codesOf('chat', false),
    pkce: async (count) =>
      tokenRequests(`${base}/auth/pkce/token`, json, await repeat(count, nextOwnCode)),
    async authorize(count, connection) {
      const asked = await repeat(count, () => nextAuthorization(connection, 'openid chat'))
      return {
        requests: asked.map(({ request }) => request),
        expected: asked.map(() => withCode),
      }
    },
    async me(count, connection) {
      const signedIn = await repeat(100, () => exchangeOwnCode(connection))
      const which = Array.from({ length: count }, (_none, i) => signedIn[i % signedIn.length])
      return {
        requests: which.map(({ headers }) => ({ method: 'GET', path: `${base}/me`, headers })),
        expected: which.map(({ userId }) => ({ status: 200, holds: `"_id":"${userId}"` })),
      }
    },
  }
  return {
    listener: app,
    async prepare({ kind, count }, port) {
      const connection = await openConnection(port)
      try {
        return await prepare[kind](count, connection)
      } finally {
        connection.close()
      }
    },
  }
}

async function repeat(count, make) {
  const made = []
  for (let i = 0; i < count; i += 1) made.push(await make())
  return made
}
