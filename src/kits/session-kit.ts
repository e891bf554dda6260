import type { AdmittedHasher } from '../admission/admission.js'
import type { Contexts } from '../http/request-context.js'
import type { IssueSession } from '../sessions/issuing.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { PasswordStands } from '../sessions/password-stands.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Revocations } from '../sessions/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { KnownNetworks } from '../throttle/known-networks.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { CodeFactor, OwnTotp, SecondFactors } from '../two-factor/second-factor.js'
import type { GroundKit } from './ground-kit.js'

/** Sessions, their tokens, the limits and the second factors. */
export interface SessionKit extends GroundKit {
  /** Address, user agent and id of a request. */
  readonly contexts: Contexts
  readonly hasher: AdmittedHasher
  readonly throttle: Throttle
  readonly takeIssue: TakeIssue
  readonly knownNetworks: KnownNetworks
  readonly digestIdentifier: DigestIdentifier

  readonly accessTokens: AccessTokens
  /** The service that writes sessions; the host's store is `sessionStore`. */
  readonly sessions: Sessions
  readonly issueSession: IssueSession
  readonly passwordWatch: PasswordWatch
  readonly passwordStands: PasswordStands
  readonly revocations: Revocations
  readonly liveSessions: LiveSessions
  /** Forgets what this process has read of a session. */
  readonly forgetSession: LiveSessions['forget']

  /** Undefined if the host has no store of second factors. */
  readonly totp: OwnTotp | undefined
  /** Factors besides TOTP. */
  readonly codeFactors: readonly CodeFactor[]
  readonly secondFactors: SecondFactors
  readonly meetsFactorPolicy: SecondFactors['meetsFactorPolicy']
  /** Undefined without the option `passkeys`. */
  readonly passkeyFactor: PasskeyFactor | undefined
}
