import { checkOptions, optionsOf, whole } from '../lib/check-options.js'
import { boundedTable } from './bounded-table.js'
import type { AuthorizationCodeRecord, AuthorizationCodeStore } from './code-contract.js'
import type { EndReason, SessionRecord, SessionStore } from './contract.js'
import { copyOf, copyOfSession } from './copy-of.js'
import { checkMemoryIsEnough } from './memory-is-enough.js'
import { memorySecondFactors } from './memory-second-factors.js'
import { oldestFirst } from './oldest-first.js'
import { withPasswordMark } from './password-marks.js'
import type { SecondFactorStore } from './second-factor-contract.js'
import type { SocketTicketRecord, SocketTicketStore } from './ticket-contract.js'

export {
  type MemoryOAuthStores,
  type MemoryOAuthStoresOptions,
  memoryOAuthStores,
} from './memory-oauth-stores.js'

/** Options of {@link memoryStores}. */
export interface MemoryStoresOptions {
  /** The most sessions held at a time; one more sign-in is answered with 503. Default 1,000,000. */
  readonly maxSessions?: number
  /**
   * The most authorization codes held at a time, used ones included, and the most socket tickets.
   * Default 100,000.
   */
  readonly maxCodes?: number
}

const rules = {
  factory: 'memoryStores',
  schema: optionsOf({
    maxSessions: whole(1).default(1_000_000),
    maxCodes: whole(1).default(100_000),
  }),
}

/** The stores, to be spread into the options of `createAuthRouter`. */
export interface MemoryStores {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly secondFactors: SecondFactorStore
  readonly tickets: SocketTicketStore
}

/**
 * Keeps everything in the memory of this process: for tests, for trying things out, and for a
 * single process that may forget its sign-ins at every restart. Each method is one synchronous
 * section, so each has exactly one winner.
 *
 * Warns once in production, and refuses to work in a cluster worker, where each process would know
 * only its own sessions.
 *
 * @throws AuthConfigError in a cluster worker, for an unknown option, or for a bound that is not a
 * whole number above 0
 *
 * @example
 * ```ts
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 *
 * const { codes, sessions, secondFactors } = memoryStores({ maxSessions: 10_000 })
 * ```
 */
export function memoryStores(options: MemoryStoresOptions = {}): MemoryStores {
  const { maxSessions, maxCodes } = checkOptions(rules, options)
  checkMemoryIsEnough('memoryStores')
  return {
    codes: memoryCodes(maxCodes),
    sessions: memorySessions(maxSessions),
    secondFactors: memorySecondFactors(),
    tickets: memoryTickets(maxCodes),
  }
}

function memoryCodes(maxCodes: number): AuthorizationCodeStore {
  const table = boundedTable<AuthorizationCodeRecord>(
    maxCodes,
    ({ consumedAt, expiresAt, retainUntil }, now) =>
      (consumedAt === null ? expiresAt : retainUntil) <= now,
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

function memorySessions(maxSessions: number): SessionStore {
  const rows = sessionRows(maxSessions)
  const { notice, time } = ownClock()
  const end = (session: SessionRecord, endReason: EndReason, now: Date) =>
    rows.change(session, { endedAt: now, endReason })

  return {
    async create(session) {
      rows.insert(session)
      notice(session.createdAt)
    },
    async find(id) {
      const session = rows.get(id)
      return session === undefined ? null : copyOfSession(session)
    },
    async rotateRefresh(id, presentedHash, { lastSeenAt, idleExpiresAt, ip, refresh }) {
      const session = rows.living(id)
      if (session === undefined) return { outcome: 'ended' }
      if (session.refresh?.hash !== presentedHash) return { outcome: 'superseded' }
      rows.change(session, { lastSeenAt, idleExpiresAt, ip, refresh })
      notice(lastSeenAt)
      return { outcome: 'rotated' }
    },
    async touch(id, { lastSeenAt, idleExpiresAt, ip }) {
      const session = rows.living(id)
      if (session === undefined) return
      rows.change(session, { lastSeenAt, idleExpiresAt, ip })
      notice(lastSeenAt)
    },
    async setMethods(id, methods) {
      const session = rows.living(id)
      if (session !== undefined) rows.change(session, { methods })
    },
    async addPasswordMark(userId, from, to) {
      for (const session of rows.livingOf(userId))
        rows.change(session, withPasswordMark(session, from, to))
    },
    async end(id, reason, now) {
      const session = rows.living(id)
      if (session === undefined) return false
      end(session, reason, now)
      return true
    },
    async endAllForUser(userId, reason, now, exceptId) {
      const ended = rows.livingOf(userId).filter(({ id }) => id !== exceptId)
      for (const session of ended) end(session, reason, now)
      return ended.map(({ id }) => id)
    },
    async listForUser(userId, now) {
      const live = rows.livingOf(userId).filter((session) => isLive(session, now))
      return live.map(copyOfSession).sort(oldestFirst)
    },
    async liveAmong(ids, now) {
      return ids.filter((id) => {
        const session = rows.get(id)
        return session !== undefined && isLive(session, now)
      })
    },
    purge: async (now, limit) => rows.purge(now, limit),
    databaseTime: async () => time(),
  }
}

// The sessions, and which of them are a user's. Rows are copies that nobody else holds.
function sessionRows(maxSessions: number) {
  const idsByUser = new Map<string, Set<string>>()
  const table = boundedTable<SessionRecord>(maxSessions, mayGo, ({ id, userId }) => {
    const ids = idsByUser.get(userId)
    ids?.delete(id)
    if (ids?.size === 0) idsByUser.delete(userId)
  })
  const living = (id: string) => {
    const session = table.get(id)
    return session?.endedAt === null ? session : undefined
  }
  return {
    get: table.get,
    living,
    livingOf: (userId: string) =>
      [...(idsByUser.get(userId) ?? [])].flatMap((id) => living(id) ?? []),
    insert(session: SessionRecord) {
      table.insert(session.id, copyOfSession(session), session.createdAt)
      idsByUser.set(session.userId, (idsByUser.get(session.userId) ?? new Set()).add(session.id))
    },
    // In place: a new row would need a second look-up, and leave the old one to the collector.
    change: (session: SessionRecord, changed: Partial<SessionRecord>) =>
      void Object.assign(session, copyOf(changed)),
    purge: table.purge,
  }
}

// No database has a clock here. A time that was written is one that this process goes by; while
// nothing is written, a timer that nobody can set tells how much later it is.
function ownClock(): { notice(written: Date): void; time(): Date } {
  const [madeAt, ticksThen] = [Date.now(), performance.now()]
  let lastWritten = 0
  return {
    notice(written) {
      lastWritten = Math.max(lastWritten, written.getTime())
    },
    time: () => new Date(Math.max(lastWritten, madeAt + performance.now() - ticksThen)),
  }
}

function isLive({ endedAt, idleExpiresAt, expiresAt }: SessionRecord, now: Date): boolean {
  return endedAt === null && idleExpiresAt > now && expiresAt > now
}

// A process whose clock is behind does not delete what ended after the moment it knows.
function mayGo({ endedAt, idleExpiresAt, expiresAt }: SessionRecord, now: Date): boolean {
  return (endedAt !== null && endedAt <= now) || idleExpiresAt <= now || expiresAt <= now
}

function memoryTickets(maxTickets: number): SocketTicketStore {
  const table = boundedTable<SocketTicketRecord>(
    maxTickets,
    ({ expiresAt }, now) => expiresAt <= now,
  )
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
