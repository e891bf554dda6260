import type { IncomingMessage } from 'node:http'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import { type JsonBody, readOpenBody } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { isOwnPage } from '../http/page-origin.js'
import type { FormBinding, FormOrigin } from './csrf.js'
import { type FormFault, hiddenFields, type PageForm } from './form-parts.js'
import type { Content } from './layout.js'
import { audienceOf, judgeForm, mayShow, namesAccount, type StepPage } from './next-page.js'
import { pageAddress, queryIn, readPageRequest } from './page-request.js'
import { advance, leave, type PageVisit, visitPage } from './page-visit.js'
import type { FormsKit } from './pages-kit.js'
import { errorAnswer, forPeople, seeOther, showPage } from './show-page.js'

/** The fields of a form: texts, each at most once. */
export interface FormFields {
  /** Empty if the field was not sent. */
  text(name: string): string
  /** Whether the field was sent and is not empty. */
  has(name: string): boolean
}

/** The result of an accepted form. */
export type Submitted =
  | { readonly next: 'answer'; readonly answer: TextAnswer }
  /** The page of the form is shown again. */
  | {
      readonly next: 'again'
      readonly status: number
      readonly fault: FormFault
      /** The id of a passkey that does not exist here. */
      readonly unknownPasskey?: string
      /** What it shows, if it tells more than `view`. */
      readonly contentWith?: (form: PageForm) => Content
      /** Cookies to set nevertheless. Default: none. */
      readonly cookies?: readonly CookieChange[]
    }
  /** The sign-in again, since the state that the form continues has ended. */
  | { readonly next: 'start-over'; readonly cookies?: readonly CookieChange[] }

/** One page with a form, for a valid request. */
export interface FormPage {
  readonly page: StepPage
  /** Whether one click grants an app something. Then a form that comes too fast is refused. */
  readonly grants?: true
  /**
   * The permissions that one click grants, if the client's registration can change them for one
   * request: a form that showed less is refused. Default: only the request decides.
   */
  asks?(visit: PageVisit): readonly string[]
  /** The content; null if the state that it continues has ended: then the sign-in is shown. */
  view(
    visit: PageVisit,
    form: PageForm,
    typed: FormFields,
    unknownPasskey?: string,
  ): Promise<Content | null>
  /** Acts when the page is opened, before it is shown; null: nothing was done. */
  arrive?(visit: PageVisit): Promise<Submitted | null>
  /** Executes the form, which was shown by our page in this browser for this request. */
  submit(visit: PageVisit, fields: FormFields): Promise<Submitted>
  /**
   * The earlier answer to the same form, if it was sent a moment ago; null otherwise. It is asked
   * if that answer took effect, so that this page is no longer the next one. Default: the browser
   * is led on.
   */
  answeredBefore?(visit: PageVisit, fields: FormFields): Promise<TextAnswer | null>
}

/** The endpoints of a page. It is shown, and acts, only if it is next. */
export interface FormEndpoints {
  readonly GET: Endpoint
  readonly POST: Endpoint
}

/** Pages that may be shown instead of the page whose form was sent. */
export interface OtherPages {
  /** If the state that the form continues has ended. */
  readonly signIn: FormPage
  /** If another user is signed in now. */
  readonly goOn: FormPage
}

export function formEndpoints(kit: FormsKit, page: FormPage, others: OtherPages): FormEndpoints {
  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, kit.baseUrl.origin)) return errorAnswer(kit, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visit(request, (found) => take(found, fields))
  }

  async function visit(
    request: EndpointRequest,
    answer: (visit: PageVisit) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    return hasNoRequest(request) ? openedWithoutApp(kit, request) : visitPage(kit, request, answer)
  }

  async function take(visit: PageVisit, fields: FormFields): Promise<TextAnswer> {
    const { incoming } = visit.request
    const choice = fields.text('choice')
    // These choices change nothing for a user, so they accept any form.
    if (choice === 'cancel') return leave(kit, visit.goal, cancelled)
    if (choice === 'other') return toAnotherAccount(kit, visit)
    const showing = { kit, page, others, visit }
    const origin = judgeInBrowser(kit, incoming, fields.text('csrf'), bindingOf(showing))
    // Between the first answer and its effects, the session may look signed out.
    const before = origin === 'foreign' ? null : await answeredBefore(page, visit, fields)
    if (before !== null) return before
    const fate = await judgeForm({
      page: page.page,
      visit,
      origin,
      hasCookie: kit.browsers.hasSentAny(incoming),
      goesOn: choice === 'continue',
      namesAccount: (userId) => namesAccount(kit, fields.text('username'), userId),
    })
    if (fate.next === 'go-on') return advance(kit, visit)
    if (fate.next === 'act') return act(showing, fields)
    return show({ ...showing, page: pageFor(fate.page, showing) }, { ...fate, typed: fields })
  }

  async function open(found: PageVisit): Promise<TextAnswer> {
    const arrived = (await page.arrive?.(found)) ?? null
    const showing = { kit, page, others, visit: found }
    if (arrived !== null) return settle({ ...showing, page: others.signIn }, arrived, nothingTyped)
    return mayShow(page.page, found.decision, found.flow)
      ? show(showing, { status: 200, fault: null })
      : advance(kit, found)
  }

  return {
    GET: forPeople(kit, (request) => visit(request, open)),
    POST: forPeople(kit, post),
  }
}

// If the page is still next, no earlier answer has taken effect.
async function answeredBefore(
  page: FormPage,
  visit: PageVisit,
  fields: FormFields,
): Promise<TextAnswer | null> {
  if (mayShow(page.page, visit.decision, visit.flow)) return null
  return (await page.answeredBefore?.(visit, fields)) ?? null
}

function pageFor(which: 'own' | 'sign-in' | 'continue', { page, others }: Showing): FormPage {
  if (which === 'own') return page
  return which === 'sign-in' ? others.signIn : others.goOn
}

async function act(showing: Showing, fields: FormFields): Promise<TextAnswer> {
  const { kit, page } = showing
  if (page.grants === true && kit.csrf.isTooSoon(fields.text('csrf')))
    return show(showing, { status: 422, fault: { kind: 'too-soon' }, typed: fields })
  return settle(showing, await page.submit(visitOf(showing), fields), fields)
}

async function settle(
  showing: Showing,
  submitted: Submitted,
  typed: FormFields,
): Promise<TextAnswer> {
  if (submitted.next === 'answer') return submitted.answer
  if (submitted.next === 'start-over') return startOver(showing, typed, submitted.cookies)
  return show(showing, { ...submitted, typed })
}

// A signed-in user who signs in with another account must not continue with the first one.
function visitOf({ kit: { flows }, page, visit }: Showing): PageVisit {
  if (audienceOf(page.page) !== 'anybody' || visit.found === null) return visit
  return { ...visit, flow: flows.withStep(visit.flow ?? flows.begin(), 'other_account') }
}

function startOver(
  showing: Showing,
  typed: FormFields,
  cookies: readonly CookieChange[] = [],
): Promise<TextAnswer> {
  const fault: FormFault = { kind: 'stale' }
  return show({ ...showing, page: showing.others.signIn }, { status: 422, fault, typed, cookies })
}

// The signed-in user stays signed in until another one has signed in.
function toAnotherAccount(
  { flows, baseUrl }: FormsKit,
  { asked, binding, found }: PageVisit,
): TextAnswer {
  const wanted = flows.withStep(flows.begin(), 'other_account')
  const flow = found === null ? null : flows.seal(wanted, binding)
  return seeOther(pageAddress(baseUrl, 'sign-in', { ...asked, flow }))
}

// The address was typed, or stored by a password manager, which drops the query.
function hasNoRequest({ incoming: { url } }: EndpointRequest): boolean {
  const asked = readPageRequest(queryIn(url))
  return asked.at === 'page-request' && /^(?:language=[^&]*)?$/.test(asked.raw)
}

function openedWithoutApp(kit: FormsKit, request: EndpointRequest): TextAnswer {
  const { home } = kit.pageSite
  return home === null ? errorAnswer(kit, 'no-app', 400, request) : seeOther(home)
}

const cancelled = { error: 'access_denied', description: 'The user has cancelled.' }

/** How a form is shown, with the fields typed before. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly typed?: FormFields
  readonly unknownPasskey?: string
  readonly contentWith?: (form: PageForm) => Content
  readonly cookies?: readonly CookieChange[]
}

/** A page to show, and its visit. */
interface Showing {
  readonly kit: FormsKit
  readonly page: FormPage
  readonly others: OtherPages
  readonly visit: PageVisit
}

async function show(showing: Showing, shown: Shown): Promise<TextAnswer> {
  const { kit, visit } = showing
  const { status, fault, typed = nothingTyped, unknownPasskey, cookies: kept = [] } = shown
  const { page, view } = showing.page
  const { asked, flow, reader } = visit
  const place = { ...asked, flow: flow && asked.flow }
  const action = pageAddress(kit.baseUrl, page, place)
  const { form, cookies } = formFor(kit, visit.request.incoming, bindingOf(showing), action, fault)
  const content = shown.contentWith?.(form) ?? (await view(visit, form, typed, unknownPasskey))
  if (content === null) {
    // Otherwise this would loop forever and block the event loop.
    if (showing.page === showing.others.signIn) throw new TypeError('the sign-in shows nothing')
    return startOver(showing, typed, kept)
  }
  const answer = { status, headers: retryHeaders(fault), cookies: [...kept, ...cookies] }
  return showPage(kit, content, { ...reader, at: { ...place, page } }, answer)
}

// The context that the token of the form must match.
function bindingOf({ page: { page, asks }, visit }: Showing): Binding {
  const account = audienceOf(page) === 'half-way' ? null : (visit.found?.session.userId ?? null)
  const asked = [visit.asked.raw, ...(asks?.(visit) ?? [])].join(' ')
  return { page, request: asked, account }
}

/** The context of a form in any browser. */
type Binding = Omit<FormBinding, 'browser'>

/** The origin of a form. In a browser with several values, it must match one of them. */
export function judgeInBrowser(
  { browsers, csrf }: FormsKit,
  incoming: IncomingMessage,
  token: string,
  form: Binding,
): FormOrigin {
  for (const browser of browsers.allOf(incoming)) {
    const found = csrf.judge(incoming, token, { ...form, browser })
    if (found !== 'foreign') return found
  }
  return 'foreign'
}

/** A form for this browser, and the cookies that the browser must store for it. */
export function formFor(
  { browsers, csrf }: FormsKit,
  incoming: IncomingMessage,
  binding: Binding,
  action: string,
  fault: FormFault | null,
): { readonly form: PageForm; readonly cookies: readonly CookieChange[] } {
  const { browser, cookies } = browsers.ensure(incoming)
  const hidden = hiddenFields({ csrf: csrf.tokenFor({ ...binding, browser }) ?? '' })
  return { form: { action, hidden, fault }, cookies }
}

/** `Retry-After` for a fault that passes. */
export function retryHeaders(fault: FormFault | null): Readonly<Record<string, string>> {
  if (fault === null || !('retryAfter' in fault)) return {}
  return { 'Retry-After': String(fault.retryAfter) }
}

/** The fields of a body. Values other than text count as not sent. */
export function fieldsOf(body: JsonBody): FormFields {
  const text = (name: string) => {
    const value = Object.hasOwn(body, name) ? body[name] : ''
    return typeof value === 'string' ? value : ''
  }
  return { text, has: (name) => text(name) !== '' }
}

const nothingTyped: FormFields = { text: () => '', has: () => false }
