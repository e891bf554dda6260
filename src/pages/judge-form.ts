import { AuthError } from '../errors.js'
import { parseCredentials } from '../login/login-request.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import type { FormOrigin } from './csrf.js'
import { leadsToSignIn, mayShow, type StepPage } from './next-page.js'
import type { PageVisit } from './page-visit.js'
import type { FormFault } from './view.js'

// Decides about the form of one of our pages. Since it was shown, a user may have signed in or out
// in another tab, or the browser may have lost its cookies.

/** A sent form and its context. */
export interface SentForm {
  readonly page: StepPage
  readonly visit: Pick<PageVisit, 'decision' | 'flow' | 'found'>
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
/** Not provably shown in this browser: the page appears again, to be sent again. */
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
  { session, approved }: NonNullable<PageVisit['found']>,
): Promise<FormFate> {
  if (isDue && audienceOf(page) === 'half-way') return again
  if (!(await namesAccount(session.userId)))
    return { next: 'show', page: 'sign-in', status: 403, fault: otherAccount(approved.user.name) }
  if (!mustSignIn(visit)) return goOn
  // The same account, but the request requires a new sign-in.
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

/** Whether a typed name belongs to this user. Rejects with 503. */
export type NamesAccount = (typed: string, userId: string) => Promise<boolean>

export interface NamesAccountDeps {
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
}

/** Reads a name like the sign-in does. Only that user sees the result. */
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
 * The name field as in `POST /login`: an e-mail address if it has an @, else a username. A host
 * whose usernames contain @ must accept them as `email`.
 */
export function asIdentifier(typed: string): Readonly<Record<string, string>> {
  return { [typed.includes('@') ? 'email' : 'username']: typed.trim() }
}
