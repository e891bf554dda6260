import type { OAuthClient, OpenClientStore } from '../../../src/index.js'
import { awaited, collation, withClients } from './helpers.js'

/** A good store over rows that its changes may write as they like. */
function clientRows(
  change: (rows: Map<string, OAuthClient>, good: OpenClientStore) => Partial<OpenClientStore>,
) {
  return withClients((good) => {
    const rows = new Map<string, OAuthClient>()
    const kept: OpenClientStore = {
      ...good,
      find: async (id) => structuredClone(rows.get(id) ?? null),
      async create(client, now) {
        const answer = await good.create(client, now)
        if (answer.outcome === 'created') rows.set(client.id, structuredClone(client))
        return answer
      },
      async update(client) {
        const there = rows.get(client.id)
        if (there === undefined) return { outcome: 'unknown' }
        const { secretHashes = [], disabled = false } = there
        rows.set(client.id, structuredClone(withSecrets({ ...client, disabled }, secretHashes)))
        return { outcome: 'updated' }
      },
      async replaceSecrets(id, from, to) {
        const client = rows.get(id)
        if (client === undefined || String(client.secretHashes ?? []) !== String(from))
          return { outcome: 'superseded' }
        rows.set(id, withSecrets(client, to))
        return { outcome: 'replaced' }
      },
      async setDisabled(id, disabled) {
        const client = rows.get(id)
        if (client === undefined || (client.disabled ?? false) === disabled)
          return { outcome: 'unchanged' }
        rows.set(id, { ...client, disabled })
        return { outcome: 'changed' }
      },
      list: async () =>
        [...rows.values()]
          .sort((one, other) => (one.id < other.id ? -1 : 1))
          .map((row) => structuredClone(row)),
    }
    return { ...kept, ...change(rows, kept) }
  })
}

function withSecrets(
  { secretHashes: _before, ...client }: OAuthClient,
  hashes: readonly string[],
): OAuthClient {
  return hashes.length === 0 ? client : { ...client, secretHashes: [...hashes] }
}

/** Registers of clients that are wrong in one respect each. */
export const badClients = {
  'clients: create as an upsert': clientRows((rows) => ({
    async create(client) {
      rows.set(client.id, structuredClone(client))
      return { outcome: 'created' }
    },
  })),
  'clients: create reads, then writes': clientRows((rows) => ({
    async create(client) {
      const isThere = rows.has(client.id)
      await awaited()
      if (isThere) return { outcome: 'exists' }
      rows.set(client.id, structuredClone(client))
      return { outcome: 'created' }
    },
  })),
  'clients: create keeps what it has columns for': clientRows((_rows, good) => ({
    create({ jwks: _jwks, ...client }, now) {
      return good.create(client, now)
    },
  })),
  'clients: update writes the whole row': clientRows((rows) => ({
    async update(client) {
      if (!rows.has(client.id)) return { outcome: 'unknown' }
      rows.set(client.id, structuredClone(client))
      return { outcome: 'updated' }
    },
  })),
  'clients: update leaves what is left out': clientRows((rows) => ({
    async update(client) {
      const there = rows.get(client.id)
      if (there === undefined) return { outcome: 'unknown' }
      const { secretHashes = [], disabled = false } = there
      rows.set(client.id, { ...there, ...client, secretHashes, disabled })
      return { outcome: 'updated' }
    },
  })),
  'clients: update as an upsert': clientRows((rows, good) => ({
    async update(client, now) {
      if (!rows.has(client.id)) await good.create(client, now)
      return good.update(client, now)
    },
  })),
  'clients: update counts rows that became different': clientRows((rows, good) => ({
    async update(client, now) {
      const before = JSON.stringify(rows.get(client.id))
      const answer = await good.update(client, now)
      return JSON.stringify(rows.get(client.id)) === before ? { outcome: 'unknown' } : answer
    },
  })),
  'clients: replaceSecrets blind': clientRows((rows) => ({
    async replaceSecrets(id, _from, to) {
      const client = rows.get(id)
      if (client === undefined) return { outcome: 'superseded' }
      rows.set(id, { ...client, secretHashes: [...to] })
      return { outcome: 'replaced' }
    },
  })),
  'clients: replaceSecrets reads, then writes': clientRows((rows, good) => ({
    async replaceSecrets(id, from, to, now) {
      const before = rows.get(id)?.secretHashes ?? []
      await awaited()
      const isStill = String(before) === String(from)
      return isStill
        ? good.replaceSecrets(id, rows.get(id)?.secretHashes ?? [], to, now)
        : { outcome: 'superseded' }
    },
  })),
  'clients: replaceSecrets goes by the first': clientRows((rows, good) => ({
    replaceSecrets(id, from, to, now) {
      const there = rows.get(id)?.secretHashes ?? []
      return good.replaceSecrets(id, there[0] === from[0] ? there : from, to, now)
    },
  })),
  'clients: no secrets as an empty list': clientRows((rows) => ({
    find: async (id) => {
      const client = rows.get(id)
      return client === undefined ? null : structuredClone({ secretHashes: [], ...client })
    },
  })),
  'clients: setDisabled says so to everyone': clientRows((_rows, good) => ({
    async setDisabled(id, disabled, now) {
      await good.setDisabled(id, disabled, now)
      return { outcome: 'changed' }
    },
  })),
  'clients: setDisabled writes the whole row': clientRows((rows) => ({
    async setDisabled(id, disabled) {
      const client = structuredClone(rows.get(id))
      await awaited()
      if (client === undefined || (client.disabled ?? false) === disabled)
        return { outcome: 'unchanged' }
      rows.set(id, { ...client, disabled })
      return { outcome: 'changed' }
    },
  })),
  'clients: list leaves out disabled ones': clientRows((_rows, good) => ({
    list: async () => (await good.list()).filter(({ disabled }) => disabled !== true),
  })),
  'clients: list in the order of creation': clientRows((rows) => ({
    list: async () => [...rows.values()].map((row) => structuredClone(row)),
  })),
  'clients: records by reference': clientRows((rows) => ({
    find: async (id) => rows.get(id) ?? null,
  })),
  'clients: ids without regard to case': withClients((good) => {
    const fold = collation((id) => id.toLowerCase())
    return {
      find: (id) => good.find(fold(id)),
      create: (client, now) => good.create({ ...client, id: fold(client.id) }, now),
    }
  }),
  'clients: register counts, then writes': withClients((good) => {
    const unused = new Map<string, Date>()
    const forget = (now: Date) => {
      for (const [id, until] of unused) if (until <= now) unused.delete(id)
    }
    return {
      async register(client, { most, unusedUntil }, now) {
        forget(now)
        const isFull = unused.size >= most
        await awaited()
        if (isFull) return { outcome: 'full' }
        unused.set(client.id, unusedUntil)
        return good.register(client, { most: 1e6, unusedUntil }, now)
      },
      use(id, now) {
        unused.delete(id)
        return good.use(id, now)
      },
      update(client, now) {
        unused.delete(client.id)
        return good.update(client, now)
      },
      purge(now, limit) {
        forget(now)
        return good.purge(now, limit)
      },
    }
  }),
  'clients: use keeps nothing': withClients((good) => ({
    use: async (id) => ({ outcome: (await good.find(id)) === null ? 'unknown' : 'used' }),
  })),
  'clients: use says so to everyone': withClients((good) => ({
    async use(id, now) {
      await good.use(id, now)
      return { outcome: 'used' }
    },
  })),
  'clients: purge a moment too late': withClients((good) => ({
    purge: (now, limit) => good.purge(new Date(now.getTime() - 1), limit),
  })),
  'clients: undefined when there is none': clientRows((rows) => ({
    find: async (id) => structuredClone(rows.get(id)) as OAuthClient,
  })),
}
