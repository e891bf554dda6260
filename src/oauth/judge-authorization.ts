import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { RequestSettings } from './authorization-parameters.js'
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  type ForClient,
} from './authorization-request.js'
import type { BrowserUser, FindBrowserUser } from './browser-sign-in.js'
import type { Clients } from './clients.js'
import { fitsWith, hasWords, wordsOfPage } from './consent-words.js'
import {
  type AuthorizationDecision,
  decideAuthorization,
  type FlowStep,
} from './decide-authorization.js'
import type { ReadIdTokenHint } from './id-token-hint.js'
import { type ForPage, parseAuthorizationRequest } from './parse-request.js'

/** A valid request, its user, and its next step. */
export interface JudgedAuthorization {
  readonly at: 'judged'
  readonly request: AuthorizationRequest
  /** The user signed in to the browser; null for nobody. */
  readonly found: BrowserUser | null
  readonly decision: AuthorizationDecision
}

/** A request answered by a page, with the client's name if the client is known. */
export interface UnprovenAuthorization extends ForPage {
  readonly clientName: string | null
  /** Null if there is no such client. */
  readonly clientId: string | null
}

/** The browser that sends a request. */
export interface AskingBrowser {
  readonly incoming: IncomingMessage
  readonly context: RequestContext
}

/**
 * Judges the query of a request to the authorization endpoint, without the `?`, for the browser
 * that sends it. The result is the same at the endpoint and on each page after it.
 *
 * Rejects with 429 and 503.
 *
 * @param done - the steps done for this request, in this browser
 */
export type JudgeAuthorization = (
  raw: string,
  done: readonly FlowStep[],
  asking: AskingBrowser,
) => Promise<JudgedAuthorization | ForClient | UnprovenAuthorization>

export interface JudgeAuthorizationDeps extends RequestSettings {
  readonly clients: Pick<Clients, 'find' | 'isFamiliar' | 'withRedirects'>
  readonly throttle: Pick<Throttle, 'limitLookups'>
  readonly findBrowserUser: FindBrowserUser
  readonly readHint: ReadIdTokenHint
  readonly consents: Pick<ConsentStore, 'find'>
  readonly clock: () => Date
}

export function createJudgeAuthorization(deps: JudgeAuthorizationDeps): JudgeAuthorization {
  const { knownScopes, ownResource, ownAddress } = deps
  return async function judgeAuthorization(raw, done, asking) {
    const parsed = parseAuthorizationRequest(raw)
    if (parsed.at === 'page') return { ...parsed, clientName: null, clientId: null }
    // 429, 503
    const { clientId } = parsed
    const client = clientId === null ? null : await findWithRedirects(deps, clientId, asking)
    const checked = checkAuthorizationRequest(parsed, client, {
      knownScopes,
      ownResource,
      ownAddress,
    })
    if (checked.at === 'page') {
      return { ...checked, clientName: nameOf(client), clientId: client?.id ?? null }
    }
    return checked.at === 'client' ? checked : decide(deps, checked, done, asking)
  }
}

async function decide(
  deps: JudgeAuthorizationDeps,
  request: AuthorizationRequest,
  done: readonly FlowStep[],
  { incoming, context }: AskingBrowser,
): Promise<JudgedAuthorization | ForClient> {
  const { idTokenHint, client, redirectUri, responseMode, state } = request
  const to = { at: 'client', client, redirectUri, responseMode, state } as const
  const hint = idTokenHint === null ? null : await deps.readHint(idTokenHint, client.id)
  if (idTokenHint !== null && hint === null) {
    const description = 'id_token_hint is no token of this client.'
    return { ...to, error: 'invalid_request', description }
  }
  const found = await deps.findBrowserUser(incoming, context)
  const granted = await wordsGranted(deps, client, found)
  const wanted = wordsOfPage(request, deps.ownResource)
  const isAllowed = hasWords(granted, wanted)
  const flow = { done, hintedUserId: hint?.userId ?? null, now: deps.clock() }
  const decision = decideAuthorization(request, found?.signIn ?? null, isAllowed, flow)
  // A page that cannot store the consent would be a dead end.
  const isAsked = decision.next === 'page' && decision.page === 'consent'
  if (isAsked && !isAllowed && !fitsWith(granted, wanted)) {
    const description = 'The user has allowed the client as many scopes and APIs as there may be.'
    return { ...to, error: 'invalid_scope', description }
  }
  return { at: 'judged', request, found, decision }
}

function findWithRedirects(
  deps: JudgeAuthorizationDeps,
  clientId: string,
  asking: AskingBrowser,
): Promise<OAuthClient | null> {
  const { clients } = deps
  return findClientOfBrowser(deps, clientId, asking, async () => {
    const client = await clients.find(clientId)
    return client && clients.withRedirects(client, asking.context)
  })
}

/** The client of a browser's request. Lookups of unknown ids are limited: 429. */
export function findClientOfBrowser(
  {
    clients,
    throttle,
  }: {
    readonly clients: Pick<Clients, 'find' | 'isFamiliar'>
    readonly throttle: Pick<Throttle, 'limitLookups'>
  },
  clientId: string,
  asking: Pick<AskingBrowser, 'context'>,
  findClient = (): Promise<OAuthClient | null> => clients.find(clientId),
): Promise<OAuthClient | null> {
  if (clients.isFamiliar(clientId)) return findClient()
  return throttle.limitLookups(asking, { name: clientId, hasProof: false, find: findClient })
}

function nameOf(client: OAuthClient | null): string | null {
  return client === null || client.disabled === true ? null : client.name
}

// The host's own apps need no consent.
async function wordsGranted(
  { consents }: Pick<JudgeAuthorizationDeps, 'consents'>,
  client: OAuthClient,
  found: BrowserUser | null,
): Promise<readonly string[]> {
  if (found === null || client.firstParty === true) return []
  return (await consents.find(found.session.userId, client.id))?.scopes ?? []
}
