import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import { equalInConstantTime } from '../lib/constant-time.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256 } from '../lib/digest.js'
import { typedDigits } from '../lib/typed-code.js'
import type { LoggedIn, LogInSteps } from '../login/log-in.js'
import type { Requester, SecondStep } from '../login/login-proof.js'
import { parseCredentials } from '../login/login-request.js'
import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import { browserLifetime } from '../sessions/browser-session.js'
import type { AuthUser } from '../users/contract.js'
import type { Flow, FlowBinding, Flows, MailedSignIn, VouchedSignIn } from './flow.js'
import type { Submitted } from './form-page.js'
import { asIdentifier } from './judge-form.js'
import type { EmailSignInOnPages } from './mailed-login.js'
import { assertionOf } from './page-passkeys.js'
import type { ProvidersOnPages } from './page-providers.js'
import type { FormFault } from './view.js'

/** A form of our pages, and its origin. */
export interface FormVisit extends Requester {
  readonly incoming: IncomingMessage
  readonly binding: FlowBinding
  /** The decrypted flow. */
  readonly flow: Flow | null
  /** Sets the headers of limits. */
  readonly setHeaders: SetHeaders
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

/** Signs in by forms of the pages. Rejects only with errors that are not for clients. */
export interface SignInByForm {
  byPassword(fields: PasswordFields, visit: FormVisit): Promise<FormSignIn>
  /** With a mailed code in the place of a password; without the option always refused. */
  byMailedCode(code: string, visit: FormVisit, stay: boolean): Promise<FormSignIn>
  /** With the ticket of a provider. `username`: for a new user, instead of one that is taken. */
  byTicket(
    given: { readonly ticket: string; readonly username?: string },
    visit: FormVisit,
  ): Promise<ProviderSignIn>
  /** `code` null: the user requests a code. */
  byCode(code: string | null, visit: FormVisit): Promise<FormSignIn>
  /** With a passkey only. Always refused without the option `passkeys`. */
  byPasskey(fields: PasskeyFields, visit: FormVisit): Promise<FormSignIn>
  /** With a passkey instead of a code. */
  bySecondPasskey(passkey: string, visit: FormVisit): Promise<FormSignIn>
}

export interface SignInByFormDeps {
  readonly logInSteps: LogInSteps
  readonly flows: Pick<
    Flows,
    'begin' | 'withStep' | 'withPending' | 'withVouched' | 'seal' | 'claim'
  >
  readonly passwordFingerprint: PasswordFingerprint
  /** Undefined without the option `passkeys`. */
  readonly passkeysOnPages: Pick<PasskeysOnPages, 'approve' | 'open'> | undefined
  /** Undefined without the option `accounts.emailSignIn`. */
  readonly emailSignInOnPages: EmailSignInOnPages | undefined
  /** Undefined without the option `providers`. */
  readonly providersOnPages: Pick<ProvidersOnPages, 'signIn'> | undefined
}

/** Characters; longer than any valid code. */
const maxCodeChars = 64

/** Every sign-in is decided, counted and reported like `POST /login`. */
export function createSignInByForm(deps: SignInByFormDeps): SignInByForm {
  const { flows, passwordFingerprint } = deps

  async function byPassword({ username, password, stay }: PasswordFields, visit: FormVisit) {
    const request = parseCredentials({ ...asIdentifier(username), password })
    const { binding, flow, ...from } = visit
    const asked = { ...from, tokens: 'cookie', lifetime: browserLifetime(stay) } as const
    const outcome = await deps.logInSteps.first({ ...asked, request })
    const before = flow ?? flows.begin()
    if (outcome.outcome === 'logged-in') return signedIn(deps, outcome.loggedIn, stay, visit)
    const { userId, passwordHash, digests } = outcome.proven
    const fingerprint = passwordFingerprint.of({ id: userId, passwordHash })
    const pending = { userId, passwordFingerprint: fingerprint, digests, stay }
    return factorDue(deps, flows.withPending(before, pending), outcome, binding)
  }

  async function byCode(code: string | null, visit: FormVisit): Promise<FormSignIn> {
    return second(deps, { code, passkey: null }, visit, wrong)
  }

  return {
    byPassword: (fields, visit) =>
      byPassword(fields, visit).catch((error: unknown) => resultOf(error, wrong)),

    async byMailedCode(typed, visit, stay) {
      const code = typedDigits(typed)
      const requestId = visit.flow?.mailed?.requestId
      if (requestId === undefined) return startOver
      if (!/^\d{8}$/.test(code)) return wrong
      return byMail(deps, { requestId, code }, stay, nothing, visit, wrong).catch(
        (error: unknown) => resultOf(error, wrong),
      )
    },

    byTicket: ({ ticket, username }, visit) =>
      byTicket(deps, { ticket, username, ...nothing }, visit, notAllowed).catch((error: unknown) =>
        resultOfTicket(error, notAllowed),
      ),

    async byCode(typed, visit) {
      const code = typed === null ? null : typedDigits(typed)
      if (code === '' || (code !== null && code.length > maxCodeChars)) return wrong
      return byCode(code, visit).catch((error: unknown) => resultOf(error, startOver))
    },

    byPasskey: (fields, visit) =>
      byPasskey(deps, fields, visit).catch((error: unknown) => resultOf(error, wrongPasskey)),

    async bySecondPasskey(text, visit) {
      const passkey = assertionOf(text)
      if (passkey === null) return wrongPasskey
      return second(deps, { code: null, passkey }, visit, wrongPasskey).catch((error: unknown) =>
        resultOf(error, startOver),
      )
    },
  }
}

async function second(
  deps: SignInByFormDeps,
  shown: Pick<SecondStep, 'code' | 'passkey'>,
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<FormSignIn> {
  const { logInSteps, flows, passwordFingerprint } = deps
  const { binding, flow, ...from } = visit
  const pending = flow?.pending ?? null
  if (flow === null || pending === null) return startOver
  const { userId, digests, stay } = pending
  if (flow.mailed !== undefined) return byMail(deps, flow.mailed, stay, shown, visit, otherwise)
  if (flow.vouched?.connects === false)
    return secondByTicket(deps, { ...flow.vouched, ...shown }, visit, otherwise)
  const request: SecondStep = {
    ...shown,
    userId,
    digests,
    fits: (user) => passwordFingerprint.matches(pending.passwordFingerprint, user),
    claim: () => flows.claim(pending),
  }
  const asked = { ...from, tokens: 'cookie', lifetime: browserLifetime(stay) } as const
  const outcome = await logInSteps.second({ ...asked, request })
  if (outcome.outcome === 'logged-in') return signedIn(deps, outcome.loggedIn, stay, visit)
  return outcome.error.code === 'totp-invalid' ? otherwise : factorDue(deps, flow, outcome, binding)
}

// The mailed code is sent again with the second factor: it is used up when both are right.
async function byMail(
  deps: SignInByFormDeps,
  { requestId, code }: MailedSignIn,
  stay: boolean,
  { code: secondFactor, passkey }: Pick<SecondStep, 'code' | 'passkey'>,
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<FormSignIn> {
  const { emailSignInOnPages: server, flows } = deps
  if (server === undefined || code === null) return startOver
  const lifetime = browserLifetime(stay)
  const given = { requestId, code, secondFactor, passkey, tokens: 'cookie', lifetime } as const
  const outcome = await server.logIn(given, visit)
  if (outcome.outcome === 'logged-in') return signedIn(deps, outcome.loggedIn, stay, visit)
  if (outcome.error.code === 'totp-invalid') return otherwise
  const pending = { ...withoutPassword, userId: outcome.userId, stay }
  const { flow, binding } = visit
  const due = flow?.pending
    ? flow
    : flows.withPending(flow ?? flows.begin(), pending, { mailed: { requestId, code } })
  return factorDue(deps, due, outcome, binding)
}

// The ticket is sent again with what was missing: it is used up when all is right.
async function byTicket(
  deps: SignInByFormDeps,
  given: Pick<SecondStep, 'code' | 'passkey'> & {
    readonly ticket: string
    readonly username: string | undefined
  },
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<ProviderSignIn> {
  const { providersOnPages: server, flows } = deps
  if (server === undefined) return startOver
  const { ticket, code, passkey, username } = given
  const lifetime = browserLifetime(false)
  const outcome = await server.signIn({ ticket, code, passkey, username, lifetime }, visit)
  if (outcome.outcome === 'logged-in') return signedIn(deps, outcome.loggedIn, false, visit)
  if (outcome.outcome === 'factor-due') {
    const { userId, error, provider } = outcome
    if (error.code === 'totp-invalid') return otherwise
    const vouched: VouchedSignIn = { ticket, provider, connects: false }
    const pending = { ...withoutPassword, userId }
    const due = flows.withPending(flows.withVouched(vouched), pending, { vouched })
    return factorDue(deps, visit.flow?.pending ? visit.flow : due, outcome, visit.binding)
  }
  const connects = outcome.outcome === 'unknown'
  if (connects && !outcome.canConnect) return { next: 'not-connected', name: outcome.name }
  if (!connects && username !== undefined) return wrong
  const flow = flows.withVouched({ ticket, provider: outcome.provider, connects })
  const page = connects ? 'sign-in' : 'provider'
  return { next: 'go', page, flow: flows.seal(flow, visit.binding) }
}

async function secondByTicket(
  deps: SignInByFormDeps,
  { ticket, code, passkey }: Pick<SecondStep, 'code' | 'passkey'> & VouchedSignIn,
  visit: FormVisit,
  otherwise: FormSignIn,
): Promise<FormSignIn> {
  const given = { ticket, code, passkey, username: undefined }
  const result = await byTicket(deps, given, visit, otherwise).catch((error: unknown) =>
    resultOfTicket(error, startOver),
  )
  // The account was disconnected meanwhile.
  return result.next === 'go' || result.next === 'not-connected' ? startOver : result
}

async function byPasskey(
  deps: SignInByFormDeps,
  { passkey: text, stay }: PasskeyFields,
  visit: FormVisit,
): Promise<FormSignIn> {
  const { passkeysOnPages } = deps
  const response = assertionOf(text)
  if (passkeysOnPages === undefined || response === null) return wrongPasskey
  // 503
  const approval = await passkeysOnPages.approve(response, visit)
  if (!approval.right) {
    if (approval.isStale && approval.error.code === 'Unauthorized') return startOver
    if (approval.error.details?.['signal'] === 'unknown-credential')
      return { ...wrongPasskey, unknownPasskey: response.id }
    throw approval.error
  }
  const { approved, passkey } = approval
  // 401, 503
  const opened = await passkeysOnPages.open(
    { approved, tokens: 'cookie', lifetime: browserLifetime(stay), passkey },
    visit.context,
  )
  // A passkey with user verification needs no further factor.
  return signedIn(deps, { ...opened, mustEnrol: false }, stay, visit)
}

async function signedIn(
  { flows }: SignInByFormDeps,
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
  { flows }: SignInByFormDeps,
  flow: Flow,
  { error: { details = {} } }: { readonly error: AuthError },
  binding: FlowBinding,
): FormSignIn {
  const methods = (details['availableMethods'] ?? []) as readonly string[]
  const isSent = details['codeGenerated'] === true
  return { next: 'factor-due', flow: flows.seal(flow, binding), methods, isSent }
}

const startOver = { next: 'start-over' } as const
const nothing = { code: null, passkey: null } as const
/** What a pending sign-in has in the place of a password. */
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
    case 'too-many-requests':
      return again(429, { kind: 'throttled', retryAfter })
    case 'temporarily-unavailable':
      return again(503, { kind: 'busy', retryAfter })
    default:
      throw error
  }
}

// Of the ticket itself, nothing can be corrected.
function resultOfTicket(error: unknown, otherwise: FormSignIn): FormSignIn {
  const code = error instanceof AuthError ? error.code : ''
  if (code === 'proof-refused') return startOver
  return code === 'provider-refused' ? otherwise : resultOf(error, otherwise)
}

/**
 * Fingerprints of the hashes of right passwords: keyed, so that they reveal nothing of the hash.
 * 128 bits, as 22 base64url characters.
 */
export interface PasswordFingerprint {
  of(user: Pick<AuthUser, 'id' | 'passwordHash'>): string
  /** Whether the user still has that password. */
  matches(fingerprint: string, user: Pick<AuthUser, 'id' | 'passwordHash'>): boolean
}

/** The first key makes fingerprints. Every key checks them. */
export function createPasswordFingerprint(encryptionKeys: readonly Buffer[]): PasswordFingerprint {
  const keys = encryptionKeys.map((key) => deriveKey('password-mark', key))
  const [making] = keys as [Buffer, ...Buffer[]]
  return {
    of: (user) => fingerprintUnder(making, user),
    matches: (fingerprint, user) =>
      keys.some((key) => equalInConstantTime(fingerprint, fingerprintUnder(key, user))),
  }
}

// As JSON, so that different pairs are different texts.
function fingerprintUnder(
  key: Buffer,
  { id, passwordHash }: Pick<AuthUser, 'id' | 'passwordHash'>,
) {
  const whole = hmacSha256(key, JSON.stringify([id, passwordHash]))
  return Buffer.from(whole, 'base64url').subarray(0, 16).toString('base64url')
}
