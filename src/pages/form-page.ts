import type { CookieChange, TextAnswer } from '../http/answer.js'
import { type JsonBody, readOpenBody } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { isOwnPage } from '../http/page-origin.js'
import { type Csrf, type FormBinding, judgeInBrowser } from './csrf.js'
import type { Flows } from './flow.js'
import { hiddenFields } from './form-parts.js'
import type { Exits } from './goal.js'
import { audienceOf, judgeForm, type NamesAccount } from './judge-form.js'
import { mayShow, type StepPage } from './next-page.js'
import { pageAddress, queryIn, readPageRequest } from './page-request.js'
import type { PageSite } from './page-site.js'
import type { Advance, PageVisit, VisitPage } from './page-visit.js'
import type { KnownBrowser } from './pre-cookie.js'
import { errorAnswer, forPeople, type ShowPage, seeOther } from './show-page.js'
import type { PageTexts } from './texts.js'
import type { FormFault, PageForm, View } from './view.js'

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
  /** The same page again. */
  | {
      readonly next: 'again'
      readonly status: number
      readonly fault: FormFault
      /** The id of a passkey that does not exist here. */
      readonly unknownPasskey?: string
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
   * What one click grants, if the client's registration can change that for the same request: a
   * form that showed less is refused. Default: only the request decides.
   */
  asks?(visit: PageVisit): readonly string[]
  /** The content; null if the state that it continues has ended: then the sign-in is shown. */
  view(
    visit: PageVisit,
    form: PageForm,
    typed: FormFields,
    request: EndpointRequest,
    unknownPasskey?: string,
  ): Promise<((texts: PageTexts) => View) | null>
  /** What is done when the page is opened, before it is shown; null for nothing. */
  arrive?(visit: PageVisit, request: EndpointRequest): Promise<Submitted | null>
  /** Executes the form, which was shown by our page in this browser for this request. */
  submit(visit: PageVisit, fields: FormFields, request: EndpointRequest): Promise<Submitted>
  /**
   * The earlier answer to the same form, if it was sent a moment ago; null otherwise. Called if the
   * page is not next any more, because that answer took effect. Default: the browser is led on.
   */
  answeredBefore?(visit: PageVisit, fields: FormFields): Promise<TextAnswer | null>
}

export interface FormPageDeps {
  readonly visitPage: VisitPage
  readonly advance: Advance
  readonly exits: Exits
  readonly showPage: ShowPage
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'allOf' | 'ensure' | 'hasSentAny'>
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'seal'>
  readonly namesAccount: NamesAccount
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly pageSite: Pick<PageSite, 'home'>
}

/** The endpoints of a page. It is shown, and acts, only if it is next. */
export interface FormEndpoints {
  readonly GET: Endpoint
  readonly POST: Endpoint
}

/** Pages that may be shown instead of the one whose form was sent. */
export interface OtherPages {
  /** If the state that the form continues has ended. */
  readonly signIn: FormPage
  /** If another user is signed in now. */
  readonly goOn: FormPage
}

export function formEndpoints(
  deps: FormPageDeps,
  page: FormPage,
  others: OtherPages,
): FormEndpoints {
  const { visitPage, advance, showPage } = deps

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, deps.baseUrl.origin))
      return errorAnswer(showPage, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visit(request, (found) => take(found, fields, request))
  }

  function visit(
    request: EndpointRequest,
    answer: (visit: PageVisit) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    return hasNoRequest(request) ? openedWithoutApp(deps, request) : visitPage(request, answer)
  }

  async function take(
    visit: PageVisit,
    fields: FormFields,
    request: EndpointRequest,
  ): Promise<TextAnswer> {
    const choice = fields.text('choice')
    // These choices change nothing for a user, so they accept any form.
    if (choice === 'cancel') return deps.exits.leave(visit.goal, cancelled)
    if (choice === 'other') return toAnotherAccount(deps, visit)
    const showing = { deps, page, others, visit, request }
    const token = fields.text('csrf')
    const { incoming } = request
    const browsers = deps.browsers.allOf(incoming)
    const origin = judgeInBrowser(deps.csrf, incoming, token, bindingOf(showing), browsers)
    // Between the first answer and its effects, the session may look signed out.
    const before = origin === 'foreign' ? null : await answeredBefore(page, visit, fields)
    if (before !== null) return before
    const fate = await judgeForm({
      page: page.page,
      visit,
      origin,
      hasCookie: deps.browsers.hasSentAny(incoming),
      goesOn: choice === 'continue',
      namesAccount: (userId) => deps.namesAccount(fields.text('username'), userId),
    })
    if (fate.next === 'go-on') return advance(visit, request.context)
    if (fate.next === 'act') return act(showing, fields)
    return show({ ...showing, page: pageFor(fate.page, showing) }, { ...fate, typed: fields })
  }

  async function open(found: PageVisit, request: EndpointRequest): Promise<TextAnswer> {
    const arrived = (await page.arrive?.(found, request)) ?? null
    const showing = { deps, page, others, visit: found, request }
    if (arrived !== null) return settle({ ...showing, page: others.signIn }, arrived, nothingTyped)
    return mayShow(page.page, found.decision, found.flow)
      ? show(showing, { status: 200, fault: null })
      : advance(found, request.context)
  }

  return {
    GET: forPeople(showPage, (request) => visit(request, (found) => open(found, request))),
    POST: forPeople(showPage, post),
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
  const { deps, page, request } = showing
  if (page.grants === true && deps.csrf.isTooSoon(fields.text('csrf')))
    return show(showing, { status: 422, fault: { kind: 'too-soon' }, typed: fields })
  return settle(showing, await page.submit(visitOf(showing), fields, request), fields)
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
function visitOf({ deps: { flows }, page, visit }: Showing): PageVisit {
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
async function toAnotherAccount(
  { flows, baseUrl }: FormPageDeps,
  { asked, binding, found }: PageVisit,
): Promise<TextAnswer> {
  const wanted = flows.withStep(flows.begin(), 'other_account')
  const flow = found === null ? null : flows.seal(wanted, binding)
  return seeOther(pageAddress(baseUrl, 'sign-in', { ...asked, flow }))
}

// The address was typed, or stored by a password manager, which drops the query.
function hasNoRequest({ incoming: { url } }: EndpointRequest): boolean {
  const asked = readPageRequest(queryIn(url))
  return asked.at === 'page-request' && /^(?:language=[^&]*)?$/.test(asked.raw)
}

async function openedWithoutApp(
  { pageSite: { home }, showPage }: FormPageDeps,
  request: EndpointRequest,
): Promise<TextAnswer> {
  return home === null ? errorAnswer(showPage, 'no-app', 400, request) : seeOther(home)
}

const cancelled = { error: 'access_denied', description: 'The user has cancelled.' }

/** How a form is shown, with the fields typed before. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly typed?: FormFields
  readonly unknownPasskey?: string
  readonly cookies?: readonly CookieChange[]
}

/** A page to show, and its visit. */
interface Showing {
  readonly deps: FormPageDeps
  readonly page: FormPage
  readonly others: OtherPages
  readonly visit: PageVisit
  readonly request: EndpointRequest
}

async function show(showing: Showing, shown: Shown): Promise<TextAnswer> {
  const { deps, visit, request } = showing
  const { status, fault, typed = nothingTyped, unknownPasskey, cookies: kept = [] } = shown
  const { page, view } = showing.page
  const { asked, flow, reader } = visit
  const place = { ...asked, flow: flow && asked.flow }
  const { browser, cookies } = deps.browsers.ensure(request.incoming)
  const csrf = deps.csrf.tokenFor({ ...bindingOf(showing), browser }) ?? ''
  const form: PageForm = {
    action: pageAddress(deps.baseUrl, page, place),
    hidden: hiddenFields({ csrf }),
    fault,
  }
  const viewIn = await view(visit, form, typed, request, unknownPasskey)
  if (viewIn === null) {
    // Otherwise this would loop forever and block the event loop.
    if (showing.page === showing.others.signIn) throw new TypeError('the sign-in shows nothing')
    return startOver(showing, typed, kept)
  }
  const answer = { status, headers: retryHeaders(fault), cookies: [...kept, ...cookies] }
  return deps.showPage(viewIn, { ...reader, at: { ...place, page } }, answer)
}

// The context that the token of the form must match.
function bindingOf({ deps, page: { page, asks }, visit, request }: Showing): FormBinding {
  const account = audienceOf(page) === 'half-way' ? null : (visit.found?.session.userId ?? null)
  const browser = deps.browsers.preOf(request.incoming)
  const asked = [visit.asked.raw, ...(asks?.(visit) ?? [])].join(' ')
  return { page, request: asked, browser, account }
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
