import { AuthError } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import { equalInConstantTime } from '../lib/constant-time.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256 } from '../lib/digest.js'
import type { LoggedIn, LogInSteps, StepOutcome } from '../login/log-in.js'
import type { Requester, SecondStep } from '../login/login-proof.js'
import { parseCredentials } from '../login/login-request.js'
import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import { browserLifetime } from '../sessions/browser-session.js'
import type { AuthUser } from '../users/contract.js'
import type { Flow, FlowBinding, Flows } from './flow.js'
import { asIdentifier } from './judge-form.js'
import { assertionOf } from './page-passkeys.js'

/** A form that is ours, and where it comes from. */
export interface FormVisit extends Requester {
  readonly binding: FlowBinding
  /** As it was opened. */
  readonly flow: Flow | null
  /** Takes what the limits say. */
  readonly setHeaders: SetHeaders
}

/** The fields of the first page. */
export interface PasswordFields {
  /** An e-mail address or a user name. */
  readonly username: string
  readonly password: string
  /** Whether the browser is to stay signed in once it was closed. */
  readonly stay: boolean
}

/** A passkey instead of them. */
export interface PasskeyFields {
  /** As the script writes it. */
  readonly passkey: string
  readonly stay: boolean
}

/** What becomes of a form. `text` is the name of the text that says what is wrong. */
export type FormSignIn =
  | {
      readonly outcome: 'signed-in'
      readonly loggedIn: LoggedIn
      readonly stay: boolean
      /** For the browser as its new cookie names it. */
      readonly flow: string
    }
  /** The second page is next, or shown once more: `isSent` where a code is on its way. */
  | {
      readonly outcome: 'factor-due'
      readonly flow: string
      readonly methods: readonly string[]
      readonly isSent: boolean
    }
  /** The same page once more. */
  | {
      readonly outcome: 'wrong'
      readonly status: 422
      readonly text: WrongText
      /** The id of a passkey that is not known here, for the browser to drop it. */
      readonly unknownPasskey?: string
    }
  /** The first page once more: nobody is half way through signing in, or not any more. */
  | { readonly outcome: 'start-over'; readonly status: 422; readonly text: 'fault.stale' }
  /** The host has said no. `message` is its own, for the user. */
  | {
      readonly outcome: 'refused'
      readonly status: 403
      readonly text: 'fault.refused'
      readonly message: string
    }
  /** The same page once more, with what was typed: nothing is tried again by itself. */
  | {
      readonly outcome: 'later'
      readonly status: 429 | 503
      readonly text: 'fault.throttled' | 'fault.busy'
      /** Seconds. */
      readonly retryAfter: number
    }

/** What was wrong. Of name and password nobody is told which. */
export type WrongText =
  | 'sign-in.wrong'
  | 'second-factor.wrong-code'
  | 'second-factor.wrong-recovery'
  | 'fault.wrong-passkey'

/** Signs in by the forms of the pages. Rejects only with what no client is told. */
export interface SignInByForm {
  byPassword(fields: PasswordFields, visit: FormVisit): Promise<FormSignIn>
  /** `code` null: the user asks to be sent one. */
  byCode(code: string | null, visit: FormVisit): Promise<FormSignIn>
  /** With nothing else. On a host that takes no passkeys, none is right. */
  byPasskey(fields: PasskeyFields, visit: FormVisit): Promise<FormSignIn>
  /** In the place of a code. */
  bySecondPasskey(passkey: string, visit: FormVisit): Promise<FormSignIn>
}

export interface SignInByFormDeps {
  readonly logInSteps: LogInSteps
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'withPending' | 'seal' | 'claim'>
  readonly passwordFingerprint: PasswordFingerprint
  /** Undefined: the host takes no passkeys. */
  readonly passkeysOnPages: Pick<PasskeysOnPages, 'approve' | 'open'> | undefined
}

/** Characters. None that is right is as long. */
const maxCodeChars = 64

/** Makes it. Every sign-in is decided, counted and reported as `POST /login` is. */
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
    return second(deps, { code, passkey: null }, visit, wrong(wrongCode(code)))
  }

  return {
    byPassword: (fields, visit) =>
      byPassword(fields, visit).catch((error: unknown) => faultOf(error, wrong('sign-in.wrong'))),

    async byCode(typed, visit) {
      const code = typed === null ? null : withoutBlanks(typed)
      if (code === '' || (code !== null && code.length > maxCodeChars))
        return wrong(wrongCode(code))
      return byCode(code, visit).catch((error: unknown) => faultOf(error, startOver))
    },

    byPasskey: (fields, visit) =>
      byPasskey(deps, fields, visit).catch((error: unknown) => faultOf(error, wrongPasskey)),

    async bySecondPasskey(text, visit) {
      const passkey = assertionOf(text)
      if (passkey === null) return wrongPasskey
      return second(deps, { code: null, passkey }, visit, wrongPasskey).catch((error: unknown) =>
        faultOf(error, startOver),
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
  // Its user was verified, so nothing more is asked for.
  return signedIn(deps, { ...opened, mustEnrol: false }, stay, visit)
}

function signedIn(
  { flows }: SignInByFormDeps,
  loggedIn: LoggedIn,
  stay: boolean,
  { flow: before, binding: { request } }: FormVisit,
): FormSignIn {
  // The cookie is another one from now on, and what the browser was known by before names nobody.
  const browser = loggedIn.token
  const flow = flows.seal(flows.withStep(before ?? flows.begin(), 'login'), { request, browser })
  return { outcome: 'signed-in', loggedIn, stay, flow }
}

function factorDue(
  { flows }: SignInByFormDeps,
  flow: Flow,
  { error: { details = {} } }: Extract<StepOutcome, { outcome: 'factor-due' }>,
  binding: FlowBinding,
): FormSignIn {
  const methods = (details['availableMethods'] ?? []) as readonly string[]
  const isSent = details['codeGenerated'] === true
  return { outcome: 'factor-due', flow: flows.seal(flow, binding), methods, isSent }
}

const startOver: FormSignIn = { outcome: 'start-over', status: 422, text: 'fault.stale' }

function wrong(text: WrongText): Extract<FormSignIn, { outcome: 'wrong' }> {
  return { outcome: 'wrong', status: 422, text }
}

const wrongPasskey = wrong('fault.wrong-passkey')

// Apps show codes in groups, and people type them so.
function withoutBlanks(typed: string): string {
  return typed.length > maxCodeChars ? typed : typed.replaceAll(/\s/g, '')
}

function wrongCode(code: string | null): WrongText {
  return code === null || /^[0-9]*$/.test(code)
    ? 'second-factor.wrong-code'
    : 'second-factor.wrong-recovery'
}

/** What a refusal is to the person at the form; `otherwise` for whatever was not right. */
function faultOf(error: unknown, otherwise: FormSignIn): FormSignIn {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5, clientMessage: message } = error
  switch (error.code) {
    case 'invalid-request':
    case 'Unauthorized':
      return otherwise
    case 'forbidden':
      return { outcome: 'refused', status: 403, text: 'fault.refused', message }
    case 'too-many-requests':
      return { outcome: 'later', status: 429, text: 'fault.throttled', retryAfter }
    case 'temporarily-unavailable':
      return { outcome: 'later', status: 503, text: 'fault.busy', retryAfter }
    default:
      throw error
  }
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

// As JSON, so that no id and hash make the text of another pair.
function fingerprintUnder(
  key: Buffer,
  { id, passwordHash }: Pick<AuthUser, 'id' | 'passwordHash'>,
) {
  const whole = hmacSha256(key, JSON.stringify([id, passwordHash]))
  return Buffer.from(whole, 'base64url').subarray(0, 16).toString('base64url')
}
