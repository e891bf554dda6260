import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { invalidRequest, notSignedIn } from '../errors.js'

/** The credentials of a request. */
export interface PresentedCredentials {
  /**
   * How it was sent. A token is not valid as a cookie, nor a cookie as a token: a script that reads
   * a token must not turn it into a cookie, nor a page that sends a cookie into a token.
   */
  readonly sentAs: 'token' | 'cookie'
  /** The token or the value of the cookie. */
  readonly token: string
  /** The user id that the client claims; null without one. */
  readonly userId: string | null
  /** The API that the token must be for. Default: the host's own. */
  readonly audience?: string
}

/** The headers of the password sign-in, by their names in OpenAPI. */
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
 * The only headers with credentials. CORS and OpenAPI read this list, so a new header is added only
 * here.
 */
export const credentialHeaders: readonly string[] = [
  'Authorization',
  tokenHeaders.authToken.name,
  tokenHeaders.userId.name,
]

const credentialNames = credentialHeaders.map((name) => name.toLowerCase())

/** Reads the credentials of a request; null without any. Throws 400 and 401. */
export type ReadCredentials = (request: IncomingMessage) => PresentedCredentials | null

/**
 * Reads the token from `Authorization: Bearer`, or from `X-Auth-Token` together with `X-User-Id`,
 * and from nowhere else: not the URL, the body or a cookie (RFC 6750 §5.3). Null without a token,
 * or for another scheme.
 *
 * Throws 401 for malformed credentials, and 400 if a header is repeated or both schemes are used:
 * two parts of a system could choose different ones.
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

// Node decodes headers as Latin-1. An id outside of ASCII is UTF-8, or Latin-1 from clients that
// know nothing else; the token decides whose it is in either case.
function asText(header: string): string {
  if (!/[\u0080-\u00ff]/.test(header) || /[^\0-\u00ff]/.test(header)) return header
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

/** The value of a header that may occur once; null if absent. Throws 400 if it is repeated. */
export function singleHeader(request: IncomingMessage, name: string): string | null {
  return singleHeaders(request, [name])[0] ?? null
}

/**
 * The values of these headers; names in lower case. Throws 400 for a repeated one: `headers` would
 * join its values or silently keep the first. This does not use `headersDistinct`, which processes
 * every header of the request.
 */
function singleHeaders(request: IncomingMessage, names: readonly string[]): (string | undefined)[] {
  const values = names.map((): string | undefined => undefined)
  const { rawHeaders } = request
  // A framework that imitates Node's requests may have no raw headers.
  const pairs =
    rawHeaders === undefined || rawHeaders.length === 0
      ? imitatedHeaders(request, names)
      : rawHeaders
  for (let at = 1; at < pairs.length; at += 2) {
    const given = pairs[at - 1] as string
    // A plain loop: every guarded request passes here.
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
  // Own members only: a polluted Object.prototype must not add a header.
  const own = (from: object | undefined, name: string): string[] =>
    from !== undefined && Object.hasOwn(from, name)
      ? [from[name as keyof typeof from] as string | string[]].flat()
      : []
  return names.flatMap((name) => {
    // Node's getter makes it of the raw headers: without raw headers it is empty, whatever was
    // sent.
    const distinct = own(headersDistinct, name)
    const values = distinct.length > 0 ? distinct : own(headers, name)
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
