import type { Audit } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { addressAt } from '../oauth/base-url.js'
import { withoutAddress } from './account/mail-form.js'
import type { PageSite } from './page-site.js'
import { createShowPage, errorAnswer, seeOther } from './show-page.js'

/** Where a flow of our pages began: the sign-in for a request, or the account page. */
export interface PageOfFlow {
  /** The query of the page. */
  readonly raw: string
  /** Whether it connects an account of a user who is signed in. */
  readonly isLinking: boolean
}

/** What a browser sees that comes back from a provider. */
export interface CallbackPages {
  /** On to the page that the flow was begun for. */
  goOn(page: PageOfFlow, ticket: string): TextAnswer
  /** Back to it: the user has cancelled there. */
  cancelled(page: PageOfFlow): TextAnswer
  /** "This sign-in is too old, or was begun in another browser." */
  stale(request: EndpointRequest): Promise<TextAnswer>
  /** "You could not be signed in with …", with a text of the host's if it has one. */
  refused(
    request: EndpointRequest,
    page: PageOfFlow,
    provider: string,
    told?: string,
  ): Promise<TextAnswer>
  /** "This cannot be done just now." */
  failed(request: EndpointRequest, page: PageOfFlow, error: AuthError): Promise<TextAnswer>
}

export interface CallbackPagesDeps {
  readonly pageSite: PageSite
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly hasAccountPage: boolean
  readonly audit: Audit
}

export function createCallbackPages(deps: CallbackPagesDeps): CallbackPages {
  const { pageSite, baseUrl, hasAccountPage, audit } = deps
  const showPage = createShowPage(pageSite, audit)
  // Nothing is known any more of what the user wanted.
  const start = pageSite.home ?? (hasAccountPage ? addressAt(baseUrl, '/account') : null)
  const beginningOf = ({ raw, isLinking }: PageOfFlow) =>
    addressAt(baseUrl, `/${isLinking ? 'account/identities' : 'oauth/sign-in'}?${raw}`)
  return {
    goOn({ raw, isLinking }, ticket) {
      const path = isLinking ? '/account/identities' : '/oauth/provider'
      return withoutAddress(seeOther(addressAt(baseUrl, `${path}?${raw}&ticket=${ticket}`)))
    },
    cancelled: (page) => seeOther(beginningOf(page)),
    stale: (request) => errorAnswer(showPage, 'stale-sign-in', 400, request, { again: start }),
    refused(request, page, clientName, told = '') {
      const shown = { clientName, told: told === '' ? null : told, again: beginningOf(page) }
      return errorAnswer(showPage, 'provider-refused', 403, request, shown)
    },
    failed(request, page, { retryAfter = 5 }) {
      return errorAnswer(showPage, 'busy', 503, request, { retryAfter, again: beginningOf(page) })
    },
  }
}
