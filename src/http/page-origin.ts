import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { createSessionCookie, ownHeader, type SessionCookie } from './cookies.js'
import type { ReadCredentials } from './credentials.js'

/** What is known of the host's pages, whose browsers send a cookie by themselves. */
export interface Pages {
  /** Where they are. It alone says what is ours: not `Host`, which any proxy rewrites. */
  readonly origin: string
  readonly cookie: SessionCookie
  /** Throws 403 unless a page of our own sends the request, whatever its method. */
  requireOwnPage(request: IncomingMessage): void
  /**
   * The cookie as the credentials of a request; null where there is none, or where it comes with a
   * request that a page of somebody else makes. Throws 403 where such a request would change
   * something.
   */
  readonly readCookie: ReadCredentials
}

/** Makes it, of an origin that {@link isPagesOrigin}. */
export function createPages(origin: string): Pages {
  const cookie = createSessionCookie(origin.startsWith('https:'))

  function requireOwnPage(request: IncomingMessage): void {
    if (isOwnPage(request, origin)) return
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

/** Whether a text is where pages can be: an origin over TLS, or on the machine itself. */
export function isPagesOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { origin, protocol, hostname } = new URL(value)
  if (origin !== value) return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

// What browsers take for as good as TLS (Secure Contexts §3.1).
function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

// An override of the method, which any form can ask for, makes no request safe.
function isSafe({
  method,
  originalMethod = method,
}: IncomingMessage & { originalMethod?: string }) {
  return [method, originalMethod].every((name) => name === 'GET' || name === 'HEAD')
}

/**
 * Whether a page of our own sends a request. Fetch Metadata says it outright. Browsers without it
 * name their origin with whatever is no GET.
 */
export function isOwnPage(request: IncomingMessage, own: string): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = ownHeader(request, 'origin')
  if (origin !== undefined) return origin === own
  return isBelow(own, request)
}

// A referrer is a URL as a browser writes it, so it need not be parsed.
function isBelow(own: string, request: IncomingMessage): boolean {
  const { rawHeaders = [] } = request
  // Node keeps the first of several, and a proxy may have gone by the last.
  const sent = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'referer')
  const referrer = ownHeader(request, 'referer') ?? ''
  return sent.length < 2 && (referrer === own || referrer.startsWith(`${own}/`))
}

/**
 * Whether a GET may be answered to whom the cookie names: one of our pages, of nobody's page, or
 * one that opens a page, so that a link from elsewhere leads where it should. What another page
 * embeds or fetches may not.
 *
 * A browser that has Fetch Metadata sends `Sec-Fetch-Site` with every request to an address over
 * TLS or on the machine itself, and no script can leave it out. So where it is missing, nothing
 * else of them says anything: `fetch` of Node sends `Sec-Fetch-Mode` alone, and a server that draws
 * a page passes its visitor's cookie on with it.
 * https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
function mayBeRead(request: IncomingMessage, own: string): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  if (site === 'same-origin') return true
  // No link sends one: this was a form, whose method has been changed on the way without a word.
  if ((ownHeader(request, 'origin') ?? own) !== own) return false
  if (site === undefined || site === 'none') return true
  const mode = ownHeader(request, 'sec-fetch-mode')
  return mode === 'navigate' && ownHeader(request, 'sec-fetch-dest') === 'document'
}

/**
 * Whether a page of another origin has sent the browser here by itself, without anybody's pressing
 * anything ([Sec-Fetch-User](https://www.w3.org/TR/fetch-metadata/#sec-fetch-user-header)). False
 * for browsers that do not tell.
 */
export function isSentUnasked(request: IncomingMessage): boolean {
  const site = ownHeader(request, 'sec-fetch-site')
  const isOfOthers = site === 'cross-site' || site === 'same-site'
  return isOfOthers && ownHeader(request, 'sec-fetch-user') !== '?1'
}
