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
  /** Whether the cookie was sent as it was before the session got a new secret. */
  readonly isByFormerSecret: boolean
}

/**
 * What the user has done on the pages for this very request, in this browser. `other_account`:
 * pressed "Use another account", and signed in as nobody since.
 */
export type FlowStep = 'login' | 'select_account' | 'consent' | 'other_account'

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
  /**
   * `device`: nobody can tell whether an app on the device is the one it says it is. `former`: the
   * browser has to come with its new cookie.
   */
  | { readonly page: 'continue'; readonly reason: 'select_account' | 'device' | 'former' }
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
  readonly isAllowed: boolean
  readonly flow: AuthorizationFlow
}

type Step = (facts: Facts) => InteractionPage | null

/** In the order in which the user is asked. */
const steps: readonly Step[] = [selectAccount, showMore, enrol, comeAnew, consent, continueOnDevice]

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
 * @param isAllowed - whether this user has allowed this client all that the consent page would show
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  session: BrowserSignIn | null,
  isAllowed: boolean,
  flow: AuthorizationFlow,
): AuthorizationDecision {
  if (session === null || mustSignIn(request, session, flow))
    return shown(request, { page: 'sign-in' })
  // She has just signed in, and not as the one whom the client wants: asked again and again, she
  // would never get out.
  if (isAnother(session, flow)) return refused('login_required', 'Somebody else has signed in.')
  for (const step of steps) {
    const page = step({ request, session, isAllowed, flow })
    if (page !== null) return shown(request, page)
  }
  // Last: nobody is called away from a consent or an enrolment that takes her longer.
  return isLongAgo(request, session, flow) ? shown(request, { page: 'sign-in' }) : { next: 'code' }
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

/** Seconds for what may follow a sign-in that was asked for here and now, such as a consent. */
const loginCounts = 300
/** Seconds that a sign-in counts for, however little `max_age` says: less, and nobody gets out. */
const leastAge = 60

// The address of a flow stays in the history of the browser. Whoever opens it later, for the same
// request, has signed in once, but not for as long as the flow goes on:
// https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
function isLongAgo(
  { prompt, maxAge }: AuthorizationRequest,
  { authenticatedAt }: BrowserSignIn,
  { now, done }: AuthorizationFlow,
): boolean {
  if (!done.includes('login')) return false
  const isAskedNow = prompt.includes('login') || prompt.includes('create') || maxAge === 0
  const limit = Math.min(
    isAskedNow ? loginCounts : Number.POSITIVE_INFINITY,
    maxAge === null || maxAge === 0 ? Number.POSITIVE_INFINITY : Math.max(maxAge, leastAge),
  )
  return now.getTime() - authenticatedAt.getTime() > limit * 1000
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

// A copy of a cookie dies when its owner sets up a factor, ten seconds later. What it opened until
// then would live on, with the factor that the owner has shown, and what it allowed an app would
// stand. She herself has the new cookie by the time she has pressed a button.
function comeAnew({ session }: Facts): InteractionPage | null {
  return session.isByFormerSecret ? { page: 'continue', reason: 'former' } : null
}

// Also where the page was passed a moment ago: what was allowed there may have been taken back.
function consent({ request, isAllowed, flow }: Facts): InteractionPage | null {
  if (request.client.firstParty === true) return null
  const isWanted = request.prompt.includes('consent') && !flow.done.includes('consent')
  return isAllowed && !isWanted ? null : { page: 'consent' }
}

// Any app on a device can register a private scheme or listen on a port, so none of them gets a
// code without anybody's noticing. What has a secret is not taken for another: with the code alone,
// nobody gets tokens.
// RFC 8252 §8.6, https://www.rfc-editor.org/rfc/rfc8252#section-8.6
function continueOnDevice({ request, flow }: Facts): InteractionPage | null {
  const { client, redirectUri } = request
  if (redirectKind(redirectUri) === 'https' || isConfidential(client)) return null
  if (flow.done.some((step) => step !== 'other_account')) return null
  return { page: 'continue', reason: 'device' }
}
