import type { TextAnswer } from '../http/answer.js'
import { type JsonBody, readOpenBody } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { isOwnPage } from '../http/pages.js'
import type { Advance } from './advance.js'
import type { AnswerClient } from './answer-client.js'
import type { Csrf } from './csrf.js'
import { errorAnswer, forPeople } from './error-answer.js'
import { hiddenFields } from './form-parts.js'
import { mayShow, nextStep, type StepPage } from './next-page.js'
import { pageAddress } from './page-request.js'
import type { PageVisit, VisitPage } from './page-visit.js'
import type { KnownBrowser } from './pre-cookie.js'
import type { ShowPage } from './show-page.js'
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
    }
  /** The sign-in once more, since what the form goes on from is no more. */
  | { readonly next: 'start-over' }

/** One page with a form, for a request that nothing is wrong with. */
export interface FormPage {
  readonly page: StepPage
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

/** What {@link formEndpoints} needs. */
export interface FormPageDeps {
  readonly visitPage: VisitPage
  readonly advance: Advance
  readonly answerClient: AnswerClient
  readonly showPage: ShowPage
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'ensure'>
  /** Where browsers reach the router. */
  readonly base: URL
}

/** The endpoints of a page: what is next decides whether it is shown, and whether it acts. */
export interface FormEndpoints {
  readonly GET: Endpoint
  readonly POST: Endpoint
}

/** Makes them. `signIn` is shown instead of a page that goes on from what is no more. */
export function formEndpoints(deps: FormPageDeps, page: FormPage, signIn: FormPage): FormEndpoints {
  const { visitPage, advance, showPage } = deps

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, deps.base.origin))
      return errorAnswer(showPage, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visitPage(request, (visit) => take(visit, fields, request))
  }

  async function take(
    visit: PageVisit,
    fields: FormFields,
    request: EndpointRequest,
  ): Promise<TextAnswer> {
    const { decision, flow, binding } = visit
    const showing = { deps, page, signIn, visit, request }
    const form = { ...binding, page: page.page }
    const isOurs = deps.csrf.accepts(request.incoming, fields.text('csrf'), form)
    if (!mayShow(page.page, decision, flow)) {
      const before = isOurs ? await page.answeredBefore?.(visit, fields) : null
      return before ?? leadOn(showing, fields)
    }
    if (!isOurs) return show(showing, { status: 403, fault: stale, typed: fields })
    return act(showing, fields)
  }

  // The page is not next for whoever sends its form.
  function leadOn(showing: Showing, fields: FormFields): Promise<TextAnswer> {
    const { visit, request } = showing
    return leadsToSignIn(visit) ? startOver(showing, fields) : advance(visit, request.context)
  }

  return {
    GET: forPeople(showPage, (request) =>
      visitPage(request, (visit) =>
        mayShow(page.page, visit.decision, visit.flow)
          ? show({ deps, page, signIn, visit, request }, { status: 200, fault: null })
          : advance(visit, request.context),
      ),
    ),
    POST: forPeople(showPage, post),
  }
}

async function act(showing: Showing, fields: FormFields): Promise<TextAnswer> {
  const { deps, page, visit, request } = showing
  if (fields.text('choice') === 'cancel')
    return deps.answerClient.withError(visit.request, cancelled, visit.wayBack)
  const submitted = await page.submit(visit, fields, request)
  if (submitted.next === 'answer') return submitted.answer
  if (submitted.next === 'start-over') return startOver(showing, fields)
  return show(showing, { ...submitted, typed: fields })
}

function leadsToSignIn({ decision, flow }: PageVisit): boolean {
  const step = nextStep(decision, flow)
  return step.next === 'page' && step.page === 'sign-in'
}

function startOver(showing: Showing, typed: FormFields): Promise<TextAnswer> {
  return show({ ...showing, page: showing.signIn }, { status: 422, fault: stale, typed })
}

const stale: FormFault = { kind: 'stale' }
const cancelled = { error: 'access_denied', description: 'The user has cancelled.' }

/** How a form is shown, and with what was typed before. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly typed?: FormFields
  readonly unknownPasskey?: string
}

/** A page for a visit. */
interface Showing {
  readonly deps: FormPageDeps
  readonly page: FormPage
  readonly signIn: FormPage
  readonly visit: PageVisit
  readonly request: EndpointRequest
}

async function show(showing: Showing, shown: Shown): Promise<TextAnswer> {
  const { deps, visit, request } = showing
  const { status, fault, typed = nothingTyped, unknownPasskey } = shown
  const { page, view } = showing.page
  const { asked, flow, reader } = visit
  const place = { ...asked, flow: flow && asked.flow }
  const { browser, cookies } = deps.browsers.ensure(request.incoming)
  const csrf = deps.csrf.tokenFor({ request: asked.raw, browser, page }) ?? ''
  const form: PageForm = {
    action: pageAddress(deps.base, page, place),
    hidden: hiddenFields({ csrf }),
    fault,
  }
  const viewIn = await view(visit, form, typed, request, unknownPasskey)
  if (viewIn === null) {
    // It would be asked for ever, and nobody else on this server be answered.
    if (showing.page === showing.signIn) throw new TypeError('the sign-in shows nothing')
    return startOver(showing, typed)
  }
  const headers = retryHeaders(fault)
  return deps.showPage(viewIn, { ...reader, at: { ...place, page } }, { status, headers, cookies })
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
