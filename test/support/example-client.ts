// What a client of the example does.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Headers that say who one is. */
export type Credentials = Record<string, string>

/** One request, with its answer read to the end. */
export async function request(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Credentials = {},
) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...init,
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json')
    ? JSON.parse(text)
    : undefined
  return { status: response.status, headers: response.headers, text, json }
}

/** Signs in with a password. */
export async function signIn(url: string, body: object): Promise<Credentials> {
  const { status, json, text } = await request(url, 'POST', '/api/v1/login', body)
  if (status !== 200) throw new Error(`login answered ${status}: ${text}`)
  return { 'X-User-Id': json.data.userId, 'X-Auth-Token': json.data.authToken }
}

/** A code for another device, and what it takes to exchange it. */
export async function issueCode(url: string, first: Credentials) {
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const asked = await request(url, 'POST', '/api/v1/auth/pkce/authorize', { codeChallenge }, first)
  return { authorizationCode: asked.json.data.authorizationCode as string, codeVerifier }
}

/** A second device: signed in by a code that the first one asked for. */
export async function signInSecondDevice(url: string, first: Credentials) {
  const { status, json, text } = await request(
    url,
    'POST',
    '/api/v1/auth/pkce/token',
    await issueCode(url, first),
  )
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${text}`)
  return json as { access_token: string; refresh_token: string }
}

/** Spends a refresh token. */
export function refresh(url: string, refreshToken: string) {
  return request(url, 'POST', '/api/v1/auth/refresh', { refreshToken })
}

/** Credentials of an access token. */
export function bearer(token: string): Credentials {
  return { Authorization: `Bearer ${token}` }
}

/** The code with which a socket is closed. */
export function closeCode(socket: WebSocket): Promise<number> {
  return once(socket, 'close').then(([code]) => code as number)
}

/** Opens `/ws`. */
export async function openSocket(url: string, headers: Credentials): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers })
  await once(socket, 'open')
  return socket
}
