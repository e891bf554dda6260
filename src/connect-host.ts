import { type Audit, createAudit, noRequest } from './events.js'
import { createHostCall, type HostCall } from './lib/host-call.js'
import { bcryptHasher } from './passwords/bcrypt-hasher.js'
import type { PasswordHasher } from './passwords/contract.js'
import type { ResolvedOptions } from './resolve-options.js'
import type { AuthorizationCodeStore, SecondFactorStore, SessionStore } from './stores/contract.js'
import { failClosedCodes, failClosedSecondFactors, failClosedSessions } from './stores/fail-closed-stores.js'
import { createSeedVault, type SeedVault } from './two-factor/seed-vault.js'
import type { UserStore } from './users/contract.js'
import { failClosedUsers } from './users/fail-closed-users.js'

/** Everything the host supplied, behind its contract: what is not in here is not called. */
export interface ConnectedHost {
  readonly audit: Audit
  readonly call: HostCall
  readonly users: Required<UserStore>
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  /** Null when the host has no second factors. */
  readonly secondFactors: { readonly store: SecondFactorStore; readonly vault: SeedVault } | null
  readonly passwords: PasswordHasher
  /** Ends what was started here, and nothing that the host made. */
  close(): Promise<void>
}

/** Puts each part of the host behind its contract, with one time limit and one way to report a failure. */
export function connectHost(options: ResolvedOptions): ConnectedHost {
  const { logger, clock, secondFactors, encryptionKeys, passwords } = options
  const audit = createAudit(options.onEvent, logger, clock)
  const call = createHostCall(options.storeTimeout, (failure) => {
    logger.error('a part supplied by the host failed; the client was answered 503', failure)
    audit({ type: 'host.failed', ...failure }, noRequest)
  })
  // Costs nothing until it is used: its threads start with the first password.
  const ownHasher = bcryptHasher()
  return {
    audit,
    call,
    users: failClosedUsers(options.users, call),
    codes: failClosedCodes(options.codes, call),
    sessions: failClosedSessions(options.sessions, call),
    secondFactors:
      secondFactors === undefined
        ? null
        : { store: failClosedSecondFactors(secondFactors, call), vault: createSeedVault(encryptionKeys) },
    passwords: passwords ?? ownHasher,
    close: () => ownHasher.close(),
  }
}
