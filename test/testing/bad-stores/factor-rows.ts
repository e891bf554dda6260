import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from '../../../src/index.js'
import type { StoresUnderTest } from '../../../src/testing/testing.js'

/** What a store of second factors holds. */
export interface FactorRows {
  readonly factors: Map<string, SecondFactorRecord>
  /** By {@link slotOf}. */
  readonly pending: Map<string, PendingSecondFactor>
  readonly codes: Map<string, Set<string>>
}

/** The key of an enrolment. */
export const slotOf = (userId: string, sessionId: string): string =>
  JSON.stringify([userId, sessionId])

/** Deletes the enrolments of a user. */
export function deletePendingIn({ pending }: Pick<FactorRows, 'pending'>, userId: string): void {
  for (const [slot, row] of [...pending]) if (row.userId === userId) pending.delete(slot)
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

type Factors =
  | 'find'
  | 'activate'
  | 'advanceStep'
  | 'reseal'
  | 'deactivate'
  | 'deleteKeptRecoveryCodes'
type Enrolments = 'savePending' | 'findPending' | 'deletePending' | 'confirm' | 'purge'

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
    async deleteKeptRecoveryCodes(userId) {
      if (!factors.has(userId)) codes.delete(userId)
    },
    async deactivate(userId, keepRecoveryCodes) {
      if (keepRecoveryCodes !== true) codes.delete(userId)
      deletePendingIn({ pending }, userId)
      return { outcome: factors.delete(userId) ? 'deactivated' : 'not-active' }
    },
  }
}

function enrolmentsIn(rows: FactorRows): Pick<SecondFactorStore, Enrolments> {
  const { pending } = rows
  return {
    savePending: async (enrolment) =>
      void pending.set(slotOf(enrolment.userId, enrolment.sessionId), structuredClone(enrolment)),
    findPending: async (userId, sessionId) =>
      structuredClone(pending.get(slotOf(userId, sessionId)) ?? null),
    deletePending: async (userId) => deletePendingIn(rows, userId),
    async confirm(factor, hashes, now) {
      const waiting = [...pending].find(
        ([, row]) => row.userId === factor.userId && row.sealedSeed === factor.sealedSeed,
      )
      if (waiting === undefined || now >= waiting[1].expiresAt) return { outcome: 'not-pending' }
      pending.delete(waiting[0])
      return activateIn(rows, factor, hashes)
    },
    async purge(now, limit = Number.POSITIVE_INFINITY) {
      const over = [...pending].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit)
      for (const [slot] of over) pending.delete(slot)
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
