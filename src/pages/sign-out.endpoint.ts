import type { TextAnswer } from '../http/answer.js'
import { readOpenBody } from '../http/body.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { isOwnPage, type Pages } from '../http/page-origin.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { UserStore } from '../users/contract.js'
import type { Csrf, FormBinding, FormOrigin } from './csrf.js'
import { type FormEndpoints, fieldsOf } from './form-page.js'
import { hiddenFields } from './form-parts.js'
import { pageAddress, placeWithoutRequest } from './page-request.js'
import type { KnownBrowser } from './pre-cookie.js'
import { errorAnswer, forPeople, type PageReader, type ShowPage, seeOther } from './show-page.js'
import type { FormFault } from './view.js'

export interface SignOutDeps {
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'findBySecret' | 'end'>
  readonly users: Pick<UserStore, 'findById'>
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'ensure'>
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/**
 * `GET, POST /oauth/sign-out`: a form asks first, since any page can link here. Then ends the
 * browser's session and the sessions of apps that it has signed in.
 */
export function signOutEndpoints(deps: SignOutDeps): FormEndpoints {
  const { pages, sessions, showPage, baseUrl } = deps

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming, context } = request
    if (!isOwnPage(incoming, baseUrl.origin)) return errorAnswer(showPage, 'refused', 403, request)
    const token = fieldsOf(await readOpenBody(incoming, [])).text('csrf')
    const session = await findSessionOfCookie(pages, sessions, incoming)
    const origin = deps.csrf.judge(incoming, token, bindingOf(deps, request, session))
    if (origin !== 'ours') return show(deps, request, session, origin)
    // Stored before the browser deletes the cookie, so that a failure can be repeated.
    if (session !== null) await sessions.end(session, 'logout', context)
    const address = pageAddress(baseUrl, 'sign-out', placeWithoutRequest(request.incoming.url))
    return seeOther(address, [{ of: pages.cookie, value: null }])
  }

  return {
    GET: forPeople(showPage, async (request) => {
      const session = await findSessionOfCookie(pages, sessions, request.incoming)
      return show(deps, request, session, null)
    }),
    POST: forPeople(showPage, post),
  }
}

async function show(
  deps: SignOutDeps,
  request: EndpointRequest,
  session: SessionRecord | null,
  origin: FormOrigin | null,
): Promise<TextAnswer> {
  const { showPage, baseUrl, csrf, browsers } = deps
  const place = placeWithoutRequest(request.incoming.url)
  const at = { ...place, page: 'sign-out' } as const
  const user = session === null ? null : await deps.users.findById(session.userId)
  const reader: PageReader = { incoming: request.incoming, uiLocales: [], user, at }
  if (user === null)
    return showPage(() => ({ page: 'signed-out', again: null }), reader, { status: 200 })
  const { browser, cookies } = browsers.ensure(request.incoming)
  const token = csrf.tokenFor({ ...bindingOf(deps, request, session), browser }) ?? ''
  const fault = faultOf(origin, user.name)
  const action = pageAddress(baseUrl, 'sign-out', place)
  const form = { action, hidden: hiddenFields({ csrf: token }), fault }
  const account = { name: user.name, username: user.username }
  const status = fault === null ? 200 : 403
  return showPage(() => ({ page: 'sign-out', account, form }), reader, { status, cookies })
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
