import { z } from 'zod'
import type { AdmittedHasher } from '../admission/admission.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { siteOf } from '../http/client-address.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { requireOptions } from '../http/host-input.js'
import { isHostId } from '../lib/host-id.js'
import { isWellFormed } from '../lib/well-formed.js'
import type { JudgePassword } from '../passwords/judge-password.js'
import {
  type CheckedPasswordRules,
  minLengthFor,
  type PasswordReason,
} from '../passwords/password-rules.js'
import type { AuthUser } from '../users/contract.js'
import type { Contacts } from './contacts.js'

/** A new password in a body: a text that a hasher compares as it is. */
export const newPasswordText: z.ZodString = z
  .string()
  .min(1)
  .refine(isWellFormed, 'Invalid input: lone surrogates')
  .refine((text) => !text.includes('\0'), 'Invalid input: a NUL character')

/** Who registers, as far as a password must not consist of it. */
export interface Newcomer {
  readonly email: string
  readonly username: string
  readonly name: string
}

/** New passwords of users. */
export interface NewPasswords {
  /**
   * Throws 400 `password-refused` if the rules refuse it, 503. `withoutBreached`: whether it has
   * leaked is not asked yet.
   */
  requireGood(
    user: AuthUser,
    password: string,
    context: RequestContext,
    withoutBreached?: boolean,
  ): Promise<void>
  /** Judges the password of somebody who is not a user yet. Rejects with 400 and 503. */
  judgeNewcomer(newcomer: Newcomer, password: string): Promise<PasswordVerdict>
  /** Rejects with 503. */
  hash(password: string, request: Pick<EndpointRequest, 'context' | 'aborted'>): Promise<string>
}

/** The rules for new passwords, for the host's own forms. */
export interface PasswordsForHost {
  /**
   * Why a new password is refused; an empty list if it is accepted. With `userId`, also by what is
   * known of that user. Hash it with `auth.hashPassword`, and call `auth.passwordChanged` after you
   * have stored it. Rejects with `AuthError`: `invalid-request` for what is no password,
   * `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const { reasons, minLength } = await auth.passwords.check('correct horse', { userId: '42' })
   * const hint = reasons.includes('too-short') ? `Use ${minLength} characters or more.` : ''
   * ```
   */
  check(plain: string, options?: { readonly userId?: string }): Promise<PasswordVerdict>
}

/** What the rules say about a new password. */
export interface PasswordVerdict {
  /** Empty if it is accepted. */
  readonly reasons: readonly PasswordReason[]
  /** The least number of characters for this user. */
  readonly minLength: number
}

export interface NewPasswordDeps {
  readonly judgePassword: JudgePassword
  readonly passwordRules: CheckedPasswordRules
  /** Whether the user has a second factor, or must have one. */
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  readonly contacts: Contacts
  /** What people call the service. */
  readonly totpIssuer: string
  readonly hasher: Pick<AdmittedHasher, 'hash'>
  readonly audit: Audit
}

export function createNewPasswords(deps: NewPasswordDeps): NewPasswords {
  const { hasher, audit } = deps
  return {
    async requireGood(user, password, context, withoutBreached = false) {
      const { reasons, minLength } = await judge(deps, user, password, withoutBreached)
      if (reasons.length === 0) return
      audit({ type: 'password.refused-by-rules', userId: user.id, reasons }, context)
      throw new AuthError('password-refused', { details: { reasons, minLength } })
    },
    async judgeNewcomer(newcomer, password) {
      const { email } = newcomer
      const serviceName = deps.totpIssuer
      const owner = { user: null, newcomer, email, hasSecondFactor: false, serviceName }
      const reasons = await deps.judgePassword(password, owner)
      return { reasons, minLength: deps.passwordRules.minLength }
    },
    // In the same queue as the logins of that network, so that it delays no other network.
    hash: (password, { context, aborted }) =>
      hasher.hash(password, { source: siteOf(context.ip), context, signal: aborted() }),
  }
}

/** `auth.passwords`. */
export function createPasswordsForHost(deps: NewPasswordDeps): PasswordsForHost {
  return {
    async check(plain, options = {}) {
      const { userId } = requireOptions(options)
      if (userId === undefined) return judge(deps, null, plain)
      const user = isHostId(userId) ? await deps.contacts.findById(userId) : null
      if (user !== null) return judge(deps, user, plain)
      throw invalidRequest([{ path: 'userId', message: 'Invalid input: no such user' }])
    },
  }
}

async function judge(
  { judgePassword, passwordRules, contacts, ...deps }: NewPasswordDeps,
  user: AuthUser | null,
  password: unknown,
  withoutBreached = false,
): Promise<PasswordVerdict> {
  const contact = user && (await contacts.findContact(user.id))
  const hasSecondFactor = user !== null && (await deps.hasSecondFactor(user))
  const email = contact?.email ?? null
  const serviceName = deps.totpIssuer
  const owner = { user, email, hasSecondFactor, serviceName, withoutBreached }
  const reasons = await judgePassword(password, owner)
  return { reasons, minLength: minLengthFor(passwordRules, hasSecondFactor) }
}
