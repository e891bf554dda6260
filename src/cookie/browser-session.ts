import type { RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { reportRefusal } from '../guard/authenticate.js'
import type { KeptCookie, NoContentAnswer } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import type { Pages } from '../http/page-origin.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { randomId } from '../lib/secrets.js'
import { ownerOf } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { findSessionOfCookie, untilClosed } from '../sessions/browser-session.js'
import { catchUpMarks } from '../sessions/password-stands.js'
import { requireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import { newSessionSecret } from '../tokens/session-secret.js'
import type { AuthUser } from '../users/contract.js'

export interface BrowserSessionKit extends SignInKit {
  readonly pages: Pages
}

/** `POST, DELETE /auth/browser-session`. Pages of other origins may not call it. */
export function createBrowserSessions(kit: BrowserSessionKit): Capability {
  const methods = { POST: browserSessionEndpoint(kit), DELETE: endBrowserSessionEndpoint(kit) }
  return { routes: [['/auth/browser-session', methods, 'plain', 'own-origin']] }
}

/**
 * `POST /auth/browser-session`: the host's web app, signed in by a token, also signs its browser in
 * by a cookie, so that apps find the user. Authenticates by headers only: another page has no
 * token, and a cookie must not be turned into another cookie.
 */
function browserSessionEndpoint(kit: BrowserSessionKit): Endpoint {
  const { pages, sessions, takeIssue } = kit
  return async function signInBrowser(request) {
    const { incoming, context } = request
    // 403
    await reportRefusal(kit.audit, context, async () => pages.requireOwnPage(incoming))
    // 401, 403. Bots and apps get no browser session: the cookie would allow more than their
    // tokens.
    const { session: known, user } = await ownerOf(kit.signedIn, request)
    // 400, 413, 415. Requires JSON, which a form cannot send; the content is not used.
    await request.readJson()
    // 401, 503
    const asking = await requireLive(sessions, known)
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null && isOfSameSignIn(earlier, asking)) return noContent(null)
    // 403. This comes after the check above, so that a signed-in browser never fails here.
    await requireRecentSignIn(sessions, asking, kit.maxSignInAge, kit.clock)
    // 401, 403, 503
    const approved = await approve(kit, asking, user, context)
    // 429, 503
    await takeIssue('browser-session', { userId: user.id, sessionId: asking.id }, context)
    // The earlier session of any user ends first: the new cookie replaces it.
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
    const { secret } = await openBrowserSession(kit, asking, approved, context)
    return noContent({ of: pages.cookie, value: secret, maxAge: null })
  }
}

/**
 * `DELETE /auth/browser-session`: "Log out" on a page of the host ends the browser's session, so
 * that the next user is asked for a password. Needs no token, since the page's own may have expired
 * already. Pages of other origins cannot send this request.
 */
function endBrowserSessionEndpoint({ pages, sessions, audit }: BrowserSessionKit): Endpoint {
  return async function signBrowserOut({ incoming, context }): Promise<NoContentAnswer> {
    // 403
    await reportRefusal(audit, context, async () => pages.requireOwnPage(incoming))
    // 503
    const session = await findSessionOfCookie(pages, sessions, incoming)
    // The end is stored before the browser deletes the cookie, so that a failure can be repeated.
    if (session !== null) await sessions.end(session, 'logout', context)
    return { status: 204, cookie: { of: pages.cookie, value: null } }
  }
}

function noContent(cookie: KeptCookie | null): NoContentAnswer {
  return { status: 204, cookie }
}

// Reads the session from the store, since another process may have changed its methods.
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
  { decideSignIn, audit }: BrowserSessionKit,
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

/** A browser session, and the value of its cookie. */
interface OpenedBrowserSession {
  readonly session: SessionRecord
  readonly secret: string
}

// Opens a browser session as a child of `asking`. After a rejection, 401 or 503, no session is
// open.
async function openBrowserSession(
  kit: BrowserSessionKit,
  asking: SessionRecord,
  approved: ApprovedSignIn,
  context: RequestContext,
): Promise<OpenedBrowserSession> {
  const id = randomId()
  const { secret, secretHash } = newSessionSecret('browser', id)
  const session = kit.sessions.draft(
    {
      id,
      approved,
      kind: 'browser',
      scope: '*',
      // Inherited: the user did not authenticate now.
      authenticatedAt: asking.authenticatedAt,
      refresh: null,
      secretHash,
      lifetime: { idle: Math.min(untilClosed.idle, asking.lifetime?.idle ?? untilClosed.idle) },
      until: lastEnd(asking, kit.clock()),
      marks: kit.passwordWatch.inherited(asking),
      parentId: asking.id,
      openedBySessionId: asking.id,
      upstream: asking.upstream,
    },
    context,
  )
  await kit.sessions.start(session, context)
  await refuseOutdated(kit, asking, approved, session, context)
  return { session, secret }
}

// The limit counts from now, since the sign-in may be older than it.
function lastEnd({ expiresAt }: SessionRecord, now: Date): Date {
  return new Date(Math.min(now.getTime() + untilClosed.absolute * 1000, expiresAt.getTime()))
}

// An action that ended the user's sessions meanwhile did not see this one. So it is checked again
// after it is stored: one of the two sees the other.
async function refuseOutdated(
  kit: BrowserSessionKit,
  asking: SessionRecord,
  approved: ApprovedSignIn,
  opened: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const { sessions } = kit
  try {
    const issuer = await sessions.findLive(asking.id)
    if (issuer === null) throw notSignedIn('session ended or unknown')
    const user = await kit.users.findById(asking.userId)
    if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
    if (!(await kit.factorStands(approved))) throw new AuthError('totp-required')
    await catchUpMarks(kit, issuer, opened)
  } catch (error) {
    await sessions.end(opened, 'revoked', context)
    throw error
  }
}
