import type { EndForAccounts } from '../account/session-management.js'
import type { AdmittedHasher } from '../admission/admission.js'
import { type Audit, noRequest, type ObserveEvents } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import type { Routes } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import type { DigestIdentifier } from '../login/identifier.js'
import type { VerifyPassword } from '../login/verify-password.js'
import type { FailClosedHasher } from '../passwords/fail-closed-hasher.js'
import { createJudgePassword } from '../passwords/judge-password.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { RequireFresh } from '../sign-in-again.js'
import type { Throttle } from '../throttle/throttle.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import { type AccountsForHost, createAccountsForHost } from './accounts-for-host.js'
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
} from './email-second-factor.endpoint.js'
import { createForgotPassword, forgotPasswordEndpoint } from './forgot-password.endpoint.js'
import { createLinkTo, type LinkTo } from './links.js'
import {
  createNewPasswords,
  createPasswordsForHost,
  type NewPasswords,
  type PasswordsForHost,
} from './new-password.js'
import { createNotices } from './notices.js'
import { createPasswordReplaced } from './password-replaced.js'
import { createSendReset, type SendReset } from './reset-link.js'
import { createResetPassword, resetPasswordEndpoint } from './reset-password.endpoint.js'
import { createUndoEmail, undoEmailEndpoint } from './undo-email.endpoint.js'

/** Passwords and addresses, for the user and for the host. */
export interface Accounts extends Capability {
  readonly forHost: AccountsForHost
  readonly passwords: PasswordsForHost
}

export interface AccountsDeps extends AccountsServer, EndForAccounts {
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  readonly forgetSession: (sessionId: string) => void
  readonly secondFactors: Pick<SecondFactors, 'of'>
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
  const linkTo = createLinkTo(links)
  const sendReset = createSendReset({ ...deps, linkTo, resetUnproven })
  if (notices.length > 0) deps.observeEvents(createNotices(deps, notices))
  const sendVerification = createSendVerification(deps)
  const newPasswords = createNewPasswords(passwords)
  const parts = { ...deps, linkTo, sendReset, sendVerification, newPasswords }
  return {
    routes: [...passwordRoutes(parts), ...emailRoutes(parts)],
    forHost: createAccountsForHost(parts),
    passwords: createPasswordsForHost(passwords),
  }
}

type Parts = AccountsDeps & {
  readonly linkTo: LinkTo
  readonly sendReset: SendReset
  readonly sendVerification: SendVerification
  readonly newPasswords: NewPasswords
}

function passwordRoutes(parts: Parts): Routes {
  const { signedIn, throttle } = parts
  const { updatePasswordHash } = parts.users
  if (updatePasswordHash === undefined) return []
  const writing = { ...parts, updatePasswordHash }
  const passwordReplaced = createPasswordReplaced(parts)
  const reset = createResetPassword({ ...writing, passwordReplaced })
  const change = createChangePassword(writing)
  return [
    ['/auth/password/forgot', { POST: forgotPasswordEndpoint(createForgotPassword(parts)) }],
    ['/auth/password/reset', { POST: resetPasswordEndpoint(reset, throttle) }],
    ['/auth/password/change', { POST: changePasswordEndpoint(signedIn, change) }],
  ]
}

function emailRoutes(parts: Parts): Routes {
  const { signedIn, throttle } = parts
  const { updateEmail, markEmailVerified } = parts.users
  const always: Routes = [
    ['/auth/email', { GET: emailStatusEndpoint(parts) }],
    ...factorRoutes(parts),
  ]
  // Both or none: a code may confirm either.
  if (updateEmail === undefined || markEmailVerified === undefined) return always
  const writing = { ...parts, updateEmail, markEmailVerified }
  const confirm = createConfirmEmail(writing)
  return [
    ...always,
    ['/auth/email/verify', { POST: verifyEmailEndpoint(signedIn, createVerifyEmail(parts)) }],
    ['/auth/email/confirm', { POST: confirmEmailEndpoint(signedIn, confirm, throttle) }],
    ['/auth/email/change', { POST: changeEmailEndpoint(signedIn, createChangeEmail(parts)) }],
    ['/auth/email/undo', { POST: undoEmailEndpoint(createUndoEmail(writing), throttle) }],
  ]
}

function factorRoutes(parts: Parts): Routes {
  const { setEmailFactor } = parts.users
  if (!parts.accountsOptions.emailSecondFactor || setEmailFactor === undefined) return []
  const POST = emailSecondFactorEndpoint(
    parts.signedIn,
    createSwitchEmailFactor({ ...parts, setEmailFactor }),
  )
  return [['/auth/email/second-factor', { POST }]]
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
  sendVerification: refuseWithoutAccounts,
  endEverything: refuseWithoutAccounts,
})

/** `auth.passwords` without the option `accounts`. */
export const withoutPasswordRules: PasswordsForHost = Object.freeze({
  check: refuseWithoutAccounts,
})
