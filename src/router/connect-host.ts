import { availableParallelism } from 'node:os'
import { type Admission, admittedHasher, createAdmission } from '../admission/admission.js'
import type { SharedReservations } from '../admission/reservations.js'
import { createAudit, createClockWatch, createSpellingWatch } from '../audit/audit.js'
import { createEventCounts, type EventCounts } from '../audit/event-counts.js'
import { type Audit, type EventObserver, noRequest } from '../audit/events.js'
import { createContexts } from '../http/request-context.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { forgetRejection } from '../lib/async.js'
import {
  createHostCall,
  type HostCall,
  type HostFailure,
  otherServerTimeoutMs,
} from '../lib/host-call.js'
import { loadOnce } from '../lib/load-once.js'
import { createWarnOnce, silentLogger } from '../lib/logger.js'
import { createTracing, createWatch, unwatched, type Watch, type Watching } from '../lib/watch.js'
import { createCanonical, withExactNames } from '../login/login-request.js'
import { bcryptHasher } from '../passwords/bcrypt-hasher.js'
import type { PasswordHasher } from '../passwords/contract.js'
import { failClosedHasher } from '../passwords/fail-closed-hasher.js'
import type { TokenSigner } from '../signers/contract.js'
import {
  failClosedCodes,
  failClosedDeviceCodes,
  failClosedIdentities,
  failClosedInsert,
  failClosedProofs,
  failClosedSecondFactors,
  failClosedSessions,
  failClosedTickets,
  failClosedUse,
} from '../stores/fail-closed-stores.js'
import { createAsk, createCounter } from '../throttle/counter.js'
import { createCounterKey } from '../throttle/counter-keys.js'
import { createSharedReservations } from '../throttle/shared-reservations.js'
import { type CodeFactor, failClosedFactor, failClosedPolicy } from '../two-factor/second-factor.js'
import { createSeedVault } from '../two-factor/seed-vault.js'
import type { UserStore } from '../users/contract.js'
import { failClosedUsers } from '../users/fail-closed-users.js'
import { type CountCalls, createCallCounts } from './counts.js'
import type { ResolvedOptions } from './option-schema.js'

/** All parts of the host, wrapped by their contracts. The router calls no other part. */
export interface ConnectedHost
  extends Omit<GroundKit, 'clock' | 'signer' | 'encryptionKeys' | 'totpIssuer'>,
    Pick<SignInKit, 'contexts' | 'hasher' | 'totp' | 'noticeSpelling'> {
  readonly eventCounts: EventCounts
  readonly calls: CountCalls['calls']
  readonly otherFactors: readonly CodeFactor[]
  /** The queue in front of the hasher. */
  readonly admission: Admission
  /** Ends the router's own resources, not those of the host. */
  closeHost(): Promise<void>
}

/** Time limit for one password, without the wait in the queue. */
const hashingTimeoutMs = 30_000
/** Time limit for the signer to be ready: it may have to make its first key. */
const readyTimeoutMs = 30_000

/**
 * Wraps each part of the host by its contract, with one time limit and one way to report failures.
 */
export function connectHost(options: ResolvedOptions): ConnectedHost {
  const { logger = silentLogger, clock, secondFactors, encryptionKeys, passwords } = options
  const eventCounts = createEventCounts()
  const observers: EventObserver[] = []
  const audit = createAudit(options.onEvent, logger, clock, eventCounts, observers)
  const { onFailure, callWithin, ...watching } = watchCalls(options, audit)
  const call = callWithin(options.storeTimeout)
  const warnOnce = createWarnOnce(options.logger)
  reportUnready(options.signer, callWithin(readyTimeoutMs))
  const numberIn = numbersOf(options)
  const users = withoutNumbers(failClosedUsers(options.users, call), numberIn)
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
    callProvider: callWithin(otherServerTimeoutMs),
    warnOnce,
    contexts: createContexts({
      clientAddress: options.clientAddress,
      requestId: options.requestId,
      onFailure,
      warnOnce,
    }),
    noticeTime: createClockWatch(audit),
    // A host with its own canonical form also decides which names belong to one user.
    users: ownNames ? users : withExactNames(users, audit),
    noticeSpelling: ownNames ? () => {} : createSpellingWatch(users, clock, audit),
    canonical: createCanonical(options.canonicalIdentifier, call, numberIn),
    ...connectStores(options, call),
    totp: secondFactors && {
      store: failClosedSecondFactors(secondFactors, call),
      vault: createSeedVault(encryptionKeys),
    },
    otherFactors: options.otherFactors.map((factor) => failClosedFactor(factor, call)),
    ...failClosedPolicy(options.secondFactor?.policy, call),
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

// A login takes a number in any spelling.
function numbersOf({ accounts }: ResolvedOptions) {
  const { countries } = accounts?.phones ?? {}
  if (countries === undefined) return undefined
  const load = loadOnce(async () => {
    const { createNumberIn } = await import('../accounts/phones/phone-numbers.js')
    return createNumberIn(countries)
  })
  return async (typed: string) => (await load())(typed)
}

// Nobody registers the number of somebody else as a name: it would lead to two users.
function withoutNumbers(users: UserStore, numberIn: ReturnType<typeof numbersOf>): UserStore {
  const { nameIsFree } = users
  if (nameIsFree === undefined || numberIn === undefined) return users
  return {
    ...users,
    nameIsFree: async (name) => (await numberIn(name)) === null && nameIsFree(name),
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
  | 'useSession'
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
    useSession: failClosedUse(sessions, call),
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
