import type { RequestContext } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import type { AnswerClient } from './answer-client.js'
import { nextStep } from './next-page.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'

/** Leads a browser on: to the page that is next, or back to its client. Rejects with 429, 503. */
export type Advance = (visit: PageVisit, context: RequestContext) => Promise<TextAnswer>

/** Makes it. `base` is where browsers reach the router. */
export function createAdvance(answerClient: AnswerClient, base: URL): Advance {
  return async function advance(visit, context) {
    const { request, found, decision, flow, asked, wayBack } = visit
    const step = nextStep(decision, flow)
    if (step.next === 'client' && step.answer === 'error')
      return answerClient.withError(request, step, wayBack)
    if (step.next === 'client' && found !== null)
      return answerClient.withCode(request, found, context, wayBack)
    const page = step.next === 'page' ? step.page : 'sign-in'
    // What is no flow, or not any more, is not carried on.
    return seeOther(pageAddress(base, page, { ...asked, flow: flow && asked.flow }))
  }
}
