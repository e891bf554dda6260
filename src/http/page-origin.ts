import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import type { WarnOnce } from '../lib/logger.js'
import { isWellFormed } from '../lib/texts.js'
import { createSessionCookie, ownHeader, type SessionCookie } from './cookies.js'
import type { ReadCredentials } from './credentials.js'

/** The host's pages, whose browsers send the cookie by themselves. */
export interface Pages {
  /** Their origin. It alone decides, not `Host`, which proxies rewrite. */
  readonly origin: string
  readonly cookie: SessionCookie
  /** Throws 403 unless a page of this origin sends the request, for every method. */
  requireOwnPage(request: IncomingMessage): void
  /**
   * The cookie as the credentials of a request; null without one, or if a page of another origin
   * sends the request. Throws 403 if such a request would change something.
   */
  readonly readCookie: ReadCredentials
}

/** `origin` must satisfy {@link isPagesOrigin}. */
export function createPages(origin: string, warnOnce: WarnOnce): Pages {
  const cookie = createSessionCookie(new URL(origin))

  function requireOwnPage(request: IncomingMessage): void {
    if (isOwnPage(request, origin)) return
    warnOfOtherOrigin(request, origin, warnOnce)
    throw new AuthError('forbidden', {
      clientMessage: 'This page may not do that here.',
      message: 'request of a page of another origin',
    })
  }

  return {
    origin,
    cookie,
    requireOwnPage,
    readCookie(request) {
      if (!isSafe(request)) requireOwnPage(request)
      else if (!mayBeRead(request, origin)) return null
      const token = cookie.read(request)
      return token === null ? null : { sentAs: 'cookie', token, userId: null }
    },
  }
}

// On one machine, or where the page is of the host that is asked, `pagesOrigin` is likely wrong.
// Any other page is refused as it should be, without a word.
function warnOfOtherOrigin(request: IncomingMessage, own: string, warnOnce: WarnOnce): void {
  const [origin = '', host] = [ownHeader(request, 'origin'), ownHeader(request, 'host')]
  if (!isPagesOrigin(origin)) return
  const page = new URL(origin)
  const isOfMachine = isLoopback(page.hostname) && isLoopback(new URL(own).hostname)
  if (!isOfMachine && page.host !== host) return
  warnOnce({
    code: 'MAR_OTHER_PAGES_ORIGIN',
    level: 'warn',
    message: `a page of ${origin} was refused: pagesOrigin is ${own}`,
  })
}

/** Whether pages can have this origin: HTTPS, or the machine itself. */
export function isPagesOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { origin, protocol, hostname } = new URL(value)
  if (origin !== value) return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** Whether this can be the URL of a page of the host. */
export function isPageUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  const { origin, username, password } = new URL(value)
  return isPagesOrigin(origin) && username === '' && password === ''
}

// Secure Contexts §3.1: browsers treat these like HTTPS.
function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

// Any form can override the method, so an override to GET does not make a request safe.
function isSafe({
  method,
  originalMethod = method,
}: IncomingMessage & { originalMethod?: string }) {
  return [method, originalMethod].every((name) => name === 'GET' || name === 'HEAD')
}

/** Whether a browser fetches the page before anybody has followed its link. */
export function isPrefetch(request: IncomingMessage): boolean {
  const purposes = ['sec-purpose', 'purpose'].map((name) => ownHeader(request, name) ?? '')
  return purposes.some((purpose) => /prefetch|prerender/i.test(purpose))
}

/**
 * Whether a page of this origin sends the request. Fetch Metadata tells. Browsers without it send
 * `Origin` with every method except GET.
 */
export function isOwnPage(request: IncomingMessage, own: string): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = ownHeader(request, 'origin')
  if (origin !== undefined) return origin === own
  return isBelow(own, request)
}

/**
 * Whether a page of another site sends the request, be it of a neighbouring host. Browsers say so;
 * programs send neither header.
 */
export function isForeignPage(request: IncomingMessage, own: string): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const origin = ownHeader(request, 'origin')
  return origin !== undefined && origin !== own
}

// Browsers serialize the referrer in one form, so it need not be parsed.
function isBelow(own: string, request: IncomingMessage): boolean {
  const { rawHeaders = [] } = request
  // Raw headers: of a repeated one Node keeps the first, and a proxy may have used the last.
  const sent = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'referer')
  const referrer = ownHeader(request, 'referer') ?? ''
  return sent.length < 2 && (referrer === own || referrer.startsWith(`${own}/`))
}

/**
 * Whether the cookie may authenticate this GET: same origin, no initiator, or a top-level
 * navigation, so that links from elsewhere work. Another page must not embed or fetch the answer.
 *
 * Browsers with Fetch Metadata send `Sec-Fetch-Site` with every request over TLS or to the machine
 * itself, and scripts cannot remove it. Without it, `Sec-Fetch-Mode` alone means nothing: `fetch`
 * of Node sends it, for a server that renders a page with its visitor's cookie for example.
 * https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
function mayBeRead(request: IncomingMessage, own: string): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  if (site === 'same-origin') return true
  // A link sends no Origin: this was a form whose method was changed on the way.
  if ((ownHeader(request, 'origin') ?? own) !== own) return false
  if (site === undefined || site === 'none') return true
  const mode = ownHeader(request, 'sec-fetch-mode')
  return mode === 'navigate' && ownHeader(request, 'sec-fetch-dest') === 'document'
}

/**
 * Whether a page of another origin has navigated here without a click of the user
 * ([Sec-Fetch-User](https://www.w3.org/TR/fetch-metadata/#sec-fetch-user-header)). False for
 * browsers that do not tell.
 */
export function isSentUnasked(request: IncomingMessage): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  const isOfOthers = site === 'cross-site' || site === 'same-site'
  return isOfOthers && ownHeader(request, 'sec-fetch-user') !== '?1'
}

/** The address of the sign-in page that leads to this path afterwards; null if it may not. */
export type SignInUrl = (returnTo: unknown) => string | null

/** Characters of a path with its query and fragment. */
const maxReturnPathChars = 2000

/** Every https origin resolves paths in the same way; nothing is sent there. */
const anyOrigin = 'https://origin.invalid'

/**
 * A path of our own origin, with query and fragment, in the spelling of browsers. Null for anything
 * that a browser could resolve to another origin: the caller writes the origin before it.
 */
export function returnPathOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxReturnPathChars) return null
  // Browsers read a backslash as a slash, and drop tabs and line ends.
  if (!/^\/(?!\/)[^\\\p{Cc}]*$/u.test(value) || !isWellFormed(value)) return null
  if (!URL.canParse(value, anyOrigin)) return null
  const { origin, pathname, search, hash } = new URL(value, anyOrigin)
  // `/.//elsewhere` becomes `//elsewhere`.
  if (origin !== anyOrigin || pathname.startsWith('//')) return null
  const path = `${pathname}${search}${hash}`
  return path.length <= maxReturnPathChars ? path : null
}
