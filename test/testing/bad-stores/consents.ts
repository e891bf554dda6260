import type { ConsentRecord } from '../../../src/index.js'
import { awaited, collation, withConsents } from './helpers.js'

/** Consents that are taken back by a mark in the row. */
function marked() {
  const marks = new Set<string>()
  return {
    mark: (userId: string, clientId: string) => marks.add(JSON.stringify([userId, clientId])),
    unmark: (userId: string, clientId: string) => marks.delete(JSON.stringify([userId, clientId])),
    has: (userId: string, clientId: string) => marks.has(JSON.stringify([userId, clientId])),
  }
}

/** Stores of consents that are wrong in one respect each. */
export const badConsents = {
  'consents: grant reads, then writes': withConsents((good) => ({
    async grant(consent) {
      const { userId, clientId, updatedAt } = consent
      const found = await good.find(userId, clientId)
      await awaited()
      const there = found ?? consent
      const scopes = [...new Set([...there.scopes, ...consent.scopes])]
      await good.revoke(userId, clientId)
      await good.grant({ ...there, scopes, updatedAt })
    },
  })),
  'consents: grant replaces the scopes': withConsents((good) => ({
    async grant(consent) {
      const found = await good.find(consent.userId, consent.clientId)
      await good.revoke(consent.userId, consent.clientId)
      await good.grant({ ...consent, grantedAt: found?.grantedAt ?? consent.grantedAt })
    },
  })),
  'consents: grant moves grantedAt': withConsents((good) => ({
    async grant(consent) {
      const found = await good.find(consent.userId, consent.clientId)
      await good.revoke(consent.userId, consent.clientId)
      const scopes = [...new Set([...(found?.scopes ?? []), ...consent.scopes])]
      await good.grant({ ...consent, scopes })
    },
  })),
  'consents: grant adds a scope once more': withConsents((good) => {
    const find = async (userId: string, clientId: string) => {
      const found = await good.find(userId, clientId)
      return found === null || found.scopes.length < 3
        ? found
        : { ...found, scopes: [...found.scopes, ...found.scopes.slice(0, 1)] }
    }
    return { find }
  }),
  'consents: scopes as members of a plain object': withConsents((good) => ({
    grant: (consent) =>
      good.grant({
        ...consent,
        scopes: consent.scopes.filter((scope) => !(scope in {})),
      }),
  })),
  'consents: scopes without regard to case': withConsents((good) => {
    const folds = new Map<string, (scope: string) => string>()
    return {
      grant(consent) {
        const fold = folds.get(consent.userId) ?? collation((scope) => scope.toLowerCase())
        folds.set(consent.userId, fold)
        return good.grant({ ...consent, scopes: consent.scopes.map(fold) })
      },
    }
  }),
  'consents: revoke says so to everyone': withConsents((good) => ({
    async revoke(userId, clientId) {
      await good.revoke(userId, clientId)
      return { outcome: 'revoked' }
    },
  })),
  'consents: revoke reads, then writes': withConsents((good) => ({
    async revoke(userId, clientId) {
      const found = await good.find(userId, clientId)
      await awaited()
      await good.revoke(userId, clientId)
      return { outcome: found === null ? 'unknown' : 'revoked' }
    },
  })),
  'consents: revoke asks for no user at all, and takes those of everybody': withConsents((good) => {
    const users = new Set<string>()
    return {
      async grant(consent) {
        users.add(consent.userId)
        await good.grant(consent)
      },
      async revoke(userId, clientId) {
        const answer = await good.revoke(userId, clientId)
        for (const user of users) await good.revoke(user, clientId)
        return answer
      },
    }
  }),
  'consents: revoke marks the row, and grant adds to it': withConsents((good) => {
    const marks = marked()
    return {
      find: async (userId, clientId) =>
        marks.has(userId, clientId) ? null : good.find(userId, clientId),
      async grant(consent) {
        await good.grant(consent)
        marks.unmark(consent.userId, consent.clientId)
      },
      async revoke(userId, clientId) {
        const isThere = (await good.find(userId, clientId)) !== null
        if (!isThere || marks.has(userId, clientId)) return { outcome: 'unknown' }
        marks.mark(userId, clientId)
        return { outcome: 'revoked' }
      },
      listForUser: async (userId) =>
        (await good.listForUser(userId)).filter(({ clientId }) => !marks.has(userId, clientId)),
    }
  }),
  'consents: user and client joined by a colon': withConsents((good) => {
    const joined = (userId: string, clientId: string) => `${userId}:${clientId}`
    const rows = new Map<string, readonly [userId: string, clientId: string]>()
    const own = (userId: string, clientId: string) =>
      rows.get(joined(userId, clientId)) ?? ([userId, clientId] as const)
    return {
      async grant(consent) {
        rows.set(joined(consent.userId, consent.clientId), [consent.userId, consent.clientId])
        await good.grant(consent)
      },
      find: (userId, clientId) => good.find(...own(userId, clientId)),
    }
  }),
  'consents: user ids without regard to case': withConsents((good) => {
    const fold = collation((id) => id.toLowerCase())
    return {
      find: (userId, clientId) => good.find(fold(userId), clientId),
      grant: (consent) => good.grant({ ...consent, userId: fold(consent.userId) }),
      revoke: (userId, clientId) => good.revoke(fold(userId), clientId),
      listForUser: (userId) => good.listForUser(fold(userId)),
    }
  }),
  'consents: undefined when there is none': withConsents((good) => ({
    find: async (userId, clientId) =>
      (await good.find(userId, clientId)) ?? (undefined as unknown as null),
  })),
  'consents: listForUser the newest first': withConsents((good) => ({
    listForUser: async (userId) => (await good.listForUser(userId)).reverse(),
  })),
  'consents: listForUser sorts by the locale': withConsents((good) => ({
    listForUser: async (userId) =>
      [...(await good.listForUser(userId))].sort(
        (one, other) =>
          one.grantedAt.getTime() - other.grantedAt.getTime() ||
          one.clientId.localeCompare(other.clientId),
      ),
  })),
  'consents: listForUser answers the first page of 1000': withConsents((good) => ({
    listForUser: async (userId) => (await good.listForUser(userId)).slice(0, 1000),
  })),
  'consents: records by reference': withConsents((good) => {
    const handedOut = new Map<string, ConsentRecord | null>()
    return {
      async find(userId, clientId) {
        const key = JSON.stringify([userId, clientId])
        const found = handedOut.get(key) ?? (await good.find(userId, clientId))
        handedOut.set(key, found)
        return found
      },
    }
  }),
}
