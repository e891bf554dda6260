import type { IncomingMessage } from 'node:http'
import type { EndOptions } from '../account/sessions-for-host.js'
import type { Credentials } from '../account/sign-in-for-host.js'
import { noRequest } from '../audit/events.js'
import type { Capability, Routes } from '../http/endpoint.js'
import {
  bodyOf,
  contextOfAction,
  type HostAction,
  requireIds,
  requireRequest,
} from '../http/input.js'
import { parseIdentifier } from '../login/login-request.js'
import { accountPages } from '../pages/account-form.js'
import { mailPages } from '../pages/mail-form.js'
import type { FormsKit } from '../pages/pages-kit.js'
import type { AccountsKit, AddressKit } from './accounts-server.js'
import { createAddressPage, createConfirmPage } from './address-pages.js'
import {
  addressStatusEndpoint,
  type CodeSent,
  changeAddressEndpoint,
  confirmAddressEndpoint,
  requireAddress,
  sendVerification,
  sessionsOf,
  verifyAddressEndpoint,
} from './addresses.js'
import type { AddressChannel, Channel } from './channel.js'
import { createForgotPage, createResetPage, createUndoPage } from './mail-pages.js'
import {
  changePasswordEndpoint,
  type PasswordsForHost,
  type PasswordsKit,
  passwordsForHost,
  requireOwnPassword,
} from './new-password.js'
import { createPasswordPage } from './password-page.js'
import { mailedElsewhere } from './proofs.js'
import {
  forgotPassword,
  forgotPasswordEndpoint,
  resetPasswordEndpoint,
  sendReset,
} from './reset-password.js'
import { type SentCodesKit, sentCodesEndpoint } from './switch-sent-codes.js'
import {
  setTemporaryPassword,
  type TemporaryPassword,
  type TemporaryPasswordKit,
} from './temporary-password.js'
import { undoAddressEndpoint } from './undo-address.js'

/** Passwords and addresses, for the user and for the host. */
export interface Accounts extends Capability {
  readonly offered: OfferedKits
  readonly forHost: AccountsForHost
  readonly passwords: PasswordsForHost
}

/** Passwords and addresses of users, for the host's own code: a support desk. */
export interface AccountsForHost {
  /**
   * Mails the user a link to set a new password. False if there is no such user, no proven address,
   * or too many mails went there lately. Rejects with `AuthError`: `invalid-request`,
   * `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const isSent = await auth.accounts.sendPasswordReset('42', { by: 'support:ada' })
   * ```
   */
  sendPasswordReset(userId: string, options?: HostAction): Promise<boolean>
  /**
   * `POST /auth/password/forgot` for a form of your own: exactly one of `email`, `username` and
   * `user`. It resolves in one way for every name, and has the limits of the endpoint. Rejects with
   * `AuthError`: `invalid-request`, `too-many-requests`, `temporarily-unavailable`.
   */
  forgotPassword(
    request: IncomingMessage,
    name: Omit<Credentials, 'password' | 'code'>,
  ): Promise<void>
  /**
   * Mails the user a code that proves the present address, after a sign-up for example. Pass
   * `requestId` to the client: `POST /auth/email/confirm` takes the code in any session of this
   * user. Null if there is no such user. Rejects with `AuthError`: `invalid-request` without an
   * address, `already-verified`, `too-many-requests`, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const sent = await auth.accounts.sendVerification('42')
   * const answer = { requestId: sent?.requestId }
   * ```
   */
  sendVerification(userId: string, options?: HostAction): Promise<CodeSent | null>
  /**
   * Ends everything that could sign this user in without a new proof: sessions, codes, mailed links
   * and known networks. The password and the second factor stay; so do passkeys and connected
   * accounts, unless `waysIn` says otherwise. Resolves with the number of ended sessions. Rejects
   * like `sendPasswordReset`; then call it again.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const waysIn = { addedSince: new Date('2026-11-27T14:00:00Z') }
   * await auth.accounts.endEverything('42', { by: 'support:ada', waysIn })
   * ```
   */
  endEverything(userId: string, options?: Omit<EndOptions, 'except'>): Promise<number>
  /**
   * Sets a password that the user must change at the next sign-in, within 72 hours, and ends
   * everything like `endEverything`, with `waysIn: 'added-by-password'` by default. Say it to the
   * user: it is in no log and no event. Null if
   * there is no such user. Needs `requirePasswordChange` of your users. Rejects like
   * `sendPasswordReset`, and with `password-elsewhere` and `superseded`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const made = await auth.accounts.setTemporaryPassword('42', { by: 'support:ada' })
   * const said = made && `Sign in with ${made.password} until ${made.until.toISOString()}.`
   * ```
   */
  setTemporaryPassword(
    userId: string,
    options?: Omit<EndOptions, 'except'>,
  ): Promise<TemporaryPassword | null>
}

/**
 * The endpoints of `/auth/password`, `/auth/email` and `/auth/phone`, `auth.accounts` and
 * `auth.passwords`. A route whose methods the host's users lack does not exist.
 */
export function createAccounts(kit: AccountsKit, forms: FormsKit | undefined): Accounts {
  const offered = kitsFor(kit)
  return {
    routes: [
      ...passwordRoutes(offered),
      ...addressRoutes(kit, offered),
      ...(forms === undefined ? [] : pageRoutes(offered, forms)),
    ],
    offered,
    forHost: accountsForHost(kit),
    passwords: passwordsForHost(kit),
  }
}

/** The parts for actions of the host's users; undefined without the methods of the user store. */
export interface OfferedKits {
  readonly passwords: PasswordsKit | undefined
  readonly emails: AddressKit | undefined
  readonly emailFactor: SentCodesKit | undefined
  readonly phones: AddressKit | undefined
  readonly phoneFactor: SentCodesKit | undefined
}

function kitsFor(kit: AccountsKit): OfferedKits {
  const { updatePasswordHash, setEmailFactor, setPhoneFactor } = kit.users
  const { emailSecondFactor, phones } = kit.accountsOptions
  const { email, phone } = kit.channels
  const emails = mailAddresses(kit)
  return {
    passwords: updatePasswordHash && { ...kit, updatePasswordHash },
    emails: emails && { ...kit, channel: emails },
    emailFactor:
      emailSecondFactor && setEmailFactor
        ? { ...kit, channel: email, setFactor: setEmailFactor }
        : undefined,
    phones: phone && { ...kit, channel: phone },
    phoneFactor:
      phones?.secondFactor && phone && setPhoneFactor
        ? { ...kit, channel: phone, setFactor: setPhoneFactor }
        : undefined,
  }
}

// Both methods or none: a code may confirm either.
function mailAddresses({ users, channels }: AccountsKit): AddressChannel | undefined {
  const { updateEmail: update, markEmailVerified: markVerified } = users
  if (update === undefined || markVerified === undefined) return undefined
  const identifierOf = (value: string) => ({ kind: 'email', value }) as const
  return { ...channels.email, requireAddress, identifierOf, update, markVerified }
}

function passwordRoutes({ passwords }: OfferedKits): Routes {
  if (passwords === undefined) return []
  return [
    ['/auth/password/forgot', { POST: forgotPasswordEndpoint(passwords) }],
    ['/auth/password/reset', { POST: resetPasswordEndpoint(passwords) }],
    ['/auth/password/change', { POST: changePasswordEndpoint(passwords) }],
  ]
}

function addressRoutes(
  kit: AccountsKit,
  { emails, emailFactor, phones, phoneFactor }: OfferedKits,
): Routes {
  const { email, phone } = kit.channels
  const all = [emails, phones].filter((one) => one !== undefined)
  return [
    [
      '/auth/email',
      { GET: addressStatusEndpoint(kit, email, kit.accountsOptions.emailSecondFactor) },
    ],
    ...routesOf(email, emails, emailFactor, all),
    ...(phone === undefined
      ? []
      : ([
          ['/auth/phone', { GET: addressStatusEndpoint(kit, phone, phoneFactor !== undefined) }],
          ...routesOf(phone, phones, phoneFactor, all),
        ] as const)),
  ]
}

function routesOf(
  { name }: Channel,
  addresses: AddressKit | undefined,
  factor: SentCodesKit | undefined,
  all: readonly AddressKit[],
): Routes {
  const path = `/auth/${name}` as const
  const ofFactor: Routes =
    factor === undefined ? [] : [[`${path}/second-factor`, { POST: sentCodesEndpoint(factor) }]]
  if (addresses === undefined) return ofFactor
  return [
    ...ofFactor,
    [`${path}/verify`, { POST: verifyAddressEndpoint(addresses) }],
    [`${path}/confirm`, { POST: confirmAddressEndpoint(addresses) }],
    [`${path}/change`, { POST: changeAddressEndpoint(addresses) }],
    [`${path}/undo`, { POST: undoAddressEndpoint(all) }],
  ]
}

// Without the account page as well: mails lead to the other pages.
function pageRoutes({ passwords, emails, phones }: OfferedKits, forms: FormsKit): Routes {
  const [first, ...others] = [emails, phones].filter((one) => one !== undefined)
  return [
    ...accountPages(forms, [
      passwords && createPasswordPage(forms, passwords),
      emails && createAddressPage(forms, emails),
      phones && createAddressPage(forms, phones),
      first && createConfirmPage(forms, [first, ...others]),
    ]),
    ...mailPages(forms, [
      passwords && createForgotPage(forms, passwords),
      passwords && createResetPage(forms, passwords),
      first && createUndoPage(forms, [first, ...others]),
    ]),
  ]
}

function accountsForHost(kit: AccountsKit): AccountsForHost {
  const { users } = kit
  const forHost: AccountsForHost = {
    async sendPasswordReset(userId, options) {
      const context = contextOfAction(options)
      requireIds({ userId })
      const user = await users.findById(userId)
      // With the contact, the mail does not count: strangers' requests must not stop a support
      // desk.
      const contact = user && (await kit.contacts.findContact(user.id))
      return user !== null && (await sendReset(kit, user, context, contact))
    },
    async forgotPassword(request, name) {
      const context = kit.contexts.of(requireRequest(request))
      await forgotPassword(kit, parseIdentifier(bodyOf(name)), context)
    },
    async sendVerification(userId, options) {
      const context = contextOfAction(options)
      requireIds({ userId })
      const user = await users.findById(userId)
      const here = { ...kit, channel: kit.channels.email }
      return user && sendVerification(here, user, sessionsOf(user.id), context, null)
    },
    async endEverything(userId, options) {
      const ended = await kit.endEverySession(userId, options)
      // The owner's way back after a theft stays.
      await kit.proofs.voidForUser(userId, mailedElsewhere)
      return ended
    },
    setTemporaryPassword(userId, options) {
      const making: TemporaryPasswordKit = {
        ...kit,
        hash: (plain) => kit.hasher.hash(plain, { source: 'host', context: noRequest }),
        requireOwn: (user) => requireOwnPassword(kit, user),
        // What a thief of the former password has added goes with it, as after a mailed link.
        endEverything: () =>
          forHost.endEverything(userId, { waysIn: 'added-by-password', ...options }),
      }
      return setTemporaryPassword(making, userId, options)
    },
  }
  return forHost
}
