import { createHash, randomBytes } from 'node:crypto'
import supertest, { type Response } from 'supertest'
import { password, type TestHost } from './host.js'

/** Posts JSON. */
export function post(host: TestHost, path: string, body?: object, headers: Record<string, string> = {}) {
  const request = supertest(host.url).post(path).set(headers)
  return body === undefined ? request : request.set('Content-Type', 'application/json').send(JSON.stringify(body))
}

/** Gets. */
export function get(host: TestHost, path: string, headers: Record<string, string> = {}) {
  return supertest(host.url).get(path).set(headers)
}

/** `Authorization: Bearer`. */
export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` }
}

/** Logs alice in, or whoever is named, and returns what the client was given. */
export async function logIn(host: TestHost, body: object = { username: 'alice', password }) {
  const response = await post(host, '/login', body)
  if (response.status !== 200) throw new Error(`login answered ${response.status}: ${response.text}`)
  return response.body.data as { userId: string; authToken: string; me: Record<string, unknown> }
}

/** A verifier and its challenge, RFC 7636 §4. */
export function pkcePair(): { codeVerifier: string; codeChallenge: string } {
  const codeVerifier = randomBytes(32).toString('base64url')
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') }
}

/** Obtains a code for the holder of a token. */
export async function obtainCode(host: TestHost, authToken: string) {
  const pair = pkcePair()
  const response = await post(host, '/auth/pkce/authorize', { codeChallenge: pair.codeChallenge }, bearer(authToken))
  if (response.status !== 200) throw new Error(`authorize answered ${response.status}: ${response.text}`)
  return { ...pair, authorizationCode: response.body.data.authorizationCode as string }
}

/** What every answer of this interface has in common: see the wire, section 0. */
export function headersOf(response: Response) {
  const { date: _date, 'content-length': _length, connection: _connection, 'keep-alive': _keep, ...rest } = response.headers
  return rest
}
