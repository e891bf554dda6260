import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { singleHeader } from '../http/credentials.js'

// An https or http origin is at most a scheme, a host name of 253 characters and a port. Parsing a
// URL takes more than linear time.
const maxOriginCharacters = 300

/**
 * Refuses an upgrade requested by a page of another origin (RFC 6455 §10.2): the same-origin policy
 * does not cover WebSockets. Throws 403. Other programs send no `Origin`, and could forge any.
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

/** The refusal of an upgrade requested by a page of another origin. */
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
  // Parsing changes anything that is more than an origin: a user, a path, a scheme without a host.
  if (!/^https?:/.test(origin) || originOf(origin) !== origin) return false
  // A page loaded over plain HTTP may have been changed on the way.
  if (origin.startsWith('http:') && isEncrypted(request)) return false
  // The host is parsed as a URL, too: default ports, upper case and spellings of IPv6 do not matter
  // then.
  return originOf(`${origin.slice(0, origin.indexOf(':'))}://${host}`) === origin
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

// Anybody can send the proxy's header, but it can only cause a refusal, and a page cannot remove
// what the proxy in front of us has set.
function isEncrypted({ socket, headers }: IncomingMessage): boolean {
  const forwarded = [headers['x-forwarded-proto'] ?? ''].flat().join().slice(0, 100)
  return (
    ('encrypted' in socket && socket.encrypted === true) || /\b(?:https|wss)\b/i.test(forwarded)
  )
}
