import type { NoticeTime } from '../audit/audit.js'
import type { Audit, ObserveEvents } from '../audit/events.js'
import type { Soon } from '../lib/async.js'
import type { HostCall } from '../lib/host-call.js'
import type { WarnOnce } from '../lib/logger.js'
import type { Watch } from '../lib/watch.js'
import type { TokenSigner } from '../signers/contract.js'
import type { SessionRecord, SessionStore } from '../stores/contract.js'
import type { RedeemableCodes, UseSession } from '../stores/fail-closed-stores.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { DeviceCodeStore, ProofStore, SocketTicketStore } from '../stores/one-time-contract.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'

/** The parts that a server and a terminal share. The terminal makes its own, in admin/admin.ts. */
export interface BaseKit {
  readonly clock: () => Date
  /** The first one encrypts; may be empty without second factors, apps and passkeys. */
  readonly encryptionKeys: readonly Buffer[]
  readonly audit: Audit
  readonly call: HostCall
  /** The canonical form of an identifier, for lookup and counting. */
  readonly canonical: (identifier: LoginIdentifier) => Soon<LoginIdentifier>
  /** Undefined if the host has no store of proofs. */
  readonly proofStore: ProofStore | undefined
  /** Undefined if the host has no store of identities. */
  readonly identities: IdentityStore | undefined
}

/**
 * The parts of the host behind their contracts, and the parts that report of them. It is the lowest
 * of the four kits: `GroundKit`, `SessionKit`, `SignInKit`, `AppsKit`. Each kit has all the kits
 * below it. The kits are made in router/kit.ts; a room may read the kits of its floor and below.
 */
export interface GroundKit extends BaseKit {
  readonly signer: TokenSigner
  /** The name of this service in authenticator apps. */
  readonly totpIssuer: string

  readonly observeEvents: ObserveEvents
  /** Call it with every time that was read from a store. */
  readonly noticeTime: NoticeTime
  readonly warnOnce: WarnOnce
  /** Calls with a time limit for requests to other servers. */
  readonly callProvider: HostCall
  /** Measures what is no call of the host's: a request to another server. */
  readonly watch: Watch
  /** Only traces: for a request of ours, which is no call. */
  readonly trace: Watch

  readonly users: UserStore
  /** Whether a user must have a second factor. */
  readonly mustHaveFactor: (user: AuthUser) => Soon<boolean>
  /** Whether a user is asked for it in remembered browsers too. */
  readonly isAskedEveryTime: (user: AuthUser) => Soon<boolean>

  readonly sessionStore: SessionStore
  readonly useSession: UseSession
  /** Stores a session unless its id is taken; whether it did. */
  readonly createUnlessThere: (session: SessionRecord) => Promise<boolean>
  readonly codeStore: RedeemableCodes
  /** Undefined if the host has no store of tickets. */
  readonly ticketStore: SocketTicketStore | undefined
  /** Undefined if the host has no store of device codes. */
  readonly deviceCodes: DeviceCodeStore | undefined
}
