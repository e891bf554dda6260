import type { IncomingMessage } from 'node:http'
import { invalidRequest, notSignedIn } from '../errors.js'

/** A token as the client sent it; `userId` is who the client says it belongs to, where it says so. */
export interface PresentedCredentials {
  readonly token: string
  readonly userId: string | null
}

/**
 * Finds the token in `Authorization: Bearer`, or in `X-Auth-Token` together with `X-User-Id`. Nothing else is ever read: not
 * the URL, not the body, not a cookie (RFC 6750 §5.3). Null when there is none, or one of another scheme.
 *
 * Throws 401 for credentials that are none, and 400 when a header is repeated or both schemes are used at once: two parts of a system could pick different ones.
 */
export function readCredentials(request: IncomingMessage): PresentedCredentials | null {
  const authorization = singleHeader(request, 'authorization')
  const token = singleHeader(request, 'x-auth-token')
  const userId = singleHeader(request, 'x-user-id')
  if (authorization !== null && (token !== null || userId !== null)) {
    throw invalidRequest([{ path: 'Authorization', message: 'Send either Authorization or X-Auth-Token, not both.' }])
  }
  if (authorization !== null) return bearerToken(authorization)
  if (token === null && userId === null) return null
  if (token === null || userId === null) throw notSignedIn('X-Auth-Token and X-User-Id go together')
  return { token, userId }
}

/** The value of a header that may occur once; null when absent. Throws 400 when it is repeated. */
export function singleHeader(request: IncomingMessage, name: string): string | null {
  const values = distinctValues(request, name)
  if (values.length > 1) throw invalidRequest([{ path: name, message: 'This header may be sent only once.' }])
  return values[0] ?? null
}

// The token68 grammar of RFC 6750 §2.1. The scheme's name is case-insensitive (RFC 9110 §11.1).
function bearerToken(authorization: string): PresentedCredentials | null {
  if (!/^bearer\b/i.test(authorization)) return null
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization)?.[1]
  if (token === undefined) throw notSignedIn('Bearer without a token')
  return { token, userId: null }
}

// `headers` would join the repeated ones, or silently keep the first. `headersDistinct` would tell them apart as well, but is put together
// from every header of the request, and for nothing else.
function distinctValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request
  // Requests of frameworks that imitate Node's may have no raw headers.
  if (rawHeaders === undefined || rawHeaders.length === 0) {
    return request.headersDistinct?.[name] ?? [request.headers[name] ?? []].flat()
  }
  const values: string[] = []
  for (let at = 1; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at - 1] as string
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[at] as string)
  }
  return values
}
