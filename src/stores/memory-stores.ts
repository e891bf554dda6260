import cluster from 'node:cluster'
import { AuthConfigError } from '../errors.js'
import { boundedTable } from './bounded-table.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  EndReason,
  SecondFactorStore,
  SessionStore,
  SocketTicketRecord,
  SocketTicketStore,
} from './contract.js'
import { copyOf } from './copy-of.js'
import { memorySecondFactors } from './memory-second-factors.js'
import { methodsOfRow, type StoredSession, sessionRecord, storedRefresh, storedSeen, storedSession } from './memory-session-row.js'
import { oldestFirst } from './oldest-first.js'

/** Options of {@link memoryStores}. */
export interface MemoryStoresOptions {
  /** The most sessions held at a time; one more sign-in is answered with 503. Default 1,000,000. */
  readonly maxSessions?: number
  /** The most authorization codes held at a time, used ones included, and the most socket tickets. Default 100,000. */
  readonly maxCodes?: number
}

/** The stores, to be spread into the options of `createAuthRouter`. */
export interface MemoryStores {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly secondFactors: SecondFactorStore
  readonly tickets: SocketTicketStore
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
  return {
    codes: memoryCodes(maxCodes),
    sessions: memorySessions(maxSessions),
    secondFactors: memorySecondFactors(),
    tickets: memoryTickets(maxCodes),
  }
}

function memoryCodes(most: number): AuthorizationCodeStore {
  const table = boundedTable<AuthorizationCodeRecord>(
    most,
    ({ consumedAt, expiresAt, retainUntil }, now) => (consumedAt === null ? expiresAt : retainUntil) <= now,
  )
  return {
    async save(code) {
      table.insert(code.codeHash, copyOf(code), code.createdAt)
    },
    async find(codeHash) {
      const code = table.get(codeHash)
      return code === undefined ? null : copyOf(code)
    },
    async consume(codeHash, now) {
      const code = table.get(codeHash)
      if (code === undefined) return { outcome: 'unknown' }
      if (code.consumedAt !== null) return { outcome: 'replayed', code: copyOf(code) }
      if (now >= code.expiresAt) return { outcome: 'unknown' }
      const consumed = { ...code, consumedAt: copyOf(now) }
      table.update(codeHash, consumed)
      return { outcome: 'consumed', code: copyOf(consumed) }
    },
    purge: async (now, limit) => table.purge(now, limit),
  }
}

function memorySessions(most: number): SessionStore {
  const idsByUser = new Map<string, Set<string>>()
  const table = boundedTable<StoredSession>(most, mayGo, (session) => forgetId(idsByUser, session))
  const living = (id: string) => {
    const session = table.get(id)
    return session?.endedAt === null ? session : undefined
  }
  const livingOf = (userId: string) => [...(idsByUser.get(userId) ?? [])].flatMap((id) => living(id) ?? [])
  const end = (session: StoredSession, endReason: EndReason, now: Date) => change(session, { endedAt: now.getTime(), endReason })

  return {
    async create(session) {
      table.insert(session.id, storedSession(session), session.createdAt)
      const ids = idsByUser.get(session.userId) ?? new Set()
      idsByUser.set(session.userId, ids.add(session.id))
    },
    async find(id) {
      const session = table.get(id)
      return session === undefined ? null : sessionRecord(session)
    },
    async rotateRefresh(id, presentedHash, next) {
      const session = living(id)
      if (session === undefined) return { outcome: 'ended' }
      if (session.refresh?.hash !== presentedHash) return { outcome: 'superseded' }
      change(session, { ...storedSeen(next), refresh: storedRefresh(next.refresh) })
      return { outcome: 'rotated' }
    },
    async touch(id, seen) {
      const session = living(id)
      if (session !== undefined) change(session, storedSeen(seen))
    },
    async setMethods(id, methods) {
      const session = living(id)
      if (session !== undefined) change(session, { methods: methodsOfRow(methods) })
    },
    async end(id, reason, now) {
      const session = living(id)
      if (session === undefined) return false
      end(session, reason, now)
      return true
    },
    async endAllForUser(userId, reason, now, exceptId) {
      const ended = livingOf(userId).filter(({ id }) => id !== exceptId)
      for (const session of ended) end(session, reason, now)
      return ended.map(({ id }) => id)
    },
    async listForUser(userId, now) {
      const live = livingOf(userId).filter((session) => isLive(session, now))
      return live.map(sessionRecord).sort(oldestFirst)
    },
    async liveAmong(ids, now) {
      return ids.filter((id) => {
        const session = table.get(id)
        return session !== undefined && isLive(session, now)
      })
    },
    purge: async (now, limit) => table.purge(now, limit),
  }
}

// In place, as nobody else holds a row: a new one would need a second look-up, and leave the old one to the garbage collector.
function change(session: StoredSession, changed: Partial<StoredSession>): void {
  Object.assign(session, changed)
}

function isLive({ endedAt, idleExpiresAt, expiresAt }: StoredSession, now: Date): boolean {
  const moment = now.getTime()
  return endedAt === null && idleExpiresAt > moment && expiresAt > moment
}

// A process whose clock is behind does not delete what ended after the moment it knows.
function mayGo({ endedAt, idleExpiresAt, expiresAt }: StoredSession, now: Date): boolean {
  const moment = now.getTime()
  return (endedAt !== null && endedAt <= moment) || idleExpiresAt <= moment || expiresAt <= moment
}

function forgetId(idsByUser: Map<string, Set<string>>, { id, userId }: StoredSession): void {
  const ids = idsByUser.get(userId)
  ids?.delete(id)
  if (ids?.size === 0) idsByUser.delete(userId)
}

function memoryTickets(most: number): SocketTicketStore {
  const table = boundedTable<SocketTicketRecord>(most, ({ expiresAt }, now) => expiresAt <= now)
  return {
    async save(ticket) {
      table.insert(ticket.ticketHash, copyOf(ticket), ticket.createdAt)
    },
    async consume(ticketHash, now) {
      const ticket = table.get(ticketHash)
      if (ticket === undefined || now >= ticket.expiresAt) return { outcome: 'unknown' }
      table.delete(ticketHash)
      return { outcome: 'consumed', ticket }
    },
    purge: async (now, limit) => table.purge(now, limit),
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
