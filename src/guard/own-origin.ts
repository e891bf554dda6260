import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { singleHeader } from '../http/credentials.js'

// An https or http origin is at most a scheme, a host name of 253 characters and a port. Parsing a
// URL is not linear in its length.
const maxOriginCharacters = 300

/**
 * Refuses an upgrade that a page of another origin asks for: a page can open a socket to us without
 * asking (RFC 6455 §10.2). Throws 403. What is no browser sends no `Origin`, and could write any.
 *
 * @param allowed - undefined: the page must come from the host that it connects to
 */
export function refuseForeignOrigin(
  request: IncomingMessage,
  allowed: readonly string[] | undefined,
): void {
  const origin = singleHeader(request, 'origin')
  if (origin === null) return
  const isOurs = allowed === undefined ? isSameHost(origin, request) : allowed.includes(origin)
  if (!isOurs) throw originNotAllowed()
}

/** The refusal of a socket that a page of another origin asks for. */
export function originNotAllowed(): AuthError {
  return new AuthError('forbidden', {
    clientMessage: 'This origin is not allowed.',
    message: 'origin not allowed',
  })
}

function isSameHost(given: string, request: IncomingMessage): boolean {
  const { host = '' } = request.headers
  if (given.length > maxOriginCharacters || host.length > maxOriginCharacters) return false
  const origin = given.toLowerCase()
  // Anything that an origin is not made of (a user, a path, a scheme without a host) comes out of
  // the parser otherwise than it went in.
  if (!/^https?:/.test(origin) || originOf(origin) !== origin) return false
  // A page that came in the clear may be anybody's on the way.
  if (origin.startsWith('http:') && isEncrypted(request)) return false
  // The host as a URL, too, so that a written default port, upper case and the spellings of IPv6 do
  // not matter.
  return originOf(`${origin.slice(0, origin.indexOf(':'))}://${host}`) === origin
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

// Anybody can write the proxy's header, but it only ever refuses, and a page cannot take back what
// the proxy in front of us has written.
function isEncrypted({ socket, headers }: IncomingMessage): boolean {
  const forwarded = [headers['x-forwarded-proto'] ?? ''].flat().join().slice(0, 100)
  return (
    ('encrypted' in socket && socket.encrypted === true) || /\b(?:https|wss)\b/i.test(forwarded)
  )
}
