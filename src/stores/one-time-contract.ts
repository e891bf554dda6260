import type { SessionRecord, SessionStore, StoredMethod } from './contract.js'

/**
 * One authorization code. The code itself is never stored, only its SHA-256.
 *
 * In all records, ids, hashes and sealed seeds have up to 1024 bytes of UTF-8. Other texts have up
 * to 16,000 characters as JavaScript counts them (`length`, UTF-16 units). A store must take them
 * whole. It must reject, or keep exactly as it is, a value that is longer, no string, or not
 * well-formed text: replaced or cut off, one value would be taken for another.
 *
 * `kind`, `endReason` and `methods` are texts to a store: values it does not know come from a later
 * release, and are passed on. Members that a record has beyond those named here may be dropped.
 *
 * The last members may be left out, as they are for `/auth/pkce`. A member that was left out when
 * the code was saved is left out, or `undefined`, when it is read. Every other member comes back as
 * it was.
 */
export interface AuthorizationCodeRecord {
  readonly codeHash: string
  readonly userId: string
  /**
   * The session that asked for the code, and with which the code dies. If the host asked, this
   * session stands in for the host's page: its id begins with `code.`, and no token belongs to it.
   */
  readonly issuedBySessionId: string
  /**
   * The id the session will have that this code opens. Known beforehand so that a replay can end it
   * without a second write.
   */
  readonly opensSessionId: string
  /** S256 of the verifier, [RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2). */
  readonly codeChallenge: string
  readonly scope: string
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
  readonly createdAt: Date
  /** From this moment on the code is void. */
  readonly expiresAt: Date
  /**
   * Until this moment, never before `expiresAt`, a used code is remembered, so that a replay is
   * recognised. Then `purge` may delete it.
   */
  readonly retainUntil: Date
  /** Null until consumed. */
  readonly consumedAt: Date | null
  /** The client that the code was issued to: no other client may exchange it. */
  readonly clientId?: string
  /** The address to which the code was sent. The exchange must name this address. */
  readonly redirectUri?: string
  /** Goes into the ID Token as it is. */
  readonly nonce?: string
  /** The APIs that were asked for, [RFC 8707](https://www.rfc-editor.org/rfc/rfc8707). */
  readonly resources?: readonly string[]
  /** How surely the user was known, as the ID Token says it. */
  readonly acr?: string
}

/** The outcome: exactly one caller ever gets `consumed`. */
export type ConsumeResult =
  | { readonly outcome: 'consumed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'replayed'; readonly code: AuthorizationCodeRecord }
  | { readonly outcome: 'unknown' }

/**
 * For stores that keep codes and sessions in one database: both writes of a code exchange in one
 * transaction, so that a crash between them leaves either both or neither.
 */
export interface CodeRedemption {
  /**
   * The store the sessions go to. A router that keeps its sessions elsewhere does not use this. It
   * goes by identity: to wrap the session store in another object turns the redemption off, unless
   * the wrapper stands here, too.
   */
  readonly sessions: SessionStore
  /**
   * As `consume`; and for the one caller who is answered `consumed`, inserts the session in the
   * same transaction. Rejects, and leaves the code as it was, if the session cannot be inserted.
   */
  redeem(codeHash: string, session: SessionRecord, now: Date): Promise<ConsumeResult>
}

/** One-time authorization codes. */
export interface AuthorizationCodeStore {
  /** Inserts; rejects if the hash is already there. */
  save(code: AuthorizationCodeRecord): Promise<void>
  /**
   * The record, also if used or expired; null for an unknown hash. The router decides nothing by
   * its members that can change.
   */
  find(codeHash: string): Promise<AuthorizationCodeRecord | null>
  /**
   * In ONE conditional write: if the code is there, unused and `now < expiresAt`, sets `consumedAt
   * = now` and answers `consumed`. If it was used before, answers `replayed` with the record as the
   * first use left it; for as long as it is there, also after `expiresAt` and `retainUntil`.
   * Otherwise `unknown`. A read followed by a write lets two callers win: a code works
   * once ([RFC 6749 §4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2)).
   */
  consume(codeHash: string, now: Date): Promise<ConsumeResult>
  /**
   * Deletes unused codes whose `expiresAt` is not after `now`, and used codes whose `retainUntil`
   * is not after `now`. Deletes at most `limit` codes (0: none; left out: all of them), and says
   * how many. The router always gives a limit. A store that lets the database expire its rows
   * answers 0. Nothing may depend on it being called.
   */
  purge(now: Date, limit?: number): Promise<number>
  /**
   * Optional: consumption and session in one transaction. Without it they are two writes, and a
   * crash between them loses the code.
   */
  readonly redemption?: CodeRedemption
}

/** The purpose of a proof. A proof of one purpose is worth nothing for another. */
export type ProofPurpose =
  | 'reset'
  | 'verify-address'
  | 'change-address'
  | 'undo-address'
  | 'former-address'
  | 'undo-password'
  | 'second-factor'
  | 'register'
  | 'invitation'
  | 'sign-in'
  | 'delete'
  | 'provider'
  | 'vouched'
  | 'upstream'
  | 'upstream-logout'
  | 'directory-watch'
  | 'remembered'
  | 'phone-added'
  | 'phone-claim'
  | 'seen'

/** A purpose as stored. A purpose that this release does not know is passed on unchanged. */
export type StoredPurpose = ProofPurpose | (string & Record<never, never>)

/**
 * One thing that waits for its proof: a link or code that was mailed, a link that was shown once,
 * or an answer that is awaited. Token and code are not stored, only the values they are compared
 * with.
 *
 * Ids, hashes and purposes have up to 1024 bytes of UTF-8, other texts up to 16,000 characters, as
 * in all records. An absent value is null. Every member must come back as it was saved: a store
 * that drops `mark` would let an old link work after a change of the password.
 */
export interface ProofRecord {
  /** SHA-256 of the request id, of the token in the link, or of the state. */
  readonly idHash: string
  readonly purpose: StoredPurpose
  /**
   * Null: nobody's. Such a row is kept all the same: nothing shows who has an account. For
   * `former-address`, a digest of the address.
   */
  readonly userId: string | null
  /** A keyed digest of the code; null for links. */
  readonly codeTag: string | null
  /** The state that must not have changed, as a digest: the password, the address, the browser. */
  readonly mark: string | null
  /** The values that will be written after the proof, encrypted: up to 8 KiB of text. */
  readonly sealed: string | null
  /** How often a code or link may still be tried; never below 0. */
  readonly triesLeft: number
  readonly createdAt: Date
  /** From this moment on the proof is void. */
  readonly expiresAt: Date
  /** Null until it is consumed. */
  readonly consumedAt: Date | null
}

/** Whether the caller may compare a code or mark: as many callers as there were tries. */
export type TakeTryResult =
  | { readonly outcome: 'taken'; readonly proof: ProofRecord }
  | { readonly outcome: 'void' }

/** The outcome: exactly one caller ever gets `consumed`. */
export type ConsumeProofResult =
  | { readonly outcome: 'consumed'; readonly proof: ProofRecord }
  | { readonly outcome: 'void' }

/**
 * Everything that is mailed, shown once or waits for an answer. A proof of another purpose than the
 * one that is named is not there, and is never changed.
 */
export interface ProofStore {
  /** Inserts; rejects if the hash is already there, whatever its purpose. */
  save(proof: ProofRecord): Promise<void>
  /**
   * The record, also if it is used, expired or without tries; null for an unknown hash, and for
   * another purpose. Changes nothing, and the router decides nothing by it.
   */
  find(idHash: string, purpose: string): Promise<ProofRecord | null>
  /**
   * In ONE conditional write: if the proof is there, has this purpose, is not consumed, `now <
   * expiresAt` and `triesLeft > 0`, takes one of `triesLeft` and answers `taken` with the record.
   * Otherwise `void`. Exactly as many callers ever get `taken` as there were tries: a read followed
   * by a write lets a code of eight digits be guessed at without end.
   *
   * The record may show what other callers have changed right after, such as fewer tries.
   */
  takeTry(idHash: string, purpose: string, now: Date): Promise<TakeTryResult>
  /**
   * In ONE conditional write: if the proof is there, has this purpose, is not consumed and `now <
   * expiresAt`, sets `consumedAt = now` and answers `consumed` with the record. Otherwise `void`.
   * `triesLeft` plays no part and stays as it is: the caller has taken a try before.
   */
  consume(idHash: string, purpose: string, now: Date): Promise<ConsumeProofResult>
  /**
   * Consumes all proofs of the user that have one of these purposes and are not consumed, also
   * expired ones, since another process may have a clock that is behind. Says how many this very
   * call has consumed. Other proofs of the user, and proofs of nobody, stay as they are. Durable
   * before it resolves: after a change of the password no older link may work.
   */
  voidForUser(userId: string, purposes: readonly string[], now: Date): Promise<number>
  /**
   * All proofs with this purpose of this user (null: of nobody) that are not consumed, with
   * `now < expiresAt` and `triesLeft > 0`, in any order. A missing proof lets a thief change an
   * address whose change can still be undone.
   */
  list(purpose: string, userId: string | null, now: Date): Promise<ProofRecord[]>
  /**
   * Deletes proofs that have expired by `now`, consumed or not, at most `limit` of them (0: none;
   * left out: all of them), and says how many. A store that lets the database expire its rows
   * answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/** A ticket that opens one socket. The ticket itself is never stored, only its SHA-256. */
export interface SocketTicketRecord {
  readonly ticketHash: string
  readonly sessionId: string
  readonly userId: string
  /**
   * The rights of the socket and their end: no more than those of the token that the ticket was
   * issued for.
   */
  readonly scope: string
  readonly tokenExpiresAt: Date
  readonly createdAt: Date
  /** From this moment on the ticket is void. */
  readonly expiresAt: Date
}

/** The outcome: exactly one caller ever gets `consumed`. */
export type ConsumeTicketResult =
  | { readonly outcome: 'consumed'; readonly ticket: SocketTicketRecord }
  | { readonly outcome: 'unknown' }

/** One-time tickets for sockets of browsers, which cannot send headers with an upgrade. */
export interface SocketTicketStore {
  /** Inserts; rejects if the hash is already there. */
  save(ticket: SocketTicketRecord): Promise<void>
  /**
   * In ONE conditional write: deletes the ticket, if it is there and `now < expiresAt`, and answers
   * `consumed`. Otherwise `unknown`.
   */
  consume(ticketHash: string, now: Date): Promise<ConsumeTicketResult>
  /**
   * Deletes tickets that have expired by `now`, at most `limit` of them (0: none; left out: all of
   * them), and says how many. A store that lets the database expire its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/** Names that may be used once, such as the `jti` of a client's assertion. */
export interface OnceStore {
  /**
   * In ONE conditional write: notes the key until `expiresAt`, which is after `now`, unless it is
   * noted at `now`. Exactly one of several callers gets `claimed`, also where an expired note of
   * the key is still there. The key is no secret and has up to 1024 bytes, as ids have; a store may
   * keep a digest of it instead, as the shipped stores over SQL and Redis do.
   */
  claim(key: string, expiresAt: Date, now: Date): Promise<{ readonly outcome: 'claimed' | 'known' }>
  /**
   * Deletes the names that expired by `now`, at most `limit` if it is given, and says how many. A
   * store whose database expires its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/**
 * The kind of device that a code signs in: `device` is an app by the device grant ([RFC
 * 8628](https://www.rfc-editor.org/rfc/rfc8628)), `link` is another device of the user. Any other
 * text comes from a later release.
 */
export type DeviceCodePurpose = 'device' | 'link'

/** Whether the user has decided. Any other text comes from a later release. */
export type DeviceCodeState = 'pending' | 'approved' | 'denied'

/**
 * One device that waits for a user on another device to sign it in. The code that the user types or
 * scans is not stored, and the secret that the device asks with is not stored.
 *
 * Ids and hashes have up to 1024 bytes of UTF-8, other texts up to 16,000 characters, as in all
 * records. An absent value is null.
 */
export interface DeviceCodeRecord {
  /** A digest of what the user types or scans. Unique. */
  readonly userCodeHash: string
  /** A digest of the secret that the device asks with. */
  readonly deviceCodeHash: string
  readonly purpose: DeviceCodePurpose | (string & Record<never, never>)
  /** The client that asked; null for a device of the user's own. */
  readonly clientId: string | null
  readonly scope: string
  /** The APIs that were asked for, [RFC 8707](https://www.rfc-editor.org/rfc/rfc8707). */
  readonly resources: readonly string[]
  /** The name that the device gives itself. */
  readonly name: string | null
  /** The address that the device asked from. */
  readonly requestedIp: string | null
  readonly requestedAgent: string | null
  /** Seconds between two questions of the device. */
  readonly interval: number
  /** Before this moment the device asks too soon. */
  readonly nextPollAt: Date
  /** The first user who opened it, and the only one who may decide; null before. */
  readonly userId: string | null
  /** The time of the claim. */
  readonly claimedAt: Date | null
  /** How many check codes may still be tried; never below 0. */
  readonly triesLeft: number
  readonly state: DeviceCodeState | (string & Record<never, never>)
  /**
   * The hash of the authorization code that opens the session of the device, once approved. The
   * session is opened by that code and by nothing else.
   */
  readonly authorizationCodeHash: string | null
  readonly createdAt: Date
  /** From this moment on nobody may claim, try or decide it. */
  readonly expiresAt: Date
}

/** The decision of the user. */
export type DeviceCodeVerdict =
  | { readonly state: 'approved'; readonly authorizationCodeHash: string }
  | { readonly state: 'denied' }

/** Whose code it is; `foreign`: another user's, who came first. */
export type ClaimDeviceCodeResult =
  | { readonly outcome: 'claimed'; readonly code: DeviceCodeRecord }
  | { readonly outcome: 'foreign' | 'unknown' }

/** Whether the caller may compare a check code: as many callers as there were tries. */
export type TakeDeviceTryResult =
  | { readonly outcome: 'taken'; readonly code: DeviceCodeRecord }
  | { readonly outcome: 'void' }

/** Whether this call has decided. */
export interface DecideDeviceCodeResult {
  readonly outcome: 'decided' | 'unknown'
}

/** The answer to a device: the record, and whether the device asked too soon. */
export type PollDeviceCodeResult =
  | { readonly outcome: 'polled' | 'too-soon'; readonly code: DeviceCodeRecord }
  | { readonly outcome: 'unknown' }

/**
 * Devices that wait for a user. Every change is ONE conditional write, so that of many callers at
 * once one wins. Redis may lose device codes: the device then begins anew.
 */
export interface DeviceCodeStore {
  /** Inserts; rejects if `userCodeHash` is already there. */
  save(code: DeviceCodeRecord): Promise<void>
  /** The record, also if it is decided or expired; null for an unknown hash. Changes nothing. */
  find(userCodeHash: string): Promise<DeviceCodeRecord | null>
  /**
   * In ONE conditional write: if the code is there, `pending`, `now < expiresAt` and nobody's, it
   * becomes this user's, with `claimedAt = now`: `claimed`. If it is this user's already and still
   * `pending` and not expired, `claimed` as well, with `claimedAt` as it was. If it is another
   * user's, `foreign`. Otherwise `unknown`.
   */
  claim(userCodeHash: string, userId: string, now: Date): Promise<ClaimDeviceCodeResult>
  /**
   * In ONE conditional write: if the code is this user's, `pending`, `now < expiresAt` and
   * `triesLeft > 0`, takes one of `triesLeft` and answers `taken`. Otherwise `void`. Exactly as
   * many callers ever get `taken` as there were tries.
   */
  takeTry(userCodeHash: string, userId: string, now: Date): Promise<TakeDeviceTryResult>
  /**
   * In ONE conditional write: if the code is this user's, `pending` and `now < expiresAt`, sets
   * what the verdict says and answers `decided`. Otherwise `unknown`: one caller ever decides.
   */
  decide(
    userCodeHash: string,
    userId: string,
    verdict: DeviceCodeVerdict,
    now: Date,
  ): Promise<DecideDeviceCodeResult>
  /**
   * In ONE write: if both hashes fit, sets `nextPollAt` to `interval` seconds after `now`, and
   * answers `polled`; or, if `now` is before the former `nextPollAt`, first adds 5 to `interval`
   * ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)) and answers `too-soon`.
   * Decided and expired codes are answered alike. Of many callers at once, one gets `polled`.
   * `unknown` if the hashes do not fit; nothing changes then.
   */
  poll(userCodeHash: string, deviceCodeHash: string, now: Date): Promise<PollDeviceCodeResult>
  /**
   * Deletes codes that have expired by `now`, at most `limit` of them (0: none; left out: all of
   * them), and says how many. A store that lets the database expire its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}
