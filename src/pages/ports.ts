import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { KeptCookie } from '../http/answer.js'
import type { EndpointRequest, SetHeaders } from '../http/endpoint.js'
import type { LoggedIn } from '../login/log-in.js'
import type { SessionRequest } from '../sessions/issuing.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { SessionRecord } from '../stores/contract.js'
import type { TotpStatus } from '../two-factor/enrolment.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'

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
  ): Promise<{
    readonly username: string
    readonly former: string
    readonly minLength: number | null
  }>
  /** Rejects with 400 `proof-refused` and `password-refused`, 429 and 503. */
  undo(
    given: { readonly token: string; readonly password: string | undefined },
    request: EndpointRequest,
  ): Promise<void>
}

/** Sets up an authenticator app, right after the password. */
export interface FactorEnrolment {
  /**
   * The session's pending seed, or a new one. Rejects with 409 and 503.
   */
  begin(
    user: AuthUser,
    sessionId: string,
    context: RequestContext,
  ): Promise<{ readonly secret: string; readonly otpauthUri: string }>
  /**
   * Activates the factor; resolves with the recovery codes. Calls `beforehand` after a right code,
   * before any change. Rejects with 401, 409, 429 and 503.
   */
  confirm(
    session: SessionRecord,
    code: string,
    request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
    beforehand: () => Promise<void>,
  ): Promise<readonly string[]>
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

/** Deleting the account of a signed-in user. */
export interface DeletionOnPages {
  /** Whether this user shows the password. Rejects with 503. */
  asksPassword(user: AuthUser): Promise<boolean>
  /** Whether a code is mailed to this user. Rejects with 503. */
  mailsCode(user: AuthUser): Promise<boolean>
  /**
   * Mails a code to a user with a fresh sign-in, and resolves with the id of the request. Null:
   * there is no address to mail to, and the account is deleted. Rejects with 401, 403, 429 and 503.
   */
  ask(
    asking: AskingUser,
    password: string | undefined,
    request: EndpointRequest,
  ): Promise<string | null>
  /** Deletes the account. Rejects with 400 `proof-refused`, 401, 429 and 503. */
  confirm(
    asking: AskingUser,
    given: { readonly requestId: string; readonly code: string },
    request: EndpointRequest,
  ): Promise<void>
}

/** A mailed code, and the second factor of a user who has one. */
export interface MailedLogin extends Omit<SessionRequest, 'approved' | 'marks'> {
  readonly requestId: string
  readonly code: string
  readonly secondFactor: string | null
  readonly passkey: AssertionResponse | null
}

/** Signing in by a mailed code. */
export interface EmailSignInOnPages {
  /**
   * Asks for a code; resolves with the id of the request. Tells nobody whether the name has an
   * account. Rejects with 400, 429 and 503.
   */
  ask(identifier: LoginIdentifier, context: RequestContext): Promise<string>
  /** `error`: `totp-required` or `totp-invalid`. Rejects with `proof-refused`, 403, 429, 503. */
  logIn(
    given: MailedLogin,
    request: { readonly context: RequestContext; readonly setHeaders: SetHeaders },
  ): Promise<
    | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
    | { readonly outcome: 'factor-due'; readonly error: AuthError; readonly userId: string }
  >
}

/** A provider, for its button. */
export interface ProviderOnPages {
  readonly id: string
  readonly name: string
  readonly logo: { readonly type: string; readonly body: string | Uint8Array } | undefined
}

/** A session that an account elsewhere is connected from. */
export interface ConnectingSession {
  readonly userId: string
  readonly sessionId: string
}

/** A connected account. */
export interface ConnectedAccount {
  readonly id: string
  /** The id of the provider. */
  readonly provider: string
  readonly label: string | null
  readonly lastUsedAt: Date | null
}

/** A ticket, and what its owner adds to it. */
export interface TicketLogin {
  readonly ticket: string
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  /** For a new user, instead of a name that is taken. */
  readonly username: string | undefined
  readonly lifetime: AskedLifetime | undefined
}

/** What comes of a ticket. */
export type TicketOutcome =
  | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
  /** `error`: `totp-required` or `totp-invalid`. */
  | {
      readonly outcome: 'factor-due'
      readonly error: AuthError
      readonly userId: string
      readonly provider: string
    }
  /** A new user needs another name. */
  | { readonly outcome: 'name-due'; readonly provider: string }
  /** No user has this identity. `canConnect`: one may sign in as usual, and connect it then. */
  | {
      readonly outcome: 'unknown'
      readonly provider: string
      readonly name: string
      readonly canConnect: boolean
    }

/** Signing in with the account of a provider, on the pages. */
export interface ProvidersOnPages {
  /** In the order of their buttons. */
  readonly list: readonly ProviderOnPages[]
  /** Whether they are the only way in. */
  readonly only: boolean
  /** Whether some users may sign in by password all the same. */
  readonly somePasswords: boolean
  /**
   * Begins a flow: the address of the provider, and a cookie for the browser. `raw`: the query of
   * the page. Rejects with 404, 429 and 503.
   */
  begin(
    id: string,
    goal: { readonly raw: string; readonly linkTo: ConnectingSession | null },
    hints: ProviderHints,
    request: EndpointRequest,
  ): Promise<{ readonly url: string; readonly cookie: KeptCookie }>
  /** Rejects with 400 `proof-refused`, 401, 403, 429 and 503. */
  signIn(
    given: TicketLogin,
    request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
  ): Promise<TicketOutcome>
  /**
   * What a new user may be called; empty if that is unknown. Changes nothing. Rejects with 400
   * `proof-refused`, 429 and 503.
   */
  suggestedName(ticket: string, request: EndpointRequest): Promise<string>
  /**
   * What its owner knows the account of a ticket by; null if the ticket is void. Changes nothing.
   * Rejects with 429 and 503.
   */
  labelOf(
    ticket: string,
    request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
  ): Promise<string | null>
  /**
   * Connects the account of a ticket. `began`: the session that has asked for it; null if it was to
   * be a sign-in. Rejects with 400 `proof-refused`, 401, 409 `identity-in-use`, 429 and 503.
   */
  connect(
    ticket: string,
    to: ConnectingSession,
    began: ConnectingSession | null,
    request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
  ): Promise<void>
  /** Oldest first. Rejects with 503. */
  listOf(userId: string): Promise<readonly ConnectedAccount[]>
  /**
   * Removes one, for a user with a fresh sign-in. Rejects with 401, 404, 409
   * `last-sign-in-method` and 503.
   */
  remove(session: SessionRecord, id: string, context: RequestContext): Promise<void>
}

/** What a provider is told of the request. */
export interface ProviderHints {
  readonly loginHint?: string | undefined
  readonly prompt?: 'login' | undefined
  /** Seconds. */
  readonly maxAge?: number | undefined
}
