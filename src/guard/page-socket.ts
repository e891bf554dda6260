import type { IncomingMessage } from 'node:http'
import { AuthError, notSignedIn } from '../errors.js'
import { ownHeader } from '../http/cookies.js'
import { type PresentedCredentials, singleHeader } from '../http/credentials.js'
import { isOwnPage, type Pages } from '../http/page-origin.js'
import { checkOptions, oneOf, optionsOf } from '../lib/check-options.js'
import { type Required, type ScopeOptions, scopeRules } from './scope.js'

/** How `sockets.authenticate` and `attach` find the credentials, and what they require of them. */
export interface SocketOptions extends ScopeOptions {
  /**
   * The place of the credentials: the headers or the ticket, or the cookie of your pages. `cookie`
   * needs `pagesOrigin`, and the page's `Origin` must equal it. Default `headers`.
   */
  readonly from?: 'headers' | 'cookie'
}

const schema = optionsOf({
  ...scopeRules,
  from: oneOf('headers', 'cookie').default('headers'),
})

/** What a socket requires, and where its credentials are. */
export interface SocketSettings extends Required {
  readonly from: 'headers' | 'cookie'
}

/** Checks the options of a function. Throws AuthConfigError for an unknown option. */
export function settingsOf(factory: string, options: SocketOptions | undefined): SocketSettings {
  return checkOptions({ factory, schema }, options)
}

/**
 * The cookie sent with the socket of a page. Throws 401 without a cookie, and 403 unless the socket
 * {@link isOfPage}: only browsers have the cookie.
 */
export function readPageSocket(
  request: IncomingMessage,
  { origin, cookie }: Pick<Pages, 'origin' | 'cookie'>,
): PresentedCredentials {
  if (!isOfPage(request, origin)) throw originNotAllowed()
  const token = cookie.read(request)
  if (token === null) throw notSignedIn('no cookie')
  return { sentAs: 'cookie', token, userId: null }
}

/**
 * Whether one of the host's own pages opens a socket. Browsers send the origin with each upgrade;
 * it must equal the origin of the pages.
 *
 * Socket.IO begins with long-polling, a GET, and browsers send no `Origin` with a GET to the page's
 * own server. Then other headers prove it, which no page can set.
 * https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export function isOfPage(request: IncomingMessage, own: string): boolean {
  const origin = singleHeader(request, 'origin')
  if (origin !== null) return origin === own
  return ownHeader(request, 'upgrade') === undefined && isOwnPage(request, own)
}

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
function originNotAllowed(): AuthError {
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
