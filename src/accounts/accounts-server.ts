import type { EndForAccounts } from '../account/session-management.js'
import type { AdmittedHasher } from '../admission/admission.js'
import { noRequest } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { NoticePassword, SignInKit } from '../kits/sign-in-kit.js'
import type { Mailer, MailStats } from '../mail/mailer.js'
import { createJudgePassword, type JudgePassword } from '../passwords/judge-password.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { CodeFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserContact } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { AddressChannel, Channel } from './channel.js'
import { createNoticeBreached } from './leaked-password.js'
import {
  type AfterAnswer,
  type Contacts,
  createAfterAnswer,
  createLinkTo,
  createLinkToCode,
  createMails,
  type LinkTo,
  type LinkToCode,
  type Mails,
  provenAddress,
} from './mails.js'
import type { PhoneChannel } from './phones/phones.js'
import type { Proofs } from './proofs.js'
import { createSentCodes } from './sent-codes.js'

/** The parts that all changes of an account share. */
export interface AccountsServer {
  readonly accountsOptions: CheckedAccountsOptions
  readonly contacts: Contacts
  readonly proofs: Proofs
  readonly mails: Mails
  readonly channels: Channels
  readonly linkTo: LinkTo
  readonly linkToCode: LinkToCode
  readonly judgePassword: JudgePassword
  readonly afterAnswer: AfterAnswer
  /** For mails that tell an owner something: no stranger's request waits here. */
  readonly afterChange: AfterAnswer
  readonly noticeBreached: NoticePassword
  /** Codes by mail and by text message, by the options. */
  readonly sentCodes: readonly CodeFactor[]
  /** `waiting` counts mails that are still prepared as well. */
  mailStats(): MailStats
  /** Waits for the mails under way, at most so many milliseconds. */
  closeMail(milliseconds: number): Promise<void>
}

/** The ways in which codes reach users. */
export interface Channels {
  readonly email: Channel
  /** Undefined without `phones`. */
  readonly phone: PhoneChannel | undefined
}

/** The parts that every change of an account needs. */
export interface AccountsKit extends SignInKit, AccountsServer, EndForAccounts {}

/** The parts for an address in one channel. */
export interface AddressKit extends AccountsKit {
  readonly channel: AddressChannel
}

/** The parts that exist before a sign-in can be decided: codes by mail are a second factor. */
interface ServingKit extends GroundKit, ManagementKit {
  readonly proofs: Proofs | undefined
  readonly hasher: AdmittedHasher
  readonly passwordWatch: PasswordWatch
  readonly passkeyFactor: PasskeyFactor | undefined
  readonly pagesUrl: URL | undefined
  readonly hasAccountPage: boolean
}

/** Builds them on the host's stores. */
export function createAccountsServer(
  kit: ServingKit,
  options: CheckedAccountsOptions,
  mailer: Mailer,
  servePhones: (mails: Mails) => PhoneChannel | undefined,
): AccountsServer {
  const { users, proofStore, proofs, pagesUrl, audit } = kit
  const { findById, findContact } = users
  // Checked at the start.
  if (!proofStore || !proofs || !findContact) throw missing()
  const { links, passwordRules } = options
  const afterAnswer = createAfterAnswer()
  const afterChange = createAfterAnswer()
  const mails = createMails(kit, mailer)
  const contacts = { findById, findContact }
  const onBreachCheckFailed = () => audit({ type: 'password.breach-check-failed' }, noRequest)
  // A mailbox must not take the place of a stronger factor.
  const isOutranked = async (user: AuthUser) =>
    ((await kit.totp?.store.find(user.id)) ?? null) !== null ||
    (await kit.passkeyFactor?.isDemanded(user)) === true
  const phone = servePhones(mails)
  const channels = { email: mailChannel(mails), phone }
  const sending = [
    options.emailSecondFactor && channels.email,
    options.phones?.secondFactor && phone,
  ].filter((channel) => channel !== undefined && channel !== false)
  const codes = { ...kit, contacts, proofStore, proofs, isOutranked }
  return {
    accountsOptions: options,
    contacts,
    proofs,
    mails,
    channels,
    linkTo: createLinkTo(links, pagesUrl),
    linkToCode: createLinkToCode(links, kit.hasAccountPage ? pagesUrl : undefined),
    judgePassword: createJudgePassword(passwordRules, { ...kit, onBreachCheckFailed }),
    afterAnswer,
    afterChange,
    sentCodes: sending.map((channel) => createSentCodes({ ...codes, channel })),
    noticeBreached: createNoticeBreached(kit, passwordRules, afterAnswer),
    mailStats() {
      const all = [mailer.stats(), ...(phone === undefined ? [] : [phone.stats()])]
      const sum = (of: keyof MailStats) => all.reduce((total, one) => total + one[of], 0)
      const waiting = afterAnswer.waiting() + afterChange.waiting() + sum('waiting')
      return { sent: sum('sent'), failed: sum('failed'), waiting }
    },
    async closeMail(milliseconds) {
      await Promise.all([afterAnswer.settled(milliseconds), afterChange.settled(milliseconds)])
      await Promise.all([mailer.close(), phone?.close()])
    },
  }
}

function mailChannel(messages: Mails): Channel {
  return {
    name: 'email',
    method: 'email',
    messages,
    addressIn: (contact) => ({
      address: contact?.email ?? null,
      verified: provenAddress(contact) !== null,
    }),
    hasFactor: (contact: UserContact | null) => contact?.emailFactor === true,
  }
}

function missing(): AuthConfigError {
  return new AuthConfigError('accounts', 'needs proofs and users.findContact.', 'pass both.')
}
