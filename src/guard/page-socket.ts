import type { IncomingMessage } from 'node:http'
import { notSignedIn } from '../errors.js'
import type { PresentedCredentials } from '../http/credentials.js'
import type { Pages } from '../http/pages.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import { requirePages } from './credentials-from.js'
import { refuseForeignOrigin } from './own-origin.js'
import { type RequiredScope, type ScopeOptions, scopeRule } from './scope.js'

/** How `sockets.authenticate` finds the credentials, and what it asks of them. */
export interface SocketOptions extends ScopeOptions {
  /**
   * Where they are: in the headers or the ticket, or in the cookie of a page, which needs
   * `pagesOrigin`: the page's `Origin` must be that, exactly. Default `headers`.
   */
  readonly from?: 'headers' | 'cookie'
}

const rules = {
  factory: 'sockets.authenticate',
  schema: optionsOf({
    scope: scopeRule,
    from: fitting<'headers' | 'cookie'>(
      (value) => value === 'headers' || value === 'cookie',
      "is neither 'headers' nor 'cookie'.",
    ).default('headers'),
  }),
}

/** Checks the options. Throws AuthConfigError for one that it does not know. */
export function settingsOf(options: SocketOptions | undefined): {
  readonly scope?: RequiredScope
  readonly from: 'headers' | 'cookie'
} {
  return checkOptions(rules, options)
}

/**
 * The cookie that a page's socket comes with. Throws 401 where there is none, 403 for a page of
 * another origin and for what names none: browsers always do, and nothing else has the cookie.
 * Throws AuthConfigError without pages.
 */
export function readPageSocket(
  request: IncomingMessage,
  pages: Pages | null,
): PresentedCredentials {
  const { origin, cookie } = requirePages(pages, "sockets.authenticate({ from: 'cookie' })")
  refuseForeignOrigin(request, [origin], true)
  const token = cookie.read(request)
  if (token === null) throw notSignedIn('no cookie')
  return { sentAs: 'cookie', token, userId: null }
}
