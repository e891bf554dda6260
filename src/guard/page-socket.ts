import type { IncomingMessage } from 'node:http'
import { notSignedIn } from '../errors.js'
import { ownHeader } from '../http/cookies.js'
import { type PresentedCredentials, singleHeader } from '../http/credentials.js'
import { isOwnPage, type Pages } from '../http/page-origin.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import { originNotAllowed } from './own-origin.js'
import { type RequiredScope, type ScopeOptions, scopeRule } from './scope.js'

/** How `sockets.authenticate` and `attach` find the credentials, and what they require of them. */
export interface SocketOptions extends ScopeOptions {
  /**
   * Where the credentials are: in the headers or the ticket, or in the cookie of your pages.
   * `cookie` needs `pagesOrigin`, and the page's `Origin` must equal it. Default `headers`.
   */
  readonly from?: 'headers' | 'cookie'
}

const schema = optionsOf({
  scope: scopeRule,
  from: fitting<'headers' | 'cookie'>(
    (value) => value === 'headers' || value === 'cookie',
    "is neither 'headers' nor 'cookie'.",
  ).default('headers'),
})

/** The scope a socket needs, and where its credentials are. */
export interface SocketSettings {
  readonly scope?: RequiredScope
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
