import { markOf } from '../lib/vault.js'
import { copyOf } from './copy-of.js'
import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from './second-factor-contract.js'

/** Second factors in the memory of this process. Each method is one synchronous section. */
export function memorySecondFactors(): SecondFactorStore {
  const { active, activate, change, recoveryCodes } = activeFactors()
  const pending = pendingOfUsers()
  return {
    find: async (userId) => copyOf(active.get(userId) ?? null),
    activate: async (factor, hashes) => activate(factor, hashes),
    savePending: async (enrolment) => pending.save(copyOf(enrolment)),
    findPending: async (userId, sessionId) => copyOf(pending.find(userId, sessionId) ?? null),
    deletePending: async (userId) => pending.deleteAll(userId),
    async confirm(factor, hashes, now) {
      const { userId, sealedSeed } = factor
      const enrolment = pending.ofUser(userId).find((one) => one.sealedSeed === sealedSeed)
      if (enrolment === undefined || now >= enrolment.expiresAt) return { outcome: 'not-pending' }
      pending.delete(enrolment)
      return activate(factor, hashes)
    },
    async advanceStep(userId, step) {
      const isLater = change(userId, { lastStep: step }, ({ lastStep }) => step > lastStep)
      return { outcome: isLater ? 'advanced' : 'stale' }
    },
    async reseal(userId, from, to) {
      const isStill = change(userId, { sealedSeed: to }, ({ sealedSeed }) => sealedSeed === from)
      return { outcome: isStill ? 'resealed' : 'superseded' }
    },
    async consumeRecoveryCode(userId, codeHash) {
      const isConsumed = recoveryCodes.get(userId)?.delete(codeHash) === true
      return { outcome: isConsumed ? 'consumed' : 'unknown' }
    },
    async replaceRecoveryCodes(userId, hashes) {
      if (!active.has(userId)) return { outcome: 'not-active' }
      recoveryCodes.set(userId, new Set(hashes))
      return { outcome: 'replaced' }
    },
    async countSealed() {
      const counts = new Map<string, number>()
      for (const { sealedSeed } of active.values()) {
        const mark = markOf(sealedSeed)
        counts.set(mark, (counts.get(mark) ?? 0) + 1)
      }
      return [...counts].map(([mark, count]) => ({ mark, count }))
    },
    async listSealed(after, limit) {
      const ids = [...active.keys()].sort().filter((userId) => after === null || userId > after)
      return ids.slice(0, limit).flatMap((userId) => copyOf(active.get(userId) ?? []))
    },
    countRecoveryCodes: async (userId) => recoveryCodes.get(userId)?.size ?? 0,
    async deactivate(userId, keepRecoveryCodes = false) {
      if (!keepRecoveryCodes) recoveryCodes.delete(userId)
      pending.deleteAll(userId)
      return { outcome: active.delete(userId) ? 'deactivated' : 'not-active' }
    },
    async deleteKeptRecoveryCodes(userId) {
      if (!active.has(userId)) recoveryCodes.delete(userId)
    },
    purge: async (now, limit) => pending.purge(now, limit),
  }
}

function activeFactors() {
  const active = new Map<string, SecondFactorRecord>()
  const recoveryCodes = new Map<string, Set<string>>()
  return {
    active,
    recoveryCodes,
    activate(
      factor: SecondFactorRecord,
      hashes: readonly string[],
    ): { outcome: 'activated' | 'already-active' } {
      if (active.has(factor.userId)) return { outcome: 'already-active' }
      active.set(factor.userId, copyOf(factor))
      recoveryCodes.set(factor.userId, new Set(hashes))
      return { outcome: 'activated' }
    },
    change(
      userId: string,
      changed: Partial<SecondFactorRecord>,
      isStill: (factor: SecondFactorRecord) => boolean,
    ): boolean {
      const factor = active.get(userId)
      if (factor === undefined || !isStill(factor)) return false
      active.set(userId, { ...factor, ...changed })
      return true
    },
  }
}

function pendingOfUsers() {
  const users = new Map<string, Map<string, PendingSecondFactor>>()
  const ofUser = (userId: string) => [...(users.get(userId)?.values() ?? [])]
  const remove = ({ userId, sessionId }: PendingSecondFactor) => {
    const sessions = users.get(userId)
    sessions?.delete(sessionId)
    if (sessions?.size === 0) users.delete(userId)
  }
  return {
    ofUser,
    find: (userId: string, sessionId: string) => users.get(userId)?.get(sessionId),
    save(enrolment: PendingSecondFactor) {
      const sessions = users.get(enrolment.userId) ?? new Map<string, PendingSecondFactor>()
      users.set(enrolment.userId, sessions.set(enrolment.sessionId, enrolment))
    },
    delete: remove,
    deleteAll: (userId: string) => void users.delete(userId),
    purge(now: Date, limit = Number.POSITIVE_INFINITY): number {
      const isOver = ({ expiresAt }: PendingSecondFactor) => expiresAt <= now
      const over = [...users.keys()].flatMap(ofUser).filter(isOver).slice(0, limit)
      for (const enrolment of over) remove(enrolment)
      return over.length
    },
  }
}
