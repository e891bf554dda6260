// A client that knows nothing but the documents.
import { io, type Socket } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

/** What a server answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The JSON, or undefined where it was none. */
  readonly json: Readonly<Record<string, unknown>> | undefined
  readonly text: string
}

/** What a login gives. */
export interface Tokens {
  readonly userId: string
  readonly authToken: string
  readonly refreshToken: string
}

/** Every token that a host has given in this file. */
export const issued: Set<string> = new Set()

/** A request; `body` is sent as JSON. */
export async function send(
  method: string,
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const typed = body === undefined ? headers : { 'Content-Type': 'application/json', ...headers }
  const response = await fetch(url, {
    method,
    headers: typed,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: jsonOf(text), text }
}

function jsonOf(text: string): Answer['json'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

export const get = (url: string, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  send('GET', url, undefined, headers)

export const bearer = (token: string): { Authorization: string } => ({
  Authorization: `Bearer ${token}`,
})

/** Signs in over HTTP; `api` is where the router is mounted. */
export async function signIn(api: string, credentials: object): Promise<Tokens> {
  const answer = await send('POST', `${api}/login`, { ...credentials, tokens: 'refreshable' })
  if (answer.status !== 200) throw new Error(`login answered ${answer.status}: ${answer.text}`)
  const tokens = answer.json?.['data'] as Tokens
  issued.add(tokens.authToken).add(tokens.refreshToken)
  return tokens
}

/** The next pair of a refresh token. */
export async function refresh(api: string, refreshToken: string): Promise<Omit<Tokens, 'userId'>> {
  const answer = await send('POST', `${api}/auth/refresh`, { refreshToken })
  if (answer.status !== 200) throw new Error(`refresh answered ${answer.status}: ${answer.text}`)
  const { access_token, refresh_token } = answer.json ?? {}
  const tokens = { authToken: String(access_token), refreshToken: String(refresh_token) }
  issued.add(tokens.authToken).add(tokens.refreshToken)
  return tokens
}

export const signOut = (api: string, token: string): Promise<Answer> =>
  send('POST', `${api}/logout`, {}, bearer(token))

/** An open WebSocket, and the code that it is closed with. */
export interface OpenSocket {
  readonly first: Promise<string>
  readonly closed: Promise<number>
  readonly socket: WebSocket
}

/** Opens a WebSocket with a token; rejects where it is refused. */
export async function openSocket(url: string, token?: string): Promise<OpenSocket> {
  const headers = token === undefined ? {} : bearer(token)
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  const first = new Promise<string>((resolve) => {
    socket.once('message', (data) => resolve(String(data)))
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.on('error', reject)
  })
  return { first, closed, socket }
}

/** A Socket.IO connection of its own, to the namespace at the end of the URL. */
export function openSocketIo(url: string, token?: string): Socket {
  const auth = token === undefined ? {} : { token }
  const client = io(url, { forceNew: true, reconnection: false, auth })
  onTestFinished(() => void client.disconnect())
  return client
}

/** The first value of an event. */
export function next<T = unknown>(client: Socket, event: string): Promise<T> {
  return new Promise((resolve) => client.once(event, resolve))
}
