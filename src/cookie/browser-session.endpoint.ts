import type { Audit, RequestContext } from '../audit/events.js'
import { notSignedIn } from '../errors.js'
import { reportRefusal } from '../guard/authenticate.js'
import type { KeptCookie, NoContentAnswer } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { Pages } from '../http/page-origin.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { RequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { SessionRecord } from '../stores/contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { AuthUser } from '../users/contract.js'
import type { OpenBrowserSession } from './open-browser-session.js'

export interface BrowserSessionEndpointDeps {
  readonly pages: Pick<Pages, 'cookie' | 'requireOwnPage'>
  readonly signedIn: SignedIn
  readonly requireRecentSignIn: RequireRecentSignIn
  readonly decideSignIn: DecideSignIn
  readonly openBrowserSession: OpenBrowserSession
  readonly sessions: Pick<Sessions, 'findLive' | 'findBySecret' | 'end'>
  readonly takeIssue: TakeIssue
  readonly audit: Audit
}

/**
 * `POST /auth/browser-session`: the host's web app, signed in by a token, also signs its browser in
 * by a cookie, so that apps find the user. Authenticates by headers only: another page has no
 * token, and a cookie must not be turned into another cookie.
 */
export function browserSessionEndpoint(deps: BrowserSessionEndpointDeps): Endpoint {
  const { pages, sessions, takeIssue } = deps
  return async function signInBrowser(request) {
    const { incoming, context } = request
    // 403
    await reportRefusal(deps.audit, context, async () => pages.requireOwnPage(incoming))
    // 401, 403. Not for bots and apps: the cookie would allow more than their tokens.
    const { session: known, user } = await ownerOf(deps.signedIn, request)
    // 400, 413, 415. Requires JSON, which a form cannot send; the content is not used.
    await request.readJson()
    // 401, 503
    const asking = await requireLive(sessions, known)
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null && isOfSameSignIn(earlier, asking)) return noContent(null)
    // 403. After the check above, so that a signed-in browser never fails here.
    await deps.requireRecentSignIn(asking)
    // 401, 403, 503
    const approved = await approve(deps, asking, user, context)
    // 429, 503
    await takeIssue('browser-session', { userId: user.id, sessionId: asking.id }, context)
    // Ended first, whoever its user is: the new cookie replaces it.
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
    const { secret } = await deps.openBrowserSession(asking, approved, context)
    return noContent({ of: pages.cookie, value: secret, maxAge: null })
  }
}

/**
 * `DELETE /auth/browser-session`: "Log out" on a page of the host ends the browser's session, so
 * that the next user is asked for a password. Needs no token, since the page's own may have expired
 * already. Pages of other origins cannot send this request.
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
    // Stored before the browser deletes the cookie, so that a failure can be repeated.
    if (session !== null) await sessions.end(session, 'logout', context)
    return { status: 204, cookie: { of: pages.cookie, value: null } }
  }
}

function noContent(cookie: KeptCookie | null): NoContentAnswer {
  return { status: 204, cookie }
}

// Read from the store, since another process may have changed its methods.
async function requireLive(
  sessions: Pick<Sessions, 'findLive'>,
  { id }: SessionRecord,
): Promise<SessionRecord> {
  const session = await sessions.findLive(id)
  if (session === null) throw notSignedIn('session ended or unknown')
  return session
}

// A web app may call this each time it starts. A new session would end the apps that the former one
// signed in.
function isOfSameSignIn(earlier: SessionRecord, asking: SessionRecord): boolean {
  return (
    earlier.parentId === asking.id &&
    earlier.userId === asking.userId &&
    earlier.authenticatedAt.getTime() === asking.authenticatedAt.getTime() &&
    earlier.methods.join() === asking.methods.join()
  )
}

// The common decision: a user who may not sign in now gets no further session.
function approve(
  { decideSignIn, audit }: BrowserSessionEndpointDeps,
  { methods }: SessionRecord,
  user: AuthUser,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  return reportRefusal(audit, context, async () => {
    const asked = { user, methods, code: undefined, context }
    const decision = await decideSignIn({ door: 'authorization-code', ...asked })
    if (!decision.allowed) throw decision.error
    return decision.approved
  })
}
