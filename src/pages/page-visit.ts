import type { IncomingMessage } from 'node:http'
import type { TextAnswer } from '../http/answer.js'
import { readFormAsQuery } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { isSentUnasked } from '../http/page-origin.js'
import { issueOAuthCode } from '../oauth/authorization-codes.js'
import {
  type AuthorizationRequest,
  parseAuthorizationRequest,
  type ResponseMode,
} from '../oauth/authorization-request.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { decideReturn } from '../oauth/decide-authorization.js'
import type { AskingBrowser, JudgedAuthorization } from '../oauth/judge-authorization.js'
import {
  type AuthorizationResponse,
  answerFields,
  redirectHost,
  redirectLocation,
} from '../oauth/redirect-uri.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { postOverScript } from './assets/scripts.js'
import type { Flow, FlowBinding } from './flow.js'
import { button, type ClientOnPage, hiddenFields } from './form-parts.js'
import { html } from './html.js'
import type { Content, PageContent, PageShell } from './layout.js'
import { nextStep } from './next-page.js'
import {
  type PageName,
  type PageRequest,
  pageAddress,
  providerAddress,
  queryIn,
  type ReturnErrand,
  readPageRequest,
} from './page-request.js'
import { assetAddress, type ServedFile, scriptFile } from './page-site.js'
import type { FormsKit } from './pages-kit.js'
import { errorAnswer, forPeople, type PageReader, seeOther, showPage } from './show-page.js'
import type { PageTexts } from './texts.js'

/** A visit of a page for a valid authorization request, or for a page of this origin. */
export interface PageVisit extends Pick<JudgedAuthorization, 'found' | 'decision'> {
  readonly goal: Goal
  readonly request: EndpointRequest
  readonly asked: PageRequest
  /** The decrypted flow; null without. */
  readonly flow: Flow | null
  readonly binding: FlowBinding
  readonly reader: PageReader
}

/**
 * Reads and validates the request in the address of a page at every visit. An invalid request gets
 * the answer of the authorization endpoint.
 */
export async function visitPage(
  kit: FormsKit,
  request: EndpointRequest,
  answer: (visit: PageVisit) => TextAnswer | Promise<TextAnswer>,
): Promise<TextAnswer> {
  const asked = readPageRequest(queryIn(request.incoming.url))
  if (asked.at === 'page') return errorAnswer(kit, asked.problem, 400, request)
  if (asked.errand?.name === 'return')
    return answer(await visitForPage(kit, asked.errand, asked, request))
  if (asked.errand !== null) return errorAnswer(kit, 'not-found', 404, request)
  return visitForClient(kit, asked, request, answer)
}

async function visitForClient(
  kit: FormsKit,
  asked: PageRequest,
  request: EndpointRequest,
  answer: (visit: PageVisit) => TextAnswer | Promise<TextAnswer>,
): Promise<TextAnswer> {
  const { incoming, context } = request
  // 503
  const bound = await flowOf(kit, asked, incoming)
  const done = bound.flow?.done ?? []
  // 429, 503
  const judged = await kit.judgeAuthorization(asked.raw, done, { incoming, context })
  if (judged.at === 'page') return errorAnswer(kit, judged.problem, 400, request, judged)
  // After a form, even across our redirects, browsers block redirects to other sites. This also
  // holds if the flow has become invalid, for example by a sign-in in another tab.
  const isAfterForm = asked.flow !== null || incoming.method === 'POST'
  const by = isAfterForm ? 'hand-over' : 'redirect'
  if (judged.at === 'client') {
    const reader: PageReader = { incoming, uiLocales: [], at: null }
    return tellClient(kit, judged, judged, { by, client: judged.client, reader })
  }
  const { client, uiLocales } = judged.request
  const user = judged.found?.approved.user ?? null
  const reader: PageReader = { incoming, uiLocales, user, at: null }
  const wayBack: WayBack = { by, client, reader }
  const goal: Goal = { kind: 'client', request: judged.request, wayBack }
  const { found, decision } = judged
  return answer({ found, decision, goal, request, asked, ...bound, reader })
}

async function visitForPage(
  kit: FormsKit,
  { path, maxAge }: ReturnErrand,
  asked: PageRequest,
  request: EndpointRequest,
): Promise<PageVisit> {
  const { incoming, context } = request
  // 503
  const bound = await flowOf(kit, asked, incoming)
  const found = await kit.findBrowserUser(incoming, context)
  const flow = { done: bound.flow?.done ?? [], hintedUserId: null, now: kit.clock() }
  const decision = decideReturn(maxAge, found?.signIn ?? null, flow)
  const user = found?.approved.user ?? null
  const reader: PageReader = { incoming, uiLocales: [], user, at: null }
  return { found, decision, goal: { kind: 'page', path, maxAge }, request, asked, ...bound, reader }
}

async function flowOf(
  kit: FormsKit,
  asked: PageRequest,
  incoming: IncomingMessage,
): Promise<Pick<PageVisit, 'flow' | 'binding'>> {
  const binding = { request: asked.raw, browser: kit.browsers.of(incoming) }
  const flow = kit.flows.open(asked.flow, binding) ?? (await openFormer(kit, asked, incoming))
  return { flow, binding }
}

// Another tab may have given the cookie a new secret since the address was made.
async function openFormer(
  { flows, pages, sessions }: FormsKit,
  { flow, raw }: PageRequest,
  incoming: IncomingMessage,
): Promise<Flow | null> {
  if (flow === null) return null
  const former = (await findSessionOfCookie(pages, sessions, incoming))?.formerSecret
  return former === undefined ? null : flows.openFormer(flow, raw, former)
}

/** Leads a browser to the next page or to its goal. Rejects with 429 and 503. */
export async function advance(kit: FormsKit, visit: PageVisit): Promise<TextAnswer> {
  const { goal, found, decision, flow, request, asked } = visit
  const step = nextStep(decision, flow)
  if (step.next === 'client' && step.answer === 'error') return leave(kit, goal, step)
  if (step.next === 'client' && found !== null) return arrive(kit, goal, found, request)
  const page = step.next === 'page' ? step.page : 'sign-in'
  // An invalid flow is dropped.
  return seeOther(pageAddress(kit.baseUrl, page, { ...asked, flow: flow && asked.flow }))
}

/**
 * Leads on from a form with this flow, by default to a new decision. Even an empty flow tells that
 * a form was sent, after which a client is not answered by a redirect.
 */
export function goOnWith(
  { flows, baseUrl }: FormsKit,
  { binding, asked }: Pick<PageVisit, 'binding' | 'asked'>,
  flow: Flow,
  page: PageName = 'authorize',
): TextAnswer {
  return seeOther(pageAddress(baseUrl, page, { ...asked, flow: flows.seal(flow, binding) }))
}

/**
 * `GET /oauth/authorize`: [RFC 6749 §4.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1) and
 * OpenID Connect Core §3.1.2. Sends the browser back to the client with a code or an error, or on
 * to the next page. It issues codes, so mount it without HEAD.
 */
export function authorizeEndpoint(kit: FormsKit): Endpoint {
  return forPeople(kit, function authorize(request) {
    return visitPage(kit, request, (visit) => {
      if (kit.isRegistrationOpen && asksToRegister(visit)) {
        const place = { ...visit.asked, flow: null }
        return seeOther(pageAddress(kit.baseUrl, 'account/register', place))
      }
      const provider = askedProvider(kit, visit)
      if (provider === null) return advance(kit, visit)
      return seeOther(providerAddress(kit.baseUrl, provider, visit.asked))
    })
  })
}

// Initiating User Registration via OpenID Connect 1.0 §4. The page leads to the sign-in as well.
function asksToRegister({ goal, ...visit }: PageVisit): boolean {
  return goal.kind === 'client' && goal.request.prompt.includes('create') && isFirstVisit(visit)
}

function isFirstVisit({ decision, flow }: Pick<PageVisit, 'decision' | 'flow'>): boolean {
  return flow === null && decision.next === 'page' && decision.page === 'sign-in'
}

// The parameter `provider` goes straight there.
function askedProvider({ providerIds }: FormsKit, { asked, ...visit }: PageVisit): string | null {
  if (asked.flow !== null || !isFirstVisit(visit)) return null
  const [id, ...more] = new URLSearchParams(asked.raw).getAll('provider')
  return more.length === 0 && id !== undefined && providerIds.includes(id) ? id : null
}

/**
 * `POST /oauth/authorize`: the same request as a form (OpenID Connect Core §3.1.2.1). Redirects to
 * the GET with all parameters: browsers omit the cookie from forms of other sites, but send it with
 * that GET.
 */
export function postedAuthorizeEndpoint(kit: FormsKit): Endpoint {
  return forPeople(kit, async function forwardAuthorization(asking) {
    // 400, 413, 415
    const parsed = parseAuthorizationRequest(await readFormAsQuery(asking.incoming))
    if (parsed.at === 'page') return errorAnswer(kit, parsed.problem, 400, asking)
    const place = { ...parsed, flow: null, language: null }
    return seeOther(pageAddress(kit.baseUrl, 'authorize', place))
  })
}

/** The target of the browser after the pages. */
export type Goal =
  | {
      readonly kind: 'client'
      readonly request: AuthorizationRequest
      /** How the client is answered from here. */
      readonly wayBack: WayBack
    }
  /**
   * A page of this origin: the path with query and fragment, and the age of the sign-in that it
   * asks for, in seconds; null for any.
   */
  | { readonly kind: 'page'; readonly path: string; readonly maxAge: number | null }

/** The app as shown on a page; null for a page of this origin. */
export function clientOf(goal: Goal): ClientOnPage | null {
  if (goal.kind === 'page') return null
  return clientOnPage(goal.request.client, goal.request.redirectUri)
}

/** Leads a browser to its goal: every step is done. Rejects with 429 and 503. */
async function arrive(
  kit: FormsKit,
  goal: Goal,
  { session, approved, signIn }: BrowserUser,
  { incoming, context }: AskingBrowser,
): Promise<TextAnswer> {
  if (goal.kind === 'page') return seeOther(`${kit.baseUrl.origin}${goal.path}`)
  const { request, wayBack } = goal
  const isUnasked = isSentUnasked(incoming)
  const asked = { request, session, approved, acr: signIn.acr, isUnasked }
  const code = await issueOAuthCode(kit, asked, context)
  return lead(kit, { code, state: request.state, iss: kit.issuer }, request, wayBack)
}

/** Leads it away without the goal: a client learns why; a page of this origin is not opened. */
export function leave(kit: FormsKit, goal: Goal, error: ClientError): TextAnswer {
  // Not to `pages.home`: `form-action 'self'` blocks a redirect to another origin after a form.
  if (goal.kind === 'page') return seeOther(`${kit.baseUrl.origin}/`)
  return tellClient(kit, goal.request, error, goal.wayBack)
}

/** An error for the client (RFC 6749 §4.1.2.1). */
interface ClientError {
  readonly error: string
  readonly description: string
}

/** The verified redirect URI of a client, how it is answered there, and its state. */
interface ClientAddress {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | null
}

/**
 * How the browser gets there: by a redirect, or after a form, by a page that navigates by itself.
 */
export interface WayBack {
  readonly by: 'redirect' | 'hand-over'
  readonly client: OAuthClient
  readonly reader: PageReader
}

function tellClient(
  kit: FormsKit,
  to: ClientAddress,
  { error, description }: ClientError,
  way: WayBack,
): TextAnswer {
  const answer = { error, error_description: description, state: to.state, iss: kit.issuer }
  return lead(kit, answer, to, way)
}

function lead(
  kit: FormsKit,
  answer: AuthorizationResponse,
  { redirectUri, responseMode }: ClientAddress,
  way: WayBack,
): TextAnswer {
  const { name: clientName } = way.client
  if (responseMode === 'form_post') {
    const posted = { clientName, redirectUri, fields: answerFields(answer) }
    const script = assetAddress(kit.pageSite, postOverFile)
    const page: Content = ({ texts }) => postOverPage(posted, script, texts)
    return showPage(kit, page, way.reader, { status: 200 })
  }
  const redirect = redirectLocation(redirectUri, answer)
  if (way.by === 'redirect') return seeOther(redirect)
  const client = clientOnPage(way.client, redirectUri)
  return showPage(kit, handOver({ client, redirect }), way.reader, { status: 200 })
}

/** The app as shown on a page. */
export function clientOnPage({ name, type }: OAuthClient, redirectUri: string): ClientOnPage {
  return { name, host: redirectHost(type, redirectUri) }
}

/** The last page, which navigates to the client by itself. */
export interface HandOverView {
  readonly client: ClientOnPage
  /** The registered redirect URI with the answer in the query. */
  readonly redirect: string
}

/** The page with this client. */
export function handOver(view: HandOverView): Content {
  return (shell) => handOverPage(view, shell)
}

/**
 * Navigates to the client by itself. A redirect would not: `form-action 'self'` blocks redirects to
 * other origins after a form. The link is for apps on the device, which some browsers open only
 * after a click.
 *
 * @throws TypeError for an invalid redirect URI, by the check of the link
 *
 * @internal
 */
export function handOverPage(
  { client, redirect }: HandOverView,
  { texts }: PageShell,
): PageContent {
  const name = { client: client.name }
  const close =
    client.host === null ? html`<p class="hint">${texts.html('hand-over.close')}</p>` : null
  return {
    title: 'hand-over.title',
    // Without a delay, and with a link: WCAG technique H76.
    head: html`<meta http-equiv="refresh" content="0; url=${redirect}">
`,
    body: html`<p class="lead">${texts.html('hand-over.lead', name)}</p>
<p><a class="button" href="${redirect}">${texts.html('hand-over.link', name)}</a></p>
${close}`,
  }
}

/** The script that posts an answer. */
export const postOverFile: ServedFile = scriptFile('post-over', postOverScript)

/** An answer that the browser posts to the client. */
interface PostedAnswer {
  readonly clientName: string
  readonly redirectUri: string
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Posts the answer to the client by itself, or without scripts at the press of a button: [OAuth 2.0
 * Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html).
 */
function postOverPage(
  { clientName, redirectUri, fields }: PostedAnswer,
  script: string,
  texts: PageTexts,
): PageContent {
  const name = { client: clientName }
  return {
    title: 'hand-over.title',
    body: html`<p class="lead">${texts.html('hand-over.lead', name)}</p>
<form method="post" action="${redirectUri}">
${hiddenFields(fields)}${button(texts.html('hand-over.link', name))}
</form>
<script src="${script}" defer></script>`,
    scripts: [script],
    // Browsers ask the policy about redirects after a form as well: the client may lead on to
    // another of its origins.
    formAction: `${new URL(redirectUri).origin} https:`,
  }
}
