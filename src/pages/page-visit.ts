import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { Pages } from '../http/page-origin.js'
import type { FindBrowserUser } from '../oauth/browser-sign-in.js'
import { decideReturn } from '../oauth/decide-authorization.js'
import type { JudgeAuthorization, JudgedAuthorization } from '../oauth/judge-authorization.js'
import { findSessionOfCookie } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AnswerClient, WayBack } from './answer-client.js'
import type { Flow, FlowBinding, Flows } from './flow.js'
import type { Exits, Goal } from './goal.js'
import { nextStep } from './next-page.js'
import {
  type PageRequest,
  pageAddress,
  type ReturnErrand,
  readPageRequest,
} from './page-request.js'
import type { KnownBrowser } from './pre-cookie.js'
import { errorAnswer, type PageReader, type ShowPage, seeOther } from './show-page.js'

/** A visit of a page for a valid authorization request, or for a page of this origin. */
export interface PageVisit extends Pick<JudgedAuthorization, 'found' | 'decision'> {
  readonly goal: Goal
  readonly asked: PageRequest
  /** The decrypted flow; null without. */
  readonly flow: Flow | null
  readonly binding: FlowBinding
  readonly reader: PageReader
}

export interface VisitPageDeps {
  readonly judge: JudgeAuthorization
  readonly findBrowserUser: FindBrowserUser
  readonly flows: Pick<Flows, 'open' | 'openFormer'>
  readonly browsers: Pick<KnownBrowser, 'of'>
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'findBySecret'>
  readonly answerClient: AnswerClient
  readonly showPage: ShowPage
  readonly clock: () => Date
}

/**
 * Reads and validates the request in the address of a page at every visit. An invalid request gets
 * the answer of the authorization endpoint.
 */
export type VisitPage = (
  request: EndpointRequest,
  answer: (visit: PageVisit) => Promise<TextAnswer>,
) => Promise<TextAnswer>

export function createVisitPage(deps: VisitPageDeps): VisitPage {
  const { judge, findBrowserUser, answerClient, showPage, clock } = deps

  async function visit(
    asked: PageRequest,
    request: EndpointRequest,
    answer: (visit: PageVisit) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    const { incoming, context } = request
    // 503
    const bound = await flowOf(deps, asked, incoming)
    const { flow } = bound
    // 429, 503
    const judged = await judge(asked.raw, flow?.done ?? [], { incoming, context })
    if (judged.at === 'page') return errorAnswer(showPage, judged.problem, 400, request, judged)
    // After a form, even across our redirects, browsers block redirects to other sites. This also
    // holds if the flow has become invalid, for example by a sign-in in another tab.
    const isAfterForm = asked.flow !== null || incoming.method === 'POST'
    if (judged.at === 'client') {
      const reader: PageReader = { incoming, uiLocales: [], at: null }
      return answerClient.withError(judged, judged, wayBack(isAfterForm, judged.client, reader))
    }
    const { client, uiLocales } = judged.request
    const user = judged.found?.approved.user ?? null
    const reader: PageReader = { incoming, uiLocales, user, at: null }
    const way = wayBack(isAfterForm, client, reader)
    const goal: Goal = { kind: 'client', request: judged.request, wayBack: way }
    const { found, decision } = judged
    return answer({ found, decision, goal, asked, ...bound, reader })
  }

  async function visitForPage(
    { path, maxAge }: ReturnErrand,
    asked: PageRequest,
    { incoming, context }: EndpointRequest,
    answer: (visit: PageVisit) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    // 503
    const bound = await flowOf(deps, asked, incoming)
    const found = await findBrowserUser(incoming, context)
    const done = bound.flow?.done ?? []
    const flow = { done, hintedUserId: null, now: clock() }
    const decision = decideReturn(maxAge, found?.signIn ?? null, flow)
    const user = found?.approved.user ?? null
    const reader: PageReader = { incoming, uiLocales: [], user, at: null }
    return answer({ found, decision, goal: { kind: 'page', path }, asked, ...bound, reader })
  }

  return async function visitPage(request, answer) {
    const asked = readPageRequest(queryOf(request.incoming.url))
    if (asked.at === 'page') return errorAnswer(showPage, asked.problem, 400, request)
    if (asked.errand?.name === 'return') return visitForPage(asked.errand, asked, request, answer)
    if (asked.errand !== null) return errorAnswer(showPage, 'not-found', 404, request)
    return visit(asked, request, answer)
  }
}

type BoundFlow = Pick<PageVisit, 'flow' | 'binding'>

async function flowOf(
  deps: Pick<VisitPageDeps, 'flows' | 'pages' | 'sessions' | 'browsers'>,
  asked: PageRequest,
  incoming: IncomingMessage,
): Promise<BoundFlow> {
  const binding = { request: asked.raw, browser: deps.browsers.of(incoming) }
  const flow = deps.flows.open(asked.flow, binding) ?? (await openFormer(deps, asked, incoming))
  return { flow, binding }
}

// Another tab may have given the cookie a new secret since the address was made.
async function openFormer(
  { flows, pages, sessions }: Pick<VisitPageDeps, 'flows' | 'pages' | 'sessions'>,
  { flow, raw }: PageRequest,
  incoming: IncomingMessage,
): Promise<Flow | null> {
  if (flow === null) return null
  const former = (await findSessionOfCookie(pages, sessions, incoming))?.formerSecret
  return former === undefined ? null : flows.openFormer(flow, raw, former)
}

function wayBack(isAfterForm: boolean, client: OAuthClient, reader: PageReader): WayBack {
  return { by: isAfterForm ? 'hand-over' : 'redirect', client, reader }
}

function queryOf(url: IncomingMessage['url'] = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

/** Leads a browser to the next page or to its goal. Rejects with 429 and 503. */
export type Advance = (visit: PageVisit, context: RequestContext) => Promise<TextAnswer>

/** `baseUrl`: the address of the router for browsers. */
export function createAdvance(exits: Exits, baseUrl: URL): Advance {
  return async function advance(visit, context) {
    const { goal, found, decision, flow, asked, reader } = visit
    const step = nextStep(decision, flow)
    if (step.next === 'client' && step.answer === 'error') return exits.leave(goal, step)
    if (step.next === 'client' && found !== null)
      return exits.arrive(goal, found, { incoming: reader.incoming, context })
    const page = step.next === 'page' ? step.page : 'sign-in'
    // An invalid flow is dropped.
    return seeOther(pageAddress(baseUrl, page, { ...asked, flow: flow && asked.flow }))
  }
}
