import type { RequestContext } from '../audit/events.js'
import type { Endpoint } from '../http/endpoint.js'
import type { DigestIdentifier } from '../login/identifier.js'
import { parseIdentifier } from '../login/login-request.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier, UserContact, UserStore } from '../users/contract.js'
import type { AfterAnswer } from './after-answer.js'
import type { Contacts } from './contacts.js'
import type { LinkTo } from './links.js'
import type { Mails } from './mails.js'
import type { MarkParts, Proofs } from './proofs.js'

/** Seconds in which a link for a new password works. */
const resetLifetime = 30 * 60

/**
 * Asks for a link to set a new password. Tells nobody whether the name has an account: it resolves
 * before anything is looked up. Throws 400, 429 and 503.
 */
export type ForgotPassword = (identifier: LoginIdentifier, context: RequestContext) => Promise<void>

export interface ForgotPasswordDeps {
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'takeMailRequest'>
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly sendReset: SendReset
  readonly afterAnswer: Pick<AfterAnswer, 'run'>
}

export function createForgotPassword(deps: ForgotPasswordDeps): ForgotPassword {
  const { canonical, digestIdentifier, throttle, users, sendReset, afterAnswer } = deps
  return async function forgotPassword(given, context) {
    const identifier = await canonical(given)
    await throttle.takeMailRequest(digestIdentifier(identifier).name, context)
    afterAnswer.run(async () => {
      const user = await users.findByIdentifier(identifier)
      if (user !== null) await sendReset(user, context)
    })
  }
}

/** `POST /auth/password/forgot`: mails a link for a new password, if the name has an account. */
export function forgotPasswordEndpoint(forgotPassword: ForgotPassword): Endpoint {
  return async function forgot({ context, readJson }) {
    // 400, 413, 415, 429, 503
    await forgotPassword(parseIdentifier(await readJson()), context)
    return { status: 202, body: { status: 'success', data: { expiresIn: resetLifetime } } }
  }
}

/**
 * Mails a user a link for a new password. False: disabled, without a proven address, or too many
 * mails. Rejects with 503.
 */
export type SendReset = (
  user: AuthUser,
  context: RequestContext,
  contact?: UserContact,
) => Promise<boolean>

export interface SendResetDeps {
  readonly contacts: Contacts
  /** Whether an address that was never proven will do. */
  readonly resetUnproven: boolean
  readonly proofs: Pick<Proofs, 'openLink' | 'markOf'>
  readonly mails: Mails
  readonly linkTo: LinkTo
}

export function createSendReset(deps: SendResetDeps): SendReset {
  const { contacts, resetUnproven, proofs, mails, linkTo } = deps
  return async function sendReset(user, context, known) {
    const contact = known ?? (await contacts.findContact(user.id))
    const email = contact?.email ?? null
    if (user.disabled === true || contact === null || email === null) return false
    if (!contact.emailVerified && !resetUnproven) return false
    const to = { email, user, locale: contact.locale }
    // Whoever undoes a change is mailed once, however many links a stranger has asked for.
    if (known === undefined && (await mails.take(to, 'reset-password', context)) !== null)
      return false
    const { token, expiresAt } = await proofs.openLink({
      purpose: 'reset',
      userId: user.id,
      mark: proofs.markOf(passwordParts(user)),
      sealed: { email },
      lifetime: resetLifetime,
    })
    const url = linkTo('reset', token)
    mails.send(to, { kind: 'reset-password', url, expiresAt }, context)
    return true
  }
}

/** What marks a password. A link that was mailed before the password changed sets none. */
export function passwordParts({ id, passwordHash }: AuthUser): MarkParts {
  return ['password', id, passwordHash]
}
