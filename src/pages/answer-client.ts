import type { RequestContext } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import { isSentUnasked } from '../http/page-origin.js'
import type { OAuthCodeRequest } from '../oauth/authorization-codes.js'
import type { ResponseMode } from '../oauth/authorization-parameters.js'
import type { AuthorizationRequest } from '../oauth/authorization-request.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AskingBrowser } from '../oauth/judge-authorization.js'
import {
  type AuthorizationResponse,
  answerFields,
  redirectLocation,
} from '../oauth/redirect-location.js'
import { redirectHost } from '../oauth/redirect-uri.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { type PageReader, type PostOver, type ShowPage, seeOther } from './show-page.js'
import type { ClientOnPage } from './view-parts.js'

/** An error for the client (RFC 6749 §4.1.2.1). */
export interface ClientError {
  readonly error: string
  readonly description: string
}

/** The verified redirect URI of a client, how it is answered there, and its state. */
export interface ClientAddress {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | null
}

/** Leads a browser back to its client. */
export interface AnswerClient {
  /** With a code. Rejects with 429 and 503. */
  withCode(
    request: AuthorizationRequest,
    found: BrowserUser,
    asking: AskingBrowser,
    way: WayBack,
  ): Promise<TextAnswer>
  /** With an error. */
  withError(to: ClientAddress, error: ClientError, way: WayBack): Promise<TextAnswer>
}

/**
 * How the browser gets there: by a redirect, or after a form, by a page that navigates by itself.
 */
export interface WayBack {
  readonly by: 'redirect' | 'hand-over'
  readonly client: OAuthClient
  readonly reader: PageReader
}

export interface AnswerClientDeps {
  /** Rejects with 429 and 503. */
  readonly issueCode: (asked: OAuthCodeRequest, context: RequestContext) => Promise<string>
  /** The value of `iss`. */
  readonly issuer: string
  readonly showPage: ShowPage
  readonly postOver: PostOver
}

export function createAnswerClient({
  issueCode,
  issuer: iss,
  showPage,
  postOver,
}: AnswerClientDeps): AnswerClient {
  async function lead(
    answer: AuthorizationResponse,
    { redirectUri, responseMode }: ClientAddress,
    way: WayBack,
  ): Promise<TextAnswer> {
    if (responseMode === 'form_post') {
      const posted = { clientName: way.client.name, redirectUri, fields: answerFields(answer) }
      return postOver(posted, way.reader)
    }
    const redirect = redirectLocation(redirectUri, answer)
    if (way.by === 'redirect') return seeOther(redirect)
    const client = clientOnPage(way.client, redirectUri)
    const view = { page: 'hand-over', client, redirect } as const
    return showPage(() => view, way.reader, { status: 200 })
  }

  return {
    async withCode(request, { session, approved, signIn }, { incoming, context }, way) {
      const isUnasked = isSentUnasked(incoming)
      const asked = { request, session, approved, acr: signIn.acr, isUnasked }
      const code = await issueCode(asked, context)
      return lead({ code, state: request.state, iss }, request, way)
    },
    withError(to, { error, description }, way) {
      return lead({ error, error_description: description, state: to.state, iss }, to, way)
    },
  }
}

/** The app as shown on a page. */
export function clientOnPage({ name, type }: OAuthClient, redirectUri: string): ClientOnPage {
  return { name, host: redirectHost(type, redirectUri) }
}
