import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody, maxBodyBytes } from './body.js'
import type { BrowserCookie } from './cookies.js'
import { requestIdOf } from './request-id.js'

/** A JSON answer on its way out. */
export interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that is no JSON: a page, a file or a redirect. Its headers say what it is. */
export interface TextAnswer {
  readonly status: number
  readonly text: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  /** What the browser is to keep or to forget. Default: nothing. */
  readonly cookies?: readonly CookieChange[]
}

/** A 204. */
export interface NoContentAnswer {
  readonly status: 204
  /** What the browser is to keep or to forget; null: nothing new. */
  readonly cookie: CookieChange | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The cookie of a page, on its way to a browser. */
export interface KeptCookie {
  readonly of: Pick<BrowserCookie, 'keep'>
  readonly value: string
  /** Seconds; null: until the browser is closed. */
  readonly maxAge: number | null
}

/** A cookie that a browser is to keep, or with the value null, to forget. */
export type CookieChange =
  | KeptCookie
  | { readonly of: Pick<BrowserCookie, 'forget'>; readonly value: null }

/** What an endpoint may answer. */
export type AnyAnswer = Answer | TextAnswer | NoContentAnswer

/** A 200. */
export function ok(body: object): Answer {
  return { status: 200, body }
}

/**
 * What every answer carries. Not `res.json`: clients of this family compare the content type as a
 * string, and Express adds a charset. `no-store` because every answer either holds a credential or
 * tells about one (RFC 6749 §5.1).
 */
export const commonHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
})

const commonHeaderPairs = Object.entries(commonHeaders)

/** Writes an answer. Its own headers replace the common ones. */
export function writeAnswer(response: ServerResponse, answer: AnyAnswer): void {
  // The host has answered first, for example by a timeout of its own.
  if (response.headersSent) return
  const { status, headers } = answer
  const text = textOf(answer)
  response.statusCode = status
  response.removeHeader('X-Powered-By')
  nameRequest(response)
  for (const [name, value] of commonHeaderPairs) response.setHeader(name, value)
  if (headers !== undefined)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (text !== null) response.setHeader('Content-Length', Buffer.byteLength(text))
  // RFC 9110 §8.6: a 204 has no length, and so no type either.
  else response.removeHeader('Content-Type')
  for (const change of cookiesOf(answer)) {
    if (change.value === null) change.of.forget(response)
    else change.of.keep(response, change.value, change.maxAge)
  }
  if (isStillSending(response.req)) response.setHeader('Connection', 'close')
  response.end(text)
}

// So that what a user reports can be found in the log.
function nameRequest(response: ServerResponse): void {
  const requestId = requestIdOf(response.req)
  if (requestId !== undefined) response.setHeader('X-Request-Id', requestId)
}

function textOf(answer: AnyAnswer): string | Buffer | null {
  if (has(answer, 'body')) return JSON.stringify(answer.body)
  return has(answer, 'text') ? answer.text : null
}

function cookiesOf(answer: AnyAnswer): readonly CookieChange[] {
  if (has(answer, 'body')) return []
  if (has(answer, 'cookies')) return answer.cookies ?? []
  return has(answer, 'cookie') && answer.cookie !== null ? [answer.cookie] : []
}

// Its own: another must not find that of a polluted `Object.prototype`.
function has<Name extends 'text' | 'body' | 'cookie' | 'cookies'>(
  answer: AnyAnswer,
  name: Name,
): answer is Extract<AnyAnswer, { readonly [Key in Name]?: unknown }> {
  return Object.hasOwn(answer, name)
}

// What was not read, Node reads and drops, for as long as it comes. A body that is short by its own
// account may end first: closing while it is on its way could lose the client this answer.
function isStillSending(request: IncomingMessage | undefined): boolean {
  if (request === undefined || request.complete || !hasBody(request)) return false
  return !(Number(request.headers['content-length'] ?? Number.NaN) <= maxBodyBytes)
}
