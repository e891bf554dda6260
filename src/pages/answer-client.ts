import type { TextAnswer } from '../http/answer.js'
import { isSentUnasked } from '../http/page-origin.js'
import type { OAuthCodes } from '../oauth/authorization-codes.js'
import type { AuthorizationRequest } from '../oauth/authorization-request.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AskingBrowser } from '../oauth/judge-authorization.js'
import { redirectLocation } from '../oauth/redirect-location.js'
import { redirectHost } from '../oauth/redirect-uri.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { type PageReader, type ShowPage, seeOther } from './show-page.js'
import type { ClientOnPage } from './view-parts.js'

/** An error for the client (RFC 6749 §4.1.2.1). */
export interface ClientError {
  readonly error: string
  readonly description: string
}

/** The verified redirect URI of a client, and its state. */
export interface ClientAddress {
  readonly redirectUri: string
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
export type WayBack =
  | { readonly by: 'redirect' }
  | { readonly by: 'hand-over'; readonly client: OAuthClient; readonly reader: PageReader }

export interface AnswerClientDeps {
  readonly codes: Pick<OAuthCodes, 'issue'>
  /** The value of `iss`. */
  readonly issuer: string
  readonly showPage: ShowPage
}

export function createAnswerClient({
  codes,
  issuer: iss,
  showPage,
}: AnswerClientDeps): AnswerClient {
  async function lead(redirect: string, to: ClientAddress, way: WayBack): Promise<TextAnswer> {
    if (way.by === 'redirect') return seeOther(redirect)
    const client = clientOnPage(way.client, to.redirectUri)
    const view = { page: 'hand-over', client, redirect } as const
    return showPage(() => view, way.reader, { status: 200 })
  }

  return {
    async withCode(request, { session, approved, signIn }, { incoming, context }, way) {
      const isUnasked = isSentUnasked(incoming)
      const asked = { request, session, approved, acr: signIn.acr, isUnasked }
      const code = await codes.issue(asked, context)
      const { redirectUri, state } = request
      return lead(redirectLocation(redirectUri, { code, state, iss }), request, way)
    },
    withError(to, { error, description }, way) {
      const response = { error, error_description: description, state: to.state, iss }
      return lead(redirectLocation(to.redirectUri, response), to, way)
    },
  }
}

/** The app as shown on a page. */
export function clientOnPage({ name, type }: OAuthClient, redirectUri: string): ClientOnPage {
  return { name, host: redirectHost(type, redirectUri) }
}
