import { AuthError } from '../../errors.js'
import type { CookieChange, TextAnswer } from '../../http/answer.js'
import { readOpenBody } from '../../http/body.js'
import type { EndpointRequest } from '../../http/endpoint.js'
import { isOwnPage } from '../../http/page-origin.js'
import { returnPathOf } from '../../http/return-path.js'
import type { BrowserUser, FindBrowserUser } from '../../oauth/browser-sign-in.js'
import { isFresh } from '../../sign-in-again.js'
import { type Csrf, type FormBinding, judgeInBrowser } from '../csrf.js'
import { type FormEndpoints, type FormFields, fieldsOf, type Submitted } from '../form-page.js'
import { hiddenFields } from '../form-parts.js'
import { type AccountPageName, pageAddress, placeWithoutRequest } from '../page-request.js'
import type { KnownBrowser } from '../pre-cookie.js'
import { errorAnswer, forPeople, type PageReader, type ShowPage, seeOther } from '../show-page.js'
import { returnQuery } from '../sign-in-url.js'
import type { PageTexts } from '../texts.js'
import type { FormFault, PageForm, View } from '../view.js'

/** One page of the account of the signed-in user. */
export interface AccountFormPage {
  readonly page: AccountPageName
  /** Whether it needs a sign-in within the last ten minutes, since it changes how to sign in. */
  readonly needsFresh: boolean
  /** The content. Changes nothing. */
  view(found: BrowserUser, form: PageForm): Promise<(texts: PageTexts) => View>
  /**
   * Executes the form, which was shown by this page in this browser to this user. Rejects with 401,
   * 404 and 503.
   */
  submit(found: BrowserUser, fields: FormFields, asking: Asking): Promise<Changed>
}

/** The request of a form, and how pages are shown in answer to it. */
export interface Asking {
  readonly request: EndpointRequest
  /** Shows a view with a new form for this page. Default: 200, without a fault. */
  show(
    viewIn: (form: PageForm) => (texts: PageTexts) => View,
    shown?: Pick<Shown, 'status' | 'fault'>,
  ): Promise<TextAnswer>
  /** Opens a page of the account anew. */
  open(page: AccountPageName): Promise<TextAnswer>
}

/** What a form brought about. */
export type Changed =
  /** The page is opened anew; by default this one. */
  | { readonly next: 'open'; readonly page?: AccountPageName }
  | { readonly next: 'answer'; readonly answer: TextAnswer }
  /** The same page again. */
  | {
      readonly next: 'again'
      readonly status: number
      readonly fault: FormFault
      readonly cookies?: readonly CookieChange[]
    }

export interface AccountFormDeps {
  readonly findBrowserUser: FindBrowserUser
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'allOf' | 'ensure'>
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly clock: () => Date
}

/** Seconds; what {@link isFresh} allows. */
const maxAge = 600

/**
 * The endpoints of a page of the account. A stranger, and a user whose sign-in is too old, is led
 * to the sign-in page, and from there back to this page.
 */
export function accountEndpoints(deps: AccountFormDeps, page: AccountFormPage): FormEndpoints {
  const { showPage, baseUrl, clock } = deps

  async function visit(
    request: EndpointRequest,
    answer: (found: BrowserUser) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    // 503
    const found = await deps.findBrowserUser(request.incoming, request.context)
    if (found === null || found.signIn.mustEnrol) return toSignIn(deps, page, request)
    if (page.needsFresh && !isFresh(found.session, clock())) return toSignIn(deps, page, request)
    return answer(found)
  }

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, baseUrl.origin)) return errorAnswer(showPage, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visit(request, (found) => take({ deps, page, found, request }, fields))
  }

  return {
    GET: forPeople(showPage, (request) =>
      visit(request, (found) => show({ deps, page, found, request }, shownFirst)),
    ),
    POST: forPeople(showPage, post),
  }
}

const shownFirst = { status: 200, fault: null } as const

/** A page, its user and the request. */
interface Showing {
  readonly deps: AccountFormDeps
  readonly page: AccountFormPage
  readonly found: BrowserUser
  readonly request: EndpointRequest
}

async function take(showing: Showing, fields: FormFields): Promise<TextAnswer> {
  const { deps, page, found, request } = showing
  const { incoming } = request
  const token = fields.text('csrf')
  const browsers = deps.browsers.allOf(incoming)
  const origin = judgeInBrowser(deps.csrf, incoming, token, bindingOf(showing), browsers)
  if (origin === 'other-account') {
    const fault = { kind: 'other-account', account: found.approved.user.name } as const
    return show(showing, { status: 403, fault })
  }
  // A copy of the cookie from before a change dies within seconds, and changes nothing until then.
  if (origin !== 'ours' || found.signIn.isByFormerSecret)
    return show(showing, { status: 403, fault: { kind: 'stale' } })
  const asking: Asking = {
    request,
    show: (viewIn, shown = shownFirst) => showView(showing, async (form) => viewIn(form), shown),
    open: async (to) => openPage(showing, to),
  }
  // 503
  const changed = await page.submit(found, fields, asking).catch((error: unknown) => {
    if (error instanceof AuthError && error.status === 401) return null
    throw error
  })
  // The session has ended in another process.
  if (changed === null) return toSignIn(deps, page, request)
  if (changed.next === 'answer') return changed.answer
  if (changed.next === 'again') return show(showing, changed)
  return openPage(showing, changed.page ?? page.page)
}

function openPage({ deps, request }: Showing, page: AccountPageName): TextAnswer {
  return seeOther(pageAddress(deps.baseUrl, page, placeWithoutRequest(request.incoming.url)))
}

/** The result of a form that may have given the browser another cookie. */
export async function changedBy(submitted: Submitted, asking: Asking): Promise<Changed> {
  if (submitted.next !== 'start-over') return submitted
  // The sign-in has ended, or is too old: the page leads to a new one.
  const answer = await asking.open('account')
  return { next: 'answer', answer: { ...answer, cookies: submitted.cookies ?? [] } }
}

/** How the page is shown. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly cookies?: readonly CookieChange[]
}

function show(showing: Showing, shown: Shown): Promise<TextAnswer> {
  return showView(showing, (form) => showing.page.view(showing.found, form), shown)
}

async function showView(
  showing: Showing,
  viewOf: (form: PageForm) => Promise<(texts: PageTexts) => View>,
  { status, fault, cookies: kept = [] }: Shown,
): Promise<TextAnswer> {
  const { deps, page, found, request } = showing
  const { incoming } = request
  const at = { ...placeWithoutRequest(incoming.url), page: page.page }
  const { browser, cookies } = deps.browsers.ensure(incoming)
  const csrf = deps.csrf.tokenFor({ ...bindingOf(showing), browser }) ?? ''
  const action = pageAddress(deps.baseUrl, page.page, at)
  const form = { action, hidden: hiddenFields({ csrf }), fault }
  const reader: PageReader = { incoming, uiLocales: [], user: found.approved.user, at }
  const viewIn = await viewOf(form)
  return deps.showPage(viewIn, reader, { status, cookies: [...kept, ...cookies] })
}

function bindingOf({ deps, page, found, request }: Showing): FormBinding {
  const browser = deps.browsers.preOf(request.incoming)
  return { page: page.page, request: '', browser, account: found.session.userId }
}

function toSignIn(
  { baseUrl }: AccountFormDeps,
  { page, needsFresh }: AccountFormPage,
  { incoming }: EndpointRequest,
): TextAnswer {
  const place = placeWithoutRequest(incoming.url)
  const { pathname, search } = new URL(pageAddress(baseUrl, page, place))
  const path = returnPathOf(`${pathname}${search}`) ?? '/'
  const raw = `${returnQuery(path)}${needsFresh ? `&max_age=${maxAge}` : ''}`
  return seeOther(pageAddress(baseUrl, 'sign-in', { ...place, raw }))
}
