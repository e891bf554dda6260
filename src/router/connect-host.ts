import { availableParallelism } from 'node:os'
import {
  type Admission,
  type AdmittedHasher,
  admittedHasher,
  createAdmission,
} from '../admission/admission.js'
import type { SharedReservations } from '../admission/reservations.js'
import { createAudit } from '../audit/audit.js'
import { createClockWatch, type NoticeTime } from '../audit/clock-watch.js'
import { createEventCounts, type EventCounts } from '../audit/event-counts.js'
import { type Audit, noRequest } from '../audit/events.js'
import { type Contexts, createContexts } from '../http/request-context.js'
import { createSayOnce, type SayOnce } from '../http/say-once.js'
import { createHostCall, type HostCall, type HostFailure } from '../lib/host-call.js'
import { withExactNames } from '../login/exact-names.js'
import { createCanonical } from '../login/identifier.js'
import { createSpellingWatch, type NoticeSpelling } from '../login/spelling-watch.js'
import { bcryptHasher } from '../passwords/bcrypt-hasher.js'
import { failClosedHasher } from '../passwords/fail-closed-hasher.js'
import type { TokenSigner } from '../signers/contract.js'
import type { SessionStore } from '../stores/contract.js'
import {
  failClosedCodes,
  failClosedSecondFactors,
  failClosedSessions,
  failClosedTickets,
  type RedeemableCodes,
} from '../stores/fail-closed-stores.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import { createCounter } from '../throttle/counter.js'
import { createCounterKey } from '../throttle/counter-keys.js'
import { createSharedReservations } from '../throttle/shared-reservations.js'
import type { OtherFactor } from '../two-factor/contract.js'
import { failClosedFactor, failClosedPolicy } from '../two-factor/fail-closed-factors.js'
import { createSeedVault, type SeedVault } from '../two-factor/seed-vault.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import { failClosedUsers } from '../users/fail-closed-users.js'
import type { ResolvedOptions } from './resolve-options.js'

/** Everything the host supplied, behind its contract. Nothing else of the host's is called. */
export interface ConnectedHost {
  readonly audit: Audit
  readonly eventCounts: EventCounts
  readonly call: HostCall
  /** Tells the host of a setting of its own that only a request can show. */
  readonly sayOnce: SayOnce
  /** Who sent a request. */
  readonly contexts: Contexts
  /** Call it with each time that was read from a store. */
  readonly noticeTime: NoticeTime
  readonly users: UserStore
  /** Call it for logins that found no user. */
  readonly noticeSpelling: NoticeSpelling
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

/** For one password, without the queue. After it the next password has its turn. */
const hashingTimeoutMs = 30_000
/** For the signer to be ready: it may have to make its first key. */
const readyTimeoutMs = 30_000

/**
 * Puts each part of the host behind its contract, with one time limit and one way to report a
 * failure.
 */
export function connectHost(options: ResolvedOptions): ConnectedHost {
  const { logger, clock, secondFactors, encryptionKeys, passwords } = options
  const eventCounts = createEventCounts()
  const audit = createAudit(options.onEvent, logger, clock, eventCounts)
  const onFailure = (failure: HostFailure) => audit({ type: 'host.failed', ...failure }, noRequest)
  const call = createHostCall(options.storeTimeout, onFailure)
  const sayOnce = createSayOnce(options.hostLogger)
  reportUnready(options.signer, createHostCall(readyTimeoutMs, onFailure))
  // Costs nothing until it is used: its threads start with the first password.
  const ownHasher = bcryptHasher()
  const users = failClosedUsers(options.users, call)
  const ownNames = options.canonicalIdentifier !== undefined
  const hasher = passwords ?? ownHasher
  const admission = createAdmission({
    concurrency: hasher.concurrency ?? availableParallelism(),
    maxWait: options.maxPasswordWait,
    shared: sharedReservations(options, call),
    onRefused: ({ context }, waiting, retryAfter) =>
      audit({ type: 'login.overloaded', waiting, retryAfter }, context),
  })
  return {
    audit,
    eventCounts,
    call,
    sayOnce,
    contexts: createContexts({ clientAddress: options.clientAddress, onFailure, sayOnce }),
    noticeTime: createClockWatch(clock, audit),
    // A host that makes names canonical itself also says which of them are one user's.
    users: ownNames ? users : withExactNames(users, audit),
    noticeSpelling: ownNames ? () => {} : createSpellingWatch(users, clock, audit),
    canonical: createCanonical(options.canonicalIdentifier, call),
    codes: failClosedCodes(options.codes, options.sessions, call),
    sessions: failClosedSessions(options.sessions, call),
    secondFactors:
      secondFactors === undefined
        ? null
        : {
            store: failClosedSecondFactors(secondFactors, call),
            vault: createSeedVault(encryptionKeys),
          },
    otherFactors: options.otherFactors.map((factor) => failClosedFactor(factor, call)),
    mustHaveFactor: failClosedPolicy(options.secondFactor?.policy, call),
    tickets: options.tickets === undefined ? null : failClosedTickets(options.tickets, call),
    passwords: admittedHasher(
      failClosedHasher(hasher, createHostCall(hashingTimeoutMs, onFailure), onFailure),
      admission,
    ),
    admission,
    close: () => {
      admission.close()
      return ownHasher.close()
    },
  }
}

// With counters of the host's, processes share reservations: a client that comes back after
// Retry-After may reach another process.
function sharedReservations(
  { throttle, encryptionKeys }: ResolvedOptions,
  call: HostCall,
): SharedReservations | null {
  if (throttle.limiter === undefined) return null
  const counter = createCounter(throttle, { keyPrefix: 'mar-place', points: 1, duration: 60 }, call)
  return createSharedReservations(counter, createCounterKey(encryptionKeys))
}

// A problem with the keys is reported at the start, not by the first login. The call reports it.
function reportUnready(signer: TokenSigner, call: HostCall): void {
  if (signer.ready === undefined) return
  call('signer.ready', () => signer.ready?.()).catch(() => {})
}
