import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { readFormAsQuery } from '../http/body.js'
import { isPrefetch, type Pages } from '../http/page-origin.js'
import { addressAt } from '../oauth/base-url.js'
import {
  type JudgedLogout,
  type JudgeLogout,
  maxLogoutQueryChars,
  returnAddress,
  whatCounts,
} from '../oauth/judge-logout.js'
import { parseBrowserRequest } from '../oauth/parse-request.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { FormEndpoints } from './form-page.js'
import { pageAddress, queryIn } from './page-request.js'
import { forPeople, type ShowPage, seeOther } from './show-page.js'

export interface LogoutDeps {
  readonly judgeLogout: JudgeLogout
  readonly pages: Pick<Pages, 'cookie' | 'readCookie'>
  readonly sessions: Pick<Sessions, 'findBySecret' | 'end'>
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly audit: Audit
}

/**
 * `GET, POST /oauth/logout`: an app signs its user out here, too ([OpenID Connect RP-Initiated
 * Logout 1.0](https://openid.net/specs/openid-connect-rpinitiated-1_0.html)). The page of
 * `/oauth/sign-out` asks first, unless an ID token proves that the app has signed in the user in
 * this very session. GET can end a session, so mount it without HEAD.
 */
export function logoutEndpoints(deps: LogoutDeps): FormEndpoints {
  const { judgeLogout, pages, sessions, showPage, baseUrl, audit } = deps
  return {
    GET: forPeople(showPage, async function signOutByApp({ incoming, context }) {
      // Browsers drop what is no success, and ask again once their user follows the link.
      if (isPrefetch(incoming)) throw new AuthError('temporarily-unavailable', { retryAfter: 1 })
      // 429, 503
      const judged = await judgeLogout(queryIn(incoming.url), { context })
      // Neither an image nor a frame of another site may sign anybody out.
      const isVisit = pages.readCookie(incoming) !== null
      const session = isVisit ? await findSessionOfCookie(pages, sessions, incoming) : null
      const endsSession = session !== null && (await judged.provesSession(session))
      // Stored before the browser deletes the cookie, so that a failure can be repeated.
      if (endsSession) await sessions.end(session, 'logout', context)
      const { clientId, back, refused } = judged
      audit({ type: 'logout.requested', clientId, endsSession, refused }, context)
      if (!endsSession) return seeOther(askingAddress(baseUrl, judged))
      const to = back === null ? askingAddress(baseUrl, judged) : returnAddress(back)
      return seeOther(to, [{ of: pages.cookie, value: null }])
    }),

    // Browsers omit the cookie from forms of other sites, but send it with the GET that follows.
    POST: forPeople(showPage, async function forwardLogout({ incoming }) {
      // 400, 413, 415
      const query = await readFormAsQuery(incoming)
      const { at } = parseBrowserRequest(query, maxLogoutQueryChars)
      return seeOther(`${addressAt(baseUrl, '/oauth/logout')}?${at === 'page' ? unread : query}`)
    }),
  }
}

// What cannot be read cannot stand in an address either. GET refuses this in the same way.
const unread = 'state=&state='

/** The page that asks, with what counts of the request, and so without the ID token. */
function askingAddress(baseUrl: URL, judged: JudgedLogout): string {
  return pageAddress(baseUrl, 'sign-out', { raw: whatCounts(judged), flow: null, language: null })
}
