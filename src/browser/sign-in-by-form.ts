import type { IncomingMessage } from 'node:http'
import { logInOnPage } from '../email-sign-in/email-sign-in.js'
import { AuthError } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import { typedDigits } from '../lib/typed-codes.js'
import type { LoggedIn } from '../login/log-in.js'
import type { Requester, SecondStep } from '../login/login-proof.js'
import { parseCredentials } from '../login/login-request.js'
import type { Flow, FlowBinding, MailedSignIn, VouchedSignIn } from '../pages/flow.js'
import type { Submitted } from '../pages/form-page.js'
import type { FormFault } from '../pages/form-parts.js'
import { asIdentifier } from '../pages/next-page.js'
import { approveByPasskey, openByPasskey } from '../passkeys/sign-in-by-passkey.js'
import { signInOnPage } from '../provider-sign-in/provider-pages.js'
import { browserLifetime } from '../sessions/browser-session.js'
import type { BrowserKit } from './browser-kit.js'
import { assertionOf } from './passkeys-page.js'

/** A form of our pages, and its origin. */
export interface FormVisit extends Requester {
  readonly incoming: IncomingMessage
  readonly binding: FlowBinding
  /** The decrypted flow. */
  readonly flow: Flow | null
  /** Sets the headers of limits. */
  readonly setHeaders: SetHeaders
  /** The token of a remembered browser, where one counts; null without. */
  readonly rememberToken: string | null
}

/** The fields of the sign-in page. */
export interface PasswordFields {
  /** An e-mail address or a username. */
  readonly username: string
  readonly password: string
  /** Whether the browser shall stay signed in after it is closed. */
  readonly stay: boolean
}

/** A passkey instead of name and password. */
export interface PasskeyFields {
  /** The text that the script writes. */
  readonly passkey: string
  readonly stay: boolean
}

/** The result of a sign-in by form: a session, a second factor to ask for, or a page again. */
export type FormSignIn =
  | {
      readonly next: 'signed-in'
      readonly loggedIn: LoggedIn
      readonly stay: boolean
      /** Bound to the new cookie. */
      readonly flow: string
    }
  /** The page of the second factor, perhaps again. `isSent`: a code was sent. */
  | {
      readonly next: 'factor-due'
      readonly flow: string
      readonly methods: readonly string[]
      readonly isSent: boolean
    }
  | Exclude<Submitted, { next: 'answer' }>

/** The result of a sign-in with the account of a provider. */
export type ProviderSignIn =
  | FormSignIn
  /** A page with a flow of its own: for another name, or to sign in as usual and then connect. */
  | { readonly next: 'go'; readonly page: 'provider' | 'sign-in'; readonly flow: string }
  /** No user is connected with it. */
  | { readonly next: 'not-connected'; readonly name: string }

/** Characters; longer than any valid code. */
const maxCodeChars = 64

// Every sign-in is decided, counted and reported like `POST /login`. These functions reject only
// with errors that are not for clients.

/** Signs in by name and password. */
export async function signInByPassword(
  kit: BrowserKit,
  { username, password, stay }: PasswordFields,
  visit: FormVisit,
): Promise<FormSignIn> {
  const { flows, passwordFingerprint } = kit
  try {
    const { binding, flow, rememberToken, ...from } = visit
    const remembered = rememberToken === null ? {} : { rememberToken }
    const request = parseCredentials({ ...asIdentifier(username), password, ...remembered })
    const asked = { ...from, tokens: 'cookie', lifetime: browserLifetime(stay) } as const
    const outcome = await kit.logInSteps.first({ ...asked, request })
    const before = flow ?? flows.begin()
    if (outcome.outcome === 'logged-in') return signedIn(kit, outcome.loggedIn, stay, visit)
    const { userId, passwordHash, digests } = outcome.proven
    const fingerprint = passwordFingerprint.of({ id: userId, passwordHash })
    const pending = { userId, passwordFingerprint: fingerprint, digests, stay }
    return factorDue(kit, flows.withPending(before, pending), outcome, binding)
  } catch (error) {
    return resultOf(error, wrong)
  }
}

/**
 * Signs in with a mailed code in the place of a password; without the option it is always refused.
 */
export async function signInByMailedCode(
  kit: BrowserKit,
  typed: string,
  visit: FormVisit,
  stay: boolean,
): Promise<FormSignIn> {
  const code = typedDigits(typed)
  const requestId = visit.flow?.mailed?.requestId
  if (requestId === undefined) return startOver
  if (!/^\d{8}$/.test(code)) return wrong
  const mailed = { requestId, code }
  return orRefused(byMail(kit, mailed, stay, nothing, visit, wrong), wrong)
}

/**
 * Signs in with the ticket of a provider. `username`: for a new user, instead of one that is taken.
 */
export async function signInByTicket(
  kit: BrowserKit,
  { ticket, username }: { readonly ticket: string; readonly username?: string },
  visit: FormVisit,
): Promise<ProviderSignIn> {
  const given = { ticket, username, ...nothing }
  return byTicket(kit, given, visit, notAllowed).catch((error: unknown) =>
    resultOfTicket(error, notAllowed),
  )
}

/**
 * Signs in with the code of a second factor; null: the user requests a code. `remember`: this
 * browser is not to be asked for it again for some days.
 */
export async function signInByCode(
  kit: BrowserKit,
  typed: string | null,
  visit: FormVisit,
  remember: boolean,
): Promise<FormSignIn> {
  const code = typed === null ? null : typedDigits(typed)
  if (code === '' || (code !== null && code.length > maxCodeChars)) return wrong
  return orRefused(second(kit, { code, passkey: null, remember }, visit, wrong), startOver)
}

/** Signs in with a passkey only. Always refused without the option `passkeys`. */
export async function signInByPasskey(
  kit: BrowserKit,
  fields: PasskeyFields,
  visit: FormVisit,
): Promise<FormSignIn> {
  return orRefused(byPasskey(kit, fields, visit), wrongPasskey)
}

/** Signs in with a passkey instead of a code. */
export async function signInBySecondPasskey(
  kit: BrowserKit,
  text: string,
  visit: FormVisit,
  remember: boolean,
): Promise<FormSignIn> {
  const passkey = assertionOf(text)
  if (passkey === null) return wrongPasskey
  const shown = { code: null, passkey, remember }
  return orRefused(second(kit, shown, visit, wrongPasskey), startOver)
}

/** What the page of the second factor has sent. */
type Shown = Pick<SecondStep, 'code' | 'passkey' | 'remember'>

async function second(
  kit: BrowserKit,
  shown: Shown,
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<FormSignIn> {
  const { logInSteps, flows, passwordFingerprint } = kit
  const { binding, flow, ...from } = visit
  const pending = flow?.pending ?? null
  if (flow === null || pending === null) return startOver
  const { userId, digests, stay } = pending
  if (flow.mailed !== undefined) return byMail(kit, flow.mailed, stay, shown, visit, otherwise)
  if (flow.vouched?.connects === false)
    return secondByTicket(kit, { ...flow.vouched, ...shown }, visit, otherwise)
  const request: SecondStep = {
    ...shown,
    userId,
    digests,
    fits: (user) => passwordFingerprint.matches(pending.passwordFingerprint, user),
    claim: () => flows.claim(pending),
  }
  const asked = { ...from, tokens: 'cookie', lifetime: browserLifetime(stay) } as const
  const outcome = await logInSteps.second({ ...asked, request })
  if (outcome.outcome === 'logged-in') return signedIn(kit, outcome.loggedIn, stay, visit)
  return outcome.error.code === 'totp-invalid' ? otherwise : factorDue(kit, flow, outcome, binding)
}

// The mailed code is sent again with the second factor: it is used up when both are right.
async function byMail(
  kit: BrowserKit,
  { requestId, code }: MailedSignIn,
  stay: boolean,
  { code: secondFactor, passkey, remember }: Shown,
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<FormSignIn> {
  const { emailSignInKit, flows } = kit
  if (emailSignInKit === undefined || code === null) return startOver
  const lifetime = browserLifetime(stay)
  const browser = { remember, rememberToken: visit.rememberToken }
  const shown = { secondFactor, passkey, browser, password: undefined }
  const given = { requestId, code, ...shown, tokens: 'cookie', lifetime } as const
  const outcome = await logInOnPage(emailSignInKit, given, visit)
  if (outcome.outcome === 'logged-in') return signedIn(kit, outcome.loggedIn, stay, visit)
  if (outcome.error.code === 'totp-invalid') return otherwise
  const pending = { ...withoutPassword, userId: outcome.userId, stay }
  const { flow, binding } = visit
  const due = flow?.pending
    ? flow
    : flows.withPending(flow ?? flows.begin(), pending, { mailed: { requestId, code } })
  return factorDue(kit, due, outcome, binding)
}

// The ticket is sent again with the missing part: it is used up when all is right.
async function byTicket(
  kit: BrowserKit,
  given: Shown & {
    readonly ticket: string
    readonly username: string | undefined
  },
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<ProviderSignIn> {
  const { providersKit, flows } = kit
  if (providersKit === undefined) return startOver
  const { ticket, remember, ...shown } = given
  const browser = { remember, rememberToken: visit.rememberToken }
  const lifetime = browserLifetime(false)
  const outcome = await signInOnPage(providersKit, { ticket, ...shown, browser, lifetime }, visit)
  if (outcome.outcome === 'logged-in') return signedIn(kit, outcome.loggedIn, false, visit)
  if (outcome.outcome === 'factor-due') {
    const { userId, error, provider } = outcome
    if (error.code === 'totp-invalid') return otherwise
    const vouched: VouchedSignIn = { ticket, provider, connects: false }
    const pending = { ...withoutPassword, userId }
    const due = flows.withPending(flows.withVouched(vouched), pending, { vouched })
    return factorDue(kit, visit.flow?.pending ? visit.flow : due, outcome, visit.binding)
  }
  const connects = outcome.outcome === 'unknown'
  if (connects && !outcome.canConnect) return { next: 'not-connected', name: outcome.name }
  if (!connects && given.username !== undefined) return wrong
  const flow = flows.withVouched({ ticket, provider: outcome.provider, connects })
  const page = connects ? 'sign-in' : 'provider'
  return { next: 'go', page, flow: flows.seal(flow, visit.binding) }
}

async function secondByTicket(
  kit: BrowserKit,
  { ticket, code, passkey, remember }: Shown & VouchedSignIn,
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<FormSignIn> {
  const given = { ticket, code, passkey, remember, username: undefined }
  const result = await byTicket(kit, given, visit, otherwise).catch((error: unknown) =>
    resultOfTicket(error, startOver),
  )
  // The account was disconnected meanwhile.
  return result.next === 'go' || result.next === 'not-connected' ? startOver : result
}

async function byPasskey(
  kit: BrowserKit,
  { passkey: text, stay }: PasskeyFields,
  visit: FormVisit,
): Promise<FormSignIn> {
  const { passkeysKit } = kit
  const response = assertionOf(text)
  if (passkeysKit === undefined || response === null) return wrongPasskey
  // 503
  const approval = await approveByPasskey(passkeysKit, response, visit)
  if (!approval.right) {
    if (approval.isStale && approval.error.code === 'Unauthorized') return startOver
    if (approval.error.details?.['signal'] === 'unknown-credential')
      return { ...wrongPasskey, unknownPasskey: response.id }
    throw approval.error
  }
  const { approved, passkey } = approval
  // 401, 503
  const opened = await openByPasskey(
    passkeysKit,
    { approved, tokens: 'cookie', lifetime: browserLifetime(stay), passkey },
    visit.context,
  )
  // A passkey with user verification needs no further factor.
  return signedIn(kit, opened, stay, visit)
}

async function signedIn(
  { flows }: BrowserKit,
  loggedIn: LoggedIn,
  stay: boolean,
  { flow: before, binding: { request } }: FormVisit,
): Promise<FormSignIn> {
  // The flow is bound to the new cookie; the former value of the browser is obsolete.
  const browser = loggedIn.token
  const flow = flows.seal(flows.withStep(before ?? flows.begin(), 'login'), { request, browser })
  return { next: 'signed-in', loggedIn, stay, flow }
}

function factorDue(
  { flows }: BrowserKit,
  flow: Flow,
  { error: { details = {} } }: { readonly error: AuthError },
  binding: FlowBinding,
): FormSignIn {
  const methods = (details['availableMethods'] ?? []) as readonly string[]
  const isSent = details['codeGenerated'] === true
  return { next: 'factor-due', flow: flows.seal(flow, binding), methods, isSent }
}

const startOver = { next: 'start-over' } as const

const nothing = { code: null, passkey: null, remember: false } as const

/** The values that a pending sign-in has in the place of a password. */
const withoutPassword = {
  passwordFingerprint: 'A'.repeat(22),
  digests: { name: 'A'.repeat(43), typed: 'A'.repeat(43) },
  stay: false,
} as const

/** Never tells whether the name or the password was wrong. */
const wrong = again(422, { kind: 'wrong' })

const wrongPasskey = again(422, { kind: 'wrong-passkey' })

const notAllowed = again(403, { kind: 'refused', message: null })

function again(status: number, fault: FormFault) {
  return { next: 'again', status, fault } as const
}

function orRefused(work: Promise<FormSignIn>, otherwise: FormSignIn): Promise<FormSignIn> {
  return work.catch((error: unknown) => resultOf(error, otherwise))
}

/** The result for a refusal; `otherwise` for a wrong password, code or passkey. */
function resultOf(error: unknown, otherwise: FormSignIn): FormSignIn {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5, clientMessage: message } = error
  switch (error.code) {
    case 'invalid-request':
    case 'proof-refused':
    case 'Unauthorized':
      return otherwise
    case 'forbidden':
      return again(403, { kind: 'refused', message })
    case 'password-expired':
      return again(403, { kind: 'password-expired', url: addressIn(error) })
    // Only a code that went to a number.
    case 'reauthentication-required':
      return again(403, { kind: 'long-away' })
    case 'too-many-requests':
      return again(429, { kind: 'throttled', retryAfter })
    case 'temporarily-unavailable':
      return again(503, { kind: 'busy', retryAfter })
    default:
      throw error
  }
}

function addressIn({ details }: AuthError): string | null {
  const url = details?.['url']
  return typeof url === 'string' ? url : null
}

// Of the ticket itself, nothing can be corrected.
function resultOfTicket(error: unknown, otherwise: FormSignIn): FormSignIn {
  const code = error instanceof AuthError ? error.code : ''
  if (code === 'proof-refused') return startOver
  return code === 'provider-refused' ? otherwise : resultOf(error, otherwise)
}
