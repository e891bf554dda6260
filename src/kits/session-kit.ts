import type { AdmittedHasher } from '../admission/admission.js'
import type { Contexts } from '../http/request-context.js'
import type { IssueSession } from '../sessions/issuing.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { Sessions } from '../sessions/sessions.js'
import type { UserSessionsKit } from '../sessions/sessions-kit.js'
import type { ConsentStore } from '../stores/client-contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { KnownNetworks } from '../throttle/known-networks.js'
import type { Throttle } from '../throttle/throttle.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { RememberedBrowsers } from '../two-factor/remembered-browser.js'
import type { CodeFactor, OwnTotp, SecondFactors } from '../two-factor/second-factor.js'
import type { BaseKit } from './ground-kit.js'

/** The parts that manage sessions and users, in a server and from a terminal. */
export interface ManagementKit extends BaseKit {
  readonly throttle: Throttle
  readonly knownNetworks: KnownNetworks
  readonly digestIdentifier: DigestIdentifier
  /** The service that writes sessions; the host's store is `sessionStore`. */
  readonly sessions: Sessions
  /** Undefined if the host has no store of second factors. */
  readonly totp: OwnTotp | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeyStore: PasskeyStore | undefined
  /** Undefined without the option `oauth`. */
  readonly consentStore: ConsentStore | undefined
}

/** Sessions, their tokens, the limits and the second factors. */
export interface SessionKit extends UserSessionsKit, ManagementKit {
  /** Address, user agent and id of a request. */
  readonly contexts: Contexts
  readonly hasher: AdmittedHasher
  readonly takeIssue: TakeIssue

  readonly issueSession: IssueSession
  readonly liveSessions: LiveSessions

  /** Factors besides TOTP. */
  readonly codeFactors: readonly CodeFactor[]
  readonly secondFactors: SecondFactors
  /** Undefined without the option `passkeys`. */
  readonly passkeyFactor: PasskeyFactor | undefined
  /** Undefined without the option `secondFactor.remember`. */
  readonly rememberedBrowsers: RememberedBrowsers | undefined
}
