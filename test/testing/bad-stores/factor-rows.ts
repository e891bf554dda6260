import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from '../../../src/index.js'
import type { StoresUnderTest } from '../../../src/testing/testing.js'

/** What a store of second factors holds. */
export interface FactorRows {
  readonly factors: Map<string, SecondFactorRecord>
  readonly pending: Map<string, PendingSecondFactor>
  readonly codes: Map<string, Set<string>>
}

/** Rows of second factors that can be written over, for stores that do. */
export function factorRows(
  change: (rows: FactorRows, good: SecondFactorStore) => Partial<SecondFactorStore>,
): () => StoresUnderTest {
  return () => {
    const rows: FactorRows = { factors: new Map(), pending: new Map(), codes: new Map() }
    const good: SecondFactorStore = { ...factorsIn(rows), ...enrolmentsIn(rows), ...codesIn(rows) }
    return { secondFactors: { ...good, ...change(rows, good) } }
  }
}

type Factors = 'find' | 'activate' | 'advanceStep' | 'reseal' | 'deactivate'
type Enrolments = 'savePending' | 'findPending' | 'confirm' | 'purge'

function factorsIn({ factors, pending, codes }: FactorRows): Pick<SecondFactorStore, Factors> {
  const update = (
    userId: string,
    fields: Partial<SecondFactorRecord>,
    isStill: (factor: SecondFactorRecord) => boolean,
  ) => {
    const factor = factors.get(userId)
    if (factor === undefined || !isStill(factor)) return false
    factors.set(userId, { ...factor, ...fields })
    return true
  }
  return {
    find: async (userId) => structuredClone(factors.get(userId) ?? null),
    activate: async (factor, hashes) => activateIn({ factors, pending, codes }, factor, hashes),
    async advanceStep(userId, lastStep) {
      return {
        outcome: update(userId, { lastStep }, (factor) => lastStep > factor.lastStep)
          ? 'advanced'
          : 'stale',
      }
    },
    async reseal(userId, from, sealedSeed) {
      return {
        outcome: update(userId, { sealedSeed }, (factor) => factor.sealedSeed === from)
          ? 'resealed'
          : 'superseded',
      }
    },
    async deactivate(userId) {
      codes.delete(userId)
      pending.delete(userId)
      return { outcome: factors.delete(userId) ? 'deactivated' : 'not-active' }
    },
  }
}

function enrolmentsIn(rows: FactorRows): Pick<SecondFactorStore, Enrolments> {
  const { pending } = rows
  return {
    savePending: async (enrolment) =>
      void pending.set(enrolment.userId, structuredClone(enrolment)),
    findPending: async (userId) => structuredClone(pending.get(userId) ?? null),
    async confirm(factor, hashes, now) {
      const waiting = pending.get(factor.userId)
      if (waiting?.sealedSeed !== factor.sealedSeed || now >= waiting.expiresAt)
        return { outcome: 'not-pending' }
      pending.delete(factor.userId)
      return activateIn(rows, factor, hashes)
    },
    async purge(now, limit = Number.POSITIVE_INFINITY) {
      const over = [...pending.values()].filter(({ expiresAt }) => expiresAt <= now).slice(0, limit)
      for (const { userId } of over) pending.delete(userId)
      return over.length
    },
  }
}

function codesIn({
  factors,
  codes,
}: FactorRows): Pick<
  SecondFactorStore,
  'consumeRecoveryCode' | 'replaceRecoveryCodes' | 'countRecoveryCodes'
> {
  return {
    consumeRecoveryCode: async (userId, hash) => ({
      outcome: codes.get(userId)?.delete(hash) === true ? 'consumed' : 'unknown',
    }),
    async replaceRecoveryCodes(userId, hashes) {
      if (!factors.has(userId)) return { outcome: 'not-active' }
      codes.set(userId, new Set(hashes))
      return { outcome: 'replaced' }
    },
    countRecoveryCodes: async (userId) => codes.get(userId)?.size ?? 0,
  }
}

/** Factor and codes together, unless there is a factor. */
function activateIn(
  { factors, codes }: FactorRows,
  factor: SecondFactorRecord,
  hashes: readonly string[],
) {
  if (factors.has(factor.userId)) return { outcome: 'already-active' } as const
  factors.set(factor.userId, structuredClone(factor))
  codes.set(factor.userId, new Set(hashes))
  return { outcome: 'activated' } as const
}
