import { AuthError } from '../errors.js'
import { parseCredentials } from '../login/login-request.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import type { FormOrigin } from './csrf.js'
import { leadsToSignIn, mayShow, type StepPage } from './next-page.js'
import type { PageVisit } from './page-visit.js'
import type { FormFault } from './view.js'

// What becomes of a form that a page of ours has sent. Since it was shown, somebody may have signed
// in to the browser in another tab, or out of it, or lost the cookies. The one place that knows.

/** What is known of a form that was sent. */
export interface SentForm {
  readonly page: StepPage
  readonly visit: Pick<PageVisit, 'decision' | 'flow' | 'found'>
  readonly origin: FormOrigin
  /** Whether the browser has sent any cookie of ours. */
  readonly hasCookie: boolean
  /** Whether the button was pressed that goes on as who is signed in. */
  readonly goesOn: boolean
  /** Whether the name in it is that of a user. Rejects with 503. */
  namesAccount(userId: string): Promise<boolean>
}

/** What becomes of it. */
export type FormFate =
  /** The page does what it asks for. */
  | { readonly next: 'act' }
  /** Nothing: the request is judged anew, as if its address were opened. */
  | { readonly next: 'go-on' }
  /** Nothing: a page says why. `own`: the one that was sent. */
  | {
      readonly next: 'show'
      readonly page: 'own' | 'sign-in' | 'continue'
      readonly status: 403 | 422
      readonly fault: FormFault
    }

/** Whom a page is for: whoever comes, who is half way through signing in, or who is signed in. */
export function audienceOf(page: StepPage): 'anybody' | 'half-way' | 'account' {
  if (page === 'sign-in') return 'anybody'
  return page === 'second-factor' || page === 'recovery-code' ? 'half-way' : 'account'
}

/** Decides it. Rejects with 503. */
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
/** Sent from where it was not shown, as far as can be told: it comes back, to be sent again. */
const again: FormFate = { next: 'show', page: 'own', status: 403, fault: stale }
const startOver: FormFate = { next: 'show', page: 'sign-in', status: 422, fault: stale }

// Of the sign-in, that button does nothing but lead on: as whom it names, and as nobody else.
function ofGoingOn({ origin, visit: { found } }: SentForm): FormFate {
  if (found === null || origin === 'ours') return goOn
  const fault = otherAccount(found.approved.user.name)
  return { next: 'show', page: 'sign-in', status: 403, fault }
}

// Nobody is signed in.
function ofNobody({ page, origin, hasCookie }: SentForm, isDue: boolean): FormFate {
  // Whoever it was shown to has signed out since.
  if (page === 'sign-in' && origin === 'other-account') return act
  if (!hasCookie)
    return { next: 'show', page: 'sign-in', status: 403, fault: { kind: 'no-cookie' } }
  return isDue ? again : startOver
}

// Somebody has signed in since, in another tab. No password is judged: it would end that sign-in,
// which nobody who looks at this page knows of. Where the name is another's, the page says who it
// is, and the password is typed once more: it is neither kept meanwhile nor written into a page.
async function ofSomebody(
  { page, visit, origin, namesAccount }: SentForm,
  isDue: boolean,
  { session, approved }: NonNullable<PageVisit['found']>,
): Promise<FormFate> {
  if (isDue && audienceOf(page) === 'half-way') return again
  if (!(await namesAccount(session.userId)))
    return { next: 'show', page: 'sign-in', status: 403, fault: otherAccount(approved.user.name) }
  if (!mustSignIn(visit)) return goOn
  // The same account, of which the request wants a sign-in here and now.
  if (page !== 'sign-in') return startOver
  return origin === 'other-account' ? act : again
}

// What it asks for, it asks for in the name of whom it was shown to.
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

/** Whether what was typed as a name is that of a user. Rejects with 503. */
export type NamesAccount = (typed: string, userId: string) => Promise<boolean>

export interface NamesAccountDeps {
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
}

/** Makes it: it reads a name as the sign-in does. Its answer goes to that very user alone. */
export function createNamesAccount({ users, canonical }: NamesAccountDeps): NamesAccount {
  return async function namesAccount(typed, userId) {
    try {
      const { identifier } = parseCredentials({ ...asIdentifier(typed), password: 'none' })
      const user = await users.findByIdentifier(await canonical(identifier))
      return user?.id === userId
    } catch (error) {
      if (error instanceof AuthError && error.code === 'invalid-request') return false
      throw error
    }
  }
}

/**
 * The one field of the form as `POST /login` takes it. The names of users who have an @ in theirs
 * are for the host to tell.
 */
export function asIdentifier(typed: string): Readonly<Record<string, string>> {
  return { [typed.includes('@') ? 'email' : 'username']: typed.trim() }
}
