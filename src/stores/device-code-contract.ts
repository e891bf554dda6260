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
