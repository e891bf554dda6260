import { AuthError } from '../errors.js'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import { readOpenBody } from '../http/body.js'
import type { EndpointRequest, Routes } from '../http/endpoint.js'
import { isOwnPage, returnPathOf } from '../http/page-origin.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AskingUser } from '../principal/principal.js'
import { freshSeconds, isWithin } from '../sessions/recent-sign-in.js'
import {
  type FormEndpoints,
  type FormFields,
  fieldsOf,
  formFor,
  judgeInBrowser,
  retryHeaders,
  type Submitted,
} from './form-page.js'
import {
  accountCard,
  accountOf,
  button,
  type FormFault,
  formOf,
  hiddenFields,
  type OwnView,
  type PageForm,
} from './form-parts.js'
import { html } from './html.js'
import type { Content, PageContent, PageShell } from './layout.js'
import { deadLink } from './mail-form.js'
import {
  type AccountPageName,
  pageAddress,
  placeWithoutRequest,
  queryIn,
  readPageRequest,
} from './page-request.js'
import type { FormsKit } from './pages-kit.js'
import {
  errorAnswer,
  forPeople,
  ownPage,
  type PagePlace,
  type PageReader,
  seeOther,
  showPage,
  withoutAddress,
} from './show-page.js'
import { returnQuery } from './sign-in-url.js'

/** One page of the account of the signed-in user. */
export interface AccountFormPage {
  readonly page: OwnPageName
  /** Whether it needs a sign-in within the last ten minutes, since it changes how to sign in. */
  readonly needsFresh: boolean
  /** The age of the sign-in that this page allows, in seconds. Default: ten minutes. */
  readonly maxAge?: number
  /**
   * The content for a user who must sign in first, with the address of the sign-in. Default: the
   * browser is led there.
   */
  readonly beforeSignIn?: (signIn: string) => Content
  /** For the landing of a link in a mail, whose query is part of the page. */
  readonly landing?: Landing
  /** The part of a query that belongs to the page. Default: nothing. */
  readonly ownQuery?: (query: string) => string
  /**
   * The content. Changes nothing. Rejects with 400 `proof-refused` for a link without effect, and
   * with 503.
   */
  view(found: BrowserUser, form: PageForm, asked: AskedPage): Promise<Content>
  /**
   * Executes the form, which was shown by this page in this browser to this user. Rejects with 401,
   * 404 and 503.
   */
  submit(asking: Asking): Promise<Changed>
}

/** The pages of a signed-in user. */
type OwnPageName = AccountPageName | 'device'

/**
 * The content for a browser without a signed-in user, on the page that a link in a mail leads to.
 */
export interface Landing {
  /** The content. Throws 400 `proof-refused` for a link without effect. */
  elsewhere(query: string): Content
  /** The page that a link without effect leads to. */
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
  readonly found: BrowserUser
  readonly user: AskingUser
  readonly fields: FormFields
  /** Shows a content with a new form for this page. Default: 200, without a fault. */
  show(contentWith: (form: PageForm) => Content, shown?: Shown): TextAnswer
  /** Opens a page of the account anew. */
  open(page: AccountPageName): TextAnswer
  /** Leads to the sign-in page, and from there back here with this query. */
  signInAgain(query: string): TextAnswer
}

/** The result of a form. */
export type Changed =
  /** The page is opened anew; by default this one. */
  | { readonly next: 'open'; readonly page?: AccountPageName; readonly query?: string }
  | { readonly next: 'answer'; readonly answer: TextAnswer }
  /** The page of the form is shown again. */
  | {
      readonly next: 'again'
      readonly status: number
      readonly fault: FormFault
      readonly cookies?: readonly CookieChange[]
    }

/**
 * The endpoints of a page of the account. A stranger, and a user whose sign-in is too old, is led
 * to the sign-in page, and from there back to this page.
 */
export function accountEndpoints(kit: FormsKit, page: AccountFormPage): FormEndpoints {
  const { landing } = page

  async function visit(
    request: EndpointRequest,
    answer: (showing: Showing) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    // 503
    const found = await kit.findBrowserUser(request.incoming, request.context)
    const place = placeOf(page, request)
    const isSignedIn = found !== null && found.signIn.required.length === 0
    if (landing !== undefined) {
      try {
        if (isSignedIn) return await answer({ kit, page, place, found, request })
        return showElsewhere(kit, landing, { ...place, page: page.page }, request)
      } catch (error) {
        return deadLink(kit, error, landing.instead, request)
      }
    }
    if (!isSignedIn || !isFreshFor(page, found, kit.clock()))
      return askToSignIn(kit, page, place, request)
    return answer({ kit, page, place, found, request })
  }

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, kit.baseUrl.origin)) return errorAnswer(kit, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visit(request, (showing) => take(showing, fields))
  }

  const change = landing === undefined ? undefined : withoutAddress
  return {
    GET: forPeople(kit, (request) => visit(request, (one) => show(one, shownFirst)), change),
    POST: forPeople(kit, post, change),
  }
}

/** The route of a page of a signed-in user. */
export function accountRoute(kit: FormsKit, page: AccountFormPage): Routes[number] {
  const path = page.page === 'device' ? '/oauth/device' : `/${page.page}`
  return ownPage(path, accountEndpoints(kit, page))
}

/** The routes of pages that the account page leads to; none if the host has none of ours. */
export function accountPages(
  kit: FormsKit,
  pages: readonly (AccountFormPage | undefined)[],
): Routes {
  if (kit.accountUrl === null) return []
  return pages.flatMap((page) => (page === undefined ? [] : [accountRoute(kit, page)]))
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
  return isWithin(session, maxAge ?? freshSeconds, now)
}

/** A page, its place, its user and the request. */
interface Showing {
  readonly kit: FormsKit
  readonly page: AccountFormPage
  readonly place: Place
  readonly found: BrowserUser
  readonly request: EndpointRequest
}

async function take(showing: Showing, fields: FormFields): Promise<TextAnswer> {
  const { kit, page, found, request } = showing
  const { incoming } = request
  const origin = judgeInBrowser(kit, incoming, fields.text('csrf'), bindingOf(showing))
  if (origin === 'other-account') {
    const fault = { kind: 'other-account', account: found.approved.user.name } as const
    return show(showing, { status: 403, fault })
  }
  // A copy of the cookie from before a change dies within seconds, and changes nothing until then.
  if (origin !== 'ours' || found.signIn.isByFormerSecret)
    return show(showing, { status: 403, fault: { kind: 'stale' } })
  const asking: Asking = {
    found,
    user: { session: found.session, user: found.approved.user },
    fields,
    request,
    query: showing.place.raw,
    show: (contentWith, shown = shownFirst) => {
      const { form, cookies } = formOn(showing, shown)
      return answerWith(showing, contentWith(form), shown, cookies)
    },
    open: (to) => openPage(showing, { page: to }),
    signInAgain: (raw) => signInFor(kit, page, { ...showing.place, raw }, 0),
  }
  const choice = fields.text('choice')
  const [question = ''] = choice.split(' ', 1)
  if (Object.hasOwn(confirmed, question) && !fields.has('sure'))
    return ask(showing, choice, question as ConfirmQuestion)
  // 503
  const changed = await page.submit(asking).catch((error: unknown) => {
    if (error instanceof AuthError && error.status === 401) return null
    throw error
  })
  // The session has ended in another process.
  if (changed === null) return toSignIn(kit, page, showing.place)
  if (changed.next === 'answer') return changed.answer
  if (changed.next === 'again') return show(showing, changed)
  return openPage(showing, changed)
}

/** Shows what a choice ends or removes. Nothing is done before it comes again with `sure`. */
async function ask(
  showing: Showing,
  choice: string,
  question: ConfirmQuestion,
): Promise<TextAnswer> {
  const { page, found, request, place } = showing
  const { form, cookies } = formOn(showing, shownFirst)
  const content = await page.view(found, form, { request, query: place.raw })
  const hidden = html`${form.hidden}${hiddenFields({ sure: 'yes' })}`
  const shown = { account: accountOf(found), choice, question, form: { ...form, hidden } }
  const [, id] = choice.split(' ', 2)
  const asking: Content = (shell) => {
    const named = content(shell).listed?.find((one) => one.id === id)?.name ?? null
    return confirmPage({ ...shown, named }, shell)
  }
  return answerWith(showing, asking, shownFirst, cookies)
}

function openPage(
  { kit, page: own, place }: Showing,
  { page = own.page, query = '' }: { readonly page?: OwnPageName; readonly query?: string },
): TextAnswer {
  return seeOther(pageAddress(kit.baseUrl, page, { ...place, raw: query }))
}

/** The result of a form that may have given the browser another cookie. */
export function changedBy(submitted: Submitted, asking: Asking): Changed {
  if (submitted.next !== 'start-over') return submitted
  // The sign-in has ended, or is too old: the page leads to a new one.
  const answer = asking.open('account')
  return { next: 'answer', answer: { ...answer, cookies: submitted.cookies ?? [] } }
}

/** How the page is shown. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly cookies?: readonly CookieChange[]
}

async function show(showing: Showing, shown: Shown): Promise<TextAnswer> {
  const { page, found, request, place } = showing
  const { form, cookies } = formOn(showing, shown)
  const content = await page.view(found, form, { request, query: place.raw })
  return answerWith(showing, content, shown, cookies)
}

function formOn(showing: Showing, { fault }: Shown): ReturnType<typeof formFor> {
  const { kit, page, place, request } = showing
  const action = pageAddress(kit.baseUrl, page.page, place)
  return formFor(kit, request.incoming, bindingOf(showing), action, fault)
}

function answerWith(
  { kit, page, place, found, request }: Showing,
  content: Content,
  { status, fault, cookies: kept = [] }: Shown,
  cookies: readonly CookieChange[],
): TextAnswer {
  const at = { ...place, page: page.page }
  const { incoming } = request
  const reader: PageReader = { incoming, uiLocales: [], user: found.approved.user, at }
  const headers = retryHeaders(fault)
  return showPage(kit, content, reader, { status, headers, cookies: [...kept, ...cookies] })
}

function bindingOf({ page, place, found }: Showing) {
  return { page: page.page, request: place.raw, account: found.session.userId }
}

// The browser is not led to the sign-in: a new sign-in is not the session that has asked.
function showElsewhere(
  kit: FormsKit,
  { elsewhere }: Landing,
  at: PagePlace,
  { incoming }: EndpointRequest,
): TextAnswer {
  return showPage(kit, elsewhere(at.raw), { incoming, uiLocales: [], at }, { status: 200 })
}

function askToSignIn(
  kit: FormsKit,
  page: AccountFormPage,
  place: Place,
  { incoming }: EndpointRequest,
): TextAnswer {
  const answer = toSignIn(kit, page, place)
  const content = page.beforeSignIn?.(answer.headers?.['Location'] ?? '')
  if (content === undefined) return answer
  const reader = { incoming, uiLocales: [], at: { ...place, page: page.page } }
  return showPage(kit, content, reader, { status: 200 })
}

function toSignIn(kit: FormsKit, page: AccountFormPage, place: Place): TextAnswer {
  const { ownQuery } = page
  const maxAge = page.needsFresh ? (page.maxAge ?? freshSeconds) : null
  // The query of a landing page is its link, which is opened once.
  return signInFor(kit, page, ownQuery === undefined ? { ...place, raw: '' } : place, maxAge)
}

function signInFor(
  { baseUrl }: FormsKit,
  { page }: AccountFormPage,
  place: Place,
  maxAge: number | null,
): TextAnswer {
  const { pathname, search } = new URL(pageAddress(baseUrl, page, place))
  const path = returnPathOf(`${pathname}${search}`) ?? '/'
  const raw = `${returnQuery(path)}${maxAge === null ? '' : `&max_age=${maxAge}`}`
  return seeOther(pageAddress(baseUrl, 'sign-in', { ...place, raw }))
}

/**
 * The actions that a page confirms first, by the first word of the choice, with the text of the
 * button.
 */
export const confirmed = {
  off: 'account-factor.off',
  'email-off': 'account-factor.email-off',
  'phone-off': 'account-factor.phone-off',
  remove: 'account-passkeys.remove',
  disconnect: 'account-identities.disconnect',
  end: 'account.end',
  'end-others': 'account.end-others',
  revoke: 'account.revoke',
} as const

/** The questions of the page. The list is closed. */
export type ConfirmQuestion = keyof typeof confirmed

/** Asks before something ends or is removed, by a button `name="choice"` with `choice` again. */
export interface ConfirmView extends Omit<OwnView, 'back'> {
  readonly choice: string
  readonly question: ConfirmQuestion
  /** The name of the thing that is removed or ends; null if it has no name. */
  readonly named: string | null
}

/**
 * Asks before something ends or is removed. Its button comes late, for a double click.
 *
 * @internal
 */
export function confirmPage(view: ConfirmView, { texts }: PageShell): PageContent {
  const { account, form, choice, question, named } = view
  const given = { name: 'choice', value: choice, class: 'danger grants' }
  const shown = named ?? (question === 'end' ? texts.plain('account.unknown-device') : null)
  const name = shown && html`<p class="lead"><bdi><b>${shown}</b></bdi></p>`
  return {
    title: 'confirm.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${name}
<p>${texts.html(`confirm.${question}`)}</p>
${formOf(form, texts, 'fault.stale', button(texts.html(confirmed[question]), given))}
<p class="links"><a href="${form.action}">${texts.html('page.cancel')}</a></p>`,
  }
}
