import type { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { addressAt } from '../oauth/base-url.js'
import type { PagesKit } from '../pages/pages-kit.js'
import { errorAnswer, seeOther, withoutAddress } from '../pages/show-page.js'

/** The page on which a flow of our pages began: the sign-in for a request, or the account page. */
export interface PageOfFlow {
  /** The query of the page. */
  readonly raw: string
  /** Whether it connects an account of a user who is signed in. */
  readonly isLinking: boolean
}

/** The pages that a browser sees when it comes back from a provider. */
export interface CallbackPages {
  /** On to the page that the flow was begun for. */
  goOn(page: PageOfFlow, ticket: string): TextAnswer
  /** Back to it: the user has cancelled there. */
  cancelled(page: PageOfFlow): TextAnswer
  /** "This sign-in is too old, or was begun in another browser." */
  stale(request: EndpointRequest): TextAnswer
  /** "You could not be signed in with …", with a text of the host's if it has one. */
  refused(request: EndpointRequest, page: PageOfFlow, provider: string, told?: string): TextAnswer
  /** "This cannot be done just now." */
  failed(request: EndpointRequest, page: PageOfFlow, error: AuthError): TextAnswer
}

export function createCallbackPages(kit: PagesKit): CallbackPages {
  const { pageSite, baseUrl, hasAccountPage } = kit
  // The goal of the user is no longer known.
  const start = pageSite.home ?? (hasAccountPage ? addressAt(baseUrl, '/account') : null)
  const beginningOf = ({ raw, isLinking }: PageOfFlow) =>
    addressAt(baseUrl, `/${isLinking ? 'account/identities' : 'oauth/sign-in'}?${raw}`)
  return {
    goOn({ raw, isLinking }, ticket) {
      const path = isLinking ? '/account/identities' : '/oauth/provider'
      return withoutAddress(seeOther(addressAt(baseUrl, `${path}?${raw}&ticket=${ticket}`)))
    },
    cancelled: (page) => seeOther(beginningOf(page)),
    stale: (request) => errorAnswer(kit, 'stale-sign-in', 400, request, { again: start }),
    refused(request, page, clientName, told = '') {
      const shown = { clientName, told: told === '' ? null : told, again: beginningOf(page) }
      return errorAnswer(kit, 'provider-refused', 403, request, shown)
    },
    failed(request, page, { retryAfter = 5 }) {
      return errorAnswer(kit, 'busy', 503, request, { retryAfter, again: beginningOf(page) })
    },
  }
}
