import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type {
  AccountsOnPages,
  AskingUser,
  EmailFactorOnPages,
  EmailOnPages,
  MailedWayBack,
  PasswordOnPages,
  UndoOnPages,
} from '../pages/account/parts.js'
import { minLengthFor } from '../passwords/password-rules.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser } from '../users/contract.js'
import type { AccountsServer } from './accounts-server.js'
import type { ChangePassword } from './change-password.endpoint.js'
import type { ConfirmEmail } from './confirm-email.endpoint.js'
import { addressOf, type ChangeEmail, isOfSession, type VerifyEmail } from './email.endpoint.js'
import { provenAddress } from './email-factor.js'
import type { SwitchEmailFactor } from './email-second-factor.endpoint.js'
import type { ForgotPassword } from './forgot-password.endpoint.js'
import { newPasswordText } from './new-password.js'
import type { FoundProof, Sealed } from './proofs.js'
import { nothingShown, owesPassword } from './prove-present.js'
import type { ResetPassword } from './reset-password.endpoint.js'
import type { UndoEmail } from './undo-email.endpoint.js'

/** What users do with their passwords, by endpoint or by page. */
export interface PasswordFlows {
  readonly forgot: ForgotPassword
  readonly reset: ResetPassword
  readonly change: ChangePassword
  /** As on the account page, whose user has a fresh sign-in. */
  readonly changeOnPage: ChangePassword
}

/** What users do with their addresses. */
export interface EmailFlows {
  readonly verify: VerifyEmail
  readonly change: ChangeEmail
  /** As on the account page. */
  readonly changeOnPage: ChangeEmail
  readonly confirm: ConfirmEmail
  readonly undo: UndoEmail
  /** Whether an undo sets a new password of this user. */
  readonly undoAsksPassword: (user: AuthUser) => boolean
}

/** What a host offers of it, by endpoint or by page. Undefined without the methods. */
export interface AccountFlows {
  readonly passwords: PasswordFlows | undefined
  readonly emails: EmailFlows | undefined
  readonly switchEmailFactor: SwitchEmailFactor | undefined
}

export interface AccountsOnPagesDeps
  extends Pick<AccountsServer, 'proofs' | 'contacts' | 'accountsOptions'> {
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  readonly mayUsePassword: ((user: AuthUser) => Promise<boolean>) | undefined
  readonly throttle: Pick<Throttle, 'limitRefusals'>
}

/**
 * The same flows as those of the endpoints, for the pages, in the same counters: a page is no
 * second set of guesses.
 */
export function createAccountsOnPages(
  deps: AccountsOnPagesDeps,
  { passwords, emails, switchEmailFactor }: AccountFlows,
): AccountsOnPages {
  return {
    password: passwords && passwordOnPages(deps, passwords),
    email: emails && emailOnPages(deps, emails),
    undo: emails && undoOnPages(deps, emails),
    emailFactor: switchEmailFactor && emailFactorOnPages(deps, switchEmailFactor),
  }
}

function passwordOnPages(deps: AccountsOnPagesDeps, flows: PasswordFlows): PasswordOnPages {
  const { proofs } = deps
  const { limitRefusals } = deps.throttle
  return {
    forgot: flows.forgot,
    minLength: (user) => minLengthOf(deps, user),

    look(token, request) {
      return limitRefusals('password-reset', request, async () => {
        const proof = await proofs.findLink('reset', token, request.context)
        const user = await ownerOf(deps, proof, request.context)
        if (user.disabled === true) throw proofs.refusal('no-user', proof.record, request.context)
        return { username: user.username, minLength: await minLengthOf(deps, user) }
      })
    },

    async reset(given, request) {
      requireText(given.password)
      return limitRefusals('password-reset', request, async () => {
        const { sealed } = await proofs.findLink('reset', given.token, request.context)
        await flows.reset(given, request)
        return wayBackIn(sealed)
      })
    },

    async change(asking, { newPassword, password }, request, beforehand) {
      requireText(newPassword)
      const given = { newPassword, proof: { password } }
      await flows.changeOnPage(asking, given, request, beforehand)
    },
  }
}

async function minLengthOf(
  { accountsOptions, hasSecondFactor }: AccountsOnPagesDeps,
  user: AuthUser,
): Promise<number> {
  return minLengthFor(accountsOptions.passwordRules, await hasSecondFactor(user))
}

function emailOnPages(deps: AccountsOnPagesDeps, flows: EmailFlows): EmailOnPages {
  const { proofs } = deps
  const { limitRefusals } = deps.throttle

  async function mailedTo(
    session: AskingUser['session'],
    requestId: string,
    { context }: EndpointRequest,
  ): Promise<string | null> {
    const proof = await proofs.findCode(['verify-address', 'change-address'], requestId, context)
    // Nobody else is told whether it is over.
    if (!isOfSession(proofs, proof, session)) return null
    const reason = proofs.whyVoid(proof)
    if (reason !== null) throw new AuthError('proof-refused', { details: { reason } })
    return proof.sealed['to'] ?? ''
  }

  return {
    status: (userId) => addressOf(deps, userId),
    verify: async (asking, context) => (await flows.verify(asking, { context })).requestId,
    asksPassword: (user) => owesPassword(deps, user),
    async change(asking, { email, password }, request) {
      const given = { email, proof: { ...nothingShown, password } }
      return (await flows.changeOnPage(asking, given, request)).requestId
    },
    mailedTo: (session, requestId, request) =>
      limitRefusals('email-confirm', request, () => mailedTo(session, requestId, request)),
    async confirm(asking, given, request) {
      await limitRefusals('email-confirm', request, () => flows.confirm(asking, given, request))
    },
  }
}

function undoOnPages(
  deps: AccountsOnPagesDeps,
  { undo, undoAsksPassword }: EmailFlows,
): UndoOnPages {
  const { limitRefusals } = deps.throttle
  return {
    look(token, request) {
      return limitRefusals('email-undo', request, async () => {
        const proof = await deps.proofs.findLink('undo-address', token, request.context)
        const user = await ownerOf(deps, proof, request.context)
        const minLength = undoAsksPassword(user) ? await minLengthOf(deps, user) : null
        return { username: user.username, former: proof.sealed['from'] ?? '', minLength }
      })
    },
    async undo(given, request) {
      if (given.password !== undefined) requireText(given.password)
      await limitRefusals('email-undo', request, () => undo(given, request))
    },
  }
}

function emailFactorOnPages(
  { contacts }: AccountsOnPagesDeps,
  switchEmailFactor: SwitchEmailFactor,
): EmailFactorOnPages {
  return {
    async status(userId) {
      const contact = await contacts.findContact(userId)
      return { enabled: contact?.emailFactor === true, verified: provenAddress(contact) !== null }
    },
    async setEnabled(asking, enabled, request) {
      await switchEmailFactor(asking, { enabled, proof: nothingShown }, request)
    },
  }
}

async function ownerOf(
  { proofs, contacts }: AccountsOnPagesDeps,
  { record }: FoundProof,
  context: EndpointRequest['context'],
): Promise<AuthUser> {
  const user = record.userId === null ? null : await contacts.findById(record.userId)
  if (user !== null) return user
  throw proofs.refusal('no-user', record, context)
}

function wayBackIn({ request = null, browser = null }: Sealed): MailedWayBack | null {
  return request === null || browser === null ? null : { request, browser }
}

function requireText(password: string): void {
  if (!newPasswordText.safeParse(password).success) throw new AuthError('invalid-request')
}
