import type { GroundKit } from '../kits/ground-kit.js'
import type { SessionRecord, SessionStore } from '../stores/contract.js'
import type { ConsumeResult } from '../stores/one-time-contract.js'
import type { PasswordWatch } from './password-watch.js'
import type { Revocations } from './revocations.js'
import type { SessionLifetimes } from './session-times.js'

/** The parts that the writer of session rows needs. A server and a terminal each make their own. */
export interface SessionRowsKit
  extends Pick<GroundKit, 'clock' | 'audit' | 'noticeTime' | 'createUnlessThere' | 'useSession'> {
  readonly store: SessionStore
  /** Uses a code up and stores the session it opens. */
  readonly redeem: (codeHash: string, session: SessionRecord, now: Date) => Promise<ConsumeResult>
  readonly revocations: Revocations
  /** Marks sessions with their password hash, if they must end with it. */
  readonly passwordWatch: PasswordWatch
  readonly lifetimes: SessionLifetimes
  readonly maxSessionsPerUser: number
  /**
   * False if no session ever opens another, as without apps: then there is no search for children.
   */
  readonly opensChildren: boolean
  /** Receives the address of a session in use, about once a minute. */
  readonly noticeUse: (userId: string, ip: string) => void
  /**
   * Forgets the browsers that are not asked for the second factor of a user; undefined if none ever
   * is remembered. Rejects with 503.
   */
  readonly forgetBrowsers: ((userId: string) => Promise<unknown>) | undefined
}
