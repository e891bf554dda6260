import type { ServerResponse } from 'node:http'

/** A JSON answer on its way out. */
export interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** A 200 with this body. */
export function ok(body: object): Answer {
  return { status: 200, body }
}

/**
 * What every answer carries. Not `res.json`: clients of this family compare the content type as a string, and Express adds a charset.
 * `no-store` because every answer either holds a credential or tells about one (RFC 6749 §5.1).
 */
export const commonHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
})

/** Writes an answer. */
export function writeAnswer(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  // Something of the host's was faster, such as a timeout of its own.
  if (response.headersSent) return
  const text = JSON.stringify(body)
  response.statusCode = status
  response.removeHeader('X-Powered-By')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  for (const [name, value] of Object.entries({ ...commonHeaders, ...headers })) response.setHeader(name, value)
  response.end(text)
}
