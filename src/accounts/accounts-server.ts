import type { EndForAccounts } from '../account/session-management.js'
import type { AdmittedHasher } from '../admission/admission.js'
import { noRequest } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { NoticePassword, SignInKit } from '../kits/sign-in-kit.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { Mailer, MailStats } from '../mail/mailer.js'
import {
  createIsBreached,
  createJudgePassword,
  type JudgePassword,
} from '../passwords/judge-password.js'
import type { CheckedPasswordRules } from '../passwords/password-rules.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { CodeFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserContact } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { AddressChannel, Channel } from './channel.js'
import { createSentCodes } from './email-factor.js'
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

/** Users that a process remembers. */
const maxUsers = 10_000
const daySeconds = 24 * 60 * 60

/**
 * Looks for the password of a login among leaked ones, after the answer and at most once a day for
 * each user. A login is never refused for it.
 */
function createNoticeBreached(
  { clock, audit, users }: ServingKit,
  { breached, checkAtLogin }: CheckedPasswordRules,
  afterAnswer: AfterAnswer,
): NoticePassword {
  if (breached === undefined || checkAtLogin === false) return () => {}
  const asked = boundedCache<true>(maxUsers, daySeconds)
  const isBreached = createIsBreached(breached, () =>
    audit({ type: 'password.breach-check-failed' }, noRequest),
  )
  // After an outage, and of another hash by now, be it of the same password, the next login asks
  // again.
  const demandChange = async (userId: string, hash: string) => {
    const asking = users.requirePasswordChange?.(userId, hash, hash, null)
    const isDemanded = await asking?.catch(() => false)
    if (isDemanded !== true) asked.delete(userId)
  }
  return function noticeBreached({ id: userId, passwordHash: hash }, password) {
    // Of a digest nothing can be looked up.
    if (typeof password !== 'string' || asked.get(userId, clock()) !== undefined) return
    asked.set(userId, true, clock())
    try {
      afterAnswer.run(async () => {
        if (!(await isBreached(password))) return
        audit({ type: 'password.breached', userId }, noRequest)
        if (checkAtLogin === 'change' && hash !== null) await demandChange(userId, hash)
      })
    } catch {
      // Too much waits. The next day asks again.
    }
  }
}
