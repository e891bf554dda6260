import { copyOf } from './copy-of.js'
import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from './second-factor-contract.js'

/** Second factors in the memory of this process. Each method is one synchronous section. */
export function memorySecondFactors(): SecondFactorStore {
  const { active, activate, change, recoveryCodes } = activeFactors()
  const pending = new Map<string, PendingSecondFactor>()
  return {
    find: async (userId) => copyOf(active.get(userId) ?? null),
    activate: async (factor, hashes) => activate(factor, hashes),
    async savePending(enrolment) {
      pending.set(enrolment.userId, copyOf(enrolment))
    },
    findPending: async (userId) => copyOf(pending.get(userId) ?? null),
    async confirm(factor, hashes, now) {
      const enrolment = pending.get(factor.userId)
      if (enrolment?.sealedSeed !== factor.sealedSeed || now >= enrolment.expiresAt)
        return { outcome: 'not-pending' }
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
      const isConsumed = recoveryCodes.get(userId)?.delete(codeHash) === true
      return { outcome: isConsumed ? 'consumed' : 'unknown' }
    },
    async replaceRecoveryCodes(userId, hashes) {
      if (!active.has(userId)) return { outcome: 'not-active' }
      recoveryCodes.set(userId, new Set(hashes))
      return { outcome: 'replaced' }
    },
    countRecoveryCodes: async (userId) => recoveryCodes.get(userId)?.size ?? 0,
    async deactivate(userId) {
      recoveryCodes.delete(userId)
      pending.delete(userId)
      return { outcome: active.delete(userId) ? 'deactivated' : 'not-active' }
    },
    purge: async (now, limit) => purge(pending, now, limit),
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

function purge(
  pending: Map<string, PendingSecondFactor>,
  now: Date,
  limit = Number.POSITIVE_INFINITY,
): number {
  const over = [...pending.values()].filter(({ expiresAt }) => expiresAt <= now).slice(0, limit)
  for (const { userId } of over) pending.delete(userId)
  return over.length
}
