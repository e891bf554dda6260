// This package, as it was built, with the options of its first example. Its throttle is on; each
// client has an address of its own.
import { randomBytes } from 'node:crypto'
import express from 'express'
import {
  bcryptHasher,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
} from '../../../dist/index.js'
import { memoryOAuthStores, memoryStores } from '../../../dist/stores/memory.js'
import {
  addRooms,
  audience,
  bearer,
  guardedRequests,
  issuer,
  json,
  loginRequests,
  makePkce,
  makeUsers,
  tokenRequests,
} from './fixtures.mjs'

const pagesOrigin = 'http://localhost:3000'
const ownPage = {
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
}

const refreshing = (refreshToken) => JSON.stringify({ refreshToken })

/** With `oauth` a refusal says where tokens are to be had. Who is not refused pays nothing. */
function withChallenges() {
  const { consents, once } = memoryOAuthStores()
  return {
    encryptionKeys: [randomBytes(32).toString('base64')],
    oauth: { baseUrl: `${issuer}/api/v1`, clients: [], consents, once, scopes: {} },
  }
}

export async function start({ cost, userCount = 1000, byCookie = false, challenges = false }) {
  const { users, byName, byId } = makeUsers(userCount, cost)
  const { codes, sessions } = memoryStores()
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async ({ value }) => byName.get(value) ?? null,
      findById: async (id) => byId.get(id) ?? null,
    },
    codes,
    sessions,
    signer: joseSigner({ issuer, audience, keys: [await generateSigningKey('ES256')] }),
    ...(cost === undefined ? {} : { passwords: bcryptHasher({ cost }) }),
    ...(byCookie ? { pagesOrigin } : {}),
    ...(challenges ? withChallenges() : {}),
  })
  const app = express().set('trust proxy', 'loopback').use('/api/v1', auth)
  addRooms(
    app,
    auth.requireAuth({ from: byCookie ? 'cookie' : 'headers' }),
    ({ auth: { userId } }) => userId,
  )
  app.post('/sign-in/:userId', (request, response, next) => {
    const { userId } = request.params
    auth.cookie.open(request, response, { userId }).then(() => response.end(), next)
  })

  // What the browser of a page sends: the cookie, and where the request comes from.
  async function signIn(userId, port) {
    const { headers } = await fetch(`http://127.0.0.1:${port}/sign-in/${userId}`, {
      method: 'POST',
      headers: ownPage,
    })
    const Cookie = headers.getSetCookie()[0].split(';')[0]
    return { userId, headers: { ...ownPage, Cookie } }
  }

  async function makeCodes(count) {
    const bodies = []
    for (let i = 0; i < count; i += 1) {
      const { codeVerifier, codeChallenge } = makePkce()
      const { authorizationCode } = await auth.issueAuthorizationCode({
        userId: users[i % users.length].id,
        codeChallenge,
      })
      bodies.push(JSON.stringify({ authorizationCode, codeVerifier }))
    }
    return bodies
  }

  async function ask(path, body, port) {
    const url = `http://127.0.0.1:${port}/api/v1${path}`
    const response = await fetch(url, { method: 'POST', headers: json, body })
    if (response.status !== 200)
      throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
    return response.json()
  }

  const prepare = {
    logins: (input) =>
      loginRequests(input, users, {
        path: '/api/v1/login',
        field: ({ username }) => ({ username }),
        expect: ({ id }) => `"userId":"${id}","authToken":"eyJ`,
      }),
    async guarded({ count }, port) {
      if (byCookie)
        return guardedRequests(
          await Promise.all(users.slice(0, count).map(({ id }) => signIn(id, port))),
        )
      const bodies = await makeCodes(count)
      const tokens = await Promise.all(bodies.map((body) => ask('/auth/pkce/token', body, port)))
      return guardedRequests(
        tokens.map(({ access_token }, i) => bearer(users[i % users.length].id, access_token)),
      )
    },
    async guardedByName({ count }) {
      const owners = Array.from({ length: count }, (_none, i) => users[i % users.length].id)
      const made = await Promise.all(
        owners.map((userId) => auth.namedTokens.create({ userId, name: 'bot' })),
      )
      return guardedRequests(made.map(({ token }, i) => bearer(owners[i], token)))
    },
    codes: async ({ count }) =>
      tokenRequests('/api/v1/auth/pkce/token', json, await makeCodes(count)),
    // After a first refresh, which leaves a spent token behind, as in most sessions there is one.
    async refresh({ count }, port) {
      const bodies = []
      for (const body of await makeCodes(count)) {
        const { refresh_token: first } = await ask('/auth/pkce/token', body, port)
        const { refresh_token } = await ask('/auth/refresh', refreshing(first), port)
        bodies.push(refreshing(refresh_token))
      }
      return tokenRequests('/api/v1/auth/refresh', json, bodies)
    },
  }
  return { listener: app, prepare: (input, port) => prepare[input.kind](input, port) }
}
