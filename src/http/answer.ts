import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody, maxBodyBytes } from './body.js'
import type { BrowserCookie } from './cookies.js'
import { requestIdOf } from './request-context.js'

/** A JSON answer. */
export interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer other than JSON: a page, a file or a redirect. Its headers tell the type. */
export interface TextAnswer {
  readonly status: number
  readonly text: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  /** Cookies to set or delete. Default: none. */
  readonly cookies?: readonly CookieChange[]
}

/** A 204. */
export interface NoContentAnswer {
  readonly status: 204
  /** The cookie to set or delete; null: none. */
  readonly cookie: CookieChange | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A cookie to set. */
export interface KeptCookie {
  readonly of: Pick<BrowserCookie, 'keep'>
  readonly value: string
  /** Seconds; null: until the browser is closed. */
  readonly maxAge: number | null
}

/** A cookie to set, or with the value null, to delete. */
export type CookieChange =
  | KeptCookie
  | { readonly of: Pick<BrowserCookie, 'forget'>; readonly value: null }

/** Any answer of an endpoint. */
export type AnyAnswer = Answer | TextAnswer | NoContentAnswer

/** A 200. */
export function ok(body: object): Answer {
  return { status: 200, body }
}

/**
 * Headers of every answer. The answer does not use `res.json`, which adds a charset: some clients
 * compare the content type as a string. `no-store`, since every answer contains a credential or
 * information about one (RFC 6749 §5.1).
 */
export const commonHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
})

const commonHeaderPairs = Object.entries(commonHeaders)

/** Writes an answer. Its headers replace the common ones. */
export function writeAnswer(response: ServerResponse, answer: AnyAnswer): void {
  // The host may have answered already, by its own timeout for example.
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
  // RFC 9110 §8.6: a 204 has no content.
  else response.removeHeader('Content-Type')
  for (const change of cookiesOf(answer)) {
    if (change.value === null) change.of.forget(response)
    else change.of.keep(response, change.value, change.maxAge)
  }
  if (isStillSending(response.req)) response.setHeader('Connection', 'close')
  response.end(text)
}

// With the id, a report of a user can be found in the log.
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

// Own members only: a polluted `Object.prototype` must not add one.
function has<Name extends 'text' | 'body' | 'cookie' | 'cookies'>(
  answer: AnyAnswer,
  name: Name,
): answer is Extract<AnyAnswer, { readonly [Key in Name]?: unknown }> {
  return Object.hasOwn(answer, name)
}

// Node reads and drops an unread body, however long. A body with a small Content-Length may end
// first: closing during its transfer could cost the client this answer.
function isStillSending(request: IncomingMessage | undefined): boolean {
  if (request === undefined || request.complete || !hasBody(request)) return false
  return !(Number(request.headers['content-length'] ?? Number.NaN) <= maxBodyBytes)
}
