import type { RequestContext } from '../../audit/events.js'
import type { SessionRecord } from '../../stores/contract.js'
import type { TotpStatus } from '../../two-factor/enrolment.js'
import type { FactorEnrolment } from '../enrolment-page.js'

/** One session of a user, as in `GET /auth/sessions`. */
export interface OwnDevice {
  readonly id: string
  /** The device, such as "Firefox on Linux", or the name of the named token or app. */
  readonly name: string | null
  readonly ip: string | null
  readonly lastSeenAt: Date
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
