import { checkOptions, optionsOf, whole } from '../lib/check-options.js'
import type {
  ConsentRecord,
  ConsentStore,
  OAuthClient,
  OpenClientStore,
} from './client-contract.js'
import { boundedTable, checkMemoryIsEnough, copyOf } from './memory-tables.js'
import type { OnceStore } from './one-time-contract.js'
import { checkedScopes, checkedSecretHashes } from './stored-values.js'

/** Options of {@link memoryOAuthStores}. */
export interface MemoryOAuthStoresOptions {
  /**
   * The most used names that are held at a time, of all clients together. A request with a further
   * name is answered with 503, since a forgotten name could be used again. It works again once
   * other names have expired, after six minutes at most. Default 100,000.
   */
  readonly maxOnce?: number
}

const factory = 'memoryOAuthStores'
const rules = { factory, schema: optionsOf({ maxOnce: whole(1).default(100_000) }) }

/** The stores that only apps of others, which sign their users in here, have a use for. */
export interface MemoryOAuthStores {
  /**
   * A register that `auth.clients` changes. It must be named: `...memoryOAuthStores()` leaves it
   * out, so that it replaces no list of clients.
   */
  readonly clients: OpenClientStore
  readonly consents: ConsentStore
  readonly once: OnceStore
}

/**
 * Keeps clients, consents and names that are used once in the memory of this process, as
 * `memoryStores` keeps the rest: for tests and for trying things out. A restart forgets the
 * consents of users, and asks them again.
 *
 * @throws AuthConfigError as `memoryStores` does
 *
 * @example
 * ```ts
 * import { memoryOAuthStores } from 'messaging-auth-router/stores/memory'
 *
 * const { consents, once } = memoryOAuthStores({ maxOnce: 10_000 })
 * ```
 */
export function memoryOAuthStores(options: MemoryOAuthStoresOptions = {}): MemoryOAuthStores {
  const { maxOnce } = checkOptions(rules, options)
  checkMemoryIsEnough(factory)
  const stores = { consents: memoryConsents(), once: memoryOnce(maxOnce) }
  // The member is not enumerable, so a spread does not copy it: behind a list of clients it would
  // replace that list silently.
  return Object.defineProperty(stores, 'clients', { value: memoryClients() }) as MemoryOAuthStores
}

function memoryOnce(maxOnce: number): OnceStore {
  const table = boundedTable<Date>(maxOnce, (expiresAt, now) => expiresAt <= now)
  return {
    async claim(key, expiresAt, now) {
      const noted = table.get(key)
      if (noted !== undefined && noted > now) return { outcome: 'known' }
      table.delete(key)
      table.insert(key, copyOf(expiresAt), now)
      return { outcome: 'claimed' }
    },
    purge: table.purge,
  }
}

function memoryConsents(): ConsentStore {
  const byUser = new Map<string, Map<string, ConsentRecord>>()
  return {
    find: async (userId, clientId) => copyOf(byUser.get(userId)?.get(clientId) ?? null),
    async grant(consent) {
      const { userId, clientId, updatedAt } = consent
      const rows = byUser.get(userId) ?? new Map<string, ConsentRecord>()
      const there = rows.get(clientId) ?? consent
      const scopes = [...new Set([...there.scopes, ...checkedScopes(consent.scopes)])]
      rows.set(clientId, copyOf({ ...there, scopes, updatedAt }))
      byUser.set(userId, rows)
    },
    async revoke(userId, clientId) {
      const rows = byUser.get(userId)
      if (rows?.delete(clientId) !== true) return { outcome: 'unknown' }
      if (rows.size === 0) byUser.delete(userId)
      return { outcome: 'revoked' }
    },
    listForUser: async (userId) =>
      [...(byUser.get(userId)?.values() ?? [])]
        .sort(
          (one, other) =>
            one.grantedAt.getTime() - other.grantedAt.getTime() ||
            byBytes(one.clientId, other.clientId),
        )
        .map((consent) => copyOf(consent)),
  }
}

function memoryClients(): OpenClientStore {
  const rows = new Map<string, OAuthClient>()
  /** Ids of unused clients, and until when each may be. */
  const unused = new Map<string, Date>()
  const purge: OpenClientStore['purge'] = async (now, limit = Number.POSITIVE_INFINITY) => {
    const due = [...unused].filter(([, until]) => until <= now).slice(0, limit)
    for (const [id] of due) {
      unused.delete(id)
      rows.delete(id)
    }
    return due.length
  }
  const keep = ({ secretHashes = [], ...client }: OAuthClient) => {
    const kept = secretHashes.length === 0 ? client : { ...client, secretHashes }
    rows.set(client.id, copyOf(kept))
  }
  const change = (id: string, changed: Partial<OAuthClient>) => {
    const client = rows.get(id)
    if (client !== undefined) keep({ ...client, ...changed })
    return client !== undefined
  }
  return {
    find: async (clientId) => copyOf(rows.get(clientId) ?? null),
    async create(client) {
      if (rows.has(client.id)) return { outcome: 'exists' }
      checkedSecretHashes(client.secretHashes)
      keep(client)
      return { outcome: 'created' }
    },
    async update(client) {
      const there = rows.get(client.id)
      if (there === undefined) return { outcome: 'unknown' }
      const { secretHashes = [], disabled = false } = there
      unused.delete(client.id)
      keep({ ...client, secretHashes, disabled })
      return { outcome: 'updated' }
    },
    async replaceSecrets(clientId, from, to) {
      const secretHashes = checkedSecretHashes(to)
      const isStill = areSame(rows.get(clientId)?.secretHashes ?? [], from)
      const isReplaced = isStill && change(clientId, { secretHashes })
      return { outcome: isReplaced ? 'replaced' : 'superseded' }
    },
    async setDisabled(clientId, disabled) {
      const isOther = (rows.get(clientId)?.disabled ?? false) !== disabled
      const isChanged = isOther && change(clientId, { disabled })
      return { outcome: isChanged ? 'changed' : 'unchanged' }
    },
    async register(client, { most, unusedUntil }, now) {
      await purge(now)
      if (unused.size >= most || rows.has(client.id)) return { outcome: 'full' }
      unused.set(client.id, copyOf(unusedUntil))
      keep(client)
      return { outcome: 'registered' }
    },
    async use(clientId) {
      unused.delete(clientId)
      return { outcome: rows.has(clientId) ? 'used' : 'unknown' }
    },
    purge,
    list: async () =>
      [...rows.values()].sort((one, other) => byBytes(one.id, other.id)).map((row) => copyOf(row)),
  }
}

function areSame(ones: readonly string[], others: readonly string[]): boolean {
  return ones.length === others.length && ones.every((one, index) => one === others[index])
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
