import type { Audit } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { NoticePassword, SignInKit } from '../kits/sign-in-kit.js'
import type { Mailer, MailStats } from '../mail/mailer.js'
import type { ProofStore } from '../stores/proof-contract.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { CodeFactor, OwnTotp } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import { type AfterAnswer, createAfterAnswer } from './after-answer.js'
import { createNoticeBreached } from './breached-logins.js'
import type { Contacts } from './contacts.js'
import { createEmailFactor } from './email-factor.js'
import { createFormerAddresses, type FormerAddresses } from './former-addresses.js'
import { createMails, type Mails } from './mails.js'
import type { Proofs } from './proofs.js'

/** The parts that all changes of an account share. */
export interface AccountsServer {
  readonly accountsOptions: CheckedAccountsOptions
  readonly contacts: Contacts
  readonly proofs: Proofs
  readonly mails: Mails
  readonly afterAnswer: AfterAnswer
  /** For mails that tell an owner something: no stranger's request waits here. */
  readonly afterChange: AfterAnswer
  readonly formerAddresses: FormerAddresses
  readonly noticeBreached: NoticePassword
  /** Undefined without `emailSecondFactor`. */
  readonly emailFactor: CodeFactor | undefined
  /** `waiting` counts mails that are still prepared as well. */
  mailStats(): MailStats
  /** Waits for the mails under way, at most so many milliseconds. */
  closeMail(milliseconds: number): Promise<void>
}

/** What every change of an account needs. */
export interface AccountsKit extends SignInKit, AccountsServer {}

export interface AccountsServerDeps {
  readonly options: CheckedAccountsOptions
  readonly users: UserStore
  readonly proofStore: ProofStore | undefined
  readonly proofs: Proofs | undefined
  readonly mailer: Mailer
  readonly throttle: Pick<Throttle, 'takeMail' | 'giveBackMail'>
  /** Undefined if the host stores no TOTP seeds. */
  readonly totp: OwnTotp | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeyFactor: Pick<PasskeyFactor, 'isDemanded'> | undefined
  readonly digestIdentifier: DigestIdentifier
  readonly clock: () => Date
  readonly audit: Audit
}

/** Builds them on the host's stores. */
export function createAccountsServer(deps: AccountsServerDeps): AccountsServer {
  const { options, users, proofStore, proofs, mailer } = deps
  const { findById, findContact } = users
  // Checked at the start.
  if (!proofStore || !proofs || !findContact) throw missing()
  const afterAnswer = createAfterAnswer()
  const afterChange = createAfterAnswer()
  const mails = createMails(deps)
  const contacts = { findById, findContact }
  // A mailbox must not take the place of a stronger factor.
  const isOutranked = async (user: AuthUser) =>
    ((await deps.totp?.store.find(user.id)) ?? null) !== null ||
    (await deps.passkeyFactor?.isDemanded(user)) === true
  const codes = { ...deps, contacts, proofStore, proofs, mails, isOutranked }
  return {
    accountsOptions: options,
    contacts,
    proofs,
    mails,
    afterAnswer,
    afterChange,
    formerAddresses: createFormerAddresses({ ...deps, proofs, contacts }),
    emailFactor: options.emailSecondFactor ? createEmailFactor(codes) : undefined,
    noticeBreached: createNoticeBreached(options.passwordRules, { ...deps, afterAnswer }),
    mailStats() {
      const stats = mailer.stats()
      const waiting = afterAnswer.waiting() + afterChange.waiting() + stats.waiting
      return { ...stats, waiting }
    },
    async closeMail(milliseconds) {
      await Promise.all([afterAnswer.settled(milliseconds), afterChange.settled(milliseconds)])
      await mailer.close()
    },
  }
}

function missing(): AuthConfigError {
  return new AuthConfigError('accounts', 'needs proofs and users.findContact.', 'pass both.')
}
