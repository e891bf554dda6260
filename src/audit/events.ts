import type { HostFailure } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'
import type { EndReason, StoredKind, StoredMethod } from '../stores/contract.js'
import type {
  ClientChange,
  ClientRefusal,
  CodeRefusal,
  PageRefusal,
  PasskeyPurpose,
  PasskeyRefusal,
  RefreshRefusal,
  SignInRefusal,
} from './refusals.js'

/** Which limit was reached. */
export type ThrottleScope =
  | 'identifier'
  | 'account'
  | 'network'
  | 'unknown-networks'
  | 'known-network'
  | 'second-factor'
  | 'enrolment'
  | 'endpoint'
  | 'issuing'

/**
 * Everything the audit stream can say. No member has room for a password, a token, a code or a
 * seed; an identifier that belongs to nobody appears only as a digest (keyed where `encryptionKeys`
 * are set), because people type passwords into the name field.
 */
export type AuthEventBody =
  /** A login was complete: password, and second factor where the user has one. */
  | {
      readonly type: 'login.succeeded'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }
  /** A login was refused. The client is told less than `reason`. */
  | {
      readonly type: 'login.failed'
      readonly reason: SignInRefusal
      readonly identifierDigest: string
      readonly userId: string | null
    }
  /**
   * A limit was reached, and the attempt refused; with `dryRun` it was let pass. `identifierDigest`
   * as in `login.failed`, for limits of passwords. `userId` where the scope is `second-factor`,
   * `enrolment` or `issuing`, or `account`: then the client was told that the password is wrong.
   */
  | {
      readonly type: 'login.throttled'
      readonly scope: ThrottleScope
      readonly userId: string | null
      readonly identifierDigest: string | null
      readonly retryAfter: number
      readonly dryRun: boolean
    }
  /**
   * The host has lifted the limits of an identifier, as a support desk does; `userId` where it
   * belongs to somebody.
   */
  | {
      readonly type: 'login.unlocked'
      readonly identifierDigest: string
      readonly userId: string | null
    }
  /**
   * By user name the store found one who goes by another (a loose collation?); taken for nobody.
   * Once.
   */
  | { readonly type: 'user.mismatched'; readonly userId: string }
  /**
   * In lower case a name found nobody, as typed it finds this user: set `canonicalIdentifier`.
   * Once.
   */
  | { readonly type: 'user.unreachable'; readonly userId: string }
  /**
   * Too many passwords were waiting: a login was answered with 503, or an upgrade of a hash was
   * left to the next login.
   */
  | { readonly type: 'login.overloaded'; readonly waiting: number; readonly retryAfter: number }
  /**
   * An authorization code was issued, to the session `sessionId`, or to the host when that is null.
   */
  | { readonly type: 'code.issued'; readonly userId: string; readonly sessionId: string | null }
  /** An authorization code was exchanged; it opened the session `sessionId`. */
  | { readonly type: 'code.redeemed'; readonly userId: string; readonly sessionId: string }
  /** An authorization code was not exchanged, or, to the host, not issued. */
  | { readonly type: 'code.refused'; readonly reason: CodeRefusal; readonly userId: string | null }
  /** A session began. */
  | {
      readonly type: 'session.started'
      readonly userId: string
      readonly sessionId: string
      readonly kind: StoredKind
      readonly methods: readonly StoredMethod[]
    }
  /** The host had a session opened for a user whom it vouches for. */
  | {
      readonly type: 'session.opened'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }
  /** The host was refused a session for a user whom it vouches for. */
  | { readonly type: 'session.refused'; readonly reason: SignInRefusal; readonly userId: string }
  /** A session ended, and with it its tokens, codes, tickets and sockets. */
  | {
      readonly type: 'session.ended'
      readonly userId: string
      readonly sessionId: string
      readonly reason: EndReason
    }
  /**
   * A named token was made, by the session `madeBy`, or by the host where that is null. `sessionId`
   * is the token's own.
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
   * A spent refresh token was shown again in time, and given the same successor: two tabs, a lost
   * answer, or a quick thief.
   */
  | { readonly type: 'refresh.repeated'; readonly userId: string; readonly sessionId: string }
  /**
   * A spent refresh token was shown again when its time was over: one of its two holders has stolen
   * it. The session was ended.
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
   * A client was not authenticated; it is told no more than that. `clientId` where there is such a
   * client: anything may have been typed in its place.
   */
  | {
      readonly type: 'client.refused'
      readonly reason: ClientRefusal
      readonly clientId: string | null
    }
  /** A client was registered or changed, by the host's own code. */
  | {
      readonly type: 'client.changed'
      readonly clientId: string
      readonly change: ClientChange
    }
  /** A user has allowed a client what it asked for. */
  | { readonly type: 'consent.granted'; readonly userId: string; readonly clientId: string }
  /** A user has taken back what a client was allowed; its sessions of the user end. */
  | { readonly type: 'consent.revoked'; readonly userId: string; readonly clientId: string }
  /**
   * A page has told a person that a request gets nowhere; `requestId` is the reference that it
   * shows. `clientId` where there is such a client.
   */
  | {
      readonly type: 'page.refused'
      readonly reason: PageRefusal
      readonly clientId: string | null
    }
  /** The credentials of a request or an upgrade were refused. */
  | { readonly type: 'request.refused'; readonly reason: string }
  /** A signed-in user was asked for the password again, and the answer was wrong. */
  | { readonly type: 'password.refused'; readonly userId: string; readonly reason: SignInRefusal }
  /** A hash was brought up to the present setting after a login. */
  | { readonly type: 'password.rehashed'; readonly userId: string }
  /**
   * A user's hash was brought up for the third time in a day: something else of the host's hashes
   * passwords to another setting, and writes its own back. Give both the same setting. Once a day
   * for each user and process.
   */
  | { readonly type: 'password.contested'; readonly userId: string }
  /** A stored hash cannot be read, so its user cannot sign in: see to it. */
  | { readonly type: 'password.unreadable'; readonly userId: string }
  /** A user has begun to set up TOTP; nothing is active yet. */
  | { readonly type: 'second-factor.begun'; readonly userId: string }
  /** A user has switched TOTP on. The user's other sessions end. */
  | { readonly type: 'second-factor.enabled'; readonly userId: string }
  /** A user has switched TOTP off. The user's other sessions end. */
  | { readonly type: 'second-factor.disabled'; readonly userId: string }
  /** A user who wanted to change the second factor sent a wrong code. */
  | { readonly type: 'second-factor.refused'; readonly userId: string }
  /**
   * The host has taken a user's second factor away, as a support desk does. The user's sessions
   * end.
   */
  | { readonly type: 'second-factor.reset'; readonly userId: string; readonly hadFactor: boolean }
  /** A factor of the host's, `method`, has sent a user a code. */
  | { readonly type: 'second-factor.code-sent'; readonly userId: string; readonly method: string }
  /** A user has made new recovery codes; the old ones are void. */
  | { readonly type: 'recovery-codes.replaced'; readonly userId: string }
  /** A second factor was taken over from another system. */
  | { readonly type: 'second-factor.imported'; readonly userId: string }
  /** A sealed seed cannot be opened, so its user cannot sign in: is an encryption key missing? */
  | { readonly type: 'second-factor.unreadable'; readonly userId: string }
  /** A recovery code was used up. */
  | { readonly type: 'recovery-code.used'; readonly userId: string }
  /**
   * Another process wrote a time 10 s or more ahead of ours, `seconds` at least, or the database's
   * clock is so much ahead: a clock is wrong. Once a minute at most.
   */
  | { readonly type: 'clock.skewed'; readonly seconds: number }
  /**
   * This process's clock is `seconds`, more than a day, ahead of the database's. Nothing is deleted
   * while it is: sessions of others would be lost. Once in each `purgeInterval`.
   */
  | { readonly type: 'clock.ahead'; readonly seconds: number }
  /**
   * A store, hook, signer or hasher of the host failed, or answered what its contract does not
   * allow.
   */
  | ({ readonly type: 'host.failed' } & HostFailure)
  /** A user has added a passkey; `backedUp` where it is on more than one device. Tell the user. */
  | {
      readonly type: 'passkey.added'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
      readonly backedUp: boolean
    }
  /**
   * A passkey was removed: by its user, or because the host has said that the password is another
   * and that a thief of the old one may have added it. The user's other sessions end. Tell the
   * user.
   */
  | {
      readonly type: 'passkey.removed'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
      readonly reason: 'by-user' | 'password-changed'
    }
  /** The host has removed all passkeys of a user, as a support desk does. The sessions end. */
  | { readonly type: 'passkey.reset'; readonly userId: string; readonly removed: number }
  /** A passkey was right. Whether its user may sign in is another matter. */
  | {
      readonly type: 'passkey.used'
      readonly userId: string
      readonly passkeyId: string
      readonly purpose: PasskeyPurpose
    }
  /**
   * What was sent of a passkey was refused. `userId` where the passkey, or the session that asks,
   * is somebody's.
   */
  | {
      readonly type: 'passkey.refused'
      readonly purpose: PasskeyPurpose
      readonly reason: PasskeyRefusal
      readonly userId: string | null
    }
  /** The counter of a passkey that may be on several devices went backwards; it was let pass. */
  | {
      readonly type: 'passkey.counter-regressed'
      readonly userId: string
      readonly passkeyId: string
    }
  /**
   * The counter of a passkey that is on one device went backwards: there is a copy of it. It is
   * refused from now on, whoever shows it, until its user removes it and adds it anew. Sessions
   * that it has opened go on: tell its user, and end them where the user does not know them.
   */
  | {
      readonly type: 'passkey.clone-suspected'
      readonly userId: string
      readonly passkeyId: string
      readonly name: string
    }
  /** A passkey is on several devices now, or no longer. */
  | {
      readonly type: 'passkey.backup-changed'
      readonly userId: string
      readonly passkeyId: string
      readonly backedUp: boolean
    }
  /** A signed-in user has proved anew who they are, by `methods`. */
  | {
      readonly type: 'reauthenticated'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly StoredMethod[]
    }

/** Who asked, as far as it is known. All null when the host called a function by itself. */
export interface RequestContext {
  /** As the answer has it in `X-Request-Id`. */
  readonly requestId: string | null
  /** The client's address under the host's proxy setting; never an unchecked header. */
  readonly ip: string | null
  readonly userAgent: string | null
  /** Who of the host's people it was, where the host's code says so. */
  readonly actor?: string
}

/** One audit event: what happened, when (UTC), and in which request. */
export type AuthEvent = AuthEventBody & { readonly at: Date } & Pick<
    RequestContext,
    'requestId' | 'ip'
  > & {
    /**
     * Who of the host's people did it, as `by` of the call says; left out where it says nothing.
     */
    readonly actor?: string
  }

/**
 * Receives audit events. It may be slow, throw or reject: it is never waited for, and the log is
 * told once that it failed.
 */
export type EventSink = (event: AuthEvent) => void | Promise<void>

/** The context of an action that no request asked for. */
export const noRequest: RequestContext = Object.freeze({
  requestId: null,
  ip: null,
  userAgent: null,
})

/** Counts events for the operator. */
export interface EventCounter {
  raised(event: AuthEventBody): void
  /** The sink has taken one. */
  delivered(): void
  /** The sink threw or rejected, so that one is lost. */
  failed(): void
}

/** Records one event. */
export type Audit = (event: AuthEventBody, context: RequestContext) => void

/** At which level each event is logged. */
export const levels: Readonly<Record<AuthEvent['type'], keyof Logger>> = {
  'login.succeeded': 'info',
  'login.failed': 'info',
  'login.throttled': 'warn',
  'login.unlocked': 'warn',
  'user.mismatched': 'warn',
  'user.unreachable': 'warn',
  'login.overloaded': 'warn',
  'code.issued': 'debug',
  'code.redeemed': 'info',
  'code.refused': 'info',
  'session.started': 'debug',
  'session.opened': 'info',
  'session.refused': 'info',
  'session.ended': 'info',
  'named-token.created': 'info',
  'refresh.succeeded': 'debug',
  'refresh.repeated': 'info',
  'refresh.reused': 'warn',
  'refresh.refused': 'info',
  'client.refused': 'info',
  'client.changed': 'info',
  'consent.granted': 'info',
  'consent.revoked': 'info',
  'page.refused': 'info',
  'request.refused': 'debug',
  'password.refused': 'info',
  'password.rehashed': 'info',
  'password.contested': 'warn',
  'password.unreadable': 'warn',
  'second-factor.begun': 'info',
  'second-factor.enabled': 'info',
  'second-factor.disabled': 'info',
  'second-factor.refused': 'info',
  'second-factor.reset': 'warn',
  'second-factor.code-sent': 'info',
  'recovery-codes.replaced': 'info',
  'second-factor.imported': 'info',
  'second-factor.unreadable': 'warn',
  'recovery-code.used': 'info',
  'clock.skewed': 'warn',
  'clock.ahead': 'error',
  'host.failed': 'error',
  'passkey.added': 'info',
  'passkey.removed': 'info',
  'passkey.reset': 'warn',
  'passkey.used': 'debug',
  'passkey.refused': 'info',
  'passkey.counter-regressed': 'info',
  'passkey.clone-suspected': 'warn',
  'passkey.backup-changed': 'info',
  reauthenticated: 'info',
}
