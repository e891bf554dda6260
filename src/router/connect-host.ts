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
import { type Audit, type EventObserver, noRequest, type ObserveEvents } from '../audit/events.js'
import { type Contexts, createContexts } from '../http/request-context.js'
import { createWarnOnce, type WarnOnce } from '../http/warn-once.js'
import { forgetRejection } from '../lib/forget-rejection.js'
import { createHostCall, type HostCall, type HostFailure } from '../lib/host-call.js'
import { createTracing, createWatch, unwatched, type Watch, type Watching } from '../lib/watch.js'
import { createCanonical, withExactNames } from '../login/identifier.js'
import { createSpellingWatch, type NoticeSpelling } from '../login/spelling-watch.js'
import { bcryptHasher } from '../passwords/bcrypt-hasher.js'
import type { PasswordHasher } from '../passwords/contract.js'
import { failClosedHasher } from '../passwords/fail-closed-hasher.js'
import type { TokenSigner } from '../signers/contract.js'
import type { SessionRecord, SessionStore } from '../stores/contract.js'
import type { DeviceCodeStore } from '../stores/device-code-contract.js'
import { failClosedDeviceCodes } from '../stores/fail-closed-device-codes.js'
import { failClosedIdentities } from '../stores/fail-closed-identities.js'
import { failClosedProofs } from '../stores/fail-closed-proofs.js'
import {
  failClosedCodes,
  failClosedInsert,
  failClosedSecondFactors,
  failClosedSessions,
  failClosedTickets,
  type RedeemableCodes,
} from '../stores/fail-closed-stores.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { ProofStore } from '../stores/proof-contract.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import { createAsk } from '../throttle/counter.js'
import { createCounterKey } from '../throttle/counter-keys.js'
import { createCounter } from '../throttle/limiter-counter.js'
import { createSharedReservations } from '../throttle/shared-reservations.js'
import { failClosedFactor, failClosedPolicy } from '../two-factor/fail-closed-factors.js'
import type { CodeFactor, OwnTotp } from '../two-factor/second-factor.js'
import { createSeedVault } from '../two-factor/seed-vault.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import { failClosedUsers } from '../users/fail-closed-users.js'
import { type CountCalls, createCallCounts } from './call-counts.js'
import type { ResolvedOptions } from './resolve-options.js'

/** All parts of the host, wrapped by their contracts. The router calls no other part. */
export interface ConnectedHost {
  readonly audit: Audit
  readonly observeEvents: ObserveEvents
  readonly eventCounts: EventCounts
  /** Measures what is no call of the host's: a request to another server. */
  readonly watch: Watch
  /** Only traces: for a request of ours, which is no call. */
  readonly trace: Watch
  readonly calls: CountCalls['calls']
  readonly call: HostCall
  /** With a time limit for requests to other servers. */
  readonly callProvider: HostCall
  readonly warnOnce: WarnOnce
  /** Address, user agent and id of a request. */
  readonly contexts: Contexts
  /** Call it with every time that was read from a store. */
  readonly noticeTime: NoticeTime
  readonly users: UserStore
  /** Call it for logins that found no user. */
  readonly noticeSpelling: NoticeSpelling
  /** The canonical form of an identifier, for lookup and counting. */
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly codeStore: RedeemableCodes
  readonly sessionStore: SessionStore
  /** Stores a session unless its id is taken; whether it did. */
  readonly createUnlessThere: (session: SessionRecord) => Promise<boolean>
  /** Undefined if the host has no store of second factors. */
  readonly totp: OwnTotp | undefined
  readonly otherFactors: readonly CodeFactor[]
  /** Whether a user must have a second factor. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  /** Undefined if the host has no store of tickets. */
  readonly ticketStore: SocketTicketStore | undefined
  /** Undefined if the host has no store of proofs. */
  readonly proofStore: ProofStore | undefined
  /** Undefined if the host has no store of identities. */
  readonly identities: IdentityStore | undefined
  /** Undefined if the host has no store of device codes. */
  readonly deviceCodes: DeviceCodeStore | undefined
  readonly hasher: AdmittedHasher
  /** The queue in front of the hasher. */
  readonly admission: Admission
  /** Ends the router's own resources, not those of the host. */
  closeHost(): Promise<void>
}

/** Time limit for one password, without the wait in the queue. */
const hashingTimeoutMs = 30_000
/** Time limit for the signer to be ready: it may have to make its first key. */
const readyTimeoutMs = 30_000
/** Time limit for a provider: it may ask its server three times. */
const providerTimeoutMs = 15_000

/**
 * Wraps each part of the host by its contract, with one time limit and one way to report failures.
 */
export function connectHost(options: ResolvedOptions): ConnectedHost {
  const { logger, clock, secondFactors, encryptionKeys, passwords } = options
  const eventCounts = createEventCounts()
  const observers: EventObserver[] = []
  const audit = createAudit(options.onEvent, logger, clock, eventCounts, observers)
  const { onFailure, callWithin, ...watching } = watchCalls(options, audit)
  const call = callWithin(options.storeTimeout)
  const warnOnce = createWarnOnce(options.hostLogger)
  reportUnready(options.signer, callWithin(readyTimeoutMs))
  const users = failClosedUsers(options.users, call)
  const ownNames = options.canonicalIdentifier !== undefined
  const { given, closeHasher } = connectHasher(passwords)
  const admission = createAdmission({
    concurrency: given.concurrency ?? availableParallelism(),
    maxWait: options.maxPasswordWait,
    shared: sharedReservations(options, call),
    onRefused: ({ context }, waiting, retryAfter) =>
      audit({ type: 'login.overloaded', waiting, retryAfter }, context),
  })
  return {
    audit,
    observeEvents: (observer) => void observers.push(observer),
    eventCounts,
    ...watching,
    call,
    callProvider: callWithin(providerTimeoutMs),
    warnOnce,
    contexts: createContexts({
      clientAddress: options.clientAddress,
      requestId: options.requestId,
      onFailure,
      warnOnce,
    }),
    noticeTime: createClockWatch(clock, audit),
    // A host with its own canonical form also decides which names belong to one user.
    users: ownNames ? users : withExactNames(users, audit),
    noticeSpelling: ownNames ? () => {} : createSpellingWatch(users, clock, audit),
    canonical: createCanonical(options.canonicalIdentifier, call),
    ...connectStores(options, call),
    totp: secondFactors && {
      store: failClosedSecondFactors(secondFactors, call),
      vault: createSeedVault(encryptionKeys),
    },
    otherFactors: options.otherFactors.map((factor) => failClosedFactor(factor, call)),
    mustHaveFactor: failClosedPolicy(options.secondFactor?.policy, call),
    hasher: admittedHasher(
      failClosedHasher(given, callWithin(hashingTimeoutMs), onFailure),
      admission,
    ),
    admission,
    closeHost: () => {
      admission.close()
      return closeHasher()
    },
  }
}

// Every call is counted, traced and reported in the same way.
function watchCalls({ trace: ofHost }: ResolvedOptions, audit: Audit) {
  const { onDone, calls } = createCallCounts()
  const trace = createTracing(ofHost)
  const measured = createWatch(onDone, trace)
  const watching: Watching = { watch: ofHost === undefined ? unwatched : measured }
  const watch: Watch = (operation, work) => watching.watch(operation, work)
  const onFailure = (failure: HostFailure) => audit({ type: 'host.failed', ...failure }, noRequest)
  const callWithin = (timeoutMs: number) => createHostCall(timeoutMs, onFailure, watching)
  const measuredCalls = () => {
    // From the first question on: a host that never asks does not pay for it.
    watching.watch = measured
    return calls()
  }
  return { trace, watch, calls: measuredCalls, onFailure, callWithin }
}

type ConnectedStores = Pick<
  ConnectedHost,
  | 'codeStore'
  | 'sessionStore'
  | 'createUnlessThere'
  | 'ticketStore'
  | 'proofStore'
  | 'identities'
  | 'deviceCodes'
>

function connectStores(
  { codes, sessions, tickets, proofs, identities, deviceCodes }: ResolvedOptions,
  call: HostCall,
): ConnectedStores {
  return {
    codeStore: failClosedCodes(codes, sessions, call),
    sessionStore: failClosedSessions(sessions, call),
    createUnlessThere: failClosedInsert(sessions, call),
    ticketStore: tickets && failClosedTickets(tickets, call),
    proofStore: proofs && failClosedProofs(proofs, call),
    identities: identities && failClosedIdentities(identities, call),
    deviceCodes: deviceCodes && failClosedDeviceCodes(deviceCodes, call),
  }
}

/** A delay, so that a short script starts no threads. */
const prepareAfterMs = 100

function connectHasher(passwords: PasswordHasher | undefined) {
  // Starts no threads until it is used or prepared.
  const ownHasher = bcryptHasher()
  const given = passwords ?? ownHasher
  const preparing = setTimeout(() => prepare(given), prepareAfterMs).unref()
  const closeHasher = () => {
    clearTimeout(preparing)
    return ownHasher.close()
  }
  return { given, closeHasher }
}

// Before the first password: on a busy machine, during a deployment for example, its client would
// wait for threads to start and give up.
function prepare(hasher: PasswordHasher): void {
  try {
    forgetRejection(hasher.prepare?.())
  } catch {
    // The first password runs into the error again.
  }
}

// With counters of the host, processes share reservations: after Retry-After a client may reach
// another process.
function sharedReservations(
  { throttle, encryptionKeys }: ResolvedOptions,
  call: HostCall,
): SharedReservations | undefined {
  if (throttle.limiter === undefined) return undefined
  const counter = createCounter(throttle, { keyPrefix: 'mar-place', points: 1, duration: 60 })
  return createSharedReservations(counter, createCounterKey(encryptionKeys), createAsk(call))
}

// Reports a problem with the keys at the start, not at the first login. The call reports it.
function reportUnready(signer: TokenSigner, call: HostCall): void {
  if (signer.ready === undefined) return
  call('signer.ready', () => signer.ready?.()).catch(() => {})
}
