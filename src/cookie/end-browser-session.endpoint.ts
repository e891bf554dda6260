import { reportRefusal } from '../guard/authenticate.js'
import type { NoContentAnswer } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { BrowserSessionEndpointDeps } from './browser-session.endpoint.js'

/**
 * `DELETE /auth/browser-session`: "Log out" on a page of the host's own ends what the browser is
 * signed in by, so that whoever comes next is asked for a password. It takes no token: the one of
 * the page may be over already, and the browser is to be left all the same. A page of somebody else
 * can send no such request.
 */
export function endBrowserSessionEndpoint(
  deps: Pick<BrowserSessionEndpointDeps, 'pages' | 'sessions' | 'audit'>,
): Endpoint {
  const { pages, sessions, audit } = deps
  return async function signBrowserOut({ incoming, context }): Promise<NoContentAnswer> {
    // 403
    await reportRefusal(audit, context, async () => pages.requireOwnPage(incoming))
    // 503
    const session = await findSessionOfCookie(pages, sessions, incoming)
    // Durably, before the browser forgets what it would have to try again with.
    if (session !== null) await sessions.end(session, 'logout', context)
    return { status: 204, cookie: { of: pages.cookie, value: null } }
  }
}
