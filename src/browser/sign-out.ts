import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import { readFormAsQuery, readOpenBody } from '../http/body.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { isOwnPage, isPrefetch } from '../http/page-origin.js'
import { parseBrowserRequest } from '../oauth/authorization-request.js'
import { addressAt } from '../oauth/base-url.js'
import {
  type JudgedLogout,
  type JudgeLogout,
  maxLogoutQueryChars,
  returnAddress,
  whatCounts,
} from '../oauth/judge-logout.js'
import type { FormOrigin } from '../pages/csrf.js'
import { type FormEndpoints, fieldsOf, formFor } from '../pages/form-page.js'
import {
  accountCard,
  button,
  choice,
  type FormFault,
  formOf,
  type OwnView,
} from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import {
  type PageRequest,
  pageAddress,
  placeWithoutRequest,
  queryIn,
} from '../pages/page-request.js'
import { clientOnPage, handOver } from '../pages/page-visit.js'
import { errorAnswer, forPeople, type PageReader, seeOther, showPage } from '../pages/show-page.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { SessionRecord } from '../stores/contract.js'
import type { BrowserKit } from './browser-kit.js'

/**
 * `GET, POST /oauth/sign-out`: a form asks first, since any page can link here. Then ends the
 * browser's session and the sessions of apps that it has signed in, or all sessions of the user.
 * `/oauth/logout` sends browsers here; then they return to their app.
 */
export function signOutEndpoints(kit: BrowserKit): FormEndpoints {
  const { pages, sessions, baseUrl } = kit

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, baseUrl.origin)) return errorAnswer(kit, 'refused', 403, request)
    const fields = fieldsOf(await readOpenBody(incoming, []))
    // 429, 503
    const asked = await readAsked(kit, request)
    const session = await findSessionOfCookie(pages, sessions, incoming)
    const binding = { ...bindingOf(session), browser: kit.browsers.preOf(incoming) }
    const origin = kit.csrf.judge(incoming, fields.text('csrf'), binding)
    // Nobody is signed in any more: there is nothing to ask.
    const isDone = session === null && asked.back !== null
    if (origin !== 'ours' && !isDone) return show(kit, { request, session, asked, origin })
    if (session !== null) await end(kit, session, fields.text('choice'), request.context)
    return leave(kit, asked, incoming)
  }

  return {
    GET: forPeople(kit, async (request) => {
      const asked = await readAsked(kit, request)
      const session = await findSessionOfCookie(pages, sessions, request.incoming)
      if (session === null && asked.back !== null) return seeOther(returnAddress(asked.back))
      return show(kit, { request, session, asked, origin: null })
    }),
    POST: forPeople(kit, post),
  }
}

/** The request of an app, if an app has sent the browser. */
interface Asked extends Pick<JudgedLogout, 'back' | 'uiLocales'> {
  readonly place: Pick<PageRequest, 'raw' | 'flow' | 'language'>
}

async function readAsked(
  { judgeLogout }: BrowserKit,
  { incoming, context }: EndpointRequest,
): Promise<Asked> {
  const place = placeWithoutRequest(incoming.url)
  if (judgeLogout === undefined) return { back: null, uiLocales: [], place }
  const judged = await judgeLogout(queryIn(incoming.url), { context })
  const { back, uiLocales } = judged
  return { back, uiLocales, place: { ...place, raw: whatCounts(judged) } }
}

async function end(
  { sessions, judgeLogout }: BrowserKit,
  session: SessionRecord,
  choice: string,
  context: RequestContext,
): Promise<void> {
  const { id, userId, parentId } = session
  if (choice === 'everywhere' && judgeLogout !== undefined) {
    // All but named tokens, which bots have; and this session with its parent last, so that after a
    // failure the form can be sent again.
    await sessions.endAllButNamed(userId, 'logout', context, id, parentId)
    if (parentId !== undefined) await sessions.end({ id: parentId, userId }, 'logout', context)
  }
  await sessions.end(session, 'logout', context)
}

// After the session is stored as ended, so that a failure can be repeated, the cookie goes. A page
// leads to the app, since `form-action 'self'` blocks a redirect to another site after a form.
function leave(
  kit: BrowserKit,
  { back, uiLocales, place }: Asked,
  incoming: IncomingMessage,
): TextAnswer {
  const { pages, baseUrl } = kit
  const cookies = [{ of: pages.cookie, value: null }]
  if (back === null) return seeOther(pageAddress(baseUrl, 'sign-out', place), cookies)
  const client = clientOnPage(back.client, back.redirectUri)
  const content = handOver({ client, redirect: returnAddress(back) })
  return showPage(kit, content, { incoming, uiLocales, at: null }, { status: 200, cookies })
}

interface Showing {
  readonly request: EndpointRequest
  readonly session: SessionRecord | null
  readonly asked: Asked
  readonly origin: FormOrigin | null
}

async function show(
  kit: BrowserKit,
  { request, session, asked, origin }: Showing,
): Promise<TextAnswer> {
  const { incoming } = request
  const { place, uiLocales } = asked
  const at = { ...place, page: 'sign-out' } as const
  const user = session === null ? null : await kit.users.findById(session.userId)
  const reader: PageReader = { incoming, uiLocales, user, at }
  if (user === null)
    return showPage(kit, (shell) => signedOutPage({ again: null }, shell), reader, { status: 200 })
  const fault = faultOf(origin, user.name)
  const action = pageAddress(kit.baseUrl, 'sign-out', place)
  const { form, cookies } = formFor(kit, incoming, bindingOf(session), action, fault)
  const account = { name: user.name, username: user.username }
  const view = { account, everywhere: kit.judgeLogout !== undefined, form }
  const status = fault === null ? 200 : 403
  return showPage(kit, (shell) => signOutPage(view, shell), reader, { status, cookies })
}

function faultOf(origin: FormOrigin | null, account: string): FormFault | null {
  if (origin === null) return null
  return origin === 'other-account' ? { kind: origin, account } : { kind: 'stale' }
}

function bindingOf(session: SessionRecord | null) {
  return { page: 'sign-out', request: '', account: session?.userId ?? null }
}

/**
 * `GET, POST /oauth/logout`: an app signs its user out here, too ([OpenID Connect RP-Initiated
 * Logout 1.0](https://openid.net/specs/openid-connect-rpinitiated-1_0.html)). The page of
 * `/oauth/sign-out` asks first, unless an ID token proves that the app has signed in the user in
 * this very session. GET can end a session, so mount it without HEAD.
 */
export function logoutEndpoints(kit: BrowserKit, judgeLogout: JudgeLogout): FormEndpoints {
  const { pages, sessions, baseUrl, audit } = kit
  return {
    GET: forPeople(kit, async function signOutByApp({ incoming, context }) {
      // Browsers drop a prefetched answer that is no success, and ask again once their user follows
      // the link.
      if (isPrefetch(incoming)) throw new AuthError('temporarily-unavailable', { retryAfter: 1 })
      // 429, 503
      const judged = await judgeLogout(queryIn(incoming.url), { context })
      // An image or a frame of another site may not sign anybody out.
      const isVisit = pages.readCookie(incoming) !== null
      const session = isVisit ? await findSessionOfCookie(pages, sessions, incoming) : null
      const endsSession = session !== null && (await judged.provesSession(session))
      // The end is stored before the browser deletes the cookie, so that a failure can be repeated.
      if (endsSession) await sessions.end(session, 'logout', context)
      const { clientId, back, refused } = judged
      audit({ type: 'logout.requested', clientId, endsSession, refused }, context)
      if (!endsSession) return seeOther(askingAddress(baseUrl, judged))
      const to = back === null ? askingAddress(baseUrl, judged) : returnAddress(back)
      return seeOther(to, [{ of: pages.cookie, value: null }])
    }),

    // Browsers omit the cookie from forms of other sites, but send it with the GET that follows.
    POST: forPeople(kit, async function forwardLogout({ incoming }) {
      // 400, 413, 415
      const query = await readFormAsQuery(incoming)
      const { at } = parseBrowserRequest(query, maxLogoutQueryChars)
      return seeOther(`${addressAt(baseUrl, '/oauth/logout')}?${at === 'page' ? unread : query}`)
    }),
  }
}

// A query that cannot be read cannot stand in an address either. GET refuses this in the same way.
const unread = 'state=&state='

/** The page that asks, with the parts of the request that count, and so without the ID token. */
function askingAddress(baseUrl: URL, judged: JudgedLogout): string {
  return pageAddress(baseUrl, 'sign-out', { raw: whatCounts(judged), flow: null, language: null })
}

/** Asks the signed-in user whether to sign out. */
interface SignOutView extends Omit<OwnView, 'back'> {
  /** Whether there is a second button, `choice` = `everywhere`: on all devices. */
  readonly everywhere: boolean
}

/** The browser is signed out. */
interface SignedOutView {
  /** The page to sign in again; null without. */
  readonly again: string | null
}

/**
 * Asks before signing out, since any page can link here.
 *
 * @internal
 */
export function signOutPage(
  { account, everywhere, form }: SignOutView,
  { texts }: PageShell,
): PageContent {
  const given = choice('everywhere', 'plain')
  const onAll = everywhere ? html`\n${button(texts.html('sign-out.everywhere'), given)}` : null
  const submit = html`${button(texts.html('sign-out.submit'))}${onAll}`
  return {
    title: 'sign-out.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('sign-out.lead')}</p>
${accountCard(account)}
${formOf(form, texts, 'fault.stale', submit)}`,
  }
}

/**
 * The browser is signed out.
 *
 * @internal
 */
export function signedOutPage({ again }: SignedOutView, { texts, home }: PageShell): PageContent {
  const links = [
    again && html`<a href="${again}">${texts.html('signed-out.again')}</a>`,
    home && html`<a href="${home}">${texts.html('page.home')}</a>`,
  ]
  return {
    title: 'signed-out.title',
    body: html`<p class="lead">${texts.html('signed-out.lead')}</p>
${again === null && home === null ? null : html`<p class="links">${links}</p>`}`,
  }
}
