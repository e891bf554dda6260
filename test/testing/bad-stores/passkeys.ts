import { awaited, collation, withPasskeys } from './helpers.js'

/** Stores of passkeys that are wrong in one respect each. */
export const badPasskeys = {
  'passkeys: use writes whatever the counter is': withPasskeys((good) => ({
    async use(credentialId, _from, seen) {
      const found = await good.find(credentialId)
      return good.use(credentialId, found?.counter ?? 0, seen)
    },
  })),
  'passkeys: use reads, then writes': withPasskeys((good) => ({
    async use(credentialId, from, seen) {
      const found = await good.find(credentialId)
      await awaited()
      if (found !== null && found.counter !== from) return { outcome: 'superseded' }
      const now = await good.find(credentialId)
      return good.use(credentialId, now?.counter ?? 0, seen)
    },
  })),
  'passkeys: use does not ask for a suspected copy': withPasskeys((good) => {
    const suspected = new Map<string, Date>()
    return {
      suspectClone: async (credentialId, at) => void suspected.set(credentialId, at),
      async find(credentialId) {
        const found = await good.find(credentialId)
        const suspectedCloneAt = suspected.get(credentialId) ?? found?.suspectedCloneAt ?? null
        return found === null ? null : { ...found, suspectedCloneAt }
      },
    }
  }),
  'passkeys: create forgets the mark of the password': withPasskeys((good) => ({
    create: (passkey, limits) =>
      good.create(
        passkey.lastUsedAt === null ? { ...passkey, passwordMark: null } : passkey,
        limits,
      ),
  })),
  'passkeys: use lets what is not higher wait': withPasskeys((good) => ({
    use: async (credentialId, from, seen) =>
      seen.counter > from ? good.use(credentialId, from, seen) : { outcome: 'superseded' },
  })),
  'passkeys: ids are unique for each user only': withPasskeys((good) => ({
    async create(passkey, limits) {
      const there = await good.find(passkey.credentialId)
      if (there !== null && there.userId !== passkey.userId)
        await good.remove(there.userId, there.credentialId, { unlessLast: false })
      return good.create(passkey, limits)
    },
  })),
  'passkeys: create counts, then inserts': withPasskeys((good) => ({
    async create(passkey, limits) {
      const { length } = await good.listForUser(passkey.userId)
      await awaited()
      if (length >= limits.most) return { outcome: 'full' }
      return good.create(passkey, { ...limits, most: 1000 })
    },
  })),
  'passkeys: everybody is the first': withPasskeys((good) => ({
    async create(passkey, limits) {
      const answer = await good.create(passkey, limits)
      return answer.outcome === 'created' ? { ...answer, isFirst: true } : answer
    },
  })),
  'passkeys: remove counts, then deletes': withPasskeys((good) => ({
    async remove(userId, credentialId, { unlessLast }) {
      const { length } = await good.listForUser(userId)
      await awaited()
      if (unlessLast && length === 1) return { outcome: 'last' }
      return good.remove(userId, credentialId, { unlessLast: false })
    },
  })),
  'passkeys: remove asks for no user': withPasskeys((good) => ({
    async remove(userId, credentialId, options) {
      const found = await good.find(credentialId)
      return good.remove(found?.userId ?? userId, credentialId, options)
    },
  })),
  'passkeys: rename asks for no user': withPasskeys((good) => ({
    async rename(userId, credentialId, name) {
      const found = await good.find(credentialId)
      return good.rename(found?.userId ?? userId, credentialId, name)
    },
  })),
  'passkeys: recovery codes stay behind the last one': withPasskeys((good) => {
    const kept = new Map<string, Set<string>>()
    return {
      async create(passkey, limits) {
        const answer = await good.create(passkey, limits)
        if (answer.outcome === 'created' && answer.isFirst) {
          const before = kept.get(passkey.userId) ?? []
          kept.set(passkey.userId, new Set([...before, ...limits.recoveryCodeHashes]))
        }
        return answer
      },
      consumeRecoveryCode: async (userId, hash) => ({
        outcome: kept.get(userId)?.delete(hash) === true ? 'consumed' : 'unknown',
      }),
    }
  }),
  'passkeys: the handle is that of whoever claims it last': withPasskeys(() => ({
    claimHandle: async (_userId, userHandle) => userHandle,
  })),
  'passkeys: ids without regard to case': withPasskeys((good) => {
    const fold = collation((id) => id.toLowerCase())
    return {
      create: (passkey, limits) =>
        good.create({ ...passkey, credentialId: fold(passkey.credentialId) }, limits),
      find: (credentialId) => good.find(fold(credentialId)),
    }
  }),
  'passkeys: undefined when there is none': withPasskeys((good) => ({
    find: async (credentialId) => (await good.find(credentialId)) ?? (undefined as unknown as null),
  })),
  'passkeys: listForUser the newest first': withPasskeys((good) => ({
    listForUser: async (userId) => (await good.listForUser(userId)).reverse(),
  })),
}
