import { availableParallelism } from 'node:os'
import { createClockWatch, type NoticeTime } from './clock-watch.js'
import { createEventCounts, type EventCounts } from './event-counts.js'
import { type Audit, createAudit, noRequest } from './events.js'
import { createHostCall, type HostCall, type HostFailure } from './lib/host-call.js'
import { createCanonical, lowerCaseNames } from './login/identifier.js'
import { type Admission, createAdmission } from './passwords/admission.js'
import { type AdmittedHasher, admittedHasher } from './passwords/admitted-hasher.js'
import { bcryptHasher } from './passwords/bcrypt-hasher.js'
import { failClosedHasher } from './passwords/fail-closed-hasher.js'
import type { ResolvedOptions } from './resolve-options.js'
import type { SecondFactorStore, SessionStore, SocketTicketStore } from './stores/contract.js'
import {
  failClosedCodes,
  failClosedSecondFactors,
  failClosedSessions,
  failClosedTickets,
  type RedeemableCodes,
} from './stores/fail-closed-stores.js'
import type { OtherFactor } from './two-factor/contract.js'
import { failClosedFactor, failClosedPolicy } from './two-factor/fail-closed-factors.js'
import { createSeedVault, type SeedVault } from './two-factor/seed-vault.js'
import type { AuthUser, LoginIdentifier, UserStore } from './users/contract.js'
import { failClosedUsers } from './users/fail-closed-users.js'

/** Everything the host supplied, behind its contract: what is not in here is not called. */
export interface ConnectedHost {
  readonly audit: Audit
  readonly eventCounts: EventCounts
  readonly call: HostCall
  /** For the times that are found in what the host keeps. */
  readonly noticeTime: NoticeTime
  readonly users: UserStore
  /** The identifier of a login as it is looked up. */
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly codes: RedeemableCodes
  readonly sessions: SessionStore
  /** Null when the host keeps no TOTP seeds. */
  readonly secondFactors: { readonly store: SecondFactorStore; readonly vault: SeedVault } | null
  readonly otherFactors: readonly OtherFactor[]
  /** Whether a user must have a second factor. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  /** Null when the host keeps no socket tickets. */
  readonly tickets: SocketTicketStore | null
  readonly passwords: AdmittedHasher
  /** In front of the hasher. */
  readonly admission: Admission
  /** Ends what was started here, and nothing that the host made. */
  close(): Promise<void>
}

/** Milliseconds the hasher may take for a password, its time in the queue not included. Its place is free again after that. */
const hashingTimeout = 30_000

/** Puts each part of the host behind its contract, with one time limit and one way to report a failure. */
export function connectHost(options: ResolvedOptions): ConnectedHost {
  const { logger, clock, secondFactors, encryptionKeys, passwords } = options
  const eventCounts = createEventCounts()
  const audit = createAudit(options.onEvent, logger, clock, eventCounts)
  const onFailure = (failure: HostFailure) => audit({ type: 'host.failed', ...failure }, noRequest)
  const call = createHostCall(options.storeTimeout, onFailure)
  // Costs nothing until it is used: its threads start with the first password.
  const ownHasher = bcryptHasher()
  const hasher = passwords ?? ownHasher
  const admission = createAdmission({
    concurrency: hasher.concurrency ?? availableParallelism(),
    maxWait: options.maxPasswordWait,
    onRefused: ({ context }, waiting, retryAfter) => audit({ type: 'login.overloaded', waiting, retryAfter }, context),
  })
  return {
    audit,
    eventCounts,
    call,
    noticeTime: createClockWatch(clock, audit),
    users: failClosedUsers(options.users, call),
    canonical: createCanonical(options.canonicalIdentifier ?? lowerCaseNames, call),
    codes: failClosedCodes(options.codes, options.sessions, call),
    sessions: failClosedSessions(options.sessions, call),
    secondFactors:
      secondFactors === undefined
        ? null
        : { store: failClosedSecondFactors(secondFactors, call), vault: createSeedVault(encryptionKeys) },
    otherFactors: options.otherFactors.map((factor) => failClosedFactor(factor, call)),
    mustHaveFactor: failClosedPolicy(options.secondFactor, call),
    tickets: options.tickets === undefined ? null : failClosedTickets(options.tickets, call),
    passwords: admittedHasher(failClosedHasher(hasher, createHostCall(hashingTimeout, onFailure), onFailure), admission),
    admission,
    close: () => {
      admission.close()
      return ownHasher.close()
    },
  }
}
