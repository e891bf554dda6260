import type { GroundKit } from '../kits/ground-kit.js'
import type { RequiredOf } from '../principal/required-actions.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { PasswordStands, PasswordWatch } from './password-watch.js'
import type { Revocations } from './revocations.js'
import type { Sessions } from './sessions.js'

/** The parts that open and find sessions of users, above the rows. */
export interface UserSessionsKit extends GroundKit {
  /** The service that writes sessions; the host's store is `sessionStore`. */
  readonly sessions: Sessions
  readonly accessTokens: AccessTokens
  readonly passwordWatch: PasswordWatch
  readonly passwordStands: PasswordStands
  readonly revocations: Revocations
  readonly meetsFactorPolicy: SecondFactors['meetsFactorPolicy']
  readonly mayGoOn: SecondFactors['mayGoOn']
  readonly requiredOf: RequiredOf
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
  /** Seconds. */
  readonly accessTokenLifetime: number
  /** Seconds. */
  readonly longestSession: number
}
