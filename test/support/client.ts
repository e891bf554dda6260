import { createHash, randomBytes } from 'node:crypto'
import supertest, { type Response } from 'supertest'
import { password, type TestHost } from './host.js'

const secretFields = [
  'authToken',
  'access_token',
  'refresh_token',
  'authorizationCode',
  'ticket',
  'token',
  'secret',
  'recoveryCodes',
]

// What a client was given is looked for in the log when the test ends: see startHost.
function remember(host: TestHost, { body }: Response): void {
  const { data } = (body ?? {}) as { data?: object }
  const fields = Object.entries({ ...body, ...data }).filter(([name]) =>
    secretFields.includes(name),
  )
  for (const value of fields.flatMap(([, value]) => value))
    if (typeof value === 'string') host.issued.add(value)
}

/** Posts JSON. */
export function post(
  host: TestHost,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const request = supertest(host.url)
    .post(path)
    .set(headers)
    .expect((response) => remember(host, response))
  return body === undefined
    ? request
    : request.set('Content-Type', 'application/json').send(JSON.stringify(body))
}

/** Gets. */
export function get(host: TestHost, path: string, headers: Record<string, string> = {}) {
  return supertest(host.url).get(path).set(headers)
}

/** Deletes. */
export function remove(host: TestHost, path: string, headers: Record<string, string> = {}) {
  return supertest(host.url).delete(path).set(headers)
}

/** `Authorization: Bearer`. */
export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` }
}

/** Logs alice in, or whoever is named, and returns what the client was given. */
export async function logIn(host: TestHost, body: object = { username: 'alice', password }) {
  const response = await post(host, '/login', body)
  if (response.status !== 200)
    throw new Error(`login answered ${response.status}: ${response.text}`)
  return response.body.data as { userId: string; authToken: string; me: Record<string, unknown> }
}

/** A verifier and its challenge, RFC 7636 §4. */
export function pkcePair(): { codeVerifier: string; codeChallenge: string } {
  const codeVerifier = randomBytes(32).toString('base64url')
  return {
    codeVerifier,
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
  }
}

/** Obtains a code for the holder of a token. */
export async function obtainCode(host: TestHost, authToken: string) {
  const pair = pkcePair()
  const response = await post(
    host,
    '/auth/pkce/authorize',
    { codeChallenge: pair.codeChallenge },
    bearer(authToken),
  )
  if (response.status !== 200)
    throw new Error(`authorize answered ${response.status}: ${response.text}`)
  return { ...pair, authorizationCode: response.body.data.authorizationCode as string }
}

/** What every answer of this interface has in common: not what differs from request to request. */
export function headersOf(response: Response) {
  const {
    date: _date,
    'x-request-id': _requestId,
    'content-length': _length,
    connection: _connection,
    'keep-alive': _keep,
    ...rest
  } = response.headers
  return rest
}

/** The same without how many refusals are left and for how long, which each answer tells anew. */
export function uncountedHeadersOf(response: Response) {
  const {
    'ratelimit-remaining': _remaining,
    'ratelimit-reset': _reset,
    ...rest
  } = headersOf(response)
  return rest
}

/** How many refusals the network has left. */
export function remainingOf(response: Response): number {
  return Number(response.headers['ratelimit-remaining'])
}
