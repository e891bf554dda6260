import type { AuthorizationDecision, InteractionError } from '../oauth/decide-authorization.js'
import type { Flow } from './flow.js'
import type { AccountPageName, PageName } from './page-request.js'

/**
 * A page of a request, without `authorize`, which decides, and those that have no request.
 */
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
  // After the sign-in with every factor, and before an app gets anything.
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
  // After a right password only the code is missing.
  if (page === 'sign-in' && (flow?.pending ?? null) !== null) return 'second-factor'
  if (page === 'sign-in' && flow?.mailed !== undefined) return 'code'
  // Only the name of the new user is missing.
  if (page === 'sign-in' && flow?.vouched?.connects === false) return 'provider'
  // A factor is added only right after the password: a session alone may be stolen.
  if (page === 'enrolment' && flow?.done.includes('login') !== true) return 'sign-in'
  return page
}

/** Whether the request needs a sign-in to continue. */
export function leadsToSignIn(decision: AuthorizationDecision, flow: Flow | null): boolean {
  const step = nextStep(decision, flow)
  return step.next === 'page' && isFirst(step.page)
}

// A user without the password may ask for a code instead, and one who waits for it may type the
// password.
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
  // Never the next step, but optional after a sign-in; the decision follows it.
  if (page === 'passkey') return flow?.done.includes('login') === true
  const next = nextStep(decision, flow)
  if (next.next !== 'page') return false
  const isHalfWay = next.page === 'second-factor' && page !== 'second-factor'
  if (next.page === page || (isFirst(next.page) && isFirst(page))) return true
  return isHalfWay && (page === 'sign-in' || page === 'recovery-code')
}
