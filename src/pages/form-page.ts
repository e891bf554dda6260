import type { CookieChange, TextAnswer } from '../http/answer.js'
import { type JsonBody, readOpenBody } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { isOwnPage } from '../http/page-origin.js'
import type { AnswerClient } from './answer-client.js'
import { type Csrf, type FormBinding, judgeInBrowser } from './csrf.js'
import type { Flows } from './flow.js'
import { hiddenFields } from './form-parts.js'
import { audienceOf, judgeForm, type NamesAccount } from './judge-form.js'
import { mayShow, type StepPage } from './next-page.js'
import { pageAddress, readPageRequest } from './page-request.js'
import type { PageSite } from './page-site.js'
import type { Advance, PageVisit, VisitPage } from './page-visit.js'
import type { KnownBrowser } from './pre-cookie.js'
import { errorAnswer, forPeople, type ShowPage, seeOther } from './show-page.js'
import type { PageTexts } from './texts.js'
import type { FormFault, PageForm, View } from './view.js'

/** The fields of a form as they were sent: texts, each of them once. */
export interface FormFields {
  /** Empty for one that was not sent. */
  text(name: string): string
  /** Whether it was sent with anything in it. */
  has(name: string): boolean
}

/** What becomes of a form that was taken. */
export type Submitted =
  | { readonly next: 'answer'; readonly answer: TextAnswer }
  /** The same page once more. */
  | {
      readonly next: 'again'
      readonly status: number
      readonly fault: FormFault
      /** The id of a passkey that is not known here. */
      readonly unknownPasskey?: string
      /** What the browser is to keep all the same. Left out: nothing. */
      readonly cookies?: readonly CookieChange[]
    }
  /** The sign-in once more, since what the form goes on from is no more. */
  | { readonly next: 'start-over'; readonly cookies?: readonly CookieChange[] }

/** One page with a form, for a request that nothing is wrong with. */
export interface FormPage {
  readonly page: StepPage
  /** Whether one press gives an app something. Then nothing is taken that nobody can have read. */
  readonly grants?: true
  /**
   * What one press gives, where the client's registration can change that for the same request: a
   * form that was shown with less is not taken. Left out: the request says it all.
   */
  asks?(visit: PageVisit): readonly string[]
  /** What it shows; null where what it goes on from is no more, so that the sign-in is shown. */
  view(
    visit: PageVisit,
    form: PageForm,
    typed: FormFields,
    request: EndpointRequest,
    unknownPasskey?: string,
  ): Promise<((texts: PageTexts) => View) | null>
  /** Does what the form asks for. It comes from a page of ours, of this browser and request. */
  submit(visit: PageVisit, fields: FormFields, request: EndpointRequest): Promise<Submitted>
  /**
   * What the same form has been answered with a moment ago; null for none. Asked where the page is
   * no longer next, since that answer has taken effect. Left out: whoever is late is led on.
   */
  answeredBefore?(visit: PageVisit, fields: FormFields): Promise<TextAnswer | null>
}

export interface FormPageDeps {
  readonly visitPage: VisitPage
  readonly advance: Advance
  readonly answerClient: AnswerClient
  readonly showPage: ShowPage
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'allOf' | 'ensure' | 'hasSentAny'>
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'seal'>
  readonly namesAccount: NamesAccount
  /** Where browsers reach the router. */
  readonly baseUrl: URL
  readonly pageSite: Pick<PageSite, 'home'>
}

/** The endpoints of a page: what is next decides whether it is shown, and whether it acts. */
export interface FormEndpoints {
  readonly GET: Endpoint
  readonly POST: Endpoint
}

/** The pages that may be shown in the place of the one whose form was sent. */
export interface OtherPages {
  /** Where what the form goes on from is no more. */
  readonly signIn: FormPage
  /** Where somebody else is signed in by now. */
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
    // Ways out. They do nothing in anybody's name, so they need no form that is of now.
    if (choice === 'cancel')
      return deps.answerClient.withError(visit.request, cancelled, visit.wayBack)
    if (choice === 'other') return toAnotherAccount(deps, visit)
    const showing = { deps, page, others, visit, request }
    const token = fields.text('csrf')
    const { incoming } = request
    const browsers = deps.browsers.allOf(incoming)
    const origin = judgeInBrowser(deps.csrf, incoming, token, bindingOf(showing), browsers)
    // Between the first answer and its effects, the session may count for nobody's.
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

  return {
    GET: forPeople(showPage, (request) =>
      visit(request, (found) =>
        mayShow(page.page, found.decision, found.flow)
          ? show({ deps, page, others, visit: found, request }, { status: 200, fault: null })
          : advance(found, request.context),
      ),
    ),
    POST: forPeople(showPage, post),
  }
}

// Where the page is still next, nothing has been answered that took effect.
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
  const submitted = await page.submit(visitOf(showing), fields, request)
  if (submitted.next === 'answer') return submitted.answer
  if (submitted.next === 'start-over') return startOver(showing, fields, submitted.cookies)
  return show(showing, { ...submitted, typed: fields })
}

// Who is signed in and signs in as somebody else is not to be led on as who she is, half way.
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

// Whoever is signed in stays so until somebody else has signed in.
async function toAnotherAccount(
  { flows, baseUrl }: FormPageDeps,
  { asked, binding, found }: PageVisit,
): Promise<TextAnswer> {
  const wanted = flows.withStep(flows.begin(), 'other_account')
  const flow = found === null ? null : flows.seal(wanted, binding)
  return seeOther(pageAddress(baseUrl, 'sign-in', { ...asked, flow }))
}

// Typed, or kept by a password manager, which drops the request.
function hasNoRequest({ incoming: { url = '' } }: EndpointRequest): boolean {
  const asked = readPageRequest(url.slice(url.indexOf('?') + 1 || url.length))
  return asked.at === 'page-request' && /^(?:language=[^&]*)?$/.test(asked.raw)
}

async function openedWithoutApp(
  { pageSite: { home }, showPage }: FormPageDeps,
  request: EndpointRequest,
): Promise<TextAnswer> {
  return home === null ? errorAnswer(showPage, 'no-app', 400, request) : seeOther(home)
}

const cancelled = { error: 'access_denied', description: 'The user has cancelled.' }

/** How a form is shown, and with what was typed before. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly typed?: FormFields
  readonly unknownPasskey?: string
  readonly cookies?: readonly CookieChange[]
}

/** A page for a visit. */
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

// What its token must fit.
function bindingOf({ deps, page: { page, asks }, visit, request }: Showing): FormBinding {
  const account = audienceOf(page) === 'half-way' ? null : (visit.found?.session.userId ?? null)
  const browser = deps.browsers.preOf(request.incoming)
  const asked = [visit.asked.raw, ...(asks?.(visit) ?? [])].join(' ')
  return { page, request: asked, browser, account }
}

function retryHeaders(fault: FormFault | null): Readonly<Record<string, string>> {
  if (fault === null || !('retryAfter' in fault)) return {}
  return { 'Retry-After': String(fault.retryAfter) }
}

/** The fields of a body. What is no text counts as not sent. */
export function fieldsOf(body: JsonBody): FormFields {
  const text = (name: string) => {
    const value = Object.hasOwn(body, name) ? body[name] : ''
    return typeof value === 'string' ? value : ''
  }
  return { text, has: (name) => text(name) !== '' }
}

const nothingTyped: FormFields = { text: () => '', has: () => false }
