import type { RequestContext } from '../../audit/events.js'
import type { EndpointRequest } from '../../http/endpoint.js'
import type { LoggedIn } from '../../login/log-in.js'
import type { SessionRecord } from '../../stores/contract.js'
import type { TotpStatus } from '../../two-factor/enrolment.js'
import type { AuthUser, LoginIdentifier } from '../../users/contract.js'
import type { FactorEnrolment } from '../enrolment-page.js'
import type { UndoView } from '../view.js'
import type { EmailFactorOnPage, LinkOnPage } from '../view-parts.js'

/** One session of a user, as in `GET /auth/sessions`. */
export interface OwnDevice {
  readonly id: string
  readonly kind: SessionRecord['kind']
  /** The device, such as "Firefox on Linux", or the name of the named token or app. */
  readonly name: string | null
  readonly ip: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** The id of the session in the same list from which it was opened; null if there is none. */
  readonly openedBy: string | null
  /** Whether it is the session that asks. */
  readonly current: boolean
}

/** A user's authenticator app and recovery codes, in the user's own hands. */
export interface OwnSecondFactor extends FactorEnrolment {
  /** Rejects with 503. */
  status(userId: string): Promise<TotpStatus>
  /**
   * Switches it off, and ends the user's other sessions. The caller has required a fresh sign-in.
   * Rejects with 401, 409 and 503.
   */
  disable(session: SessionRecord, context: RequestContext): Promise<void>
  /** Ten new recovery codes; the old ones stop working. Rejects with 401, 409 and 503. */
  newRecoveryCodes(session: SessionRecord, context: RequestContext): Promise<readonly string[]>
}

/** A user's sessions, in the user's own hands. */
export interface OwnDevices {
  /** Oldest first. Rejects with 503. */
  list(current: SessionRecord): Promise<readonly OwnDevice[]>
  /** False if the user has no such session. Rejects with 401 and 503. */
  end(current: SessionRecord, id: unknown, context: RequestContext): Promise<boolean>
  /** Ends all but the current one; resolves with their number. Rejects with 401 and 503. */
  endOthers(current: SessionRecord, context: RequestContext): Promise<number>
}

/** What a browser was about to do when its user asked for a link. */
export interface MailedWayBack {
  /** The query of the sign-in page. */
  readonly request: string
  /** The random value of the browser. In any other, the link leads back to no app. */
  readonly browser: string
}

/** What the page for a new password shows to whoever holds a link. */
export interface ResetInView {
  readonly username: string
  /** The least number of characters of the new password. */
  readonly minLength: number
}

/** Passwords and addresses on their pages. A member without its methods is undefined. */
export interface AccountsOnPages {
  readonly password: PasswordOnPages | undefined
  readonly email: EmailOnPages | undefined
  readonly undo: UndoOnPages | undefined
  readonly emailFactor: EmailFactorOnPages | undefined
}

/** A signed-in user who asks for something. */
export interface AskingUser {
  readonly session: SessionRecord
  readonly user: AuthUser
}

/** Forgotten and changed passwords. */
export interface PasswordOnPages {
  /** Tells nobody whether the name has an account. Rejects with 400, 429 and 503. */
  forgot(
    identifier: LoginIdentifier,
    context: RequestContext,
    wayBack: MailedWayBack | null,
  ): Promise<void>
  /** What a link would do. Changes nothing. Rejects with 400 `proof-refused`, 429 and 503. */
  look(token: string, request: EndpointRequest): Promise<ResetInView>
  /** Rejects with 400 `proof-refused` and `password-refused`, 429 and 503. */
  reset(
    given: { readonly token: string; readonly password: string },
    request: EndpointRequest,
  ): Promise<MailedWayBack | null>
  /** The least number of characters of this user's new password. Rejects with 503. */
  minLength(user: AuthUser): Promise<number>
  /**
   * Sets the new password of a user with a fresh sign-in, who types the present one if there is
   * one. Calls `beforehand` when only the change itself can still fail. Rejects with 400, 401, 409,
   * 429 and 503.
   */
  change(
    asking: AskingUser,
    given: { readonly newPassword: string; readonly password: string | undefined },
    request: EndpointRequest,
    beforehand: () => Promise<void>,
  ): Promise<void>
}

/** Proven and changed addresses. */
export interface EmailOnPages {
  /** Rejects with 503. */
  status(userId: string): Promise<AddressOfUser>
  /**
   * Mails a code to the present address; resolves with the id of the request. Rejects with 400,
   * 401, 409 `already-verified`, 429 and 503.
   */
  verify(asking: AskingUser, context: RequestContext): Promise<string>
  /** Whether the user shows the password for a change of the address. */
  asksPassword(user: AuthUser): Promise<boolean>
  /**
   * The same for a new address of a user with a fresh sign-in; nothing is changed yet. Rejects with
   * 400, 401, 403, 409 `already-verified`, 429 and 503.
   */
  change(
    asking: AskingUser,
    given: { readonly email: string; readonly password: string | undefined },
    request: EndpointRequest,
  ): Promise<string>
  /**
   * The address to which the code of a request went; null unless this session has asked for it.
   * Changes nothing. Rejects with 400 `proof-refused` if there is no such request, or it is over,
   * 429 and 503.
   */
  mailedTo(
    session: SessionRecord,
    requestId: string,
    request: EndpointRequest,
  ): Promise<string | null>
  /** Rejects with 400 `proof-refused`, 401, 409 `superseded`, 429 and 503. */
  confirm(
    asking: AskingUser,
    given: { readonly requestId: string; readonly code: string },
    request: EndpointRequest,
  ): Promise<void>
}

/** New users. */
export interface RegistrationOnPages {
  /** Throws 503. */
  needsInvitation(): Promise<boolean>
  /** False where a user without a password can sign in by a mailed code. */
  readonly needsPassword: boolean
  /** Characters of the password. */
  readonly minLength: number
  /**
   * The address that an invitation is for; null for any. Changes nothing. Rejects with 400
   * `proof-refused`, 429 and 503.
   */
  look(token: string, request: EndpointRequest): Promise<string | null>
  /**
   * Mails a code; resolves with the id of the request. Rejects with 400, 403, 409 `username-taken`,
   * 429 and 503.
   */
  register(given: Readonly<Record<string, string>>, request: EndpointRequest): Promise<string>
  /** Makes the user, with a session for the browser. Rejects like `register`, and with 401. */
  confirm(given: Readonly<Record<string, string>>, request: EndpointRequest): Promise<LoggedIn>
}

/** A user's address; null without. */
export interface AddressOfUser {
  readonly email: string | null
  readonly verified: boolean
}

/** Codes by mail as a second factor. */
export interface EmailFactorOnPages {
  /** Rejects with 503. */
  status(userId: string): Promise<EmailFactorOnPage>
  /**
   * Switches it on or off, for a user with a fresh sign-in. The user's other sessions end. Rejects
   * with 400 without a proven address, 401, 403 and 503.
   */
  setEnabled(asking: AskingUser, enabled: boolean, request: EndpointRequest): Promise<void>
}

/** New devices that a signed-in user links. */
export interface LinksOnPages {
  /** Of the sign-in, in seconds. */
  readonly maxSignInAge: number
  /**
   * Opens what was scanned or typed; from now on no other user can. `mustSignIn`: before the device
   * is approved. Rejects with 400 `proof-refused`, 429 and 503.
   */
  open(asking: AskingUser, link: string, request: EndpointRequest): Promise<OpenedOnPage>
  /**
   * What this user has opened; null if there is nothing to decide. Changes nothing. Rejects with
   * 503.
   */
  look(asking: AskingUser, linkId: string, request: EndpointRequest): Promise<LinkOnPage | null>
  /**
   * Signs the device in, by the check code that it shows. Rejects with 400 `proof-refused`, whose
   * `details.triesLeft` says how many wrong codes are left, 401, 403, 429 and 503.
   */
  approve(
    asking: AskingUser,
    typed: { readonly linkId: string; readonly checkCode: string },
    request: EndpointRequest,
  ): Promise<'approved' | 'sign-in-again'>
  /** Rejects with 400 `proof-refused`, 429 and 503. */
  deny(asking: AskingUser, linkId: string, request: EndpointRequest): Promise<void>
}

/** A link that was just opened. */
export interface OpenedOnPage {
  readonly linkId: string
  readonly mustSignIn: boolean
}

/** Changes of the address that are taken back. */
export interface UndoOnPages {
  /**
   * The user name, the former address, and the least characters of the new password; null if none
   * is set. Changes nothing. Rejects with 400 `proof-refused`, 429 and 503.
   */
  look(
    token: string,
    request: EndpointRequest,
  ): Promise<Pick<UndoView, 'username' | 'former'> & { readonly minLength: number | null }>
  /** Rejects with 400 `proof-refused` and `password-refused`, 429 and 503. */
  undo(
    given: { readonly token: string; readonly password: string | undefined },
    request: EndpointRequest,
  ): Promise<void>
}
