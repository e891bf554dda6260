import type { HostFailure } from '../lib/host-call.js'
import type { PasswordReason } from '../passwords/password-rules.js'
import type { EndReason, StoredKind, StoredMethod } from '../stores/contract.js'
import type { StoredPurpose } from '../stores/one-time-contract.js'
import type { AddressEvent } from './address-events.js'
import type { DirectoryEvent } from './directory-events.js'
import type { MailFault, MailKind } from './mail.js'
import type { PasskeyEvent } from './passkey-events.js'
import type {
  ClientChange,
  ClientRefusal,
  CodeRefusal,
  DeviceLinkRefusal,
  DeviceRefusal,
  LogoutRefusal,
  PageRefusal,
  ProofRefusal,
  ProviderRefusal,
  RefreshRefusal,
  RegisterRefusal,
  RpLogoutFault,
  SignInRefusal,
  ThrottleScope,
} from './refusals.js'
import type { SecondFactorEvent } from './second-factor-events.js'

/**
 * All audit events. None contains a password, a token, a code or a seed. An unknown identifier
 * appears only as a digest (keyed if `encryptionKeys` are set), because people type passwords into
 * the name field.
 */
export type AuthEventBody =
  /** A login succeeded, with its second factor if the user has one. */
  | {
      readonly type: 'login.succeeded'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }
  /**
   * A complete sign-in came from a network that is new to an account that knows others. Once a day
   * for each network, with the notice `new-network` of `accounts`.
   */
  | { readonly type: 'login.new-network'; readonly userId: string }
  /** A login was refused. The client is told less than `reason`. */
  | {
      readonly type: 'login.failed'
      readonly reason: SignInRefusal
      readonly identifierDigest: string
      readonly userId: string | null
    }
  /**
   * A limit refused an attempt; with `dryRun` it was allowed. `identifierDigest` as in
   * `login.failed`, for limits of passwords. `userId` is set if the scope is `second-factor`,
   * `enrolment`, `issuing`, `directory` or `account`; for `account`, the client was told that the
   * password is wrong.
   */
  | {
      readonly type: 'login.throttled'
      readonly scope: ThrottleScope
      readonly userId: string | null
      readonly identifierDigest: string | null
      readonly retryAfter: number
      readonly dryRun: boolean
    }
  /** The host has lifted the limits of an identifier. `userId` is set if a user has it. */
  | {
      readonly type: 'login.unlocked'
      readonly identifierDigest: string
      readonly userId: string | null
    }
  /**
   * `findByIdentifier` returned a user with another username (a loose collation?), who counts as
   * unknown. Reported once.
   */
  | { readonly type: 'user.mismatched'; readonly userId: string }
  /**
   * A name in lower case found no user, but as typed it finds this one: set `canonicalIdentifier`.
   * Reported once.
   */
  | { readonly type: 'user.unreachable'; readonly userId: string }
  /**
   * Too many passwords were waiting: a login was answered 503, or the upgrade of a hash was put
   * off.
   */
  | { readonly type: 'login.overloaded'; readonly waiting: number; readonly retryAfter: number }
  /** An authorization code was issued to a session, or to the host (null). */
  | { readonly type: 'code.issued'; readonly userId: string; readonly sessionId: string | null }
  /** An authorization code was exchanged; it opened a session. */
  | { readonly type: 'code.redeemed'; readonly userId: string; readonly sessionId: string }
  /** An authorization code was not exchanged, or not issued to the host. */
  | { readonly type: 'code.refused'; readonly reason: CodeRefusal; readonly userId: string | null }
  /** A session began. */
  | {
      readonly type: 'session.started'
      readonly userId: string
      readonly sessionId: string
      readonly kind: StoredKind
      readonly methods: readonly StoredMethod[]
    }
  /** The host opened a session for a user whom it has verified. */
  | {
      readonly type: 'session.opened'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }
  /**
   * The host has opened a session in which its staff member `actor` acts for the user. `reason`: in
   * the host's words. `notified`: the user is told by mail, with the notice `acted-for` of
   * `accounts`.
   */
  | {
      readonly type: 'session.acted-for'
      readonly userId: string
      readonly sessionId: string
      readonly reason: string
      readonly notified: boolean
    }
  /** A verified user got no session: at the host's call, or since the user changed. */
  | { readonly type: 'session.refused'; readonly reason: SignInRefusal; readonly userId: string }
  /** A session ended, with its tokens, codes, tickets and sockets. */
  | {
      readonly type: 'session.ended'
      readonly userId: string
      readonly sessionId: string
      readonly reason: EndReason
    }
  /**
   * A named token was created by the session `madeBy`, or the host (null). `sessionId` is the
   * token's own.
   */
  | {
      readonly type: 'named-token.created'
      readonly userId: string
      readonly sessionId: string
      readonly madeBy: string | null
    }
  /** Tokens were refreshed. */
  | { readonly type: 'refresh.succeeded'; readonly userId: string; readonly sessionId: string }
  /**
   * A spent refresh token was used again within the grace period: two tabs, a lost answer, or a
   * quick thief.
   */
  | { readonly type: 'refresh.repeated'; readonly userId: string; readonly sessionId: string }
  /**
   * A spent refresh token was used again after the grace period: one of its holders has stolen it.
   * The session has ended.
   */
  | { readonly type: 'refresh.reused'; readonly userId: string; readonly sessionId: string }
  /** A refresh token was refused. */
  | {
      readonly type: 'refresh.refused'
      readonly reason: RefreshRefusal
      readonly userId: string | null
      readonly sessionId: string | null
    }
  /**
   * Client authentication failed; the client is not told why. `clientId` is set only if the client
   * exists.
   */
  | {
      readonly type: 'client.refused'
      readonly reason: ClientRefusal
      readonly clientId: string | null
    }
  /**
   * The document of a client that nobody registered could not be used. `unfit`: `problem` says why.
   * `away`: its host has not answered, and `problem` is the code of the error. The path in
   * `clientId` may be invented.
   */
  | {
      readonly type: 'client-document.refused'
      readonly reason: 'unfit' | 'away'
      readonly clientId: string
      readonly problem: string
    }
  /** A client has registered itself. */
  | { readonly type: 'client.registered'; readonly clientId: string }
  /**
   * A client could not register itself. `metadata`, `redirect-uris`: `problem` says why. `full`:
   * 1,000 are unused.
   */
  | {
      readonly type: 'client-registration.refused'
      readonly reason: 'metadata' | 'redirect-uris' | 'full'
      readonly problem: string | null
    }
  /** The host registered or changed a client. */
  | {
      readonly type: 'client.changed'
      readonly clientId: string
      readonly change: ClientChange
    }
  /**
   * The host has replaced a signing key. `made`: a key that signs later, after a leaked one at
   * once. `retired`: a leaked one, whose tokens are refused.
   */
  | {
      readonly type: 'signing-key.changed'
      readonly kid: string
      readonly change: 'made' | 'retired'
    }
  /** A user has consented to the request of a client. */
  | { readonly type: 'consent.granted'; readonly userId: string; readonly clientId: string }
  /** A user has revoked the consent for a client, whose sessions of the user end. */
  | { readonly type: 'consent.revoked'; readonly userId: string; readonly clientId: string }
  /**
   * A page has shown an error; `requestId` is its reference. `clientId` is set only if the client
   * exists.
   */
  | {
      readonly type: 'page.refused'
      readonly reason: PageRefusal
      readonly clientId: string | null
    }
  /**
   * An app has sent a browser to sign its user out. `endsSession`: that has ended the browser's
   * session; otherwise a page asks, if somebody is signed in. `refused`: why the browser does not
   * return to the app; null if it does, or was not to. `clientId` is set only if the client exists.
   */
  | {
      readonly type: 'logout.requested'
      readonly clientId: string | null
      readonly endsSession: boolean
      readonly refused: LogoutRefusal | null
    }
  /** The credentials of a request or upgrade were refused. */
  | { readonly type: 'request.refused'; readonly reason: string }
  /** A signed-in user repeated the password wrongly. */
  | { readonly type: 'password.refused'; readonly userId: string; readonly reason: SignInRefusal }
  /** A login replaced a hash by one of the current setting. */
  | { readonly type: 'password.rehashed'; readonly userId: string }
  /** The desk has set a password that the user must change. */
  | { readonly type: 'password.temporary'; readonly userId: string }
  /** A user has accepted a document of the option `acceptance`. */
  | {
      readonly type: 'document.accepted'
      readonly userId: string
      readonly sessionId: string
      readonly document: string
      readonly version: string
    }
  /**
   * A user's hash was upgraded for the third time in a day: another part of the host writes hashes
   * of another setting. Give both the same. At most once a day for each user and process.
   */
  | { readonly type: 'password.contested'; readonly userId: string }
  /** A stored hash cannot be read, so its user cannot sign in: repair it. */
  | { readonly type: 'password.unreadable'; readonly userId: string }
  /** A user has changed the password in this session. The others end. */
  | { readonly type: 'password.changed'; readonly userId: string; readonly sessionId: string }
  /** A user has set a new password by a mailed link. All sessions end. */
  | { readonly type: 'password.reset'; readonly userId: string }
  /** The rules for passwords refused a new one. */
  | {
      readonly type: 'password.refused-by-rules'
      readonly userId: string
      readonly reasons: readonly PasswordReason[]
    }
  /**
   * The password of a login is among known breaches. The user is signed in: ask for a new one. At
   * most once a day for each user.
   */
  | { readonly type: 'password.breached'; readonly userId: string }
  /** The list of breached passwords could not be asked. */
  | { readonly type: 'password.breach-check-failed' }
  /** An account was deleted, by its user or by the host, with its sessions and all else. */
  | { readonly type: 'account.deleted'; readonly userId: string }
  /** A mailed code or link was refused. */
  | {
      readonly type: 'proof.refused'
      readonly purpose: StoredPurpose
      readonly reason: ProofRefusal
      readonly userId: string | null
    }
  /** A stranger has become a user, by this invitation if any. */
  | {
      readonly type: 'account.registered'
      readonly userId: string
      readonly invitationId: string | null
    }
  /** A registration was refused. */
  | { readonly type: 'account.register-refused'; readonly reason: RegisterRefusal }
  /** The host has made an invitation. */
  | { readonly type: 'invitation.created'; readonly invitationId: string }
  /** A use of an invitation was taken. The registration may still fail. */
  | { readonly type: 'invitation.used'; readonly invitationId: string }
  /** The host has revoked an invitation. */
  | { readonly type: 'invitation.revoked'; readonly invitationId: string }
  /** A browser was sent to a provider. */
  | { readonly type: 'provider.started'; readonly provider: string }
  /** Nobody was signed in by a provider. Unlisted reasons are words of the provider. */
  | {
      readonly type: 'provider.refused'
      readonly provider: string
      readonly reason: ProviderRefusal | (string & Record<never, never>)
    }
  /** A provider has ended sessions. */
  | {
      readonly type: 'provider.logout'
      readonly provider: string
      readonly sessions: number
    }
  /**
   * A user was connected with an account at a provider: at the user's wish, by the same proven
   * address, as a new user, or by the host.
   */
  | {
      readonly type: 'identity.linked'
      readonly userId: string
      readonly provider: string
      readonly how: 'asked' | 'email' | 'created' | 'host'
    }
  /**
   * An account at a provider was removed: by its user, or after a new password or an undo, since a
   * thief may have added it. Its sessions end.
   */
  | { readonly type: 'identity.unlinked'; readonly userId: string; readonly provider: string }
  /** A device without a browser has asked for a code that its user types elsewhere. */
  | { readonly type: 'device.requested'; readonly clientId: string }
  /** A user has approved a device, which is signed in when it asks next. */
  | {
      readonly type: 'device.approved'
      readonly userId: string
      readonly clientId: string
      /** The session that it will have. */
      readonly sessionId: string
      /** Whether device and browser are in the same network. */
      readonly isSameNetwork: boolean
    }
  /** A user has said no to a device. */
  | { readonly type: 'device.denied'; readonly userId: string; readonly clientId: string }
  /** A user could not approve a device. `clientId` is null if none has the code. */
  | {
      readonly type: 'device.refused'
      readonly reason: DeviceRefusal
      readonly userId: string
      readonly clientId: string | null
    }
  /** A device without a user shows a picture for another device. */
  | { readonly type: 'device-link.requested' }
  /** A user has scanned it in the session `sessionId`; nobody else can use it now. */
  | {
      readonly type: 'device-link.opened'
      readonly userId: string
      readonly sessionId: string
    }
  /**
   * The user has typed its check code; the new device may soon be signed in, in `opensSessionId`.
   * Notify the user.
   */
  | {
      readonly type: 'device-link.approved'
      readonly userId: string
      readonly sessionId: string
      readonly opensSessionId: string
    }
  /** The user has said no. */
  | {
      readonly type: 'device-link.denied'
      readonly userId: string
      readonly sessionId: string
    }
  /** A link was not opened or approved. The client is told less. */
  | {
      readonly type: 'device-link.refused'
      readonly reason: DeviceLinkRefusal
      readonly userId: string
    }
  /**
   * The clock of another process, or of the database, is `seconds` or more (at least 10) ahead of
   * this one: one is wrong. At most once a minute.
   */
  | { readonly type: 'clock.skewed'; readonly seconds: number }
  /**
   * This process's clock is `seconds`, more than a day, ahead of the database's. Nothing is purged
   * meanwhile: that would delete live sessions. Once in each `purgeInterval`.
   */
  | { readonly type: 'clock.ahead'; readonly seconds: number }
  /** A store, hook, signer or hasher of the host failed, or violated its contract. */
  | ({ readonly type: 'host.failed' } & HostFailure)
  /**
   * The host has taken a mail, or with `channel` a text message; for no account if `userId` is
   * null.
   */
  | {
      readonly type: 'mail.queued'
      readonly kind: MailKind
      readonly userId: string | null
      readonly channel?: 'phone'
    }
  /** A mail was not sent, and will not be. */
  | {
      readonly type: 'mail.failed'
      readonly kind: MailKind
      readonly reason: MailFault
      readonly userId: string | null
      readonly channel?: 'phone'
    }
  /** An app was told of the end of a session. */
  | {
      readonly type: 'rp-logout.sent'
      readonly userId: string
      readonly sessionId: string
      readonly clientId: string
    }
  /** An app was not told of the end of a session, and will not be. */
  | {
      readonly type: 'rp-logout.failed'
      readonly reason: RpLogoutFault
      readonly userId: string
      readonly sessionId: string
      readonly clientId: string
    }
  | PasskeyEvent
  | AddressEvent
  | SecondFactorEvent
  | DirectoryEvent
  /** A signed-in user has reauthenticated with `methods`. */
  | {
      readonly type: 'reauthenticated'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }

/** The origin of a request. All null if the host called a function by itself. */
export interface RequestContext {
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string | null
  /** The client's address under the host's proxy setting; never an unchecked header. */
  readonly ip: string | null
  readonly userAgent: string | null
  /** Who of the host's staff acted: by the host's code, or in a session for the user. */
  readonly actor?: string
}

/** One audit event, with its time and its request. */
export type AuthEvent = AuthEventBody & { readonly at: Date } & Pick<
    RequestContext,
    'requestId' | 'ip'
  > & {
    /** Who of the host's staff acted: `by` of the call, if given. */
    readonly actor?: string
  }

/**
 * Receives audit events. It may be slow, throw or reject: nothing waits for it, and the log says
 * once that it failed.
 */
export type EventSink = (event: AuthEvent) => void | Promise<void>

/** The context of an action without a request. */
export const noRequest: RequestContext = Object.freeze({
  requestId: null,
  ip: null,
  userAgent: null,
})

/** Counts events. */
export interface EventCounter {
  raised(event: AuthEventBody): void
  /** The sink has accepted an event. */
  delivered(): void
  /** The sink threw or rejected, so an event is lost. */
  failed(): void
}

/** Records one event. */
export type Audit = (event: AuthEventBody, context: RequestContext) => void

/** Sees each event at once, with its request. Must not throw. */
export type EventObserver = (event: AuthEventBody, context: RequestContext) => void

/** Adds an observer of the router's own. */
export type ObserveEvents = (observer: EventObserver) => void
