import type { SafeHtml } from './html.js'
import type {
  AccountElsewhere,
  AccountOnPage,
  AppOnPage,
  ClientOnPage,
  CodeElsewhereView,
  ConfirmQuestion,
  DeviceOnPage,
  EmailOnPage,
  ErrorView,
  FactorOnPage,
  HandOverView,
  IdentityOnPage,
  LinkOnPage,
  NewPasswordOnPage,
  NoteView,
  PasskeyOnPage,
  ProviderButton,
  RegisterField,
  SendableFactor,
  SignedOutView,
} from './view-parts.js'

/** The target of a form, and its hidden fields. */
export interface PageForm {
  readonly action: string
  /** Made by `hiddenFields`. */
  readonly hidden: SafeHtml
  readonly fault: FormFault | null
}

/** Why a form is shown again. The list is closed. */
export type FormFault =
  | { readonly kind: 'wrong' | 'stale' | 'wrong-passkey' | 'too-soon' }
  /** The browser blocks cookies; or its session ended after the page was shown. */
  | { readonly kind: 'no-cookie' | 'signed-out' }
  /** Another user has signed in to the browser since the page was shown. */
  | { readonly kind: 'other-account'; readonly account: string }
  /** The host has refused, perhaps with its own text. */
  | { readonly kind: 'refused'; readonly message: string | null }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfter: number }

/** Name and password on one page, since password managers fill in one form. */
export interface SignInView {
  readonly page: 'sign-in'
  /** Null without an app. */
  readonly client: ClientOnPage | null
  readonly form: PageForm
  /** The typed name, or the client's hint; empty without. */
  readonly username: string
  /** Whether the user who is signed in here does it anew, or takes the choice `other`. */
  readonly isAgain: boolean
  /** Whether the checkbox is set, by the user's earlier choice. */
  readonly stay: boolean
  /**
   * The account that has signed in since the page was shown, if it may continue, with a button
   * `name="choice" value="continue"`. Null without.
   */
  readonly account: AccountOnPage | null
  /** The pages for a forgotten password, a new account and a mailed code; null without. */
  readonly forgotten: string | null
  readonly register: string | null
  readonly byCode: string | null
  /** In the order of their buttons; empty without. They are links. */
  readonly providers: readonly ProviderButton[]
  /**
   * `none`: providers are the only way in, so there is no form. `folded`: for some users there is
   * another one.
   */
  readonly password: 'shown' | 'folded' | 'none'
  /**
   * The account of a provider that whoever signs in now is then asked to connect, and the address
   * of the page without it; null without.
   */
  readonly connects: (AccountElsewhere & { readonly other: string }) | null
  /** Whether the form offers a way back to the client. */
  readonly mayCancel: boolean
  /**
   * Markup for the form, below the button; null without passkeys. Its own button is hidden until
   * its script finds that the browser supports passkeys.
   */
  readonly passkey: SafeHtml | null
}

/**
 * Asks whoever has signed in whether to connect the account of a provider: buttons `choice` with
 * `connect` and `later`.
 */
export interface ConnectView {
  readonly page: 'connect'
  readonly form: PageForm
  readonly account: AccountOnPage
  readonly connects: AccountElsewhere
}

/** The name of a new user from a provider, since the usual one is taken: the field `username`. */
export interface NewNameView extends Omit<ForgotView, 'page'> {
  readonly page: 'new-name'
}

/** A sign-in by a mailed code: the field `username`; then `code`, `stay`, a button `again`. */
export interface CodeView extends Omit<ForgotView, 'page'> {
  readonly page: 'code'
  readonly isSent: boolean
  readonly stay: boolean
}

/** The second step, after a right password. */
export interface SecondFactorView {
  readonly page: 'second-factor'
  /** `passkey`: the user has no other factor, so there is no field. */
  readonly method: 'code' | 'recovery' | 'passkey'
  readonly form: PageForm
  readonly account: AccountOnPage
  /** The page with the other method; null if the user has none. */
  readonly otherMethod: string | null
  /** The other method. */
  readonly otherKind: SecondFactorView['method']
  readonly sendable: readonly SendableFactor[]
  /** Whether a code has just been sent. */
  readonly sent: boolean
  /** As on the sign-in page; never null if `method` is `passkey`. */
  readonly passkey: SafeHtml | null
}

/** A second factor is required, and the user has none yet. */
export interface EnrolView {
  readonly page: 'enrol'
  readonly form: PageForm
  /** Base32, for typing. */
  readonly secret: string
  readonly otpauthUri: string
  /** The modules of the QR code row by row, true for dark, without a border; null without. */
  readonly qr: readonly (readonly boolean[])[] | null
  /** Markup for the form that creates a passkey instead; null without passkeys. */
  readonly passkey: SafeHtml | null
}

/** The same on a host without TOTP: a passkey, or the way back. */
export interface EnrolPasskeyView {
  readonly page: 'enrol-passkey'
  readonly form: PageForm
  readonly passkey: SafeHtml
}

/** The offer of a passkey after a sign-in by password. */
export interface AddPasskeyView {
  readonly page: 'add-passkey'
  readonly account: AccountOnPage
  readonly form: PageForm
  /** Null if the sign-in is too old: then the page only leads on. */
  readonly passkey: SafeHtml | null
}

/** Shown once, after the activation of the second factor. */
export interface RecoveryCodesView {
  readonly page: 'recovery-codes'
  readonly form: PageForm
  readonly codes: readonly string[]
}

/** Asks a signed-in user whether to continue with this account. */
export interface ContinueView {
  readonly page: 'continue'
  readonly client: ClientOnPage
  readonly account: AccountOnPage
  readonly form: PageForm
}

/** The permissions that a third-party app requests. */
export interface ConsentView {
  readonly page: 'consent'
  readonly client: ClientOnPage
  /** What a client that nobody registered calls itself, unproven; null for any other. */
  readonly claimedName: string | null
  readonly account: AccountOnPage
  /** The meaning of each scope in the user's language. */
  readonly scopes: readonly string[]
  /** The names of the APIs; empty if only the host's own is concerned. */
  readonly apis: readonly string[]
  /** The host's page to revoke the consent; null without. */
  readonly manage: string | null
  readonly form: PageForm
}

/**
 * The account of the signed-in user. Its form has a button `name="choice"` for each change, with
 * the value `end` and the id of a device, which ends the sessions of its apps as well, or the id of
 * such a session; `end-others`; or `revoke` and the id of an authorised app. Words are separated by
 * a blank.
 */
export interface AccountView {
  readonly page: 'account'
  readonly account: AccountOnPage
  readonly form: PageForm
  readonly devices: readonly DeviceOnPage[]
  /** The page to sign in another device; null without. */
  readonly link: string | null
  readonly apps: readonly AppOnPage[]
  /** The second factor, and the page to change it; null if the host has none. */
  readonly factor: (FactorOnPage & { readonly href: string }) | null
  /** The number of passkeys, and the page to change them; null without passkeys. */
  readonly passkeys: { readonly count: number; readonly href: string } | null
  /** The page to change the password; null without. */
  readonly password: string | null
  /** The page of connected accounts; null without. */
  readonly identities: string | null
  /** The address, and the page to change it; null without. */
  readonly email: EmailOnPage | null
  /** The page to sign out, and the one to delete the account; null without. */
  readonly signOut: string
  readonly delete: string | null
}

/**
 * The second factor. With `app`, a button `name="choice"` has the value `begin`, or if it is
 * enabled, `codes` for new recovery codes and `off`. With `email`, one has the value `email-off` if
 * it is enabled, or `email-on` if it is not and the address is proven. Without any, the page has no
 * form.
 */
export interface AccountFactorView extends FactorOnPage {
  readonly page: 'account-factor'
  readonly account: AccountOnPage
  readonly form: PageForm
  /** What the last form has switched; null for nothing. */
  readonly done: 'email-on' | 'email-off' | null
  /** The page to prove the address; null without. */
  readonly proveAddress: string | null
  /** The account page. */
  readonly back: string
}

/**
 * The passkeys. A button `name="choice"` has the value `add`, or `remove` and the id of a passkey,
 * separated by a blank. A form with the fields `id` and `name` renames one.
 */
export interface AccountPasskeysView {
  readonly page: 'account-passkeys'
  readonly account: AccountOnPage
  readonly form: PageForm
  readonly passkeys: readonly PasskeyOnPage[]
  /** The account page. */
  readonly back: string
}

/**
 * The accounts elsewhere. A button `name="choice"` has the value `connect` and the id of a
 * provider, or `disconnect` and the id of an account, separated by a blank.
 */
export interface AccountIdentitiesView
  extends Pick<AccountPasskeysView, 'account' | 'form' | 'back'> {
  readonly page: 'account-identities'
  readonly identities: readonly IdentityOnPage[]
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

/** Asks before something ends or is removed, by a button `name="choice"` with `choice` again. */
export interface ConfirmView extends Pick<AccountPasskeysView, 'account' | 'form'> {
  readonly page: 'confirm'
  readonly choice: string
  readonly question: ConfirmQuestion
  /** What goes; null if it has no name. */
  readonly named: string | null
}

/**
 * Asks whether to delete the account. The form has the field `present` if the password is asked
 * for; once a code was mailed, `code`, and its `requestId`, null before, as `request`.
 */
export interface AccountDeleteView extends Pick<AccountPasskeysView, 'account' | 'form' | 'back'> {
  readonly page: 'account-delete'
  readonly asksPassword: boolean
  /** Whether a code follows by mail. */
  readonly mailsCode: boolean
  readonly requestId: string | null
}

/** A name, to which a link for a new password is mailed if it has an account. */
export interface ForgotView {
  readonly page: 'forgot'
  readonly form: PageForm
  /** As it was typed; empty at first. */
  readonly username: string
  /** The page to sign in. */
  readonly back: string
}

/** A new password, of whoever holds the link in a mail. */
export interface ResetView extends NewPasswordOnPage {
  readonly page: 'reset'
  readonly form: PageForm
  readonly username: string
}

/**
 * Asks whoever holds the link in a mail whether a change of the address is to be taken back, and
 * for the new password, in the field `password`.
 */
export interface UndoView {
  readonly page: 'undo'
  readonly form: PageForm
  readonly username: string
  /** The address that comes back. */
  readonly former: string
  /** Null: none is set. */
  readonly password: NewPasswordOnPage | null
}

/** A new account. The form has the fields of {@link RegisterField}. */
export interface RegisterView {
  readonly page: 'register'
  readonly form: PageForm
  /** As it was typed; that of the invitation if `isEmailGiven`, which cannot be changed. */
  readonly email: string
  readonly isEmailGiven: boolean
  readonly username: string
  /** The name that others see. */
  readonly name: string
  /** The field at fault; null if none is known. */
  readonly wrong: RegisterField | null
  /** Whether somebody else has the user name. */
  readonly isTaken: boolean
  /** The sign-in page. */
  readonly back: string
}

/**
 * The code that was mailed to a new user, and the password that goes with it. The form has the
 * fields `code` and `password`, and perhaps `username`.
 */
export interface ConfirmRegisterView {
  readonly page: 'confirm-register'
  readonly form: PageForm
  readonly code: string
  /** Another user name, which is asked for if somebody was quicker; null otherwise. */
  readonly username: string | null
  readonly isTaken: boolean
  readonly password: NewPasswordOnPage
  /** Whether users without a password can sign in. */
  readonly isPasswordOptional: boolean
  /** The page of the registration. */
  readonly back: string
}

/**
 * The code that a device shows. The form has the field `user_code`, and changes nothing until its
 * user has decided on {@link DeviceView}.
 */
export interface DeviceCodeView {
  readonly page: 'device-code'
  readonly account: AccountOnPage
  readonly form: PageForm
  /** As it was typed, or from the address; empty without. */
  readonly userCode: string
}

/**
 * Asks whether to sign a device in. One form has the checkbox `seen` with the value `yes`, another
 * a button `name="choice" value="deny"`.
 */
export interface DeviceView {
  readonly page: 'device'
  readonly account: AccountOnPage
  /** Its `hidden` also has the code of the device. */
  readonly form: PageForm
  readonly clientName: string
  /** Whether the app is the host's own. */
  readonly isOwnApp: boolean
  /** The meaning of each scope in the user's language. */
  readonly scopes: readonly string[]
  /** The names of the APIs besides the host's own. */
  readonly apis: readonly string[]
  /** Of the device. */
  readonly userCode: string
  readonly device: Pick<DeviceOnPage, 'name' | 'ip'> & { readonly askedAt: Date }
  /** `other`: not the network of this browser. `refused`: the same, and it cannot be approved. */
  readonly network: 'same' | 'other' | 'refused'
}

/**
 * Asks for the link of a new device: the field `link`. `linkScript` is the URL of the script that
 * fills it in from the fragment of the address. It finds the field by `data-link`, hides what has
 * `data-link-asks`, and shows what has `data-link-found`.
 */
export interface LinkView {
  readonly page: 'link'
  readonly account: AccountOnPage
  readonly form: PageForm
  readonly linkScript: string
}

/** The same for whoever must sign in first. The script follows the link with `data-link-goes`. */
export interface LinkSignInView extends Pick<LinkView, 'linkScript'> {
  readonly page: 'link-sign-in'
  readonly signIn: string
}

/**
 * Asks whether to sign a new device in. One form has the field `check_code`, for the four digits on
 * the device, another a button `name="choice" value="deny"`.
 */
export interface LinkDeviceView extends Omit<LinkView, 'page' | 'linkScript'> {
  readonly page: 'link-device'
  readonly device: LinkOnPage
}

/**
 * A new password of a signed-in user. The form has the field `password`, and `present` if the user
 * has one.
 */
export interface AccountPasswordView extends NewPasswordOnPage {
  readonly page: 'account-password'
  readonly account: AccountOnPage
  readonly form: PageForm
  readonly hasPassword: boolean
  /** The account page. */
  readonly back: string
}

/**
 * The address of the signed-in user. A form with the field `email` mails a code to a new one; a
 * button `name="choice" value="verify"` mails one to the present one, if that is not proven.
 */
export interface AccountEmailView {
  readonly page: 'account-email'
  readonly account: AccountOnPage
  readonly form: PageForm
  /** Null without. */
  readonly email: string | null
  readonly verified: boolean
  /** As it was typed; empty at first. */
  readonly typed: string
  /** Whether a change takes the present password, in the field `present`. */
  readonly asksPassword: boolean
  /** Whether the fault is that password. */
  readonly isPasswordWrong: boolean
  /** The account page. */
  readonly back: string
}

/** The code that was mailed to an address. The form has the field `code`. */
export interface ConfirmEmailView extends Pick<AccountView, 'account' | 'form'> {
  readonly page: 'confirm-email'
  readonly mailedTo: string
  /** From the link in the mail; empty without. */
  readonly code: string
  /** The page of the address. */
  readonly back: string
}

/** Asks the signed-in user whether to sign out. */
export interface SignOutView {
  readonly page: 'sign-out'
  readonly account: AccountOnPage
  /** Whether there is a second button, `choice` = `everywhere`: on all devices. */
  readonly everywhere: boolean
  readonly form: PageForm
}

/** All pages. */
export type View =
  | SignInView
  | CodeView
  | NewNameView
  | ConnectView
  | SecondFactorView
  | EnrolView
  | EnrolPasskeyView
  | AddPasskeyView
  | RecoveryCodesView
  | ContinueView
  | ConsentView
  | AccountView
  | AccountFactorView
  | AccountPasskeysView
  | AccountIdentitiesView
  | AccountDeleteView
  | ConfirmView
  | ForgotView
  | ResetView
  | UndoView
  | RegisterView
  | ConfirmRegisterView
  | NoteView
  | AccountPasswordView
  | AccountEmailView
  | ConfirmEmailView
  | CodeElsewhereView
  | DeviceCodeView
  | DeviceView
  | LinkView
  | LinkSignInView
  | LinkDeviceView
  | HandOverView
  | SignOutView
  | SignedOutView
  | ErrorView
