// What all contestants have in common: the users, the key type of their tokens, the requests of
// their clients.
import { createHash, randomBytes } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const issuer = 'https://chat.example.com'
export const audience = 'chat'
export const password = 'correct horse battery staple'
export const json = { 'Content-Type': 'application/json' }

/** So many users with one password, hashed at one cost; found by name and by id. */
export function makeUsers(count, cost) {
  const passwordHash = cost === undefined ? null : bcrypt.hashSync(password, cost)
  const users = Array.from({ length: count }, (_none, i) => ({
    id: `u-${i}`,
    username: `user${i}`,
    name: `User ${i}`,
    passwordHash,
  }))
  const byName = new Map(users.map((user) => [user.username, user]))
  const byId = new Map(users.map((user) => [user.id, user]))
  return { users, byName, byId }
}

/** A P-256 key in every form that a library likes best. */
export async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    privateKey,
    publicKey,
    privateJwk: await exportJWK(privateKey),
    publicJwk: await exportJWK(publicKey),
    kid: 'k1',
  }
}

/** Signs what our own access tokens say, with jose and a CryptoKey. */
export function signAccessToken({ privateKey, kid }, userId, lifetime = 3600) {
  const iat = Math.floor(Date.now() / 1000)
  const fixed = {
    sid: randomBytes(16).toString('base64url'),
    auth_time: iat,
    amr: ['pwd'],
    scope: '*',
    client_id: audience,
  }
  return new SignJWT({
    ...fixed,
    sub: userId,
    iat,
    exp: iat + lifetime,
    jti: randomBytes(16).toString('base64url'),
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .sign(privateKey)
}

/** Adds the guarded route, and beside it the same one behind a guard that lets everybody in. */
export function addRooms(app, guard, userOf) {
  app.get('/rooms', guard, (request, response) => response.json({ user: userOf(request) }))
  app.get(
    '/open',
    (_request, _response, next) => next(),
    (_request, response) => response.json({ user: 'u-0' }),
  )
}

/** Requests of the guarded route, whose answer is `{"user": …}`, one for each of the tokens. */
export function guardedRequests(tokens) {
  return {
    requests: tokens.map(({ headers }) => ({ method: 'GET', path: '/rooms', headers })),
    expected: tokens.map(({ userId }) => ({
      status: 200,
      exact: JSON.stringify({ user: userId }),
    })),
  }
}

/** The same requests for the open route. */
export function openRequests({ requests }) {
  return {
    requests: requests.map((request) => ({ ...request, path: '/open' })),
    expected: requests.map(() => ({ status: 200, exact: '{"user":"u-0"}' })),
  }
}

export const bearer = (userId, token) => ({ userId, headers: { Authorization: `Bearer ${token}` } })

/** Logins of the users in turn, by clients that each have an address of their own. */
export function loginRequests({ count, clients }, users, { path, field, expect }) {
  const of = (i) => users[i % users.length]
  const from = (i) => `10.1.${Math.floor((i % clients) / 250)}.${1 + (i % clients)}`
  return {
    requests: Array.from({ length: count }, (_none, i) => ({
      method: 'POST',
      path,
      headers: { ...json, Origin: 'http://127.0.0.1', 'X-Forwarded-For': from(i) },
      body: JSON.stringify({ ...field(of(i)), password }),
    })),
    expected: Array.from({ length: count }, (_none, i) => ({ status: 200, holds: expect(of(i)) })),
  }
}

/** A verifier and its challenge, RFC 7636 §4. */
export function makePkce() {
  const codeVerifier = randomBytes(32).toString('base64url')
  return {
    codeVerifier,
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
  }
}

/** Requests for tokens, each of them expected to bring some, with an ID Token or without. */
export function tokenRequests(path, headers, bodies, { idToken = false } = {}) {
  return {
    requests: bodies.map((body) => ({ method: 'POST', path, headers, body })),
    expected: bodies.map(() => ({ status: 200, tokens: true, idToken })),
  }
}

/** Headers of a form of a client that shows its secret by `client_secret_basic`. */
export function basicForm(clientId, secret) {
  const both = Buffer.from(`${clientId}:${secret}`).toString('base64')
  return { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: `Basic ${both}` }
}
