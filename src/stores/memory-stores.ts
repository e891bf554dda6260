import cluster from 'node:cluster'
import { AuthConfigError } from '../errors.js'
import { boundedTable } from './bounded-table.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  SecondFactorRecord,
  SecondFactorStore,
  SessionRecord,
  SessionStore,
} from './contract.js'

/** Options of {@link memoryStores}. */
export interface MemoryStoresOptions {
  /** The most sessions held at a time; one more sign-in is answered with 503. Default 1,000,000. */
  readonly maxSessions?: number
  /** The most authorization codes held at a time, used ones included. Default 100,000. */
  readonly maxCodes?: number
}

/** The three stores, to be spread into the options of `createAuthRouter`. */
export interface MemoryStores {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly secondFactors: SecondFactorStore
}

/**
 * Keeps everything in the memory of this process: for tests, for trying things out, and for a single process that may forget its
 * sign-ins at every restart. Each method is one synchronous section, so each has exactly one winner.
 *
 * Warns once in production, and refuses to work in a cluster worker, where each process would know only its own sessions.
 *
 * @throws AuthConfigError in a cluster worker, or for a bound that is not a whole number above 0
 *
 * @example
 * ```ts
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 *
 * const { codes, sessions, secondFactors } = memoryStores({ maxSessions: 10_000 })
 * ```
 */
export function memoryStores(options: MemoryStoresOptions = {}): MemoryStores {
  const maxSessions = bound('maxSessions', options.maxSessions ?? 1_000_000)
  const maxCodes = bound('maxCodes', options.maxCodes ?? 100_000)
  if (cluster.isWorker) {
    throw new AuthConfigError(
      'memoryStores()',
      'this is a cluster worker, and memory is not shared between workers.',
      'use a store that all workers reach.',
    )
  }
  warnInProduction()
  return { codes: memoryCodes(maxCodes), sessions: memorySessions(maxSessions), secondFactors: memorySecondFactors() }
}

function memoryCodes(most: number): AuthorizationCodeStore {
  const table = boundedTable<AuthorizationCodeRecord>(most, (code, now) => code.retainUntil <= now)
  return {
    async save(code) {
      table.insert(code.codeHash, { ...code }, code.createdAt)
    },
    async consume(codeHash, now) {
      const code = table.get(codeHash)
      if (code === undefined) return { outcome: 'unknown' }
      if (code.consumedAt !== null) return { outcome: 'replayed', code: { ...code } }
      if (now >= code.expiresAt) return { outcome: 'unknown' }
      const consumed = { ...code, consumedAt: now }
      table.update(codeHash, consumed)
      return { outcome: 'consumed', code: { ...consumed } }
    },
    purge: async (now) => table.purge(now),
  }
}

function memorySessions(most: number): SessionStore {
  const table = boundedTable<SessionRecord>(
    most,
    ({ endedAt, idleExpiresAt, expiresAt }, now) => endedAt !== null || idleExpiresAt <= now || expiresAt <= now,
  )
  return {
    async create(session) {
      table.insert(session.id, { ...session }, session.createdAt)
    },
    async find(id) {
      const session = table.get(id)
      return session === undefined ? null : { ...session }
    },
    async touch(id, { lastSeenAt, idleExpiresAt, ip }) {
      const session = table.get(id)
      if (session?.endedAt === null) table.update(id, { ...session, lastSeenAt, idleExpiresAt, ip })
    },
    async end(id, reason, now) {
      const session = table.get(id)
      if (session?.endedAt !== null) return false
      table.update(id, { ...session, endedAt: now, endReason: reason })
      return true
    },
    purge: async (now) => table.purge(now),
  }
}

function memorySecondFactors(): SecondFactorStore {
  const factors = new Map<string, SecondFactorRecord>()
  const recoveryCodes = new Map<string, Set<string>>()
  return {
    async find(userId) {
      const factor = factors.get(userId)
      return factor === undefined ? null : { ...factor }
    },
    async activate(factor, recoveryCodeHashes) {
      if (factors.has(factor.userId)) return { outcome: 'already-active' }
      factors.set(factor.userId, { ...factor })
      recoveryCodes.set(factor.userId, new Set(recoveryCodeHashes))
      return { outcome: 'activated' }
    },
    async advanceStep(userId, step) {
      const factor = factors.get(userId)
      if (factor === undefined || step <= factor.lastStep) return { outcome: 'stale' }
      factors.set(userId, { ...factor, lastStep: step })
      return { outcome: 'advanced' }
    },
    async consumeRecoveryCode(userId, codeHash) {
      return { outcome: recoveryCodes.get(userId)?.delete(codeHash) === true ? 'consumed' : 'unknown' }
    },
  }
}

function bound(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw new AuthConfigError(`memoryStores.${name}`, 'is not a whole number above 0.', 'leave it out for the default.')
}

function warnInProduction(): void {
  if (process.env['NODE_ENV'] !== 'production') return
  process.emitWarning('memoryStores() forgets every sign-in at a restart and works for a single process only.', {
    code: 'MAR_MEMORY_STORES_IN_PRODUCTION',
  })
}
