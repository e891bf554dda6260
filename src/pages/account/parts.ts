import type { RequestContext } from '../../audit/events.js'
import type { SessionRecord } from '../../stores/contract.js'

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

/** A user's sessions, in the user's own hands. */
export interface OwnDevices {
  /** Oldest first. Rejects with 503. */
  list(current: SessionRecord): Promise<readonly OwnDevice[]>
  /** False if the user has no such session. Rejects with 401 and 503. */
  end(current: SessionRecord, id: unknown, context: RequestContext): Promise<boolean>
  /** Ends all but the current one; resolves with their number. Rejects with 401 and 503. */
  endOthers(current: SessionRecord, context: RequestContext): Promise<number>
}
