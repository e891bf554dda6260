import type { TextAnswer } from '../http/answer.js'
import type { AuthorizationRequest } from '../oauth/authorization-request.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AskingBrowser } from '../oauth/judge-authorization.js'
import { type AnswerClient, type ClientError, clientOnPage, type WayBack } from './answer-client.js'
import { seeOther } from './show-page.js'
import type { ClientOnPage } from './view-parts.js'

/** Where the browser goes after the pages. */
export type Goal =
  | {
      readonly kind: 'client'
      readonly request: AuthorizationRequest
      /** How the client is answered from here. */
      readonly wayBack: WayBack
    }
  /** A page of this origin: the path with query and fragment. */
  | { readonly kind: 'page'; readonly path: string }

/** The app as shown on a page; null for a page of this origin. */
export function clientOf(goal: Goal): ClientOnPage | null {
  if (goal.kind === 'page') return null
  return clientOnPage(goal.request.client, goal.request.redirectUri)
}

/** Leads a browser away from the pages. */
export interface Exits {
  /** To its goal: every step is done. Rejects with 429 and 503. */
  arrive(goal: Goal, found: BrowserUser, asking: AskingBrowser): Promise<TextAnswer>
  /** Away without the goal: a client learns why; a page of this origin is not opened. */
  leave(goal: Goal, error: ClientError): Promise<TextAnswer>
}

/** `baseUrl`: the address of the router for browsers. */
export function createExits(answerClient: AnswerClient, { origin }: URL): Exits {
  return {
    async arrive(goal, found, asking) {
      if (goal.kind === 'page') return seeOther(`${origin}${goal.path}`)
      return answerClient.withCode(goal.request, found, asking, goal.wayBack)
    },
    // Not to `pages.home`: `form-action 'self'` blocks a redirect to another origin after a form.
    async leave(goal, error) {
      if (goal.kind === 'page') return seeOther(`${origin}/`)
      return answerClient.withError(goal.request, error, goal.wayBack)
    },
  }
}
