import { AuthError } from '../../errors.js'
import type { CookieChange, TextAnswer } from '../../http/answer.js'
import { readOpenBody } from '../../http/body.js'
import type { EndpointRequest } from '../../http/endpoint.js'
import { isOwnPage } from '../../http/page-origin.js'
import { returnPathOf } from '../../http/return-path.js'
import type { BrowserUser, FindBrowserUser } from '../../oauth/browser-sign-in.js'
import { freshSeconds, isFresh } from '../../sessions/recent-sign-in.js'
import { accountOf } from '../consent-page.js'
import { type Csrf, type FormBinding, judgeInBrowser } from '../csrf.js'
import {
  type FormEndpoints,
  type FormFields,
  fieldsOf,
  retryHeaders,
  type Submitted,
} from '../form-page.js'
import { hiddenFields } from '../form-parts.js'
import { html } from '../html.js'
import {
  type AccountPageName,
  pageAddress,
  placeWithoutRequest,
  queryIn,
  readPageRequest,
} from '../page-request.js'
import type { KnownBrowser } from '../pre-cookie.js'
import {
  errorAnswer,
  forPeople,
  type PagePlace,
  type PageReader,
  type ShowPage,
  seeOther,
} from '../show-page.js'
import { returnQuery } from '../sign-in-url.js'
import type { PageTexts } from '../texts.js'
import type { FormFault, PageForm, View } from '../view.js'
import { type ConfirmQuestion, confirmed } from '../view-parts.js'
import { deadLink, hidingAddress, withoutAddress } from './mail-form.js'

/** One page of the account of the signed-in user. */
export interface AccountFormPage {
  readonly page: OwnPageName
  /** Whether it needs a sign-in within the last ten minutes, since it changes how to sign in. */
  readonly needsFresh: boolean
  /** The same, with another age of the sign-in, in seconds. */
  readonly maxAge?: number
  /**
   * What is shown to whoever must sign in first, with the address where that is done. Default: the
   * browser is led there.
   */
  readonly beforeSignIn?: (signIn: string) => View
  /** For the landing of a link in a mail, whose query is part of the page. */
  readonly landing?: Landing
  /** What of a query is part of the page. Default: nothing. */
  readonly ownQuery?: (query: string) => string
  /**
   * The content. Changes nothing. Rejects with 400 `proof-refused` for a link without effect, and
   * with 503.
   */
  view(found: BrowserUser, form: PageForm, asked: AskedPage): Promise<(texts: PageTexts) => View>
  /**
   * Executes the form, which was shown by this page in this browser to this user. Rejects with 401,
   * 404 and 503.
   */
  submit(found: BrowserUser, fields: FormFields, asking: Asking): Promise<Changed>
}

/** The pages of a signed-in user. */
type OwnPageName = AccountPageName | 'device'

/** What a browser without a signed-in user gets, where a link in a mail leads. */
export interface Landing {
  /** The content. Throws 400 `proof-refused` for a link without effect. */
  elsewhere(query: string): (texts: PageTexts) => View
  /** Where a link leads that has no effect. */
  readonly instead: string
}

/** The request of a page. */
export interface AskedPage {
  readonly request: EndpointRequest
  /** The query of a landing page, without our own parameters; empty for other pages. */
  readonly query: string
}

/** The request of a form, and how pages are shown in answer to it. */
export interface Asking extends AskedPage {
  /** Shows a view with a new form for this page. Default: 200, without a fault. */
  show(viewIn: (form: PageForm) => (texts: PageTexts) => View, shown?: Shown): Promise<TextAnswer>
  /** Opens a page of the account anew. */
  open(page: AccountPageName): Promise<TextAnswer>
  /** Leads to the sign-in page, and from there back here with this query. */
  signInAgain(query: string): TextAnswer
}

/** What a form brought about. */
export type Changed =
  /** The page is opened anew; by default this one. */
  | { readonly next: 'open'; readonly page?: AccountPageName; readonly query?: string }
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

/**
 * The endpoints of a page of the account. A stranger, and a user whose sign-in is too old, is led
 * to the sign-in page, and from there back to this page.
 */
export function accountEndpoints(
  { showPage: shownTo, ...parts }: AccountFormDeps,
  page: AccountFormPage,
): FormEndpoints {
  const { landing } = page
  const showPage = landing === undefined ? shownTo : hidingAddress(shownTo)
  const deps: AccountFormDeps = { ...parts, showPage }
  const { baseUrl, clock } = deps

  async function visit(
    request: EndpointRequest,
    answer: (showing: Showing) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    // 503
    const found = await deps.findBrowserUser(request.incoming, request.context)
    const place = placeOf(page, request)
    const isSignedIn = found !== null && !found.signIn.mustEnrol
    if (landing !== undefined) {
      const answering = isSignedIn
        ? answer({ deps, page, place, found, request })
        : showElsewhere(deps, landing, { ...place, page: page.page }, request)
      return answering.catch((error: unknown) =>
        deadLink(showPage, error, landing.instead, request),
      )
    }
    if (!isSignedIn || !isFreshFor(page, found, clock()))
      return askToSignIn(deps, page, place, request)
    return answer({ deps, page, place, found, request })
  }

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, baseUrl.origin)) return errorAnswer(showPage, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    const answer = await visit(request, (showing) => take(showing, fields))
    return landing === undefined ? answer : withoutAddress(answer)
  }

  return {
    GET: forPeople(showPage, (request) => visit(request, (showing) => show(showing, shownFirst))),
    POST: forPeople(showPage, post),
  }
}

const shownFirst = { status: 200, fault: null } as const

type Place = ReturnType<typeof placeWithoutRequest>

function placeOf({ landing, ownQuery }: AccountFormPage, { incoming }: EndpointRequest): Place {
  const place = placeWithoutRequest(incoming.url)
  if (landing === undefined && ownQuery === undefined) return place
  const asked = readPageRequest(queryIn(incoming.url))
  if (asked.at !== 'page-request') return place
  return { ...place, raw: ownQuery === undefined ? asked.raw : ownQuery(asked.raw) }
}

function isFreshFor(
  { needsFresh, maxAge }: AccountFormPage,
  { session }: BrowserUser,
  now: Date,
): boolean {
  if (!needsFresh) return true
  if (maxAge === undefined) return isFresh(session, now)
  return now.getTime() - session.authenticatedAt.getTime() <= maxAge * 1000
}

/** A page, its place, its user and the request. */
interface Showing {
  readonly deps: AccountFormDeps
  readonly page: AccountFormPage
  readonly place: Place
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
    query: showing.place.raw,
    show: (viewIn, shown = shownFirst) => showView(showing, async (form) => viewIn(form), shown),
    open: async (to) => openPage(showing, { page: to }),
    signInAgain: (raw) => signInFor(deps, page, { ...showing.place, raw }, 0),
  }
  const choice = fields.text('choice')
  const [question = ''] = choice.split(' ', 1)
  if (Object.hasOwn(confirmed, question) && !fields.has('sure'))
    return ask(showing, choice, question as ConfirmQuestion)
  // 503
  const changed = await page.submit(found, fields, asking).catch((error: unknown) => {
    if (error instanceof AuthError && error.status === 401) return null
    throw error
  })
  // The session has ended in another process.
  if (changed === null) return toSignIn(deps, page, showing.place)
  if (changed.next === 'answer') return changed.answer
  if (changed.next === 'again') return show(showing, changed)
  return openPage(showing, changed)
}

/** Shows what a choice ends or removes. Nothing is done before it comes again with `sure`. */
function ask(showing: Showing, choice: string, question: ConfirmQuestion): Promise<TextAnswer> {
  const { page, found, request, place } = showing
  const shown = { page: 'confirm', account: accountOf(found), choice, question } as const
  const viewOf = async (form: PageForm) => {
    const viewIn = await page.view(found, form, { request, query: place.raw })
    const hidden = html`${form.hidden}${hiddenFields({ sure: 'yes' })}`
    return (texts: PageTexts): View => {
      const named = namedIn(viewIn(texts), choice)
      return { ...shown, form: { ...form, hidden }, named }
    }
  }
  return showView(showing, viewOf, shownFirst)
}

function namedIn(view: View, choice: string): string | null {
  const [, id] = choice.split(' ', 2)
  return listedOn(view).find((one) => one.id === id)?.name ?? null
}

function listedOn(view: View): readonly { readonly id: string; readonly name: string | null }[] {
  if (view.page === 'account-passkeys') return view.passkeys
  if (view.page === 'account-identities')
    return view.identities.map(({ id, label, provider }) => ({ id, name: label ?? provider }))
  if (view.page !== 'account') return []
  return [...view.devices, ...view.devices.flatMap(({ apps }) => apps), ...view.apps]
}

function openPage(
  { deps, page: own, place }: Showing,
  { page = own.page, query = '' }: { readonly page?: OwnPageName; readonly query?: string },
): TextAnswer {
  return seeOther(pageAddress(deps.baseUrl, page, { ...place, raw: query }))
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
  const { page, found, request, place } = showing
  return showView(showing, (form) => page.view(found, form, { request, query: place.raw }), shown)
}

async function showView(
  showing: Showing,
  viewOf: (form: PageForm) => Promise<(texts: PageTexts) => View>,
  { status, fault, cookies: kept = [] }: Shown,
): Promise<TextAnswer> {
  const { deps, page, place, found, request } = showing
  const { incoming } = request
  const at = { ...place, page: page.page }
  const { browser, cookies } = deps.browsers.ensure(incoming)
  const csrf = deps.csrf.tokenFor({ ...bindingOf(showing), browser }) ?? ''
  const action = pageAddress(deps.baseUrl, page.page, at)
  const form = { action, hidden: hiddenFields({ csrf }), fault }
  const reader: PageReader = { incoming, uiLocales: [], user: found.approved.user, at }
  const viewIn = await viewOf(form)
  const headers = retryHeaders(fault)
  return deps.showPage(viewIn, reader, { status, headers, cookies: [...kept, ...cookies] })
}

function bindingOf({ deps, page, place, found, request }: Showing): FormBinding {
  const browser = deps.browsers.preOf(request.incoming)
  return { page: page.page, request: place.raw, browser, account: found.session.userId }
}

// Not to the sign-in: whoever signs in anew is not in the session that has asked.
async function showElsewhere(
  { showPage }: AccountFormDeps,
  { elsewhere }: Landing,
  at: PagePlace,
  { incoming }: EndpointRequest,
): Promise<TextAnswer> {
  return showPage(elsewhere(at.raw), { incoming, uiLocales: [], at }, { status: 200 })
}

async function askToSignIn(
  deps: AccountFormDeps,
  page: AccountFormPage,
  place: Place,
  { incoming }: EndpointRequest,
): Promise<TextAnswer> {
  const answer = toSignIn(deps, page, place)
  const view = page.beforeSignIn?.(answer.headers?.['Location'] ?? '')
  if (view === undefined) return answer
  const reader = { incoming, uiLocales: [], at: { ...place, page: page.page } }
  return deps.showPage(() => view, reader, { status: 200 })
}

function toSignIn(deps: AccountFormDeps, page: AccountFormPage, place: Place): TextAnswer {
  const { ownQuery } = page
  const maxAge = page.needsFresh ? (page.maxAge ?? freshSeconds) : null
  // The query of a landing page is its link, which is opened once.
  return signInFor(deps, page, ownQuery === undefined ? { ...place, raw: '' } : place, maxAge)
}

function signInFor(
  { baseUrl }: AccountFormDeps,
  { page }: AccountFormPage,
  place: Place,
  maxAge: number | null,
): TextAnswer {
  const { pathname, search } = new URL(pageAddress(baseUrl, page, place))
  const path = returnPathOf(`${pathname}${search}`) ?? '/'
  const raw = `${returnQuery(path)}${maxAge === null ? '' : `&max_age=${maxAge}`}`
  return seeOther(pageAddress(baseUrl, 'sign-in', { ...place, raw }))
}
