import type { EndForAccounts } from '../account/session-management.js'
import type { AdmittedHasher } from '../admission/admission.js'
import { type Audit, noRequest, type ObserveEvents } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import type { Routes } from '../http/endpoint.js'
import type { Contexts } from '../http/request-context.js'
import type { VerifyPassword } from '../kits/sign-in-kit.js'
import type { HostCall } from '../lib/host-call.js'
import type { AccountsOnPages } from '../pages/account/parts.js'
import type { FailClosedHasher } from '../passwords/fail-closed-hasher.js'
import { createJudgePassword } from '../passwords/judge-password.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import { type AccountsForHost, createAccountsForHost } from './accounts-for-host.js'
import {
  type AccountFlows,
  createAccountsOnPages,
  type EmailFlows,
  type PasswordFlows,
} from './accounts-on-pages.js'
import type { AccountsServer } from './accounts-server.js'
import { changePasswordEndpoint, createChangePassword } from './change-password.endpoint.js'
import { confirmEmailEndpoint, createConfirmEmail } from './confirm-email.endpoint.js'
import {
  changeEmailEndpoint,
  createChangeEmail,
  createSendVerification,
  createVerifyEmail,
  emailStatusEndpoint,
  type SendVerification,
  verifyEmailEndpoint,
} from './email.endpoint.js'
import {
  createSwitchEmailFactor,
  emailSecondFactorEndpoint,
  type SwitchEmailFactor,
} from './email-second-factor.endpoint.js'
import {
  createForgotPassword,
  type ForgotPassword,
  forgotPasswordEndpoint,
} from './forgot-password.endpoint.js'
import { createLinkTo, createLinkToCode, type LinkTo, type LinkToCode } from './links.js'
import {
  createNewPasswords,
  createPasswordsForHost,
  type NewPasswords,
  type PasswordsForHost,
} from './new-password.js'
import { createNotices } from './notices.js'
import { createPasswordReplaced } from './password-replaced.js'
import {
  createProvePresent,
  createProvePresentOnPage,
  type ProvePresentDeps,
} from './prove-present.js'
import { createSendReset, type SendReset } from './reset-link.js'
import { createResetPassword, resetPasswordEndpoint } from './reset-password.endpoint.js'
import { createUndoEmail, undoAsksPassword, undoEmailEndpoint } from './undo-email.endpoint.js'

/** Passwords and addresses, for the user and for the host. */
export interface Accounts extends Capability {
  readonly onPages: AccountsOnPages
  readonly forHost: AccountsForHost
  readonly passwords: PasswordsForHost
  readonly parts: PartsForRegistration
}

/** What the registration shares. */
export interface PartsForRegistration {
  readonly newPasswords: NewPasswords
  readonly linkTo: LinkTo
  readonly linkToCode: LinkToCode
}

export interface AccountsDeps extends AccountsServer, EndForAccounts, ProvePresentDeps {
  readonly signedIn: SignedIn
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  readonly forgetSession: (sessionId: string) => void
  readonly secondFactors: Pick<SecondFactors, 'of'>
  /** The address of the router for browsers; undefined: it has no pages. */
  readonly pagesUrl: URL | undefined
  readonly hasAccountPage: boolean
  readonly users: UserStore
  readonly hasher: Pick<AdmittedHasher, 'hash'> &
    Pick<FailClosedHasher, 'whyRefused' | 'unmatchable'>
  readonly call: HostCall
  readonly totpIssuer: string
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  readonly verifyPassword: VerifyPassword
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Throttle
  readonly observeEvents: ObserveEvents
  readonly contexts: Pick<Contexts, 'of'>
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * The endpoints of `/auth/password` and `/auth/email`, `auth.accounts` and `auth.passwords`. A
 * route whose methods the host's users lack does not exist.
 */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { accountsOptions, audit } = deps
  const { passwordRules, links, notices, resetUnproven } = accountsOptions
  const onBreachCheckFailed = () => audit({ type: 'password.breach-check-failed' }, noRequest)
  const judging = { ...deps, passwordRules, onBreachCheckFailed }
  const passwords = { ...judging, judgePassword: createJudgePassword(passwordRules, judging) }
  const { pagesUrl, hasAccountPage } = deps
  const linkTo = createLinkTo(links, pagesUrl)
  const linkToCode = createLinkToCode(links, hasAccountPage ? pagesUrl : undefined)
  const sendReset = createSendReset({ ...deps, linkTo, resetUnproven })
  if (notices.length > 0) deps.observeEvents(createNotices(deps, notices))
  const sendVerification = createSendVerification({ ...deps, linkToCode })
  const newPasswords = createNewPasswords(passwords)
  const forgotPassword = createForgotPassword({ ...deps, sendReset })
  const mailing = { linkTo, linkToCode, sendReset, sendVerification }
  const parts = { ...deps, ...mailing, newPasswords, forgotPassword }
  const flows: AccountFlows = {
    passwords: passwordFlows(parts),
    emails: emailFlows(parts),
    switchEmailFactor: emailFactorFlow(parts),
  }
  return {
    routes: [...passwordRoutes(parts, flows.passwords), ...emailRoutes(parts, flows)],
    onPages: createAccountsOnPages(parts, flows),
    forHost: createAccountsForHost(parts),
    passwords: createPasswordsForHost(passwords),
    parts: { newPasswords, linkTo, linkToCode },
  }
}

type Parts = AccountsDeps & {
  readonly linkTo: LinkTo
  readonly linkToCode: LinkToCode
  readonly sendReset: SendReset
  readonly sendVerification: SendVerification
  readonly newPasswords: NewPasswords
  readonly forgotPassword: ForgotPassword
}

// Undefined without the method that they write with.
function passwordFlows(parts: Parts): PasswordFlows | undefined {
  const { updatePasswordHash } = parts.users
  if (updatePasswordHash === undefined) return undefined
  const writing = { ...parts, updatePasswordHash }
  return {
    forgot: parts.forgotPassword,
    reset: createResetPassword({ ...writing, passwordReplaced: createPasswordReplaced(parts) }),
    change: createChangePassword({ ...writing, provePresent: createProvePresent(parts) }),
    changeOnPage: createChangePassword({
      ...writing,
      provePresent: createProvePresentOnPage(parts),
    }),
  }
}

function passwordRoutes({ signedIn, throttle }: Parts, flows: PasswordFlows | undefined): Routes {
  if (flows === undefined) return []
  return [
    ['/auth/password/forgot', { POST: forgotPasswordEndpoint(flows.forgot) }],
    ['/auth/password/reset', { POST: resetPasswordEndpoint(flows.reset, throttle) }],
    ['/auth/password/change', { POST: changePasswordEndpoint(signedIn, flows.change) }],
  ]
}

// Both methods or none: a code may confirm either.
function emailFlows(parts: Parts): EmailFlows | undefined {
  const { updateEmail, markEmailVerified, updatePasswordHash } = parts.users
  if (updateEmail === undefined || markEmailVerified === undefined) return undefined
  const writing = { ...parts, updateEmail, markEmailVerified }
  const passwordReplaced = createPasswordReplaced(parts)
  return {
    verify: createVerifyEmail(parts),
    change: createChangeEmail(parts, createProvePresent(parts)),
    changeOnPage: createChangeEmail(parts, createProvePresentOnPage(parts)),
    confirm: createConfirmEmail(writing),
    undo: createUndoEmail({ ...writing, updatePasswordHash, passwordReplaced }),
    undoAsksPassword: (user) => undoAsksPassword({ updatePasswordHash }, user),
  }
}

function emailRoutes(
  parts: Parts,
  { emails: flows, switchEmailFactor }: Omit<AccountFlows, 'passwords'>,
): Routes {
  const { signedIn, throttle } = parts
  const always: Routes = [
    ['/auth/email', { GET: emailStatusEndpoint(parts) }],
    ...factorRoutes(signedIn, switchEmailFactor),
  ]
  if (flows === undefined) return always
  return [
    ...always,
    ['/auth/email/verify', { POST: verifyEmailEndpoint(signedIn, flows.verify) }],
    ['/auth/email/confirm', { POST: confirmEmailEndpoint(signedIn, flows.confirm, throttle) }],
    ['/auth/email/change', { POST: changeEmailEndpoint(signedIn, flows.change) }],
    ['/auth/email/undo', { POST: undoEmailEndpoint(flows.undo, throttle) }],
  ]
}

function emailFactorFlow(parts: Parts): SwitchEmailFactor | undefined {
  const { setEmailFactor } = parts.users
  if (!parts.accountsOptions.emailSecondFactor || setEmailFactor === undefined) return undefined
  return createSwitchEmailFactor({ ...parts, setEmailFactor })
}

function factorRoutes(signedIn: SignedIn, flow: SwitchEmailFactor | undefined): Routes {
  if (flow === undefined) return []
  return [['/auth/email/second-factor', { POST: emailSecondFactorEndpoint(signedIn, flow) }]]
}

async function refuseWithoutAccounts(): Promise<never> {
  throw new AuthConfigError(
    'accounts',
    'is not configured, which auth.accounts and auth.passwords need.',
    'pass accounts to createAuthRouter, as docs/accounts.md says.',
  )
}

/** `auth.accounts` without the option `accounts`. */
export const withoutAccounts: AccountsForHost = Object.freeze({
  sendPasswordReset: refuseWithoutAccounts,
  forgotPassword: refuseWithoutAccounts,
  sendVerification: refuseWithoutAccounts,
  endEverything: refuseWithoutAccounts,
})

/** `auth.passwords` without the option `accounts`. */
export const withoutPasswordRules: PasswordsForHost = Object.freeze({
  check: refuseWithoutAccounts,
})
