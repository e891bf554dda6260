import type { PendingSecondFactor, SecondFactorRecord, SecondFactorStore } from './contract.js'
import { copyOf } from './copy-of.js'

/** Second factors in the memory of this process. Each method is one synchronous section. */
export function memorySecondFactors(): SecondFactorStore {
  const factors = new Map<string, SecondFactorRecord>()
  const pending = new Map<string, PendingSecondFactor>()
  const recoveryCodes = new Map<string, Set<string>>()

  function activate(factor: SecondFactorRecord, hashes: readonly string[]): { outcome: 'activated' | 'already-active' } {
    if (factors.has(factor.userId)) return { outcome: 'already-active' }
    factors.set(factor.userId, copyOf(factor))
    recoveryCodes.set(factor.userId, new Set(hashes))
    return { outcome: 'activated' }
  }

  function change(userId: string, change: Partial<SecondFactorRecord>, isStill: (factor: SecondFactorRecord) => boolean): boolean {
    const factor = factors.get(userId)
    if (factor === undefined || !isStill(factor)) return false
    factors.set(userId, { ...factor, ...change })
    return true
  }

  return {
    async find(userId) {
      const factor = factors.get(userId)
      return factor === undefined ? null : copyOf(factor)
    },
    activate: async (factor, hashes) => activate(factor, hashes),
    async savePending(enrolment) {
      pending.set(enrolment.userId, copyOf(enrolment))
    },
    async findPending(userId) {
      const enrolment = pending.get(userId)
      return enrolment === undefined ? null : copyOf(enrolment)
    },
    async confirm(factor, hashes, now) {
      const enrolment = pending.get(factor.userId)
      if (enrolment?.sealedSeed !== factor.sealedSeed || now >= enrolment.expiresAt) return { outcome: 'not-pending' }
      pending.delete(factor.userId)
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
      return { outcome: recoveryCodes.get(userId)?.delete(codeHash) === true ? 'consumed' : 'unknown' }
    },
    async replaceRecoveryCodes(userId, hashes) {
      if (!factors.has(userId)) return { outcome: 'not-active' }
      recoveryCodes.set(userId, new Set(hashes))
      return { outcome: 'replaced' }
    },
    countRecoveryCodes: async (userId) => recoveryCodes.get(userId)?.size ?? 0,
    async deactivate(userId) {
      recoveryCodes.delete(userId)
      pending.delete(userId)
      return { outcome: factors.delete(userId) ? 'deactivated' : 'not-active' }
    },
    purge: async (now, limit) => purge(pending, now, limit),
  }
}

function purge(pending: Map<string, PendingSecondFactor>, now: Date, limit = Number.POSITIVE_INFINITY): number {
  const over = [...pending.values()].filter(({ expiresAt }) => expiresAt <= now).slice(0, limit)
  for (const { userId } of over) pending.delete(userId)
  return over.length
}
