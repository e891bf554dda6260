import type { Acr } from './authorization-parameters.js'
import type { AuthorizationRequest } from './authorization-request.js'
import { isConfidential } from './client-defaults.js'
import { redirectKind } from './redirect-uri.js'

/** The browser's session: somebody who may sign in and has shown all that is asked of everybody. */
export interface BrowserSignIn {
  readonly userId: string
  readonly authenticatedAt: Date
  /** How the user has signed in. */
  readonly acr: Acr
  /** How the user could have: what the second-factor page can bring. */
  readonly reachableAcrs: readonly Acr[]
  /** Whether the host demands a second factor and the user has none yet. */
  readonly mustEnrol: boolean
}

/** What the user has done on the pages for this very request, in this browser. */
export type FlowStep = 'login' | 'select_account' | 'consent'

/** How far a request has come. */
export interface AuthorizationFlow {
  readonly done: readonly FlowStep[]
  /** The account that a verified `id_token_hint` names; null without. */
  readonly hintedUserId: string | null
  readonly now: Date
}

/** What a client is told: OpenID Connect Core §3.1.2.6. */
export type InteractionError = 'login_required' | 'consent_required' | 'interaction_required'

/** A page that the user must pass first. */
export type InteractionPage =
  | { readonly page: 'sign-in' | 'enrolment' | 'consent' }
  /** `device`: nobody can tell whether an app on the device is the one it says it is. */
  | { readonly page: 'continue'; readonly reason: 'select_account' | 'device' }
  | { readonly page: 'second-factor'; readonly acr: Acr }

/** What is next for a request. */
export type AuthorizationDecision =
  | ({ readonly next: 'page' } & InteractionPage)
  | { readonly next: 'error'; readonly error: InteractionError; readonly description: string }
  | { readonly next: 'code' }

/** What the steps after the sign-in look at. */
interface Facts {
  readonly request: AuthorizationRequest
  readonly session: BrowserSignIn
  readonly granted: readonly string[]
  readonly flow: AuthorizationFlow
}

type Step = (facts: Facts) => InteractionPage | null

/** In the order in which the user is asked. */
const steps: readonly Step[] = [selectAccount, showMore, enrol, consent, continueOnDevice]

/** What a client is told instead that wants no page to be shown (`prompt=none`). */
const errors: Readonly<Record<InteractionPage['page'], InteractionError>> = {
  'sign-in': 'login_required',
  continue: 'consent_required',
  'second-factor': 'interaction_required',
  enrolment: 'interaction_required',
  consent: 'consent_required',
}

/**
 * What is next for a request that nothing is wrong with: a page, an error for the client, or a
 * code. It looks at nothing else and changes nothing, so a page that is shown again, or that
 * somebody goes back to, leads on to the same place.
 *
 * @param session - of the browser; null where nobody is signed in
 * @param granted - every scope that this user has allowed this client so far
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  session: BrowserSignIn | null,
  granted: readonly string[],
  flow: AuthorizationFlow,
): AuthorizationDecision {
  if (session === null || mustSignIn(request, session, flow))
    return shown(request, { page: 'sign-in' })
  // She has just signed in, and not as the one whom the client wants: asked again and again, she
  // would never get out.
  if (isAnother(session, flow)) return refused('login_required', 'Somebody else has signed in.')
  for (const step of steps) {
    const page = step({ request, session, granted, flow })
    if (page !== null) return shown(request, page)
  }
  return { next: 'code' }
}

function shown({ prompt }: AuthorizationRequest, page: InteractionPage): AuthorizationDecision {
  if (!prompt.includes('none')) return { next: 'page', ...page }
  return refused(errors[page.page], 'A page must be shown first, which prompt forbids.')
}

function refused(error: InteractionError, description: string): AuthorizationDecision {
  return { next: 'error', error, description }
}

function mustSignIn(
  { prompt, maxAge }: AuthorizationRequest,
  session: BrowserSignIn,
  flow: AuthorizationFlow,
): boolean {
  if (flow.done.includes('login')) return false
  if (prompt.includes('login') || prompt.includes('create')) return true
  return isTooOld(maxAge, session, flow) || isAnother(session, flow)
}

// 0 asks for a sign-in here and now, whatever the clock says: OpenID Connect Core §3.1.2.1.
function isTooOld(
  maxAge: number | null,
  { authenticatedAt }: BrowserSignIn,
  { now }: AuthorizationFlow,
): boolean {
  if (maxAge === null) return false
  return maxAge === 0 || now.getTime() - authenticatedAt.getTime() > maxAge * 1000
}

function isAnother({ userId }: BrowserSignIn, { hintedUserId }: AuthorizationFlow): boolean {
  return hintedUserId !== null && hintedUserId !== userId
}

// Whoever has just typed a name has selected an account.
function selectAccount({ request, flow }: Facts): InteractionPage | null {
  const isDone = flow.done.includes('select_account') || flow.done.includes('login')
  return request.prompt.includes('select_account') && !isDone
    ? { page: 'continue', reason: 'select_account' }
    : null
}

const ranks: Readonly<Record<Acr, number>> = { 'urn:mar:1fa': 1, 'urn:mar:2fa': 2, phr: 3 }

function satisfies(shownAcr: Acr, wanted: Acr): boolean {
  return ranks[shownAcr] >= ranks[wanted]
}

// A wish, and no condition: the first that is fulfilled or can be. The token says what it was.
function showMore({ request, session }: Facts): InteractionPage | null {
  for (const acr of request.acrValues) {
    if (satisfies(session.acr, acr)) return null
    if (session.reachableAcrs.some((reachable) => satisfies(reachable, acr)))
      return { page: 'second-factor', acr }
  }
  return null
}

function enrol({ session }: Facts): InteractionPage | null {
  return session.mustEnrol ? { page: 'enrolment' } : null
}

// Also where the page was passed a moment ago: what was allowed there may have been taken back.
function consent({ request, granted, flow }: Facts): InteractionPage | null {
  if (request.client.firstParty === true) return null
  const isGranted = request.scopes.every((scope) => granted.includes(scope))
  const isWanted = request.prompt.includes('consent') && !flow.done.includes('consent')
  return isGranted && !isWanted ? null : { page: 'consent' }
}

// Any app on a device can register a private scheme or listen on a port, so none of them gets a
// code without anybody's noticing. What has a secret is not taken for another: with the code alone,
// nobody gets tokens.
// RFC 8252 §8.6, https://www.rfc-editor.org/rfc/rfc8252#section-8.6
function continueOnDevice({ request, flow }: Facts): InteractionPage | null {
  const { client, redirectUri } = request
  if (redirectKind(redirectUri) === 'https' || isConfidential(client)) return null
  if (flow.done.length > 0) return null
  return { page: 'continue', reason: 'device' }
}
