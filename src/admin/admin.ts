import { setImmediate } from 'node:timers/promises'
import { type UnlockOptions, unlock } from '../account/account.js'
import { type SecondFactorsForHost, secondFactorsForHost } from '../account/second-factors.js'
import {
  listSessions,
  type RevokeAllOptions,
  revokeAllForUser,
  revokeSession,
  type SessionsForHost,
} from '../account/sessions-for-host.js'
import { createAudit } from '../audit/audit.js'
import { createEventCounts } from '../audit/event-counts.js'
import { type AuthEvent, noRequest } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import {
  createHostCall,
  type HostFailure,
  otherServerTimeoutMs,
  withTimeout,
} from '../lib/host-call.js'
import { createCanonical, identifierDigests } from '../login/login-request.js'
import {
  createNamedTokensForHost,
  type NamedTokensForHost,
} from '../named-tokens/named-tokens-for-host.js'
import {
  type ClientsForHost,
  createClientsForHost,
  createForgetClient,
} from '../oauth/clients-for-host.js'
import { createScopes } from '../oauth/scopes.js'
import { type PasskeysForHost, passkeysForHost } from '../passkeys/own-passkeys.js'
import { createPasswordWatch } from '../sessions/password-watch.js'
import { createRevocations } from '../sessions/revocations.js'
import { createSessions } from '../sessions/sessions.js'
import type { SessionStore } from '../stores/contract.js'
import {
  failClosedConsents,
  failClosedIdentities,
  failClosedManagedClients,
  failClosedPasskeys,
  failClosedProofs,
  failClosedSecondFactors,
  failClosedSessions,
  failClosedUse,
} from '../stores/fail-closed-stores.js'
import type { RevocationBus } from '../stores/revocation-bus.js'
import type { AuditFound, AuditQuery } from '../stores/sql/sql-audit.js'
import { createThrottle } from '../throttle/throttle.js'
import { createTotpEnrolment } from '../two-factor/enrolment.js'
import { createKeptCodes } from '../two-factor/recovery-codes.js'
import { forgetsBrowsers } from '../two-factor/remembered-browser.js'
import { createSeedVault } from '../two-factor/seed-vault.js'
import type { LoginIdentifier } from '../users/contract.js'
import { type AdminAccounts, createAdminAccounts } from './admin-accounts.js'
import { type AdminDirectories, createAdminDirectories } from './admin-directories.js'
import {
  type AdminKeys,
  createAdminKeys,
  createReseal,
  createSealed,
  type SealedWith,
} from './admin-keys.js'
import {
  type AdminOptions,
  type CheckedAdminOptions,
  checkAdminOptions,
  without,
} from './admin-options.js'

export type { AdminAccounts } from './admin-accounts.js'
export type {
  AdminDirectories,
  AdminDirectoryCheck,
  AdminDirectoryLook,
} from './admin-directories.js'
export type { AdminKey, AdminKeys, RotateKeysOptions, SealedWith } from './admin-keys.js'
export type {
  AdminEventSink,
  AdminFile,
  AdminOAuth,
  AdminOptions,
  AdminStores,
  AdminUsers,
} from './admin-options.js'

/**
 * The methods of the router for the host's own code that need neither users nor a signer. Each
 * method works, rejects and reports like the router's method.
 */
export interface Admin {
  readonly sessions: AdminSessions
  readonly namedTokens: Pick<NamedTokensForHost, 'list' | 'revoke'>
  /** Needs `stores.secondFactors`. */
  readonly secondFactors: Pick<SecondFactorsForHost, 'status' | 'reset'>
  /** Needs `stores.passkeys`. */
  readonly passkeys: PasskeysForHost
  /** Needs `users`; invitations need `stores.proofs`. */
  readonly accounts: AdminAccounts
  /** Needs `stores.clients`. */
  readonly clients: ClientsForHost
  /** Needs `keys` or `idTokenKeys`. */
  readonly keys: AdminKeys
  /** Needs `directories`, and `stores.identities`. */
  readonly directories: AdminDirectories
  /** How much is sealed with which of `encryptionKeys`. */
  sealed(): Promise<readonly SealedWith[]>
  /**
   * Seals all of that anew with the first of `encryptionKeys`, which every server must know by now,
   * but for keys in files. Resolves with the result of `sealed` afterwards. It may be repeated.
   */
  reseal(): Promise<readonly SealedWith[]>
  /** `auth.unlockLogin`, with the id of the user whose name it is. Needs `throttle.limiter`. */
  unlockLogin(identifier: LoginIdentifier, options?: AdminUnlockOptions): Promise<void>
  /** The events that fit, the newest first. Needs `sqlAudit` as `onEvent`. */
  audit(query: AuditQuery): Promise<AuditFound>
  /**
   * Resolves when `onEvent` has taken all events, or `storeTimeout` is over: with the number of
   * events that it has not taken, which is all of them without `onEvent`. Connections that the host
   * has opened stay open.
   */
  close(): Promise<number>
}

/** The sessions of users. */
export interface AdminSessions extends Pick<SessionsForHost, 'list' | 'revoke'> {
  /** `auth.sessions.revokeAllForUser`; passkeys stay, since which are to go depends on the user. */
  revokeAllForUser(userId: string, options?: Omit<RevokeAllOptions, 'passkeys'>): Promise<number>
  /**
   * Deletes the sessions of everybody, and codes that would open sessions. Returns the number of
   * sessions, with ended sessions that are still kept: 0 for a store that does not purge, such as
   * Redis. Servers notice in 5 seconds. Raises no event.
   */
  deleteAll(): Promise<number>
}

/** Which further limits are reset, and by whom. */
export interface AdminUnlockOptions extends UnlockOptions {
  /** The user with the identifier, whose limits are reset as well. Default: nobody. */
  readonly userId?: string
}

/**
 * The router's management without a server, for a terminal or a script. Its changes reach running
 * servers over the stores and, at once, over the bus.
 *
 * An app is not told over the back channel of a session that ends here: that takes a signature.
 *
 * @throws AuthConfigError for options that are missing, unknown or wrong
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import { adminOf } from 'messaging-auth-router/admin'
 * import { sqlAudit, sqlStores } from 'messaging-auth-router/stores/sql'
 *
 * export async function signOut(kysely: Kysely<object>, userId: string) {
 *   const onEvent = sqlAudit(kysely)
 *   const admin = adminOf({ stores: sqlStores(kysely), onEvent })
 *   const ended = await admin.sessions.revokeAllForUser(userId, { by: 'support:ada' })
 *   await admin.close()
 *   return ended
 * }
 * ```
 */
export function adminOf(given: AdminOptions): Admin {
  const options = checkAdminOptions(given)
  const kit = createAdminKit(options)
  const { keys, idTokenKeys, onEvent } = options
  const { totp } = kit
  const sealed = createSealed(options, kit)
  return {
    ...manageSessions(kit),
    secondFactors: totp === undefined ? without('secondFactors') : resetting(kit, totp),
    passkeys: managePasskeys(kit),
    accounts: createAdminAccounts(options, kit),
    clients: manageClients(options, kit),
    keys: createAdminKeys(options, kit),
    directories: createAdminDirectories(options, kit),
    sealed,
    reseal: createReseal([keys, idTokenKeys], totp, sealed),
    unlockLogin: unlocking(options, kit),
    async audit(query) {
      if (typeof onEvent?.find === 'function') return onEvent.find(query)
      throw new AuthConfigError('onEvent', 'keeps nothing to be read.', 'pass sqlAudit(kysely).')
    },
    close: kit.delivered,
  }
}

type AdminKit = ReturnType<typeof createAdminKit>

function createAdminKit(options: CheckedAdminOptions) {
  const { stores, bus, clock, logger, throttle, encryptionKeys, storeTimeout } = options
  const { sink, delivered } = deliveries(options)
  const audit = createAudit(sink, logger, clock, createEventCounts(), [])
  const onFailure = (failure: HostFailure) => audit({ type: 'host.failed', ...failure }, noRequest)
  const call = createHostCall(storeTimeout, onFailure)
  const revocations = createRevocations(bus && onlyTelling(bus), call, storeTimeout)
  const store = failClosedSessions(stores.sessions, call)
  const { secondFactors } = stores
  const proofStore = stores.proofs && failClosedProofs(stores.proofs, call)
  const shared = { clock, encryptionKeys, audit, call, revocations, stores }
  const limits = createThrottle({
    options: throttle,
    encryptionKeys,
    // A network becomes known by a sign-in.
    knownFor: 1,
    reportsNetworks: false,
    logger,
    call,
    audit,
  })
  return {
    ...shared,
    callProvider: createHostCall(otherServerTimeoutMs, onFailure),
    delivered,
    sessions: createSessions({
      ...shared,
      store,
      useSession: failClosedUse(stores.sessions, call),
      opensChildren: store.endChildren !== undefined,
      // Whether the servers remember browsers is unknown here.
      forgetBrowsers: proofStore && forgetsBrowsers(proofStore, clock),
      ...opensNone,
    }),
    throttle: limits,
    knownNetworks: limits.knownNetworks,
    removeWaysIn: refuse,
    canonical: createCanonical(options.canonicalIdentifier, call),
    digestIdentifier: identifierDigests(encryptionKeys),
    proofStore,
    identities: stores.identities && failClosedIdentities(stores.identities, call),
    passkeyStore: stores.passkeys && failClosedPasskeys(stores.passkeys, call),
    consentStore: stores.consents && failClosedConsents(stores.consents, call),
    totp: secondFactors && {
      store: failClosedSecondFactors(secondFactors, call),
      // Seals and opens nothing here.
      vault: createSeedVault(encryptionKeys),
      totpIssuer: '',
    },
  }
}

// Only a sign-in needs these values, and nothing here signs anybody in.
const opensNone = {
  lifetimes: { sessionIdle: 0, sessionAbsolute: 0 },
  maxSessionsPerUser: 0,
  passwordWatch: createPasswordWatch(false, () => {}),
  createUnlessThere: refuse,
  redeem: refuse,
  noticeTime() {},
  noticeUse() {},
}

async function refuse(): Promise<never> {
  throw new AuthConfigError(
    'adminOf',
    'knows no users and signs nothing.',
    'call the same function of the router, in the server.',
  )
}

// Nothing here is cached, so nobody listens.
function onlyTelling(bus: RevocationBus): RevocationBus {
  return { publish: (message) => bus.publish(message), subscribe: async () => async () => {} }
}

function deliveries({ onEvent, storeTimeout }: CheckedAdminOptions) {
  const waiting = new Set<Promise<void>>()
  let lost = 0
  const sink = async (event: AuthEvent) => {
    lost += 1
    if (onEvent === undefined) return
    const taking = Promise.resolve(onEvent(event))
    waiting.add(taking)
    await taking.finally(() => waiting.delete(taking))
    lost -= 1
  }
  return {
    sink,
    async delivered() {
      // An event is handed over a little later than it is raised.
      await setImmediate()
      const all = () => Promise.allSettled(waiting)
      await withTimeout(all, storeTimeout).catch(() => {})
      return lost
    },
  }
}

function manageSessions(kit: AdminKit): Pick<Admin, 'sessions' | 'namedTokens'> {
  const { stores } = kit
  const tokens = createNamedTokensForHost(kit.sessions, kit.clock, refuse)
  return {
    sessions: {
      list: (userId) => listSessions(kit, () => 0, userId),
      revoke: (sessionId, options) => revokeSession(kit, sessionId, options),
      revokeAllForUser: (userId, options) => revokeAllForUser(kit, userId, options),
      async deleteAll() {
        let deleted = 0
        // Codes, tickets and device codes go before the sessions: they would open sessions again.
        for (const name of ['codes', 'tickets', 'deviceCodes', 'sessions'] as const)
          deleted = await emptied(name, stores[name], kit)
        return deleted
      },
    },
    namedTokens: { list: tokens.list, revoke: tokens.revoke },
  }
}

// All rows are over at the end of time. They are deleted in turns, since a call has its time limit.
async function emptied(
  name: string,
  store: Pick<SessionStore, 'purge'> | undefined,
  { call }: Pick<AdminKit, 'call'>,
): Promise<number> {
  const atOnce = 500
  for (let all = 0; ; ) {
    const some = await call(`${name}.purge`, () => store?.purge(new Date(8.64e15), atOnce) ?? 0)
    all += some
    if (some < atOnce) return all
  }
}

function resetting(kit: AdminKit, totp: NonNullable<AdminKit['totp']>): Admin['secondFactors'] {
  const enrolment = createTotpEnrolment({ ...kit, ...totp })
  const { status, reset } = secondFactorsForHost({ ...kit, enrolment })
  return { status, reset }
}

function managePasskeys(kit: AdminKit): PasskeysForHost {
  const { passkeyStore } = kit
  if (passkeyStore === undefined) return without('passkeys')
  const keptCodes = createKeptCodes(kit.totp?.store)
  return passkeysForHost({ ...kit, passkeyStore, keptCodes })
}

function manageClients(options: CheckedAdminOptions, kit: AdminKit): ClientsForHost {
  const { clients } = options.stores
  if (clients === undefined) return without('clients')
  const { audience = '', baseUrl = '', scopes } = options.oauth
  const managedClients = failClosedManagedClients(clients, kit.call)
  const forgetClient = createForgetClient({ forget() {} }, kit.revocations)
  return createClientsForHost({
    ...kit,
    managedClients,
    forgetClient,
    idTokenAlgorithms: idTokenAlgorithmsOf(options),
    ownResource: audience,
    webOnLoopback: baseUrl.startsWith('http:'),
    knownScopes: createScopes(scopes === undefined ? {} : { scopes }, true).known,
  })
}

// Without a ring nothing is known of the signer: a client that does not fit is refused by servers.
function idTokenAlgorithmsOf({ keys, idTokenKeys }: CheckedAdminOptions) {
  if (keys === undefined && idTokenKeys === undefined) return ['ES256', 'RS256'] as const
  const ofKeys = keys?.algorithm === 'ES256' ? (['ES256'] as const) : []
  return idTokenKeys === undefined ? ofKeys : ([...ofKeys, 'RS256'] as const)
}

function unlocking(options: CheckedAdminOptions, kit: AdminKit): Admin['unlockLogin'] {
  return async function unlockLogin(identifier, asked) {
    if (options.throttle.limiter === undefined)
      throw new AuthConfigError(
        'throttle.limiter',
        'is missing: the counters are in the memory of each server.',
        'pass the throttle of the router; without a limiter call auth.unlockLogin in each server.',
      )
    const { userId = null, ...others } = asked ?? {}
    await unlock(kit, identifier, async () => userId, others)
  }
}
