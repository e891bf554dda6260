import { checkOptions, optionsOf, whole } from '../lib/check-options.js'
import { boundedTable } from './bounded-table.js'
import type { AuthorizationCodeRecord, AuthorizationCodeStore } from './code-contract.js'
import type { EndReason, SessionRecord, SessionStore } from './contract.js'
import { copyOf } from './copy-of.js'
import type { DeviceCodeStore } from './device-code-contract.js'
import type { IdentityStore } from './identity-contract.js'
import { memoryDeviceCodes } from './memory-device-codes.js'
import { memoryIdentities } from './memory-identities.js'
import { checkMemoryIsEnough } from './memory-is-enough.js'
import { memoryProofs } from './memory-proofs.js'
import { memorySecondFactors } from './memory-second-factors.js'
import { type SessionRows, sessionRows } from './memory-session-rows.js'
import { oldestFirst } from './oldest-first.js'
import { withPasswordMark } from './password-marks.js'
import type { ProofStore } from './proof-contract.js'
import type { SecondFactorStore } from './second-factor-contract.js'
import type { SocketTicketRecord, SocketTicketStore } from './ticket-contract.js'

export {
  type MemoryOAuthStores,
  type MemoryOAuthStoresOptions,
  memoryOAuthStores,
} from './memory-oauth-stores.js'
export { memoryPasskeyStore } from './memory-passkeys.js'

/** Options of {@link memoryStores}. */
export interface MemoryStoresOptions {
  /** The most sessions held at a time; one more sign-in is answered with 503. Default 1,000,000. */
  readonly maxSessions?: number
  /**
   * The most authorization codes held at a time, used ones included, the most socket tickets,
   * the most proofs, and the most devices that wait for a user. Default 100,000.
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
  readonly proofs: ProofStore
  readonly identities: IdentityStore
  readonly deviceCodes: DeviceCodeStore
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
    proofs: memoryProofs(maxCodes),
    identities: memoryIdentities(),
    deviceCodes: memoryDeviceCodes(maxCodes),
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
  let latest: SessionRecord | undefined

  return {
    async create(session) {
      rows.insert(session)
      latest = session
      notice(session.createdAt)
    },
    async find(id) {
      const session = rows.get(id)
      // The same work for an unknown id, so that the time does not reveal whether it exists.
      const given = session ?? latest
      const copied = given === undefined ? null : copyOf(given)
      return session === undefined ? null : copied
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
    async setAuthenticated(id, { methods, authenticatedAt }) {
      const session = rows.living(id)
      if (session !== undefined) rows.change(session, { methods, authenticatedAt })
    },
    async replaceSecret(id, { from, to, formerUntil }) {
      const session = rows.living(id)
      if (session?.secretHash !== from) return false
      rows.change(session, { secretHash: to, formerSecret: { hash: from, until: formerUntil } })
      return true
    },
    async addPasswordMark(userId, from, to) {
      for (const session of rows.livingOf('userId', userId))
        rows.change(session, withPasswordMark(session, from, to))
    },
    ...endings(rows),
    async listForUser(userId, now) {
      const live = rows.livingOf('userId', userId).filter((session) => isLive(session, now))
      return live.map((session) => copyOf(session)).sort(oldestFirst)
    },
    countForUser: async (userId) => rows.countOf('userId', userId),
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

type Endings = 'end' | 'endAllForUser' | 'endAllForClient' | 'endChildren'

function endings(rows: SessionRows): Required<Pick<SessionStore, Endings>> {
  const end = (session: SessionRecord, endReason: EndReason, endedAt: Date) =>
    rows.change(session, { endedAt, endReason })
  const endEach = (sessions: readonly SessionRecord[], reason: EndReason, now: Date) => {
    for (const session of sessions) end(session, reason, now)
    return sessions.map(({ id }) => id)
  }
  return {
    async end(id, reason, now) {
      const session = rows.living(id)
      if (session === undefined) return false
      end(session, reason, now)
      return true
    },
    async endAllForUser(userId, reason, now, exceptId) {
      const chosen = rows.livingOf('userId', userId).filter(({ id }) => id !== exceptId)
      return endEach(chosen, reason, now)
    },
    async endAllForClient(clientId, { userId, limit }, reason, now) {
      const all = rows.livingOf('clientId', clientId)
      const chosen = userId === undefined ? all : all.filter((one) => one.userId === userId)
      return endEach(chosen.slice(0, limit), reason, now)
    },
    endChildren: async (parentId, reason, now) =>
      endEach(rows.livingOf('parentId', parentId), reason, now),
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
