import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { invalidRequest, notSignedIn } from '../errors.js'

/** What a client shows to say who it is. */
export interface PresentedCredentials {
  /**
   * How it was sent. What is good as one is not good as the other: a script that reads a token
   * must not be able to make a cookie of it, nor a page that sends a cookie a token.
   */
  readonly sentAs: 'token' | 'cookie'
  /** The text as it was sent. */
  readonly token: string
  /** Who the client says it belongs to, where it says so. */
  readonly userId: string | null
}

/** The headers of the password sign-in, and the names that OpenAPI has for them. */
export const tokenHeaders = {
  userId: {
    name: 'X-User-Id',
    description: 'The `userId` of the login; together with `X-Auth-Token`.',
  },
  authToken: {
    name: 'X-Auth-Token',
    description: 'An `authToken` or an `access_token`; together with `X-User-Id`.',
  },
} as const

/**
 * The only headers that are read for credentials. CORS and OpenAPI take them from here, so that a
 * further one is added in this file alone.
 */
export const credentialHeaders: readonly string[] = [
  'Authorization',
  tokenHeaders.authToken.name,
  tokenHeaders.userId.name,
]

const credentialNames = credentialHeaders.map((name) => name.toLowerCase())

/** Finds the credentials of a request; null when there are none. Throws 400 and 401. */
export type ReadCredentials = (request: IncomingMessage) => PresentedCredentials | null

/**
 * Finds the token in `Authorization: Bearer`, or in `X-Auth-Token` together with `X-User-Id`.
 * Nothing else is ever read: not the URL, not the body, not a cookie (RFC 6750 §5.3). Null when
 * there is none, or one of another scheme.
 *
 * Throws 401 for credentials that are none, and 400 when a header is repeated or both schemes are
 * used at once: two parts of a system could pick different ones.
 */
export function readCredentials(request: IncomingMessage): PresentedCredentials | null {
  const [authorization = null, token = null, userId = null] = singleHeaders(
    request,
    credentialNames,
  )
  if (authorization !== null && (token !== null || userId !== null)) {
    throw invalidRequest([
      { path: 'Authorization', message: 'Send either Authorization or X-Auth-Token, not both.' },
    ])
  }
  if (authorization !== null) return bearerToken(authorization)
  if (token === null && userId === null) return null
  if (token === null || userId === null) throw notSignedIn('X-Auth-Token and X-User-Id go together')
  return { sentAs: 'token', token, userId: asText(userId) }
}

// Node makes a character of each byte of a header. An id outside of ASCII comes as UTF-8, or from a
// client that knows Latin-1 only as that; the token says whose it is in either case.
function asText(header: string): string {
  if (!/[\u0080-\u00ff]/.test(header) || /[^\0-\u00ff]/.test(header)) return header
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

/** The value of a header that may occur once; null when absent. Throws 400 when it is repeated. */
export function singleHeader(request: IncomingMessage, name: string): string | null {
  return singleHeaders(request, [name])[0] ?? null
}

/**
 * The values of the headers with these names, given in lower case. Throws 400 for one that is
 * repeated: `headers` would join its values, or silently keep the first. `headersDistinct` would
 * tell them apart as well, but is put together from every header of the request, and for nothing
 * else.
 */
function singleHeaders(request: IncomingMessage, names: readonly string[]): (string | undefined)[] {
  const values = names.map((): string | undefined => undefined)
  const { rawHeaders } = request
  // Requests of frameworks that imitate Node's may have no raw headers.
  const pairs =
    rawHeaders === undefined || rawHeaders.length === 0
      ? imitatedHeaders(request, names)
      : rawHeaders
  for (let at = 1; at < pairs.length; at += 2) {
    const given = pairs[at - 1] as string
    // A loop, and no callback for each name: every guarded request comes by here.
    for (let which = 0; which < names.length; which += 1) {
      const path = names[which] as string
      if (path.length !== given.length || path !== given.toLowerCase()) continue
      if (values[which] !== undefined)
        throw invalidRequest([{ path, message: 'This header may be sent only once.' }])
      values[which] = pairs[at] as string
    }
  }
  return values
}

function imitatedHeaders(
  { headers, headersDistinct }: IncomingMessage,
  names: readonly string[],
): string[] {
  // Own ones: a request without any headers must not find those of a polluted Object.prototype.
  const own = (from: object | undefined, name: string): string[] =>
    from !== undefined && Object.hasOwn(from, name)
      ? [from[name as keyof typeof from] as string | string[]].flat()
      : []
  return names.flatMap((name) => {
    const values = headersDistinct === undefined ? own(headers, name) : own(headersDistinct, name)
    return values.flatMap((value) => [name, value])
  })
}

// The token68 grammar of RFC 6750 §2.1. The scheme's name is case-insensitive (RFC 9110 §11.1).
function bearerToken(authorization: string): PresentedCredentials | null {
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization)?.[1]
  if (token !== undefined) return { sentAs: 'token', token, userId: null }
  if (/^bearer\b/i.test(authorization)) throw notSignedIn('Bearer without a token')
  return null
}
