import type { RequiredAction } from '../principal/required-actions.js'
import { type Acr, reachesAcr } from '../two-factor/acr.js'
import type { AuthorizationRequest } from './authorization-request.js'
import { isConfidential } from './client-schema.js'
import { redirectKind } from './redirect-uri.js'

/**
 * The browser's session, of a user who may sign in and has shown every factor that all users must
 * show.
 */
export interface BrowserSignIn {
  readonly userId: string
  readonly authenticatedAt: Date
  /** The `acr` of the sign-in. */
  readonly acr: Acr
  /** The `acr` values that the second-factor page can reach. */
  readonly reachableAcrs: readonly Acr[]
  /** Whether a remembered browser stood in for the second factor. Default false. */
  readonly isRemembered?: boolean
  /** What the user must do first. */
  readonly required: readonly RequiredAction[]
  /** Whether the cookie held the session's former secret. */
  readonly isByFormerSecret: boolean
}

/**
 * The steps done on the pages for this request, in this browser. `other_account`: "Use another
 * account" was pressed, and nobody has signed in since.
 */
export type FlowStep = 'login' | 'select_account' | 'consent' | 'other_account'

/** The progress of a request. */
export interface AuthorizationFlow {
  readonly done: readonly FlowStep[]
  /** The account named by a verified `id_token_hint`; null without one. */
  readonly hintedUserId: string | null
  readonly now: Date
}

/** The errors of OpenID Connect Core §3.1.2.6. */
export type InteractionError = 'login_required' | 'consent_required' | 'interaction_required'

/** The page that the user must complete first. */
export type InteractionPage =
  | { readonly page: 'sign-in' | ActionPage | 'consent' }
  /**
   * `device`: the identity of an app on a device cannot be verified. `former`: the browser must
   * come back with its new cookie.
   */
  | { readonly page: 'continue'; readonly reason: 'select_account' | 'device' | 'former' }
  | { readonly page: 'second-factor'; readonly acr: Acr }

/** The next step of a request. */
export type AuthorizationDecision =
  | ({ readonly next: 'page' } & InteractionPage)
  | { readonly next: 'error'; readonly error: InteractionError; readonly description: string }
  | { readonly next: 'code' }

/** The input of the steps after the sign-in. */
interface Facts {
  readonly request: AuthorizationRequest
  readonly session: BrowserSignIn
  readonly isAllowed: boolean
  readonly flow: AuthorizationFlow
}

type Step = (facts: Facts) => InteractionPage | null

/** In the order of the pages. */
const steps: readonly Step[] = [
  selectAccount,
  showMore,
  actFirst,
  comeAnew,
  consent,
  continueOnDevice,
]

/** The error for a client that forbids pages (`prompt=none`). */
const errors: Readonly<Record<InteractionPage['page'], InteractionError>> = {
  'sign-in': 'login_required',
  continue: 'consent_required',
  'second-factor': 'interaction_required',
  enrolment: 'interaction_required',
  'new-password': 'interaction_required',
  address: 'interaction_required',
  acceptance: 'interaction_required',
  consent: 'consent_required',
}

/**
 * The next step of a valid request: a page, an error for the client, or a code. A pure function: a
 * page that is reloaded or revisited leads on to the same place.
 *
 * @param session - of the browser; null if nobody is signed in
 * @param isAllowed - whether this user has already allowed this client everything that the consent
 * page would show
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  session: BrowserSignIn | null,
  isAllowed: boolean,
  flow: AuthorizationFlow,
): AuthorizationDecision {
  if (session === null || mustSignIn(request, session, flow))
    return shown(request, { page: 'sign-in' })
  // The user has just signed in, but with another account than the client wants. Asking again would
  // never end.
  if (isAnother(session, flow)) return refused('login_required', 'Somebody else has signed in.')
  for (const step of steps) {
    const page = step({ request, session, isAllowed, flow })
    if (page !== null) return shown(request, page)
  }
  // This step is the last, so that nobody is interrupted during a long consent or enrolment.
  return isLongAgo(request, session, flow) ? shown(request, { page: 'sign-in' }) : { next: 'code' }
}

/**
 * The next step of a sign-in for a page of the host: the same without a client, where `code` means
 * that the page may be opened.
 *
 * @param maxAge - in seconds; null: a sign-in of any age will do
 */
export function decideReturn(
  maxAge: number | null,
  session: BrowserSignIn | null,
  flow: AuthorizationFlow,
): AuthorizationDecision {
  const signIn = { next: 'page', page: 'sign-in' } as const
  if (session === null) return signIn
  if (!flow.done.includes('login') && isTooOld(maxAge, session, flow)) return signIn
  const action = actionPage(session)
  if (action !== null) return { next: 'page', page: action }
  return isLongAgo({ prompt: [], maxAge }, session, flow) ? signIn : { next: 'code' }
}

function shown({ prompt }: AuthorizationRequest, page: InteractionPage): AuthorizationDecision {
  if (!prompt.includes('none')) return { next: 'page', ...page }
  return refused(errors[page.page], 'A page must be shown first, which prompt forbids.')
}

function refused(error: InteractionError, description: string): AuthorizationDecision {
  return { next: 'error', error, description }
}

function mustSignIn(
  { prompt, maxAge, acrValues }: AuthorizationRequest,
  session: BrowserSignIn,
  flow: AuthorizationFlow,
): boolean {
  if (flow.done.includes('login')) return false
  if (prompt.includes('login') || prompt.includes('create')) return true
  return (
    isTooOld(maxAge, session, flow) || isAnother(session, flow) || owesFactor(acrValues, session)
  )
}

// A remembered browser is not asked by itself. An app that wants two factors gets a sign-in with
// both: somebody else may have the browser by now.
function owesFactor(
  acrValues: AuthorizationRequest['acrValues'],
  { isRemembered = false, acr }: BrowserSignIn,
): boolean {
  const wanted = acrValues.find((one) => reachesAcr('urn:mar:2fa', one))
  return isRemembered && wanted !== undefined && !reachesAcr(acr, wanted)
}

// 0 requires a sign-in now, whatever the clock says: OpenID Connect Core §3.1.2.1.
function isTooOld(
  maxAge: number | null,
  { authenticatedAt, isRemembered = false }: BrowserSignIn,
  { now }: AuthorizationFlow,
): boolean {
  if (maxAge === null) return false
  if (isRemembered) return true
  return maxAge === 0 || now.getTime() - authenticatedAt.getTime() > maxAge * 1000
}

/** Seconds that a sign-in requested now stays valid for the pages after it, such as consent. */
const loginCounts = 300
/**
 * Seconds that a sign-in is valid at least, even if `max_age` is shorter: otherwise the flow could
 * never end.
 */
const leastAge = 60

// The address of a flow stays in the browser's history. If it is opened later for the same request,
// its sign-in was done once but must not count forever:
// https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
function isLongAgo(
  { prompt, maxAge }: Pick<AuthorizationRequest, 'prompt' | 'maxAge'>,
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

// Signing in with a name also selects an account.
function selectAccount({ request, flow }: Facts): InteractionPage | null {
  const isDone = flow.done.includes('select_account') || flow.done.includes('login')
  return request.prompt.includes('select_account') && !isDone
    ? { page: 'continue', reason: 'select_account' }
    : null
}

// A preference, not a requirement: the first value that is met or can be. The token names the real
// one.
function showMore({ request, session }: Facts): InteractionPage | null {
  for (const acr of request.acrValues) {
    if (reachesAcr(session.acr, acr)) return null
    if (session.reachableAcrs.some((reachable) => reachesAcr(reachable, acr)))
      return { page: 'second-factor', acr }
  }
  return null
}

function actFirst({ session }: Facts): InteractionPage | null {
  const page = actionPage(session)
  return page && { page }
}

type ActionPage = 'new-password' | 'address' | 'enrolment' | 'acceptance'

const actionPages: Readonly<Record<RequiredAction, ActionPage>> = {
  'change-password': 'new-password',
  'verify-address': 'address',
  enrol: 'enrolment',
  accept: 'acceptance',
}

function actionPage({ required: [next] }: BrowserSignIn): ActionPage | null {
  return next === undefined ? null : actionPages[next]
}

// A stolen copy of the cookie expires ten seconds after its owner enrols a factor. A session that
// the thief opens until then would last, with the factor that the owner has shown. A consent would
// last, too. The owner's browser has the new cookie when the next button is pressed.
function comeAnew({ session }: Facts): InteractionPage | null {
  return session.isByFormerSecret ? { page: 'continue', reason: 'former' } : null
}

// The consent counts even if the page was completed a moment ago: it may have been withdrawn since.
function consent({ request, isAllowed, flow }: Facts): InteractionPage | null {
  if (request.client.firstParty === true) return null
  const isWanted = request.prompt.includes('consent') && !flow.done.includes('consent')
  return isAllowed && !isWanted ? null : { page: 'consent' }
}

// Any app on a device can register a private scheme or listen on a port, so it gets a code only
// after the user has pressed a button. A confidential client cannot be impersonated: the code alone
// yields no tokens. RFC 8252 §8.6, https://www.rfc-editor.org/rfc/rfc8252#section-8.6
function continueOnDevice({ request, flow }: Facts): InteractionPage | null {
  const { client, redirectUri } = request
  if (redirectKind(redirectUri) === 'https' || isConfidential(client)) return null
  if (flow.done.some((step) => step !== 'other_account')) return null
  return { page: 'continue', reason: 'device' }
}
