import type { TextAnswer } from '../http/answer.js'
import { readFormAsQuery } from '../http/body.js'
import { type Endpoint, type EndpointRequest, isForClient } from '../http/endpoint.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import type { OAuthCodes } from './authorization-codes.js'
import type { RequestSettings } from './authorization-parameters.js'
import { type AuthorizationRequest, checkAuthorizationRequest } from './authorization-request.js'
import type { BrowserUser, FindBrowserUser } from './browser-sign-in.js'
import type { Clients } from './clients.js'
import { decideAuthorization } from './decide-authorization.js'
import type { ReadIdTokenHint } from './id-token-hint.js'
import { parseAuthorizationRequest } from './parse-request.js'
import { errorPage, faultPage, seeOther, stepPage } from './plain-page.js'
import { redirectLocation } from './redirect-location.js'

/** What {@link authorizeEndpoint} needs. */
export interface AuthorizeDeps extends RequestSettings {
  readonly clients: Pick<Clients, 'find'>
  readonly findBrowserUser: FindBrowserUser
  readonly readHint: ReadIdTokenHint
  readonly consents: Pick<ConsentStore, 'find'>
  readonly codes: Pick<OAuthCodes, 'issue'>
  /** Who answers, as it stands in `iss`. */
  readonly issuer: string
  /** Where browsers reach the router. */
  readonly baseUrl: URL
  readonly clock: () => Date
}

/**
 * `GET /oauth/authorize`: [RFC 6749 §4.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1) and
 * OpenID Connect Core §3.1.2. Sends the browser back to the client with a code or an error, or
 * shows a page. It issues codes, so mount it without HEAD.
 */
export function authorizeEndpoint(deps: AuthorizeDeps): Endpoint {
  return forPeople(async function authorize({ incoming, context }) {
    const parsed = parseAuthorizationRequest(queryOf(incoming.url))
    if (parsed.at === 'page') return faultPage(parsed.problem, null, context.requestId)
    // 503
    const client = parsed.clientId === null ? null : await deps.clients.find(parsed.clientId)
    const { knownScopes, ownResource } = deps
    const checked = checkAuthorizationRequest(parsed, client, { knownScopes, ownResource })
    if (checked.at === 'page') return faultPage(checked.problem, nameOf(client), context.requestId)
    if (checked.at === 'client') return sendError(deps, checked, checked.error, checked.description)
    return answer(deps, checked, { incoming, context })
  })
}

/**
 * `POST /oauth/authorize`: the same request as a form (OpenID Connect Core §3.1.2.1). Sends the
 * browser to the GET with all of it: browsers leave the cookie out of forms from other sites, and
 * send it with the GET that follows.
 */
export function postedAuthorizeEndpoint({ baseUrl }: Pick<AuthorizeDeps, 'baseUrl'>): Endpoint {
  // A URL without a path has one slash all the same.
  const address = `${baseUrl.href.replace(/\/$/, '')}/oauth/authorize`
  return forPeople(async function forwardAuthorization({ incoming, context: { requestId } }) {
    // 400, 413, 415
    const parsed = parseAuthorizationRequest(await readFormAsQuery(incoming))
    if (parsed.at === 'page') return faultPage(parsed.problem, null, requestId)
    return seeOther(`${address}?${parsed.raw}`)
  })
}

// A person is looking at whatever comes back, an outage too.
function forPeople(endpoint: (request: EndpointRequest) => Promise<TextAnswer>): Endpoint {
  return async function answerPeople(request) {
    try {
      return await endpoint(request)
    } catch (error) {
      if (isForClient(error)) return errorPage(error, request.context.requestId)
      throw error
    }
  }
}

function queryOf(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

function nameOf(client: OAuthClient | null): string | null {
  return client === null || client.disabled === true ? null : client.name
}

type Asking = Pick<EndpointRequest, 'incoming' | 'context'>

async function answer(
  deps: AuthorizeDeps,
  request: AuthorizationRequest,
  { incoming, context }: Asking,
): Promise<TextAnswer> {
  const { idTokenHint, client } = request
  const hinted = idTokenHint === null ? null : await deps.readHint(idTokenHint, client.id)
  if (idTokenHint !== null && hinted === null)
    return sendError(deps, request, 'invalid_request', 'id_token_hint is no token of this client.')
  const found = await deps.findBrowserUser(incoming, context)
  const decision = decideAuthorization(
    request,
    found?.signIn ?? null,
    await scopesGranted(deps, client, found),
    { done: [], hintedUserId: hinted, now: deps.clock() },
  )
  if (decision.next === 'error')
    return sendError(deps, request, decision.error, decision.description)
  if (decision.next === 'page' || found === null) {
    const page = decision.next === 'page' ? decision : ({ page: 'sign-in' } as const)
    return stepPage(page, deps.baseUrl.host, client.name)
  }
  const { session, approved, signIn } = found
  const code = await deps.codes.issue({ request, session, approved, acr: signIn.acr }, context)
  const { state, redirectUri } = request
  return seeOther(redirectLocation(redirectUri, { code, state, iss: deps.issuer }))
}

// Apps of the host's own are not asked about.
async function scopesGranted(
  { consents }: AuthorizeDeps,
  client: OAuthClient,
  found: BrowserUser | null,
): Promise<readonly string[]> {
  if (found === null || client.firstParty === true) return []
  return (await consents.find(found.session.userId, client.id))?.scopes ?? []
}

function sendError(
  { issuer: iss }: AuthorizeDeps,
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  error: string,
  description: string,
): TextAnswer {
  return seeOther(
    redirectLocation(redirectUri, { error, error_description: description, state, iss }),
  )
}
