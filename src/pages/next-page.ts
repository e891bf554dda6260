import { AuthError } from '../errors.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { parseCredentials } from '../login/login-request.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AuthorizationDecision, InteractionError } from '../oauth/decide-authorization.js'
import type { JudgedAuthorization } from '../oauth/judge-authorization.js'
import type { FormOrigin } from './csrf.js'
import type { Flow } from './flow.js'
import type { FormFault } from './form-parts.js'
import type { AccountPageName, PageName } from './page-request.js'

/** A page of a request. `authorize`, which decides, and pages without a request are left out. */
export type StepPage = Exclude<PageName, 'authorize' | 'sign-out' | 'device' | AccountPageName>

/** The next step of a browser: a page, or its client. */
export type NextStep =
  | { readonly next: 'page'; readonly page: StepPage }
  | ({ readonly next: 'client' } & ClientAnswer)

/** The answer for the client. */
export type ClientAnswer =
  | { readonly answer: 'code' }
  | {
      readonly answer: 'error'
      readonly error: InteractionError
      readonly description: string
    }

/** The next step of a request. Only forms of our pages create a flow. */
export function nextStep(decision: AuthorizationDecision, flow: Flow | null): NextStep {
  // A user who wants another account, or is signing in to one, does not continue with this one.
  if (decision.next !== 'error' && flow?.done.includes('other_account') === true)
    return { next: 'page', page: pageOf('sign-in', flow) }
  // The connection comes after the sign-in with every factor, and before an app gets anything.
  const isSignedIn = decision.next === 'code' || ('page' in decision && decision.page === 'consent')
  if (isSignedIn && flow?.vouched?.connects === true && flow.done.includes('login'))
    return { next: 'page', page: 'connect' }
  if (decision.next === 'page') return { next: 'page', page: pageOf(decision.page, flow) }
  if (decision.next === 'code') return { next: 'client', answer: 'code' }
  const { error, description } = decision
  return { next: 'client', answer: 'error', error, description }
}

type DecidedPage = Extract<AuthorizationDecision, { next: 'page' }>['page']

function pageOf(page: DecidedPage, flow: Flow | null): StepPage {
  // After a right password, only the code is missing.
  if (page === 'sign-in' && (flow?.pending ?? null) !== null) return 'second-factor'
  if (page === 'sign-in' && flow?.mailed !== undefined) return 'code'
  // Only the name of the new user is missing.
  if (page === 'sign-in' && flow?.vouched?.connects === false) return 'provider'
  // A factor, a password or an address is set only right after a sign-in: a session alone may be
  // stolen.
  const isChange = page === 'enrolment' || page === 'new-password' || page === 'address'
  if (isChange && flow?.done.includes('login') !== true) return 'sign-in'
  return page
}

/** Whether the request needs a sign-in to continue. */
export function leadsToSignIn(decision: AuthorizationDecision, flow: Flow | null): boolean {
  const step = nextStep(decision, flow)
  return step.next === 'page' && isFirst(step.page)
}

// A user without the password may ask for a code instead, and a user who waits for the code may
// type the password.
function isFirst(page: StepPage): boolean {
  return page === 'sign-in' || page === 'code' || page === 'provider'
}

/**
 * Whether a page may be shown when its address is opened: only if it is next; otherwise, for
 * example after "back", the browser is sent on. The sign-in may also be shown instead of the second
 * factor, to start over.
 */
export function mayShow(
  page: StepPage,
  decision: AuthorizationDecision,
  flow: Flow | null,
): boolean {
  // No page may be shown: https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
  if (decision.next === 'error') return false
  // The page is never the next step, but optional after a sign-in; the decision follows the page.
  if (page === 'passkey') return flow?.done.includes('login') === true
  const next = nextStep(decision, flow)
  if (next.next !== 'page') return false
  const isHalfWay = next.page === 'second-factor' && page !== 'second-factor'
  if (next.page === page || (isFirst(next.page) && isFirst(page))) return true
  return isHalfWay && (page === 'sign-in' || page === 'recovery-code')
}

// Decides about the form of one of our pages. Since it was shown, a user may have signed in or out
// in another tab, or the browser may have lost its cookies.

/** A sent form and its context. */
export interface SentForm {
  readonly page: StepPage
  readonly visit: Pick<JudgedAuthorization, 'decision' | 'found'> & { readonly flow: Flow | null }
  readonly origin: FormOrigin
  /** Whether the browser has sent any of our cookies. */
  readonly hasCookie: boolean
  /** Whether the user chose to continue with the signed-in account. */
  readonly goesOn: boolean
  /** Whether the typed name belongs to this user. Rejects with 503. */
  namesAccount(userId: string): Promise<boolean>
}

/** The decision about a form. */
export type FormFate =
  /** The page executes the form. */
  | { readonly next: 'act' }
  /** The form has no effect; the request is decided again, as if its address were opened. */
  | { readonly next: 'go-on' }
  /** The form has no effect; a page says why. `own`: the page of the form. */
  | {
      readonly next: 'show'
      readonly page: 'own' | 'sign-in' | 'continue'
      readonly status: 403 | 422
      readonly fault: FormFault
    }

/** The audience of a page: anybody, a user between password and factor, or a signed-in user. */
export function audienceOf(page: StepPage): 'anybody' | 'half-way' | 'account' {
  if (page === 'sign-in' || page === 'code' || page === 'provider') return 'anybody'
  return page === 'second-factor' || page === 'recovery-code' ? 'half-way' : 'account'
}

/** Rejects with 503. */
export async function judgeForm(form: SentForm): Promise<FormFate> {
  const { page, origin, visit, goesOn } = form
  const { decision, flow, found } = visit
  if (decision.next === 'error') return goOn
  if (page === 'sign-in' && goesOn) return ofGoingOn(form)
  const isDue = page === 'sign-in' || mayShow(page, decision, flow)
  if (origin === 'ours' && isDue) return act
  if (audienceOf(page) === 'account') return ofAccount(form, isDue)
  return found === null ? ofNobody(form, isDue) : ofSomebody(form, isDue, found)
}

const act: FormFate = { next: 'act' }

const goOn: FormFate = { next: 'go-on' }

const stale: FormFault = { kind: 'stale' }

/** The form was not provably shown in this browser: the page appears again, to be sent again. */
const again: FormFate = { next: 'show', page: 'own', status: 403, fault: stale }

const startOver: FormFate = { next: 'show', page: 'sign-in', status: 422, fault: stale }

// That button on the sign-in page only continues, and only with the account that it named.
function ofGoingOn({ origin, visit: { found } }: SentForm): FormFate {
  if (found === null || origin === 'ours') return goOn
  const fault = otherAccount(found.approved.user.name)
  return { next: 'show', page: 'sign-in', status: 403, fault }
}

// Nobody is signed in.
function ofNobody({ page, origin, hasCookie }: SentForm, isDue: boolean): FormFate {
  // The user to whom it was shown has signed out since.
  if (page === 'sign-in' && origin === 'other-account') return act
  if (!hasCookie)
    return { next: 'show', page: 'sign-in', status: 403, fault: { kind: 'no-cookie' } }
  return isDue ? again : startOver
}

// A user has signed in meanwhile, in another tab. No password is checked: it would end that
// sign-in, of which this page did not know. If the typed name is another one, the page shows who is
// signed in, and the user types the password again: it is neither stored nor written into the page.
async function ofSomebody(
  { page, visit, origin, namesAccount }: SentForm,
  isDue: boolean,
  { session, approved }: BrowserUser,
): Promise<FormFate> {
  if (isDue && audienceOf(page) === 'half-way') return again
  if (!(await namesAccount(session.userId)))
    return { next: 'show', page: 'sign-in', status: 403, fault: otherAccount(approved.user.name) }
  if (!mustSignIn(visit)) return goOn
  // The account has not changed, but the request requires a new sign-in.
  if (page !== 'sign-in') return startOver
  return origin === 'other-account' ? act : again
}

// The form acts only for the user to whom it was shown.
function ofAccount({ visit, origin }: SentForm, isDue: boolean): FormFate {
  const { found } = visit
  if (found === null)
    return { next: 'show', page: 'sign-in', status: 422, fault: { kind: 'signed-out' } }
  if (origin === 'other-account') {
    const fault = otherAccount(found.approved.user.name)
    const page = mustSignIn(visit) ? 'sign-in' : isDue ? 'own' : 'continue'
    return { next: 'show', page, status: 403, fault }
  }
  if (isDue) return again
  return mustSignIn(visit) ? startOver : goOn
}

function mustSignIn({ decision, flow }: SentForm['visit']): boolean {
  return leadsToSignIn(decision, flow)
}

function otherAccount(account: string): FormFault {
  return { kind: 'other-account', account }
}

/**
 * Whether a typed name belongs to this user, read like the sign-in does. Only that user sees the
 * result. Rejects with 503.
 */
export async function namesAccount(
  { users, canonical }: SignInKit,
  typed: string,
  userId: string,
): Promise<boolean> {
  try {
    const { identifier } = parseCredentials({ ...asIdentifier(typed), password: 'none' })
    const user = await users.findByIdentifier(await canonical(identifier))
    return user?.id === userId
  } catch (error) {
    if (error instanceof AuthError && error.code === 'invalid-request') return false
    throw error
  }
}

/**
 * The name field as in `POST /login`: an e-mail address if it has an @, else a username. A host
 * whose usernames contain @ must accept them as `email`.
 */
export function asIdentifier(typed: string): Readonly<Record<string, string>> {
  return { [typed.includes('@') ? 'email' : 'username']: typed.trim() }
}
