import type { IncomingMessage } from 'node:http'
import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { JudgeAuthorization, JudgedAuthorization } from '../oauth/judge-authorization.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AnswerClient, WayBack } from './answer-client.js'
import { errorAnswer } from './error-answer.js'
import type { FlowBinding, Flows } from './flow.js'
import type { Flow } from './flow-bytes.js'
import { type PageRequest, readPageRequest } from './page-request.js'
import type { KnownBrowser } from './pre-cookie.js'
import type { PageReader, ShowPage } from './show-page.js'

/** A visit of a page for a request to the authorization endpoint that nothing is wrong with. */
export interface PageVisit extends JudgedAuthorization {
  readonly asked: PageRequest
  /** As it was opened; null for none. */
  readonly flow: Flow | null
  readonly binding: FlowBinding
  /** How the client is answered from here. */
  readonly wayBack: WayBack
  readonly reader: PageReader
}

/** What {@link createVisitPage} needs. */
export interface VisitPageDeps {
  readonly judge: JudgeAuthorization
  readonly flows: Pick<Flows, 'open'>
  readonly browsers: Pick<KnownBrowser, 'of'>
  readonly answerClient: AnswerClient
  readonly showPage: ShowPage
}

/**
 * Reads and judges the request in the address of a page, anew at every visit, and has it answered.
 * A request that is at fault is answered as the authorization endpoint answers it.
 */
export type VisitPage = (
  request: EndpointRequest,
  answer: (visit: PageVisit) => Promise<TextAnswer>,
) => Promise<TextAnswer>

/** Makes it. */
export function createVisitPage(deps: VisitPageDeps): VisitPage {
  const { judge, flows, browsers, answerClient, showPage } = deps

  async function visit(
    asked: PageRequest,
    request: EndpointRequest,
    answer: (visit: PageVisit) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    const { incoming, context } = request
    const binding = { request: asked.raw, browser: browsers.of(incoming) }
    const flow = flows.open(asked.flow, binding)
    // 429, 503
    const judged = await judge(asked.raw, flow?.done ?? [], { incoming, context })
    if (judged.at === 'page') return errorAnswer(showPage, judged.problem, 400, request, judged)
    // What follows a form, at once or by way of ours, may not be a redirect to another site. Also
    // where the flow is none any more: the browser may have signed in elsewhere meanwhile.
    const isAfterForm = asked.flow !== null || incoming.method === 'POST'
    if (judged.at === 'client') {
      const reader: PageReader = { incoming, uiLocales: [], at: null }
      return answerClient.withError(judged, judged, wayBack(isAfterForm, judged.client, reader))
    }
    const { client, uiLocales } = judged.request
    const reader: PageReader = { incoming, uiLocales, at: null }
    const way = wayBack(isAfterForm, client, reader)
    return answer({ ...judged, asked, flow, binding, reader, wayBack: way })
  }

  return async function visitPage(request, answer) {
    const asked = readPageRequest(queryOf(request.incoming.url))
    if (asked.at === 'page') return errorAnswer(showPage, asked.problem, 400, request)
    if (asked.errand !== null) return errorAnswer(showPage, 'not-found', 404, request)
    return visit(asked, request, answer)
  }
}

function wayBack(isAfterForm: boolean, client: OAuthClient, reader: PageReader): WayBack {
  return isAfterForm ? { by: 'hand-over', client, reader } : { by: 'redirect' }
}

function queryOf(url: IncomingMessage['url'] = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}
