// What stands on several pages, or many times on one.

import type { PageRefusal } from '../audit/refusals.js'
import type { PasswordReason } from '../passwords/password-rules.js'

/** The app that requests the sign-in. */
export interface ClientOnPage {
  readonly name: string
  /** The host of its redirect URI; null for an app on the device. */
  readonly host: string | null
}

/** An account. */
export interface AccountOnPage {
  /** The display name. */
  readonly name: string
  /** The name for signing in. */
  readonly username: string
}

/** A factor of the host that sends codes. */
export interface SendableFactor {
  /** Its name: lower-case letters, digits and `-`. */
  readonly name: string
  /** Its name for people; null if the pages have a text for it. */
  readonly label: string | null
}

/** The rules for a new password, and what they said to the last one. */
export interface NewPasswordOnPage {
  /** The least number of characters. */
  readonly minLength: number
  /** Why the typed password was refused; empty at first. */
  readonly reasons: readonly PasswordReason[]
}

/** A device on which the user is signed in. */
export interface DeviceOnPage {
  readonly id: string
  /** Such as "Firefox on Linux"; null if the device tells nothing. */
  readonly name: string | null
  readonly ip: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** Whether it is this browser. */
  readonly current: boolean
  /** The apps that the user has signed in to from there. */
  readonly apps: readonly SignedInAppOnPage[]
}

/** The session of an app. */
export interface SignedInAppOnPage {
  readonly id: string
  /** Null if the app no longer exists. */
  readonly name: string | null
  readonly lastSeenAt: Date
}

/** An app that the user has authorised. */
export interface AppOnPage {
  readonly id: string
  /** Null if the app no longer exists. */
  readonly name: string | null
  /** The meaning of each scope in the user's language. */
  readonly scopes: readonly string[]
  /** The names of the APIs besides the host's own. */
  readonly apis: readonly string[]
}

/** The user's address. */
export interface EmailOnPage {
  /** Null without. */
  readonly address: string | null
  readonly verified: boolean
  readonly href: string
}

/** The state of the user's second factor. */
export interface FactorOnPage {
  /** Null if the host has no store of second factors. */
  readonly app: AppFactorOnPage | null
  /** Null if the host offers no codes by mail. */
  readonly email: EmailFactorOnPage | null
}

/** The authenticator app. */
export interface AppFactorOnPage {
  readonly enabled: boolean
  readonly recoveryCodesLeft: number
}

/** Codes by mail. */
export interface EmailFactorOnPage {
  readonly enabled: boolean
  /** Whether the user has a proven address, without which it cannot be switched on. */
  readonly verified: boolean
}

/** A new device that shows a link. */
export interface LinkOnPage {
  /** What the device calls itself: it may lie. Null if it says nothing. */
  readonly name: string | null
  /** Such as "Firefox on Linux"; null if the device tells nothing. */
  readonly agent: string | null
  readonly network: string | null
  /** Whether it is the network of this browser. */
  readonly sameNetwork: boolean
  readonly at: Date
}

/** A passkey of the user. */
export interface PasskeyOnPage {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** An account elsewhere that the user is connected with. */
export interface IdentityOnPage {
  readonly id: string
  /** The name of the provider. */
  readonly provider: string
  /** What its owner knows it by; null without. */
  readonly label: string | null
  readonly lastUsedAt: Date | null
}

/** A button that leads to a provider. */
export interface ProviderButton {
  readonly name: string
  readonly href: string
  /** The URL of its picture; null without. */
  readonly logo: string | null
}

/** What a page says besides errors. The list is closed. */
export type Note =
  /** Said whether or not the name has an account. */
  | 'mail-sent'
  | 'password-set'
  | 'address-confirmed'
  | 'address-undone'
  | 'account-deleted'
  | 'link-used'
  | 'link-expired'
  | 'link-unknown'
  | 'registration-closed'
  | 'device-approved'
  | 'device-denied'

/** What a page asks before it is done, by the first word of the choice, and its button. */
export const confirmed = {
  off: 'account-factor.off',
  'email-off': 'account-factor.email-off',
  remove: 'account-passkeys.remove',
  disconnect: 'account-identities.disconnect',
  end: 'account.end',
  'end-others': 'account.end-others',
  revoke: 'account.revoke',
} as const

/** The questions of the page. The list is closed. */
export type ConfirmQuestion = keyof typeof confirmed

/** A field of the page for a new account. */
export type RegisterField = 'email' | 'username' | 'name'

/** The faults of error pages. The list is closed. */
export type PageFault = PageRefusal

/** An account at a provider: their names. */
export interface AccountElsewhere {
  readonly provider: string
  readonly account: string
}

/** A form has done its work, or a link does not work. Nothing can be done here any more. */
export interface NoteView {
  readonly page: 'note'
  readonly note: Note
  /** Where to go from here; null for nowhere. */
  readonly onward: string | null
}

/** A link with a code, opened in another browser than the one that has asked for it. */
export interface CodeElsewhereView {
  readonly page: 'code-elsewhere'
  /** In parts, as it was mailed. */
  readonly code: string
}

/** An error page. It has no links from the request, unless that was checked. */
export interface ErrorView {
  readonly page: 'error'
  readonly fault: PageFault
  /** The name of an existing client, for `redirect-mismatch`, or of a provider; null without. */
  readonly clientName: string | null
  /** The host's own words, for `provider-refused`; null without. */
  readonly told: string | null
  /** The page where the user can start again; null without. */
  readonly again: string | null
  /** The id of the request in the log; null without. */
  readonly reference: string | null
  /** The name of the wrong parameter, from a fixed list; null without. */
  readonly parameter: string | null
  /** Seconds, for `throttled` and `busy`. */
  readonly retryAfter: number
}

/** The browser is signed out. */
export interface SignedOutView {
  readonly page: 'signed-out'
  /** The page to sign in again; null without. */
  readonly again: string | null
}

/** The last page, which navigates to the client by itself. */
export interface HandOverView {
  readonly page: 'hand-over'
  readonly client: ClientOnPage
  /** The registered redirect URI with the answer in the query. */
  readonly redirect: string
}
