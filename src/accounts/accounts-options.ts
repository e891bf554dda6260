import type { IncomingMessage } from 'node:http'
import { AuthConfigError } from '../errors.js'
import {
  anObject,
  callable,
  checkOptions,
  type Filled,
  fitting,
  flag,
  optionsFor,
  optionsOf,
  ownMembers,
  withMethods,
} from '../lib/check-options.js'
import type { MailSender } from '../mail/contract.js'
import {
  type CheckedPasswordRules,
  checkPasswordRules,
  type PasswordRules,
} from '../passwords/password-rules.js'
import type { UserStore } from '../users/contract.js'
import { type AccountLinks, type NoticeKind, noLink, noticeKinds } from './mails.js'
import {
  type CheckedPhonesOptions,
  type PhonesOptions,
  phonesRow,
  requirePartsForPhones,
} from './phones/phones-options.js'

/** The option `accounts`: users set new passwords and prove their addresses, by mail. */
export interface AccountsOptions {
  /**
   * Sends mail. `send` resolves when the mail is queued; no answer waits for it.
   *
   * @example
   * ```ts
   * import type { AccountsOptions } from 'messaging-auth-router'
   *
   * declare function queue(mail: { to: string; subject: string; text: string }): Promise<void>
   * const accounts: AccountsOptions = {
   *   mail: { send: ({ to, subject, text }) => queue({ to, subject, text }) },
   *   links: {
   *     reset: 'https://chat.example.com/#/reset/{token}',
   *     undo: 'https://chat.example.com/#/undo/{token}',
   *   },
   * }
   * ```
   */
  readonly mail: MailSender
  /** Rules for new passwords: see {@link PasswordRules}. Default: 15 characters or more. */
  readonly passwordRules?: PasswordRules
  /**
   * Which mails tell a user what has happened to the account. Default: all of them; false: none.
   * Mails with a code or a link are always sent.
   */
  readonly notices?: false | readonly NoticeKind[]
  /**
   * Your pages that take the token of a mailed link, over https, with `{token}` in the fragment:
   * `https://chat.example.com/#/reset/{token}`; or in the path or the query, where gateways of mail
   * cut fragments off. Required without the option `oauth`. With it, the default are the router's
   * own pages.
   */
  readonly links?: AccountLinks
  /**
   * True mails a link for a new password to addresses that were never proven as well, for hosts
   * that have never asked for a proof. Whoever has mistyped an address gives the account away.
   * Default false.
   */
  readonly resetUnproven?: boolean
  /**
   * True offers codes by mail as a second factor, to users whose address is proven and who switch
   * it on. A user with TOTP, or with a passkey that sign-in demands, is asked for that instead.
   * Needs `setEmailFactor` of your users. Default false.
   */
  readonly emailSecondFactor?: boolean
  /**
   * Lets strangers make an account: everybody, or whoever you have invited. A function is asked
   * with each registration, and again before it is confirmed, so a row of yours closes it without a
   * restart: `async () => ((await settings.isOpen()) ? 'open' : 'invited')`. Needs `create` and
   * `nameIsFree` of your users. Default: nobody.
   */
  readonly registration?: Registration | (() => Registration | Promise<Registration>)
  /**
   * Your veto on a registration, such as for a captcha or a list of domains. Return nothing to
   * allow it, or a text to refuse it with 403; the client sees the text. Asked once more if another
   * user name is chosen at the confirmation.
   */
  readonly beforeRegister?: BeforeRegister
  /**
   * True lets users with a proven address sign in by a mailed code, without a password. Their
   * second factor is asked for all the same. Default false.
   */
  readonly emailSignIn?: boolean
  /** True lets users delete their account. Needs `delete` of your users. Default false. */
  readonly deletion?: boolean
  /**
   * True keeps the passkeys and the connected accounts that were added by the former password
   * alone, when a mailed link sets a new one. They may be those of a thief, who signs in by them
   * for ever. Default false: they are removed.
   */
  readonly resetKeepsWaysIn?: boolean
  /**
   * True: a session opens nothing until its user has proven an address. Needs `updateEmail` and
   * `markEmailVerified` of your users. Default false.
   */
  readonly provenAddress?: boolean
  /** Mobile numbers, and codes by text message: see {@link PhonesOptions}. Default: none. */
  readonly phones?: PhonesOptions
}

/** Who may make an account. */
export type Registration = 'open' | 'invited'

/** What {@link AccountsOptions.beforeRegister} judges. */
export interface RegistrationAttempt {
  /** Proven; null for somebody from a provider without `trustEmail`. */
  readonly email: string | null
  readonly username: string
  readonly name: string
  /** The invitation that was shown. */
  readonly invitation: { readonly id: string; readonly note: string | null } | null
  readonly request: IncomingMessage
}

export type BeforeRegister = (
  attempt: RegistrationAttempt,
) => string | undefined | Promise<string | undefined>

/** {@link AccountsOptions}, checked and with defaults. */
export interface CheckedAccountsOptions
  extends Filled<
    Omit<AccountsOptions, 'passwordRules' | 'notices' | 'phones'>,
    'registration' | 'beforeRegister'
  > {
  readonly phones: CheckedPhonesOptions | undefined
  readonly passwordRules: CheckedPasswordRules
  readonly notices: readonly NoticeKind[]
}

type Names = keyof AccountsOptions

const isNoticeList = (value: unknown) =>
  value === false || (Array.isArray(value) && value.every((kind) => noticeKinds.includes(kind)))

const link = () =>
  fitting<string>(
    isLink,
    'is no https URL with {token} once in its path, query or fragment.',
  ).optional()

const linksShape = () => ({ reset: link(), undo: link(), invitation: link(), confirm: link() })

const shape = () =>
  ({
    mail: withMethods<MailSender>('send'),
    // Checked by its own rules.
    passwordRules: anObject<PasswordRules>('is not an object of rules.').optional(),
    notices: fitting<false | readonly NoticeKind[]>(
      isNoticeList,
      `is neither false nor a list of: ${noticeKinds.join(', ')}.`,
    )
      .default(noticeKinds)
      .transform((given) => (given === false ? [] : given)),
    links: optionsFor<AccountLinks>(linksShape()).prefault({}),
    resetUnproven: flag().default(false),
    emailSecondFactor: flag().default(false),
    registration: fitting<NonNullable<AccountsOptions['registration']>>(
      (value) => value === 'open' || value === 'invited' || typeof value === 'function',
      "is neither 'open' nor 'invited', nor a function that answers one of them.",
    ).optional(),
    beforeRegister: callable<BeforeRegister>().optional(),
    emailSignIn: flag().default(false),
    deletion: flag().default(false),
    resetKeepsWaysIn: flag().default(false),
    provenAddress: flag().default(false),
    phones: phonesRow(),
  }) satisfies Record<Names, unknown>

const remedies: Readonly<Partial<Record<Names, string>>> = {
  mail: 'pass { send(mail) }, which hands the mail to your mail server or queue.',
  links: "pass your pages, such as { reset: 'https://chat.example.com/#/reset/{token}' }.",
}

/**
 * Checks the option and fills in its defaults.
 *
 * @throws AuthConfigError with every member that is unknown, missing or unsafe
 */
export function checkAccountsOptions(given: unknown): CheckedAccountsOptions {
  const checked = checkOptions({ factory: 'accounts', schema: optionsOf(shape()), remedies }, given)
  const passwordRules = checkPasswordRules(checked.passwordRules)
  // A polluted Object.prototype must not add an option.
  return Object.freeze(ownMembers({ ...checked, passwordRules }))
}

/** Whether new users may need an invitation: what a function answers is not known before. */
export function mayDemandInvitation(registration: AccountsOptions['registration']): boolean {
  return registration !== undefined && registration !== 'open'
}

/** What the option needs besides its own members. */
interface PartsForAccounts {
  readonly users: UserStore
  readonly proofs?: unknown
  /** With it, the router has pages of its own. */
  readonly oauth?: unknown
  /** The name for authenticator apps. */
  readonly totpIssuer: string
}

/**
 * Checks that the host's parts and links fit the option.
 *
 * @throws AuthConfigError for what is missing
 */
export function requirePartsForAccounts(
  { links, passwordRules, provenAddress, phones, ...options }: CheckedAccountsOptions,
  { users, proofs, oauth, totpIssuer }: PartsForAccounts,
): void {
  if (proofs === undefined)
    throw new AuthConfigError(
      'accounts',
      'needs proofs, the store of mailed codes and links.',
      'spread a shipped set of stores, or leave accounts out.',
    )
  const { emailSecondFactor, registration, deletion } = options
  requireMethods('accounts', users, ['findContact'])
  if (passwordRules.checkAtLogin === 'change')
    requireMethods('accounts.passwordRules.checkAtLogin', users, [
      'requirePasswordChange',
      'updatePasswordHash',
    ])
  if (provenAddress)
    requireMethods('accounts.provenAddress', users, ['updateEmail', 'markEmailVerified'])
  if (emailSecondFactor) requireMethods('accounts.emailSecondFactor', users, ['setEmailFactor'])
  if (registration !== undefined)
    requireMethods('accounts.registration', users, ['create', 'nameIsFree'])
  if (deletion) requireMethods('accounts.deletion', users, ['delete'])
  if (phones !== undefined) requirePartsForPhones(phones, users, totpIssuer)
  // Ours take the place of missing ones.
  if (oauth !== undefined) return
  requireLink('invitation', mayDemandInvitation(registration), links)
  requireLink('reset', users.updatePasswordHash !== undefined, links)
  requireLink(
    'undo',
    users.updateEmail !== undefined && users.markEmailVerified !== undefined,
    links,
  )
}

function requireMethods(
  option: string,
  users: UserStore,
  methods: readonly (keyof UserStore)[],
): void {
  const missing = methods.find((method) => users[method] === undefined)
  if (missing === undefined) return
  throw new AuthConfigError(
    option,
    `needs users with ${missing}, and they have none.`,
    `add it, as docs/user-store.md says, or leave ${option.replace('accounts.', '')} out.`,
  )
}

function requireLink(name: keyof AccountLinks, isNeeded: boolean, links: AccountLinks): void {
  if (isNeeded && links[name] === undefined) throw noLink(name)
}

// Anywhere but in the origin: some gateways of mail cut fragments off.
function isLink(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  const { protocol, hostname, username, password, host } = new URL(value)
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if ((protocol !== 'https:' && !isLocal) || username !== '' || password !== '') return false
  return value.split('{token}').length === 2 && !host.includes('{token}')
}
