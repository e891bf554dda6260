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
} from '../pages/ports.js'
import { minLengthFor } from '../passwords/password-rules.js'
import type { AuthUser } from '../users/contract.js'
import type { AccountsKit } from './accounts-server.js'
import {
  addressOf,
  changeEmail,
  confirmEmail,
  type EmailsKit,
  isOfSession,
  verifyEmail,
} from './email.js'
import { provenAddress } from './mails.js'
import { changePassword, newPasswordText, type PasswordsKit } from './new-password.js'
import type { Sealed } from './proofs.js'
import { nothingShown, provePresentOnPage } from './prove-present.js'
import { forgotPassword, resetPassword } from './reset-password.js'
import { type EmailFactorKit, switchEmailFactor } from './switch-email-factor.js'
import { ownerOfProof, undoAsksPassword, undoEmail } from './undo-email.js'

/** What of it the host's users can do; undefined without the methods. */
export interface OfferedKits {
  readonly passwords: PasswordsKit | undefined
  readonly emails: EmailsKit | undefined
  readonly emailFactor: EmailFactorKit | undefined
}

/**
 * The same flows as those of the endpoints, for the pages, in the same counters: a page is no
 * second set of guesses.
 */
export function accountsOnPages({ passwords, emails, emailFactor }: OfferedKits): AccountsOnPages {
  return {
    password: passwords && passwordOnPages(passwords),
    email: emails && emailOnPages(emails),
    undo: emails && undoOnPages(emails),
    emailFactor: emailFactor && emailFactorOnPages(emailFactor),
  }
}

function passwordOnPages(kit: PasswordsKit): PasswordOnPages {
  const { proofs } = kit
  const { limitRefusals } = kit.throttle
  return {
    forgot: (identifier, context, wayBack) => forgotPassword(kit, identifier, context, wayBack),
    minLength: (user) => minLengthOf(kit, user),

    look(token, request) {
      return limitRefusals('password-reset', request, async () => {
        const proof = await proofs.findLink('reset', token, request.context)
        const user = await ownerOfProof(kit, proof, request.context)
        if (user.disabled === true) throw proofs.refusal('no-user', proof.record, request.context)
        return { username: user.username, minLength: await minLengthOf(kit, user) }
      })
    },

    async reset(given, request) {
      requireText(given.password)
      return limitRefusals('password-reset', request, async () => {
        const { sealed } = await proofs.findLink('reset', given.token, request.context)
        await resetPassword(kit, given, request)
        return wayBackIn(sealed)
      })
    },

    async change(asking, { newPassword, password }, request, beforehand) {
      requireText(newPassword)
      const given = { newPassword, proof: { password } }
      const how = { prove: provePresentOnPage, beforehand }
      await changePassword(kit, asking, given, request, how)
    },
  }
}

async function minLengthOf(
  { accountsOptions, hasSecondFactor }: AccountsKit,
  user: AuthUser,
): Promise<number> {
  return minLengthFor(accountsOptions.passwordRules, await hasSecondFactor(user))
}

function emailOnPages(kit: EmailsKit): EmailOnPages {
  const { proofs } = kit
  const { limitRefusals } = kit.throttle

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
    status: (userId) => addressOf(kit, userId),
    verify: async (asking, context) => (await verifyEmail(kit, asking, context)).requestId,
    asksPassword: kit.owesPassword,
    async change(asking, { email, password }, request) {
      const given = { email, proof: { ...nothingShown, password } }
      return (await changeEmail(kit, asking, given, request, provePresentOnPage)).requestId
    },
    mailedTo: (session, requestId, request) =>
      limitRefusals('email-confirm', request, () => mailedTo(session, requestId, request)),
    async confirm(asking, given, request) {
      await limitRefusals('email-confirm', request, () =>
        confirmEmail(kit, asking, given, request.context),
      )
    },
  }
}

function undoOnPages(kit: EmailsKit): UndoOnPages {
  const { limitRefusals } = kit.throttle
  return {
    look(token, request) {
      return limitRefusals('email-undo', request, async () => {
        const proof = await kit.proofs.findLink('undo-address', token, request.context)
        const user = await ownerOfProof(kit, proof, request.context)
        const minLength = undoAsksPassword(kit, user) ? await minLengthOf(kit, user) : null
        return { username: user.username, former: proof.sealed['from'] ?? '', minLength }
      })
    },
    async undo(given, request) {
      if (given.password !== undefined) requireText(given.password)
      await limitRefusals('email-undo', request, () => undoEmail(kit, given, request))
    },
  }
}

function emailFactorOnPages(kit: EmailFactorKit): EmailFactorOnPages {
  return {
    async status(userId) {
      const contact = await kit.contacts.findContact(userId)
      return { enabled: contact?.emailFactor === true, verified: provenAddress(contact) !== null }
    },
    async setEnabled(asking, enabled, request) {
      await switchEmailFactor(kit, asking, { enabled, proof: nothingShown }, request)
    },
  }
}

function wayBackIn({ request = null, browser = null }: Sealed): MailedWayBack | null {
  return request === null || browser === null ? null : { request, browser }
}

function requireText(password: string): void {
  if (!newPasswordText.safeParse(password).success) throw new AuthError('invalid-request')
}
