import type { IncomingMessage } from 'node:http'
import { notSignedIn } from '../errors.js'
import { ownHeader } from '../http/cookies.js'
import { type PresentedCredentials, singleHeader } from '../http/credentials.js'
import { isOwnPage, type Pages } from '../http/page-origin.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import { originNotAllowed } from './own-origin.js'
import { type RequiredScope, type ScopeOptions, scopeRule } from './scope.js'

/** How `sockets.authenticate` and `attach` find the credentials, and what they ask of them. */
export interface SocketOptions extends ScopeOptions {
  /**
   * Where they are: in the headers or the ticket, or in the cookie of a page, which needs
   * `pagesOrigin`: the page's `Origin` must be that, exactly. Default `headers`.
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

/** What a socket is asked, and where its credentials are. */
export interface SocketSettings {
  readonly scope?: RequiredScope
  readonly from: 'headers' | 'cookie'
}

/** Checks the options of a function. Throws AuthConfigError for one that it does not know. */
export function settingsOf(factory: string, options: SocketOptions | undefined): SocketSettings {
  return checkOptions({ factory, schema }, options)
}

/**
 * The cookie that a page's socket comes with. Throws 401 where there is none, and 403 unless the
 * socket {@link isOfPage}: nothing but a browser has the cookie.
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
 * Whether one of the host's own pages opens a socket. Browsers name the origin with each upgrade,
 * and it must be that of the pages, exactly.
 *
 * Socket.IO begins with long-polling: a GET, with which browsers name no origin to the page's own
 * server. There the other headers say it, which no page can write either.
 * https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export function isOfPage(request: IncomingMessage, own: string): boolean {
  const origin = singleHeader(request, 'origin')
  if (origin !== null) return origin === own
  return ownHeader(request, 'upgrade') === undefined && isOwnPage(request, own)
}
