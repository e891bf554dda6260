import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import { readOpenBody } from '../http/body.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { isOwnPage, type Pages } from '../http/page-origin.js'
import {
  type JudgedLogout,
  type JudgeLogout,
  returnAddress,
  whatCounts,
} from '../oauth/judge-logout.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { UserStore } from '../users/contract.js'
import { clientOnPage } from './answer-client.js'
import type { Csrf, FormBinding, FormOrigin } from './csrf.js'
import { type FormEndpoints, fieldsOf } from './form-page.js'
import { hiddenFields } from './form-parts.js'
import { type PageRequest, pageAddress, placeWithoutRequest, queryIn } from './page-request.js'
import type { KnownBrowser } from './pre-cookie.js'
import { errorAnswer, forPeople, type PageReader, type ShowPage, seeOther } from './show-page.js'
import type { FormFault } from './view.js'

export interface SignOutDeps {
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'findBySecret' | 'end' | 'endAllButNamed'>
  readonly users: Pick<UserStore, 'findById'>
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'ensure'>
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  /** Undefined without the option `oauth.logout`. */
  readonly judgeLogout: JudgeLogout | undefined
}

/**
 * `GET, POST /oauth/sign-out`: a form asks first, since any page can link here. Then ends the
 * browser's session and the sessions of apps that it has signed in, or all sessions of the user.
 * `/oauth/logout` sends browsers here; then they return to their app.
 */
export function signOutEndpoints(deps: SignOutDeps): FormEndpoints {
  const { pages, sessions, showPage, baseUrl } = deps

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, baseUrl.origin)) return errorAnswer(showPage, 'refused', 403, request)
    const fields = fieldsOf(await readOpenBody(incoming, []))
    // 429, 503
    const asked = await readAsked(deps, request)
    const session = await findSessionOfCookie(pages, sessions, incoming)
    const binding = bindingOf(deps, request, session)
    const origin = deps.csrf.judge(incoming, fields.text('csrf'), binding)
    // Nobody is signed in any more: there is nothing to ask.
    const isDone = session === null && asked.back !== null
    if (origin !== 'ours' && !isDone) return show(deps, { request, session, asked, origin })
    if (session !== null) await end(deps, session, fields.text('choice'), request.context)
    return leave(deps, asked, incoming)
  }

  return {
    GET: forPeople(showPage, async (request) => {
      const asked = await readAsked(deps, request)
      const session = await findSessionOfCookie(pages, sessions, request.incoming)
      if (session === null && asked.back !== null) return seeOther(returnAddress(asked.back))
      return show(deps, { request, session, asked, origin: null })
    }),
    POST: forPeople(showPage, post),
  }
}

/** What an app has asked for, if it has sent the browser. */
interface Asked extends Pick<JudgedLogout, 'back' | 'uiLocales'> {
  readonly place: Pick<PageRequest, 'raw' | 'flow' | 'language'>
}

async function readAsked(
  { judgeLogout }: SignOutDeps,
  { incoming, context }: EndpointRequest,
): Promise<Asked> {
  const place = placeWithoutRequest(incoming.url)
  if (judgeLogout === undefined) return { back: null, uiLocales: [], place }
  const judged = await judgeLogout(queryIn(incoming.url), { context })
  const { back, uiLocales } = judged
  return { back, uiLocales, place: { ...place, raw: whatCounts(judged) } }
}

async function end(
  { sessions, judgeLogout }: SignOutDeps,
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

// After the session is stored as ended, so that a failure can be repeated, the cookie goes. To the
// app by a page, since `form-action 'self'` blocks a redirect to another site after a form.
function leave(
  { showPage, pages, baseUrl }: SignOutDeps,
  { back, uiLocales, place }: Asked,
  incoming: IncomingMessage,
): TextAnswer | Promise<TextAnswer> {
  const cookies = [{ of: pages.cookie, value: null }]
  if (back === null) return seeOther(pageAddress(baseUrl, 'sign-out', place), cookies)
  const client = clientOnPage(back.client, back.redirectUri)
  const view = { page: 'hand-over', client, redirect: returnAddress(back) } as const
  return showPage(() => view, { incoming, uiLocales, at: null }, { status: 200, cookies })
}

interface Showing {
  readonly request: EndpointRequest
  readonly session: SessionRecord | null
  readonly asked: Asked
  readonly origin: FormOrigin | null
}

async function show(
  deps: SignOutDeps,
  { request, session, asked, origin }: Showing,
): Promise<TextAnswer> {
  const { showPage, baseUrl, csrf, browsers } = deps
  const { place, uiLocales } = asked
  const at = { ...place, page: 'sign-out' } as const
  const user = session === null ? null : await deps.users.findById(session.userId)
  const reader: PageReader = { incoming: request.incoming, uiLocales, user, at }
  if (user === null)
    return showPage(() => ({ page: 'signed-out', again: null }), reader, { status: 200 })
  const { browser, cookies } = browsers.ensure(request.incoming)
  const token = csrf.tokenFor({ ...bindingOf(deps, request, session), browser }) ?? ''
  const fault = faultOf(origin, user.name)
  const action = pageAddress(baseUrl, 'sign-out', place)
  const form = { action, hidden: hiddenFields({ csrf: token }), fault }
  const account = { name: user.name, username: user.username }
  const everywhere = deps.judgeLogout !== undefined
  const status = fault === null ? 200 : 403
  return showPage(() => ({ page: 'sign-out', account, everywhere, form }), reader, {
    status,
    cookies,
  })
}

function faultOf(origin: FormOrigin | null, account: string): FormFault | null {
  if (origin === null) return null
  return origin === 'other-account' ? { kind: origin, account } : { kind: 'stale' }
}

function bindingOf(
  { browsers }: SignOutDeps,
  { incoming }: EndpointRequest,
  session: SessionRecord | null,
): FormBinding {
  const account = session?.userId ?? null
  return { page: 'sign-out', request: '', browser: browsers.preOf(incoming), account }
}
