import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody, maxBodyBytes } from './body.js'

/** A JSON answer on its way out. */
export interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that is no JSON: a page, or a redirect. Its headers say what it is. */
export interface TextAnswer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

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
export function writeAnswer(response: ServerResponse, answer: Answer | TextAnswer): void {
  // The host has answered first, for example by a timeout of its own.
  if (response.headersSent) return
  const { status, headers } = answer
  const text = isText(answer) ? answer.text : JSON.stringify(answer.body)
  response.statusCode = status
  response.removeHeader('X-Powered-By')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  for (const [name, value] of commonHeaderPairs) response.setHeader(name, value)
  if (headers !== undefined)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (isStillSending(response.req)) response.setHeader('Connection', 'close')
  response.end(text)
}

// Its own: another must not find that of a polluted `Object.prototype`.
function isText(answer: Answer | TextAnswer): answer is TextAnswer {
  return Object.hasOwn(answer, 'text')
}

// What was not read, Node reads and drops, for as long as it comes. A body that is short by its own
// account may end first: closing while it is on its way could lose the client this answer.
function isStillSending(request: IncomingMessage | undefined): boolean {
  if (request === undefined || request.complete || !hasBody(request)) return false
  return !(Number(request.headers['content-length'] ?? Number.NaN) <= maxBodyBytes)
}
