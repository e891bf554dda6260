import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AppsKit } from './apps-kit.js'
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  type ForClient,
  type ForPage,
  parseAuthorizationRequest,
} from './authorization-request.js'
import { type BrowserUser, createFindBrowserUser } from './browser-sign-in.js'
import { fitsWith, hasWords, wordsOfPage } from './consent-words.js'
import {
  type AuthorizationDecision,
  decideAuthorization,
  type FlowStep,
} from './decide-authorization.js'

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

export function createJudgeAuthorization(kit: AppsKit): JudgeAuthorization {
  const { ownResource, ownAddress } = kit
  const settings = { knownScopes: kit.scopes.known, ownResource, ownAddress }
  const findBrowserUser = createFindBrowserUser(kit)
  return async function judgeAuthorization(raw, done, asking) {
    const parsed = parseAuthorizationRequest(raw)
    if (parsed.at === 'page') return { ...parsed, clientName: null, clientId: null }
    // 429, 503
    const { clientId } = parsed
    const client = clientId === null ? null : await findWithRedirects(kit, clientId, asking)
    const checked = checkAuthorizationRequest(parsed, client, settings)
    if (checked.at === 'page') {
      return { ...checked, clientName: nameOf(client), clientId: client?.id ?? null }
    }
    if (checked.at === 'client') return checked
    const found = () => findBrowserUser(asking.incoming, asking.context)
    return decide(kit, checked, done, found)
  }
}

async function decide(
  kit: AppsKit,
  request: AuthorizationRequest,
  done: readonly FlowStep[],
  find: () => Promise<BrowserUser | null>,
): Promise<JudgedAuthorization | ForClient> {
  const { idTokenHint, client, redirectUri, responseMode, state } = request
  const to = { at: 'client', client, redirectUri, responseMode, state } as const
  const hint = idTokenHint === null ? null : await readIdTokenHint(kit, idTokenHint, client.id)
  if (idTokenHint !== null && hint === null) {
    const description = 'id_token_hint is no token of this client.'
    return { ...to, error: 'invalid_request', description }
  }
  const found = await find()
  const granted = await wordsGranted(kit, client, found)
  const wanted = wordsOfPage(request, kit.ownResource)
  const isAllowed = hasWords(granted, wanted)
  const flow = { done, hintedUserId: hint?.userId ?? null, now: kit.clock() }
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
  kit: AppsKit,
  clientId: string,
  asking: AskingBrowser,
): Promise<OAuthClient | null> {
  const { clients } = kit
  return findClientOfBrowser(kit, clientId, asking, async () => {
    const client = await clients.find(clientId)
    return client && clients.withRedirects(client, asking.context)
  })
}

/** The client of a browser's request. Lookups of unknown ids are limited: 429. */
export function findClientOfBrowser(
  { clients, throttle }: AppsKit,
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
  { consents }: AppsKit,
  client: OAuthClient,
  found: BrowserUser | null,
): Promise<readonly string[]> {
  if (found === null || client.firstParty === true) return []
  return (await consents.find(found.session.userId, client.id))?.scopes ?? []
}

/** The content of an `id_token_hint`, an ID token issued to the client, expired or not. */
export interface IdTokenHint {
  readonly userId: string
  /** The session of the client, by the name that the client knows; null without. */
  readonly sid: string | null
}

/**
 * Reads an `id_token_hint` of a client; null for anything else. Without `verifyIdToken` in the
 * signer every hint is unknown. Rejects with 503.
 */
export async function readIdTokenHint(
  { signer, call }: AppsKit,
  hint: string,
  audience: string,
): Promise<IdTokenHint | null> {
  if (signer.verifyIdToken === undefined) return null
  return call('signer.verifyIdToken', async () => {
    try {
      return hintOf(await signer.verifyIdToken?.(hint, { audience }))
    } catch (error) {
      // A refusal is an answer, not a failure.
      if (error instanceof AuthError && error.code === 'Unauthorized') return null
      throw error
    }
  })
}

type GivenClaims = { readonly sub?: unknown; readonly sid?: unknown } | null | undefined

function hintOf(claims: GivenClaims): IdTokenHint {
  const { sub, sid } = claims ?? {}
  if (typeof sub !== 'string' || sub === '')
    throw new UnexpectedAnswer('the signer did not return claims')
  return { userId: sub, sid: typeof sid === 'string' ? sid : null }
}
