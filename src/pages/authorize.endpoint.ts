import { readFormAsQuery } from '../http/body.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseAuthorizationRequest } from '../oauth/parse-request.js'
import type { FormPageDeps } from './form-page.js'
import { type PageProviders, providerAddress } from './page-providers.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import { errorAnswer, forPeople, seeOther } from './show-page.js'

/**
 * `GET /oauth/authorize`: [RFC 6749 §4.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1) and
 * OpenID Connect Core §3.1.2. Sends the browser back to the client with a code or an error, or on
 * to the next page. It issues codes, so mount it without HEAD.
 */
export function authorizeEndpoint(
  deps: Pick<FormPageDeps, 'visitPage' | 'advance' | 'showPage' | 'baseUrl'> & {
    readonly isRegistrationOpen: boolean
    readonly providers: PageProviders | undefined
  },
): Endpoint {
  const { visitPage, advance, showPage, baseUrl } = deps
  return forPeople(showPage, function authorize(request) {
    return visitPage(request, async (visit) => {
      if (deps.isRegistrationOpen && asksToRegister(visit))
        return seeOther(pageAddress(baseUrl, 'account/register', { ...visit.asked, flow: null }))
      const provider = askedProvider(deps.providers, visit)
      if (provider === null) return advance(visit, request.context)
      return seeOther(providerAddress(baseUrl, provider, visit.asked))
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
function askedProvider(
  providers: PageProviders | undefined,
  { asked, ...visit }: PageVisit,
): string | null {
  if (providers === undefined || asked.flow !== null || !isFirstVisit(visit)) return null
  const [id, ...more] = new URLSearchParams(asked.raw).getAll('provider')
  const isKnown = more.length === 0 && providers.server.list.some((one) => one.id === id)
  return isKnown && id !== undefined ? id : null
}

/**
 * `POST /oauth/authorize`: the same request as a form (OpenID Connect Core §3.1.2.1). Redirects to
 * the GET with all parameters: browsers omit the cookie from forms of other sites, but send it with
 * that GET.
 */
export function postedAuthorizeEndpoint({
  showPage,
  baseUrl,
}: Pick<FormPageDeps, 'showPage' | 'baseUrl'>): Endpoint {
  return forPeople(showPage, async function forwardAuthorization(asking) {
    // 400, 413, 415
    const parsed = parseAuthorizationRequest(await readFormAsQuery(asking.incoming))
    if (parsed.at === 'page') return errorAnswer(showPage, parsed.problem, 400, asking)
    return seeOther(pageAddress(baseUrl, 'authorize', { ...parsed, flow: null, language: null }))
  })
}
