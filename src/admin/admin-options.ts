import type { EventSink } from '../audit/events.js'
import {
  type CheckedDirectoriesOptions,
  checkDirectoriesOptions,
  type DirectoriesOptions,
} from '../directory-sign-in/directories-options.js'
import { AuthConfigError } from '../errors.js'
import {
  anObject,
  callable,
  checkOptions,
  clockRow,
  type Filled,
  fitting,
  isObject,
  optionsOf,
  ownMembers,
  storeTimeoutRow,
  withMethods,
} from '../lib/check-options.js'
import { type Logger, silentLogger } from '../lib/logger.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/secrets.js'
import type { CanonicalIdentifier } from '../login/login-request.js'
import type { OAuthOptions } from '../oauth/oauth-options.js'
import type { PasswordHasher } from '../passwords/contract.js'
import type { KeyRing } from '../signers/contract.js'
import type { ConsentStore, ManagedClientStore } from '../stores/client-contract.js'
import type { Migrations, SessionStore } from '../stores/contract.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { ProofStore } from '../stores/one-time-contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { RevocationBus } from '../stores/revocation-bus.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { AuditFound, AuditQuery } from '../stores/sql/sql-audit.js'
import type { ThrottleOptions } from '../throttle/limits.js'
import type { UserStore } from '../users/contract.js'

/**
 * What `sqlStores`, `sqlOAuthStores`, `sqlPasskeyStore` and `redisStores` make, in one object; what
 * else is in it is not used. A call that needs one that is missing says which.
 */
export interface AdminStores {
  readonly sessions: SessionStore
  readonly secondFactors?: SecondFactorStore
  readonly passkeys?: PasskeyStore
  /** The register of apps. */
  readonly clients?: ManagedClientStore
  /** Invitations, and what else waits for a code or a link. */
  readonly proofs?: ProofStore
  readonly identities?: IdentityStore
  readonly consents?: ConsentStore
  readonly codes?: Purged
  readonly tickets?: Purged
  readonly deviceCodes?: Purged
}

type Purged = Pick<SessionStore, 'purge'>

/** What only your own code can do to your users. */
export interface AdminUsers
  extends Pick<UserStore, 'delete' | 'requirePasswordChange'>,
    Partial<Pick<UserStore, 'findById'>> {
  /** Makes `disabled` true for this user. */
  disable?(userId: string): Promise<void>
}

/** What a client is checked against when it is registered. */
export interface AdminOAuth extends Partial<Pick<OAuthOptions, 'scopes' | 'baseUrl'>> {
  /** `audience` of the signer. */
  readonly audience?: string
}

/** Takes events, as the option `onEvent` of the router; `sqlAudit` also reads them. */
export interface AdminEventSink extends EventSink {
  find?(query: AuditQuery): Promise<AuditFound>
}

/** The options of {@link adminOf}: the same parts as those of the running servers. */
export interface AdminOptions {
  readonly stores: AdminStores
  /**
   * For `accounts`: `delete`, `findById` and `requirePasswordChange` of the router's users, and
   * `disable`.
   */
  readonly users?: AdminUsers
  /** For temporary passwords: that of the router, or `bcryptHasher()`. */
  readonly passwords?: PasswordHasher
  /** Without it, servers notice the end of a session within 5 seconds. */
  readonly bus?: RevocationBus
  /** The ring of access tokens. */
  readonly keys?: KeyRing
  /** The ring of RS256 keys. */
  readonly idTokenKeys?: KeyRing
  /** Name what is sealed, and digest the names of counters. */
  readonly encryptionKeys?: readonly (string | undefined)[]
  /** With `limiter`: counters in the memory of a server are out of reach. */
  readonly throttle?: ThrottleOptions
  /** If the router has it. */
  readonly canonicalIdentifier?: CanonicalIdentifier
  readonly oauth?: AdminOAuth
  /** That of the router, of which `list` and `allowed` are used; it needs `stores.identities`. */
  readonly directories?: DirectoriesOptions
  /** Receives an event for each change, with `actor`. Default: none is kept. */
  readonly onEvent?: AdminEventSink
  /** Receives the same events, and failures. Default: silent. */
  readonly logger?: Logger
  /** Milliseconds before a call of a store counts as failed, 10-60000. Default 5000. */
  readonly storeTimeout?: number
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: () => Date
}

/** The default export of `auth-admin.mjs`, or what it resolves with if it is a function. */
export interface AdminFile extends AdminOptions {
  /** For `migrate`: `sqlMigrations(kysely)`. */
  readonly migrations?: Migrations
  /** Closes what the file has opened. */
  close?(): Promise<void>
}

/** The checked options. */
export interface CheckedAdminOptions
  extends Filled<
    Omit<AdminOptions, 'encryptionKeys' | 'directories'>,
    'bus' | 'passwords' | 'keys' | 'idTokenKeys' | 'canonicalIdentifier' | 'onEvent'
  > {
  readonly encryptionKeys: readonly Buffer[]
  readonly directories: CheckedDirectoriesOptions | undefined
}

const hasSessions = (value: unknown) =>
  isObject(value) && isObject((value as Partial<AdminStores>).sessions)
const ring = withMethods<KeyRing>('list', 'rotate', 'retire').optional()

const rules = {
  factory: 'adminOf',
  schema: optionsOf({
    stores: fitting<AdminStores>(hasSessions, 'has no sessions.'),
    users: anObject<AdminUsers>('is not an object.').default({}),
    passwords: withMethods<PasswordHasher>('hash').optional(),
    bus: withMethods<RevocationBus>('publish').optional(),
    keys: ring,
    idTokenKeys: ring,
    encryptionKeys: fitting<readonly unknown[]>(Array.isArray, 'is not a list.').default([]),
    throttle: anObject<ThrottleOptions>('is not an object.').default({}),
    canonicalIdentifier: callable<CanonicalIdentifier>().optional(),
    oauth: anObject<AdminOAuth>('is not an object.').default({}),
    directories: anObject<DirectoriesOptions>('is not an object.').optional(),
    onEvent: callable<AdminEventSink>().optional(),
    logger: withMethods<Logger>('debug', 'info', 'warn', 'error').default(silentLogger),
    storeTimeout: storeTimeoutRow.default(5000),
    clock: clockRow,
  }),
  remedies: {
    stores: 'pass { ...sqlStores(kysely), ...sqlOAuthStores(kysely) }, or those that you use.',
    keys: 'pass the ring of the signer; the key store of sqlStores belongs into stores.',
    encryptionKeys: encryptionKeyRemedy,
  },
}

/** @throws AuthConfigError as the router does */
export function checkAdminOptions(given: AdminOptions): CheckedAdminOptions {
  const checked = checkOptions(rules, given)
  return {
    ...checked,
    stores: ownMembers(checked.stores),
    throttle: ownMembers(checked.throttle),
    oauth: ownMembers(checked.oauth),
    directories: checked.directories && checkDirectoriesOptions(checked.directories),
    encryptionKeys: decodeEncryptionKeys(checked.encryptionKeys, 'adminOf.encryptionKeys'),
  }
}

/** A part whose store is missing: each of its methods says so. */
export function without<Part extends object>(store: string): Part {
  const refuse = async () => {
    throw new AuthConfigError(
      `stores.${store}`,
      'is missing.',
      `pass the store that the servers have as ${store}.`,
    )
  }
  return new Proxy({} as Part, { get: () => refuse })
}
