import { checkOptions, optionsOf, whole } from '../lib/check-options.js'
import type { EndReason, SessionRecord, SessionStore } from './contract.js'
import type { IdentityStore } from './identity-contract.js'
import { memoryIdentities, memorySecondFactors } from './memory-sign-in-methods.js'
import {
  boundedTable,
  checkMemoryIsEnough,
  copyOf,
  type IdsByKey,
  idsByKey,
  type Packed,
  packed,
  unpacked,
} from './memory-tables.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  DeviceCodeRecord,
  DeviceCodeStore,
  ProofRecord,
  ProofStore,
  SocketTicketRecord,
  SocketTicketStore,
} from './one-time-contract.js'
import { timesOf } from './rows/members.js'
import { sessionRow } from './rows/session-row.js'
import type { SecondFactorStore } from './second-factor-contract.js'
import { oldestFirst, withPasswordMark } from './stored-values.js'

export {
  type MemoryOAuthStores,
  type MemoryOAuthStoresOptions,
  memoryOAuthStores,
} from './memory-oauth-stores.js'
export { memoryPasskeyStore } from './memory-sign-in-methods.js'

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
      // In place, as for sessions below.
      Object.assign(code, { consumedAt: copyOf(now) })
      return { outcome: 'consumed', code: copyOf(code) }
    },
    purge: table.purge,
  }
}

function memorySessions(maxSessions: number): SessionStore {
  const rows = sessionRows(maxSessions)
  const { notice, time } = ownClock()
  let latest: PackedSession | undefined

  return {
    async create(session) {
      latest = rows.insert(session)
      notice(session.createdAt)
    },
    async find(id) {
      const session = rows.get(id)
      // An unknown id takes the work of a known id, so that the time does not reveal whether it
      // exists.
      const given = session ?? latest
      const copied = given === undefined ? null : unpackedSession(given)
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
      return live.map(unpackedSession).sort(oldestFirst)
    },
    countForUser: async (userId) => rows.countOf('userId', userId),
    async liveAmong(ids, now) {
      return ids.filter((id) => {
        const session = rows.get(id)
        return session !== undefined && isLive(session, now)
      })
    },
    purge: rows.purge,
    databaseTime: async () => time(),
  }
}

type Endings = 'end' | 'endAllForUser' | 'endAllForClient' | 'endChildren'

function endings(rows: SessionRows): Required<Pick<SessionStore, Endings>> {
  const end = (session: PackedSession, endReason: EndReason, endedAt: Date) =>
    rows.change(session, { endedAt, endReason })
  const endEach = (sessions: readonly PackedSession[], reason: EndReason, now: Date) => {
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

// No database has a clock here. This process goes by a time that was written. While nothing is
// written, a timer that nobody can set tells how much later it is.
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

function isLive({ endedAt, idleExpiresAt, expiresAt }: PackedSession, now: Date): boolean {
  return endedAt === null && idleExpiresAt > now.getTime() && expiresAt > now.getTime()
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
    purge: table.purge,
  }
}

/** The members by which sessions are found, besides their ids. */
type SessionOwner = 'userId' | 'clientId' | 'parentId'

type PackedSession = Packed<SessionRecord>

const timesOfSession = timesOf(sessionRow)

const unpackedSession = (session: PackedSession): SessionRecord =>
  unpacked<SessionRecord>(session, timesOfSession)

/** The rows of sessions. They are copies that nobody else holds. */
interface SessionRows {
  get(id: string): PackedSession | undefined
  /** The session, unless it has ended. */
  living(id: string): PackedSession | undefined
  /** The sessions of an owner that have not ended. */
  livingOf(owner: SessionOwner, key: string): PackedSession[]
  /** How many an owner has, ended or not. */
  countOf(owner: SessionOwner, key: string): number
  insert(session: SessionRecord): PackedSession
  change(session: PackedSession, changed: Partial<SessionRecord>): void
  purge(now: Date, limit?: number): Promise<number>
}

/** At most `maxSessions` rows, with indexes by owner. */
function sessionRows(maxSessions: number): SessionRows {
  const indexes = {
    userId: idsByKey(),
    clientId: idsByKey(),
    parentId: idsByKey(),
  } satisfies Record<SessionOwner, unknown>
  const owners = Object.entries(indexes) as [SessionOwner, IdsByKey][]
  const table = boundedTable<PackedSession>(maxSessions, mayGo, (session) => {
    for (const [owner, ids] of owners) ids.delete(session[owner], session.id)
  })
  const living = (id: string) => {
    const session = table.get(id)
    return session?.endedAt === null ? session : undefined
  }
  return {
    get: table.get,
    living,
    livingOf: (owner, key) => indexes[owner].of(key).flatMap((id) => living(id) ?? []),
    countOf: (owner, key) => indexes[owner].count(key),
    insert(session) {
      const row = packed(session)
      table.insert(session.id, row, session.createdAt)
      for (const [owner, ids] of owners) ids.add(session[owner], session.id)
      return row
    },
    // In place: a new row would need a second look-up, and leave the old one to the collector.
    change: (session, changed) => void Object.assign(session, packed(changed)),
    purge: table.purge,
  }
}

// A process whose clock is behind does not delete what ended after the moment it knows.
function mayGo({ endedAt, idleExpiresAt, expiresAt }: PackedSession, now: Date): boolean {
  const time = now.getTime()
  return (endedAt !== null && endedAt <= time) || idleExpiresAt <= time || expiresAt <= time
}

/** Proofs in the memory of this process, at most `maxProofs`. */
function memoryProofs(maxProofs: number): ProofStore {
  const ofUsers = idsByKey()
  const ofNobody = idsByKey()
  const purposeOfNobody = ({ userId, purpose }: ProofRecord) =>
    userId === null ? purpose : undefined
  const table = boundedTable<ProofRecord>(
    maxProofs,
    ({ expiresAt }, now) => expiresAt <= now,
    (proof) => {
      ofUsers.delete(proof.userId ?? undefined, proof.idHash)
      ofNobody.delete(purposeOfNobody(proof), proof.idHash)
    },
  )
  const there = (idHash: string, purpose: string) => {
    const proof = table.get(idHash)
    return proof?.purpose === purpose ? proof : undefined
  }
  const good = (idHash: string, purpose: string, now: Date) => {
    const proof = there(idHash, purpose)
    return proof?.consumedAt === null && now < proof.expiresAt ? proof : undefined
  }
  const change = (proof: ProofRecord, changed: Partial<ProofRecord>) => {
    const next = { ...proof, ...changed }
    table.update(proof.idHash, next)
    return copyOf(next)
  }
  return {
    async save(proof) {
      table.insert(proof.idHash, copyOf(proof), proof.createdAt)
      ofUsers.add(proof.userId ?? undefined, proof.idHash)
      ofNobody.add(purposeOfNobody(proof), proof.idHash)
    },
    find: async (idHash, purpose) => copyOf(there(idHash, purpose) ?? null),
    async takeTry(idHash, purpose, now) {
      const proof = good(idHash, purpose, now)
      if (proof === undefined || proof.triesLeft <= 0) return { outcome: 'void' }
      return { outcome: 'taken', proof: change(proof, { triesLeft: proof.triesLeft - 1 }) }
    },
    async consume(idHash, purpose, now) {
      const proof = good(idHash, purpose, now)
      if (proof === undefined) return { outcome: 'void' }
      return { outcome: 'consumed', proof: change(proof, { consumedAt: copyOf(now) }) }
    },
    async voidForUser(userId, purposes, now) {
      const open = ofUsers.of(userId).flatMap((idHash) => {
        const proof = table.get(idHash)
        const isOpen = proof?.consumedAt === null && purposes.includes(proof.purpose)
        return isOpen ? [proof] : []
      })
      for (const proof of open) change(proof, { consumedAt: copyOf(now) })
      return open.length
    },
    async list(purpose, userId, now) {
      const ids = userId === null ? ofNobody.of(purpose) : ofUsers.of(userId)
      return ids.flatMap((idHash) => {
        const proof = good(idHash, purpose, now)
        return proof !== undefined && proof.triesLeft > 0 ? [copyOf(proof)] : []
      })
    },
    purge: table.purge,
  }
}

/** Devices that wait for a user, in the memory of this process, at most `maxCodes`. */
function memoryDeviceCodes(maxCodes: number): DeviceCodeStore {
  const table = boundedTable<DeviceCodeRecord>(maxCodes, ({ expiresAt }, now) => expiresAt <= now)
  const change = (code: DeviceCodeRecord, changed: Partial<DeviceCodeRecord>) => {
    const next = { ...code, ...changed }
    table.update(code.userCodeHash, next)
    return copyOf(next)
  }
  const pending = (userCodeHash: string, now: Date) => {
    const code = table.get(userCodeHash)
    return code?.state === 'pending' && now < code.expiresAt ? code : undefined
  }
  const pendingOf = (userCodeHash: string, userId: string, now: Date) => {
    const code = pending(userCodeHash, now)
    return code?.userId === userId ? code : undefined
  }
  return {
    async save(code) {
      table.insert(code.userCodeHash, copyOf(code), code.createdAt)
    },
    find: async (userCodeHash) => copyOf(table.get(userCodeHash) ?? null),
    async claim(userCodeHash, userId, now) {
      const code = pending(userCodeHash, now)
      if (code === undefined) return { outcome: 'unknown' }
      if (code.userId === userId) return { outcome: 'claimed', code: copyOf(code) }
      if (code.userId !== null) return { outcome: 'foreign' }
      return { outcome: 'claimed', code: change(code, { userId, claimedAt: copyOf(now) }) }
    },
    async takeTry(userCodeHash, userId, now) {
      const code = pendingOf(userCodeHash, userId, now)
      if (code === undefined || code.triesLeft <= 0) return { outcome: 'void' }
      return { outcome: 'taken', code: change(code, { triesLeft: code.triesLeft - 1 }) }
    },
    async decide(userCodeHash, userId, verdict, now) {
      const code = pendingOf(userCodeHash, userId, now)
      if (code === undefined) return { outcome: 'unknown' }
      change(code, verdict)
      return { outcome: 'decided' }
    },
    async poll(userCodeHash, deviceCodeHash, now) {
      const code = table.get(userCodeHash)
      if (code?.deviceCodeHash !== deviceCodeHash) return { outcome: 'unknown' }
      const isSoon = now < code.nextPollAt
      const interval = isSoon ? code.interval + 5 : code.interval
      const nextPollAt = new Date(now.getTime() + interval * 1000)
      return {
        outcome: isSoon ? 'too-soon' : 'polled',
        code: change(code, { interval, nextPollAt }),
      }
    },
    purge: table.purge,
  }
}
