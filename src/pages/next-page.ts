import type { AuthorizationDecision, InteractionError } from '../oauth/decide-authorization.js'
import type { Flow } from './flow.js'
import type { PageName } from './page-request.js'

/** A page of a request: `authorize` decides, and `sign-out` is for nobody's request. */
export type StepPage = Exclude<PageName, 'authorize' | 'sign-out'>

/** What is next for a browser: a page, or its client. */
export type NextStep =
  | { readonly next: 'page'; readonly page: StepPage }
  | ({ readonly next: 'client' } & ClientAnswer)

/** What the client is answered. */
export type ClientAnswer =
  | { readonly answer: 'code' }
  | {
      readonly answer: 'error'
      readonly error: InteractionError
      readonly description: string
    }

/** What is next for a request that has come this far. There is no flow but by a form of ours. */
export function nextStep(decision: AuthorizationDecision, flow: Flow | null): NextStep {
  // Who wants another account, or is half way to one, is not sent back as who is signed in.
  if (decision.next !== 'error' && flow?.done.includes('other_account') === true)
    return { next: 'page', page: pageOf('sign-in', flow) }
  if (decision.next === 'page') return { next: 'page', page: pageOf(decision.page, flow) }
  if (decision.next === 'code') return { next: 'client', answer: 'code' }
  const { error, description } = decision
  return { next: 'client', answer: 'error', error, description }
}

type DecidedPage = Extract<AuthorizationDecision, { next: 'page' }>['page']

function pageOf(page: DecidedPage, flow: Flow | null): StepPage {
  // The password was right: it need not be typed again, only the code.
  if (page === 'sign-in' && (flow?.pending ?? null) !== null) return 'second-factor'
  // A factor is added only by who has just shown the password: a session alone may be stolen.
  if (page === 'enrolment' && flow?.done.includes('login') !== true) return 'sign-in'
  return page
}

/** Whether nothing but a sign-in gets a request any further. */
export function leadsToSignIn(decision: AuthorizationDecision, flow: Flow | null): boolean {
  const step = nextStep(decision, flow)
  return step.next === 'page' && step.page === 'sign-in'
}

/**
 * Whether a page may be shown to whoever opens its address. Only where it is next: whoever comes at
 * another time, as by the button "back", is sent on. The sign-in also where the second factor is:
 * it is the way out of a sign-in that is half done.
 */
export function mayShow(
  page: StepPage,
  decision: AuthorizationDecision,
  flow: Flow | null,
): boolean {
  // Nothing of ours may be shown: https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
  if (decision.next === 'error') return false
  // It is next for nobody, and may follow a sign-in: whoever passes it is decided anew.
  if (page === 'passkey') return flow?.done.includes('login') === true
  const next = nextStep(decision, flow)
  if (next.next !== 'page') return false
  const isHalfWay = next.page === 'second-factor' && page !== 'second-factor'
  return next.page === page || (isHalfWay && (page === 'sign-in' || page === 'recovery-code'))
}
