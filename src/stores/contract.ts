/**
 * How the user proved who they are: password, TOTP, recovery code, passkey, a code in the place of
 * a password, by mail or by text message, or vouched for by the host. `remembered`: the browser has
 * shown a second factor some days ago. Of the methods that a host vouches for,
 * `mfa` (several factors), `hwk` and `swk` (a key in hardware or software) have the meaning of [RFC
 * 8176 §2](https://www.rfc-editor.org/rfc/rfc8176#section-2).
 */
export type AuthenticationMethod =
  | 'pwd'
  | 'otp'
  | 'recovery'
  | 'passkey'
  | 'email'
  | 'sms'
  | 'remembered'
  | 'host'
  | 'mfa'
  | 'hwk'
  | 'swk'

/**
 * The way that a session was opened: `POST /login` or the host, or the exchange of an authorization
 * code. `browser`: the cookie of a page of the host's. `token`: a named token, for bots and
 * scripts. `oauth`: an app that the user has signed in to here, and which may do what its scope
 * says. `service`: a program that has shown its own credentials, and stands for the user of its
 * client. `acting`: a member of the host's staff who acts for the user.
 */
export type SessionKind = 'login' | 'pkce' | 'browser' | 'token' | 'oauth' | 'service' | 'acting'

/** Why a session ended. The first reason stays. */
export type EndReason =
  | 'logout'
  | 'revoked'
  | 'evicted'
  | 'code-replayed'
  | 'refresh-reused'
  | 'factor-changed'
  | 'password-changed'
  | 'consent-revoked'
  | 'client-disabled'
  | 'address-undone'
  | 'account-deleted'
  | 'upstream-logout'
  | 'identity-unlinked'
  | 'directory-left'

// While a deployment rolls, processes of two releases write to one store. `string & Record<never,
// never>` is any text, and does not swallow the words that are known.
/**
 * A method as stored. A method that this release does not know is passed on unchanged, and proves
 * nothing.
 */
export type StoredMethod = AuthenticationMethod | (string & Record<never, never>)
/**
 * A kind as stored. A kind that this release does not know is passed on unchanged, and has the
 * rights that every kind has.
 */
export type StoredKind = SessionKind | (string & Record<never, never>)
/** A reason as stored. A reason that this release does not know is passed on unchanged. */
export type StoredReason = EndReason | (string & Record<never, never>)

/**
 * A refresh token that has been spent lately, and the salt with which its successor is derived from
 * it again.
 */
export interface SpentRefreshToken {
  /** SHA-256 of the token. */
  readonly hash: string
  readonly salt: string
  readonly spentAt: Date
}

/**
 * The refresh tokens of one session. No token is in here, and none can be made from these members.
 */
export interface RefreshState {
  /** SHA-256 of the current token. */
  readonly hash: string
  /** Marks tokens as this session's, so that a spent token differs from an invented token. */
  readonly familyKey: string
  /** The newest last; a handful. */
  readonly spent: readonly SpentRefreshToken[]
  /**
   * True once something of the pair of the current token has been used: a client that shows its
   * parent late has not lost an answer. Left out: nothing has been used.
   */
  readonly pairUsed?: boolean
}

/** How long a session lives, in whole seconds. */
export interface SessionLifetime {
  /** Until it is over unless it is used. */
  readonly idle: number
  /** Until it is over, however much it is used. */
  readonly absolute: number
}

/** A secret that another one has taken the place of. */
export interface FormerSecret {
  /** SHA-256 of it. */
  readonly hash: string
  /** It is good until here, for requests that were under way. */
  readonly until: Date
}

/**
 * One sign-in on one device. No token is in it, only hashes.
 *
 * The last members may be left out. A member that was left out when the session was saved is left
 * out, or `undefined`, when it is read. Every other member comes back as it was.
 */
export interface SessionRecord {
  readonly id: string
  readonly userId: string
  readonly kind: StoredKind
  readonly scope: string
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /**
   * The session ends here if it is not used before. Moves with `touch` and `rotateRefresh`, never
   * beyond `expiresAt`.
   */
  readonly idleExpiresAt: Date
  /** The absolute end. Never moves. */
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
  /**
   * Null for a session without a refresh token. It is kept as one value, and only replaced whole.
   */
  readonly refresh: RefreshState | null
  readonly endedAt: Date | null
  readonly endReason: StoredReason | null
  /** SHA-256 of the secret of a cookie or a named token; left out for other sessions. */
  readonly secretHash?: string
  /** The secret before that one. Left out: it was never replaced. */
  readonly formerSecret?: FormerSecret
  /**
   * The mark of the password hash with which the session was opened; see `addPasswordMark`. Left
   * out: the session does not depend on it.
   */
  readonly passwordMark?: string
  /**
   * Marks that are as good as `passwordMark`, with a blank between two of them, the newest last: of
   * hashes of the same password that are about to take the old one's place. Left out: none.
   */
  readonly passwordMarkNext?: string
  /**
   * The session's own times, from which the router makes `idleExpiresAt` and `expiresAt`; a store
   * goes by those. Left out: the times of the router.
   */
  readonly lifetime?: SessionLifetime
  /** The client that the session was opened for. */
  readonly clientId?: string
  /** The session that this one was opened by, and ends with. */
  readonly parentId?: string
  /** The APIs that its client was granted tokens for. */
  readonly resources?: readonly string[]
  /** The session that this session was opened from. Nothing ends by it. */
  readonly openedBySessionId?: string
  /**
   * The identity at a provider that opened the session: the provider's id, a digest of the
   * identity, and one of the session there, in up to 160 characters. Left out: none.
   */
  readonly upstream?: string
  /** Who acts for the user in the session. Left out: the user. */
  readonly actorId?: string
  /** The session of that actor, which this one ends with. */
  readonly actorSessionId?: string
}

/** The members that `touch` may change. */
export interface SessionSeen {
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly ip: string | null
}

/** The members that a rotation changes, all in the one write. */
export interface RefreshRotation extends SessionSeen {
  readonly refresh: RefreshState
}

/** The members that `setAuthenticated` replaces. */
export interface SessionAuthenticated {
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
}

/** The values that `replaceSecret` replaces, and the condition for it. */
export interface SecretReplacement {
  /** The `secretHash` that the session must still have. It becomes the hash of `formerSecret`. */
  readonly from: string
  /** The new `secretHash`. */
  readonly to: string
  /** The `until` of `formerSecret`. */
  readonly formerUntil: Date
}

/**
 * The outcome: of the callers that replace a current hash by another, exactly one ever gets
 * `rotated`.
 */
export type RotateResult = { readonly outcome: 'rotated' | 'superseded' | 'ended' }

/**
 * Sessions: an allow-list. A session that is not found is not signed in, so lost data brings
 * no session back.
 *
 * Whether a session can be changed depends on whether it has ended, not on whether it has idled out
 * or expired: that, the caller has judged.
 */
export interface SessionStore {
  /** Inserts; rejects if the id is already there. */
  create(session: SessionRecord): Promise<void>
  /** The record, also if it has ended; null for an unknown id. The caller checks its times. */
  find(id: string): Promise<SessionRecord | null>
  /**
   * In ONE conditional write: if the session is there, has not ended, and its `refresh.hash` is
   * still `presentedHash`, replaces `refresh`, `lastSeenAt`, `idleExpiresAt` and `ip`, and answers
   * `rotated`. Answers `superseded` when another token is current, and `ended` when the session has
   * ended or is not there. A read followed by a write would let two callers win, or revive a
   * session that was ended in between. `now` is for stores that keep times of their own.
   *
   * Also called with a `next` of the same hash, when something of a pair is used for the first
   * time; it replaces `refresh` like any other.
   */
  rotateRefresh(
    id: string,
    presentedHash: string,
    next: RefreshRotation,
    now: Date,
  ): Promise<RotateResult>
  /**
   * Updates only a session that exists and has not ended, and of it only the three fields; else
   * does nothing, and resolves. Never inserts: an upsert would bring a dead session back.
   */
  touch(id: string, seen: SessionSeen): Promise<void>
  /**
   * Replaces the methods of a session that exists and has not ended: a second factor was shown, or
   * taken away. Never inserts.
   */
  setMethods(id: string, methods: readonly StoredMethod[]): Promise<void>
  /**
   * Replaces methods and time of a session that exists and has not ended, both in one write: its
   * user has proved anew who they are. Never inserts.
   *
   * Optional: the option `passkeys` needs it.
   */
  setAuthenticated?(id: string, authenticated: SessionAuthenticated): Promise<void>
  /**
   * In ONE conditional write: if the session is there, has not ended, and its `secretHash` is still
   * `from`, `secretHash` becomes `to` and `formerSecret` becomes `from` with `formerUntil`,
   * whatever it was before. True for the one caller who replaced it, false for all others,
   * and for a session that is not there, has ended or has no secret. A read followed by a write
   * would give two browsers a secret of which one is good for nothing.
   *
   * Optional: the option `oauth` needs it.
   */
  replaceSecret?(id: string, replacement: SecretReplacement): Promise<boolean>
  /**
   * In ONE conditional write for all of the user's sessions that have not ended, or one for each:
   * where `passwordMark` is `from`, appends `to` to `passwordMarkNext`, behind a blank if there is
   * something in it, and does nothing if it is one of those marks already. If `from` is one of the
   * marks in `passwordMarkNext`, `passwordMark` becomes `from`, and `passwordMarkNext` becomes `to`
   * alone. Every other session is left as it is: its mark is of a password that has been changed.
   *
   * The mark is written before a new hash of the same password replaces the old hash. Several
   * callers may do that at once, each with a hash of its own, and only one hash is kept: none of
   * their marks may be lost, so a read followed by a write signs people out. Of `passwordMarkNext`
   * the last 16 marks must be kept, and no more than 1000 bytes should be: an older one may be cut
   * off at any point. Marks are 43 characters of `A-Z a-z 0-9 - _`, compared by their bytes.
   *
   * Optional: only for hosts that have sessions end with a changed password hash.
   */
  addPasswordMark?(userId: string, from: string, to: string): Promise<void>
  /**
   * In ONE conditional write: marks the session ended, unless it already was. True for the one
   * caller who ended it, false for all others and for an unknown id. Durable before it
   * resolves: a logout is acknowledged on the strength of it.
   */
  end(id: string, reason: EndReason, now: Date): Promise<boolean>
  /**
   * Ends every session of the user that has not ended, but `exceptId`, however many there are,
   * idled out, expired or neither, and answers the ids of those this call ended: their sockets are
   * closed by it. A session that is created meanwhile is ended and named, or neither. Durable
   * before it resolves.
   */
  endAllForUser(userId: string, reason: EndReason, now: Date, exceptId?: string): Promise<string[]>
  /**
   * Ends every session with this `clientId` that has not ended, or only the sessions of one of its
   * users, however many there are, idled out, expired or neither. Answers the ids of the sessions
   * that this call ended. A session that is created meanwhile is ended and named, or neither.
   * Durable before it resolves. There may be very many: batches keep other writers from waiting
   * long.
   *
   * With a `limit` it may stop when it has ended that many sessions, and is then called again.
   * Fewer ids than the limit say that none is left. Left out: it ends all of them.
   *
   * Optional: the option `oauth` needs it.
   */
  endAllForClient?(
    clientId: string,
    only: { readonly userId?: string; readonly limit?: number },
    reason: EndReason,
    now: Date,
  ): Promise<string[]>
  /**
   * Ends every session with this `parentId` that has not ended, as `endAllForClient` does, and
   * answers the ids of the sessions that this call ended. The parent is left as it is.
   *
   * Optional: the option `oauth` needs it.
   */
  endChildren?(parentId: string, reason: EndReason, now: Date): Promise<string[]>
  /**
   * The user's sessions that have not ended and are not over at `now`, all of them, the oldest
   * first; sessions of the same `createdAt` by the bytes of their ids in UTF-8.
   */
  listForUser(userId: string, now: Date): Promise<SessionRecord[]>
  /**
   * How many `listForUser` would answer, or more: sessions that are over may be counted, as long as
   * they are there. Never fewer, or a user keeps more sessions than `maxSessionsPerUser`. The
   * router asks with every sign-in, and then asks for the list only where the user may have too
   * many sessions.
   *
   * Optional: without it every sign-in asks for the list.
   */
  countForUser?(userId: string, now: Date): Promise<number>
  /**
   * The ids of sessions that exist, have not ended and are not over at `now`, in any order. An id
   * that is asked for twice may be answered twice. The router asks every few seconds for the
   * sessions with open sockets, up to 500 at a time: one query, so that a lost message is not a
   * lost logout.
   */
  liveAmong(ids: readonly string[], now: Date): Promise<string[]>
  /**
   * Deletes sessions that ended, idled out or expired by `now`, at most `limit` of them (0: none;
   * left out: all of them), and says how many. A store that lets the database expire its rows
   * answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
  /**
   * The time by the clock of the database; left out by a store whose database expires its rows. A
   * process whose clock is ahead takes all users' sessions for over, and `purge` would delete
   * them: the router asks before each round, and purges everything by the earlier of this time and
   * its own. Without it, the router has its own clock only.
   */
  databaseTime?(): Promise<Date>
}

/** Brings the tables of a database up to the installed release. */
export interface Migrations {
  /** Applies the missing migrations. Equal numbers: none was missing. */
  migrate(): Promise<{ readonly from: number; readonly to: number }>
  /** The statements for it, to be read, or run by another account. */
  print(): string
  /** The tables, indexes and columns that are missing. Changes nothing. */
  pending(): Promise<readonly string[]>
}
