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
 * `POST /auth/browser-session`: the host's web app, which is signed in by a token that no
 * navigation can send, signs its browser in as well, so that apps find its user there. It takes
 * headers alone: a page of somebody else has no token, and a cookie is never made into another.
 */
export function browserSessionEndpoint(deps: BrowserSessionEndpointDeps): Endpoint {
  const { pages, sessions, takeIssue } = deps
  return async function signInBrowser(request) {
    const { incoming, context } = request
    // 403
    await reportRefusal(deps.audit, context, async () => pages.requireOwnPage(incoming))
    // 401, 403. Neither a bot's nor an app's: the cookie would be worth more than their tokens.
    const { session: known, user } = await ownerOf(deps.signedIn, request)
    // 400, 413, 415. There is nothing in it; but a form is no JSON, and gets no cookie.
    await request.readJson()
    // 401, 503
    const asking = await requireLive(sessions, known)
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null && isOfSameSignIn(earlier, asking)) return noContent(null)
    // 403. A browser that is signed in already has lost nothing by it.
    await deps.requireRecentSignIn(asking)
    // 401, 403, 503
    const approved = await approve(deps, asking, user, context)
    // 429, 503
    await takeIssue('browser-session', { userId: user.id, sessionId: asking.id }, context)
    // First, whosever it is: the browser is about to lose it, and another may have put it there.
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
    const { secret } = await deps.openBrowserSession(asking, approved, context)
    return noContent({ of: pages.cookie, value: secret, maxAge: null })
  }
}

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

function noContent(cookie: KeptCookie | null): NoContentAnswer {
  return { status: 204, cookie }
}

// As the store has it now: what it has shown may have changed in another process.
async function requireLive(
  sessions: Pick<Sessions, 'findLive'>,
  { id }: SessionRecord,
): Promise<SessionRecord> {
  const session = await sessions.findLive(id)
  if (session === null) throw notSignedIn('session ended or unknown')
  return session
}

// A web app may ask whenever it is opened. Apps that were signed in to by the former session would
// end with it.
function isOfSameSignIn(earlier: SessionRecord, asking: SessionRecord): boolean {
  return (
    earlier.parentId === asking.id &&
    earlier.userId === asking.userId &&
    earlier.authenticatedAt.getTime() === asking.authenticatedAt.getTime() &&
    earlier.methods.join() === asking.methods.join()
  )
}

// The decision behind every way in: a user who may not sign in now gets no other session either.
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
