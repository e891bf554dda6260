import type { PageRefusal } from '../audit/refusals.js'
import type { SafeHtml } from './html.js'

/** The app that the user is on the way to. */
export interface ClientOnPage {
  readonly name: string
  /** The host of its redirect URI; null where that leads to an app on the device. */
  readonly host: string | null
}

/** Whose account it is. */
export interface AccountOnPage {
  /** What people call her. */
  readonly name: string
  /** What she signs in by. */
  readonly username: string
}

/** Where a form is posted to, with what it carries unseen. */
export interface PageForm {
  readonly action: string
  /** Made by `hiddenFields`. */
  readonly hidden: SafeHtml
  readonly fault: FormFault | null
}

/** Why a form is shown again. The list is closed: a page says nothing else about a refusal. */
export type FormFault =
  | { readonly kind: 'wrong' | 'stale' | 'wrong-passkey' | 'too-soon' }
  /** The browser takes no cookies; or its session ended after the page was shown. */
  | { readonly kind: 'no-cookie' | 'signed-out' }
  /** Somebody else has signed in to the browser since the page was shown: who that is. */
  | { readonly kind: 'other-account'; readonly account: string }
  /** The host has said no, in its own words where there are some. */
  | { readonly kind: 'refused'; readonly message: string | null }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfter: number }

/** Name and password on one page, since managers of passwords fill in one form. */
export interface SignInView {
  readonly page: 'sign-in'
  /** Null where the user is on the way to nobody's app. */
  readonly client: ClientOnPage | null
  readonly form: PageForm
  /** What was typed, or what the client hints at; empty without. */
  readonly username: string
  /** Whether the tick is set already: what was chosen before a form comes back stays. */
  readonly stay: boolean
  /**
   * Who has signed in to the browser since the page was shown, where that account may go on: a
   * button `name="choice" value="continue"` does. Null for nobody.
   */
  readonly account: AccountOnPage | null
  /** Pages for those who cannot sign in; null where the host has none. */
  readonly forgotten: string | null
  readonly register: string | null
  /** Whether the form has a way back to the client. */
  readonly mayCancel: boolean
  /**
   * What goes into the form, below the button; null where there are no passkeys. Its own button is
   * hidden until its script, which is in it, has found that the browser has passkeys.
   */
  readonly passkey: SafeHtml | null
}

/** A factor of the host's that sends codes. */
export interface SendableFactor {
  /** As the host calls it: lower-case letters, digits and `-`. */
  readonly name: string
  /** What people call it; null for one that has a text of its own here. */
  readonly label: string | null
}

/** The second of two steps: the password was right. */
export interface SecondFactorView {
  readonly page: 'second-factor'
  /** `passkey`: the user has nothing else, so nothing is typed. */
  readonly method: 'code' | 'recovery' | 'passkey'
  readonly form: PageForm
  readonly account: AccountOnPage
  /** The page with the other method; null where the user has no other. */
  readonly otherMethod: string | null
  /** Which that is. */
  readonly otherKind: SecondFactorView['method']
  readonly sendable: readonly SendableFactor[]
  /** Whether a code has just been sent. */
  readonly sent: boolean
  /** As on the first page; never null where `method` is `passkey`. */
  readonly passkey: SafeHtml | null
}

/** A second factor is demanded, and the user has none yet. */
export interface EnrolView {
  readonly page: 'enrol'
  readonly form: PageForm
  /** Base32, for typing. */
  readonly secret: string
  readonly otpauthUri: string
  /** The modules of the QR code row by row, true for dark, without a border; null without one. */
  readonly qr: readonly (readonly boolean[])[] | null
  /** What makes a passkey in its place, to stand in the form; null where there are none. */
  readonly passkey: SafeHtml | null
}

/** The same on a host whose users have no authenticator apps: a passkey, or the way back. */
export interface EnrolPasskeyView {
  readonly page: 'enrol-passkey'
  readonly form: PageForm
  readonly passkey: SafeHtml
}

/** Somebody has signed in by a password, in a browser that has passkeys: is one wanted? */
export interface AddPasskeyView {
  readonly page: 'add-passkey'
  readonly account: AccountOnPage
  readonly form: PageForm
  /** Null where the sign-in is too long ago: then there is only the way on. */
  readonly passkey: SafeHtml | null
}

/** Shown once, after the second factor is switched on. */
export interface RecoveryCodesView {
  readonly page: 'recovery-codes'
  readonly form: PageForm
  readonly codes: readonly string[]
}

/** Somebody is signed in; does she want to go on as who she is? */
export interface ContinueView {
  readonly page: 'continue'
  readonly client: ClientOnPage
  readonly account: AccountOnPage
  readonly form: PageForm
}

/** What somebody else's app would be allowed to do. */
export interface ConsentView {
  readonly page: 'consent'
  readonly client: ClientOnPage
  readonly account: AccountOnPage
  /** What each scope means, in the user's language. */
  readonly scopes: readonly string[]
  /** At which APIs it could do that, as people call them; empty where the host's own is all. */
  readonly apis: readonly string[]
  /** Where it can be taken back; null where the host has no page for that. */
  readonly manage: string | null
  readonly form: PageForm
}

/** The last page: it leads to the client by itself. */
export interface HandOverView {
  readonly page: 'hand-over'
  readonly client: ClientOnPage
  /** The registered redirect URI with the answer in its query. */
  readonly redirect: string
}

/** Somebody is signed in to this browser, and may leave it. */
export interface SignOutView {
  readonly page: 'sign-out'
  readonly account: AccountOnPage
  readonly form: PageForm
}

/** Nobody is signed in to this browser any more. */
export interface SignedOutView {
  readonly page: 'signed-out'
  /** Where one can sign in again; null without. */
  readonly again: string | null
}

/** What a page can tell of a request that gets nowhere. The list is closed. */
export type PageFault = PageRefusal

/** A request that gets nowhere. No link of it comes from the request: who sent it is not proven. */
export interface ErrorView {
  readonly page: 'error'
  readonly fault: PageFault
  /** The name of a client that is known, for `redirect-mismatch`; null without. */
  readonly clientName: string | null
  /** The id of the request, by which the log is searched; null without. */
  readonly reference: string | null
  /** The name of the parameter at fault, one of ours; null without. */
  readonly parameter: string | null
  /** Seconds, for `throttled` and `busy`. */
  readonly retryAfter: number
}

/** Everything that a page can be. */
export type View =
  | SignInView
  | SecondFactorView
  | EnrolView
  | EnrolPasskeyView
  | AddPasskeyView
  | RecoveryCodesView
  | ContinueView
  | ConsentView
  | HandOverView
  | SignOutView
  | SignedOutView
  | ErrorView
