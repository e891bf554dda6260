import { type Audit, createAudit, noRequest } from './events.js'
import { createHostCall, type HostCall, type HostFailure } from './lib/host-call.js'
import { bcryptHasher } from './passwords/bcrypt-hasher.js'
import type { PasswordHasher } from './passwords/contract.js'
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
import type { AuthUser, UserStore } from './users/contract.js'
import { failClosedUsers } from './users/fail-closed-users.js'

/** Everything the host supplied, behind its contract: what is not in here is not called. */
export interface ConnectedHost {
  readonly audit: Audit
  readonly call: HostCall
  readonly users: UserStore
  readonly codes: RedeemableCodes
  readonly sessions: SessionStore
  /** Null when the host keeps no TOTP seeds. */
  readonly secondFactors: { readonly store: SecondFactorStore; readonly vault: SeedVault } | null
  readonly otherFactors: readonly OtherFactor[]
  /** Whether a user must have a second factor. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  /** Null when the host keeps no socket tickets. */
  readonly tickets: SocketTicketStore | null
  readonly passwords: Required<PasswordHasher>
  /** Ends what was started here, and nothing that the host made. */
  close(): Promise<void>
}

/** Milliseconds a password may take, its time in the queue included. */
const hashingTimeout = 30_000

/** Puts each part of the host behind its contract, with one time limit and one way to report a failure. */
export function connectHost(options: ResolvedOptions): ConnectedHost {
  const { logger, clock, secondFactors, encryptionKeys, passwords } = options
  const audit = createAudit(options.onEvent, logger, clock)
  const onFailure = (failure: HostFailure) => audit({ type: 'host.failed', ...failure }, noRequest)
  const call = createHostCall(options.storeTimeout, onFailure)
  // Costs nothing until it is used: its threads start with the first password.
  const ownHasher = bcryptHasher()
  return {
    audit,
    call,
    users: failClosedUsers(options.users, call),
    codes: failClosedCodes(options.codes, options.sessions, call),
    sessions: failClosedSessions(options.sessions, call),
    secondFactors:
      secondFactors === undefined
        ? null
        : { store: failClosedSecondFactors(secondFactors, call), vault: createSeedVault(encryptionKeys) },
    otherFactors: options.otherFactors.map((factor) => failClosedFactor(factor, call)),
    mustHaveFactor: failClosedPolicy(options.secondFactor, call),
    tickets: options.tickets === undefined ? null : failClosedTickets(options.tickets, call),
    passwords: failClosedHasher(passwords ?? ownHasher, createHostCall(hashingTimeout, onFailure), onFailure),
    close: () => ownHasher.close(),
  }
}
