import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  KeyStore,
  SecondFactorStore,
  SessionRecord,
  SessionStore,
  SocketTicketRecord,
  SocketTicketStore,
  StoredSigningKey,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { StoresUnderTest } from '../../src/testing/testing.js'
import { memoryKeyStore } from './memory-key-store.js'

// Stores that are wrong in one respect each, as they are written in earnest. All but that respect is left to the good stores.

type Codes = AuthorizationCodeStore
type Sessions = SessionStore
type Factors = SecondFactorStore
type Tickets = SocketTicketStore

/** The way to the database and back. */
const awaited = () => new Promise((resolve) => setTimeout(resolve, 3))

/** As a column that takes some keys for the same: whichever came first is what is stored. */
function collation(fold: (key: string) => string): (key: string) => string {
  const first = new Map<string, string>()
  return (key) => {
    const stored = first.get(fold(key)) ?? key
    first.set(fold(key), stored)
    return stored
  }
}

const withCodes = (change: (good: Codes) => Partial<Codes>) => (): StoresUnderTest => {
  const { codes } = memoryStores()
  return { codes: { ...codes, ...change(codes) } }
}

const withSessions = (change: (good: Sessions) => Partial<Sessions>) => (): StoresUnderTest => {
  const { sessions } = memoryStores()
  return { sessions: { ...sessions, ...change(sessions) } }
}

const withFactors = (change: (good: Factors) => Partial<Factors>) => (): StoresUnderTest => {
  const { secondFactors } = memoryStores()
  return { secondFactors: { ...secondFactors, ...change(secondFactors) } }
}

const withTickets = (change: (good: Tickets) => Partial<Tickets>) => (): StoresUnderTest => {
  const { tickets } = memoryStores()
  return { tickets: { ...tickets, ...change(tickets) } }
}

const withKeys = (change: (good: KeyStore) => Partial<KeyStore>) => (): StoresUnderTest => {
  const keys = memoryKeyStore()
  return { keys: { ...keys, ...change(keys) } }
}

/** Session rows that can be written over, for stores that do. */
function sessionRows(change: (rows: Map<string, SessionRecord>, good: Sessions) => Partial<Sessions>): () => StoresUnderTest {
  return () => {
    const rows = new Map<string, SessionRecord>()
    const isLive = (row: SessionRecord | undefined, now: Date) =>
      row !== undefined && row.endedAt === null && now < row.idleExpiresAt && now < row.expiresAt
    const update = (id: string, fields: Partial<SessionRecord>) => {
      const row = rows.get(id)
      if (row?.endedAt !== null) return false
      rows.set(id, structuredClone({ ...row, ...fields }))
      return true
    }
    const good: Sessions = {
      async create(session) {
        if (rows.has(session.id)) throw new Error('duplicate')
        rows.set(session.id, structuredClone(session))
      },
      find: async (id) => structuredClone(rows.get(id) ?? null),
      async rotateRefresh(id, hash, { refresh, lastSeenAt, idleExpiresAt, ip }) {
        const row = rows.get(id)
        if (row?.endedAt !== null) return { outcome: 'ended' }
        if (row.refresh?.hash !== hash) return { outcome: 'superseded' }
        update(id, { refresh, lastSeenAt, idleExpiresAt, ip })
        return { outcome: 'rotated' }
      },
      touch: async (id, { lastSeenAt, idleExpiresAt, ip }) => void update(id, { lastSeenAt, idleExpiresAt, ip }),
      end: async (id, endReason, endedAt) => update(id, { endReason, endedAt }),
      async endAllForUser(userId, endReason, endedAt, exceptId) {
        const own = [...rows.values()].filter((row) => row.userId === userId && row.id !== exceptId)
        return own.flatMap(({ id }) => (update(id, { endReason, endedAt }) ? [id] : []))
      },
      async listForUser(userId, now) {
        const own = [...rows.values()].filter((row) => row.userId === userId && isLive(row, now))
        return structuredClone(own.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime()))
      },
      liveAmong: async (ids, now) => ids.filter((id) => isLive(rows.get(id), now)),
      async purge(now, limit = Number.POSITIVE_INFINITY) {
        const over = [...rows.values()].filter((row) => !isLive(row, now)).slice(0, limit)
        for (const { id } of over) rows.delete(id)
        return over.length
      },
    }
    return { sessions: { ...good, ...change(rows, good) } }
  }
}

const badCodes = {
  'codes: read, then write': withCodes((good) => ({
    async consume(codeHash, now) {
      const code = await good.find(codeHash)
      await awaited()
      const answer = await good.consume(codeHash, now)
      const looksGood = code !== null && code.consumedAt === null && now < code.expiresAt
      return looksGood ? { outcome: 'consumed', code: { ...code, consumedAt: now } } : answer
    },
  })),
  'codes: GET and DEL': withCodes((good) => ({
    async consume(codeHash, now) {
      const code = await good.find(codeHash)
      await awaited()
      if (code === null || now >= code.expiresAt) return { outcome: 'unknown' }
      await good.consume(codeHash, now)
      await good.purge(new Date(8.64e15))
      return { outcome: 'consumed', code: { ...code, consumedAt: now } }
    },
  })),
  'codes: good at the moment of expiry': withCodes((good) => ({
    consume: (codeHash, now) => good.consume(codeHash, new Date(now.getTime() - 1)),
  })),
  'codes: hashes without regard to case': withCodes((good) => {
    const stored = collation((hash) => hash.toLowerCase())
    return {
      save: (code) => good.save({ ...code, codeHash: stored(code.codeHash) }),
      find: (codeHash) => good.find(stored(codeHash)),
      consume: (codeHash, now) => good.consume(stored(codeHash), now),
    }
  }),
  'codes: purge deletes used ones when they expire': withCodes((good) => ({
    save: (code) => good.save({ ...code, retainUntil: code.expiresAt }),
  })),
  'codes: purge without a limit': withCodes((good) => ({ purge: (now) => good.purge(now) })),
  'codes: save as an upsert': withCodes((good) => {
    const rows = new Map<string, AuthorizationCodeRecord>()
    return {
      save: async (code) => void rows.set(code.codeHash, structuredClone(code)),
      find: async (codeHash) => structuredClone(rows.get(codeHash) ?? null),
      async consume(codeHash, now) {
        const code = rows.get(codeHash)
        if (code?.consumedAt instanceof Date) return { outcome: 'replayed', code: structuredClone(code) }
        if (code === undefined || now >= code.expiresAt) return good.consume(codeHash, now)
        rows.set(codeHash, { ...code, consumedAt: now })
        return { outcome: 'consumed', code: structuredClone({ ...code, consumedAt: now }) }
      },
      purge: async () => 0,
    }
  }),
  'codes: undefined when there is none': withCodes((good) => ({
    find: async (codeHash) => ((await good.find(codeHash)) ?? undefined) as AuthorizationCodeRecord | null,
  })),
  'codes: dates as texts': withCodes((good) => ({
    find: async (codeHash) => JSON.parse(JSON.stringify(await good.find(codeHash))) as AuthorizationCodeRecord | null,
  })),
  'codes: replays without the record': withCodes((good) => ({
    async consume(codeHash, now) {
      const answer = await good.consume(codeHash, now)
      return answer.outcome === 'consumed' ? answer : { outcome: 'unknown' }
    },
  })),
  'codes: redeem consumes, then fails to insert': (): StoresUnderTest => {
    const { codes, sessions } = memoryStores()
    const redeem: NonNullable<Codes['redemption']>['redeem'] = async (codeHash, session, now) => {
      const answer = await codes.consume(codeHash, now)
      if (answer.outcome === 'consumed') await sessions.create(session)
      return answer
    }
    return { codes: { ...codes, redemption: { sessions, redeem } } }
  },
  'codes: redeem inserts, then consumes': (): StoresUnderTest => {
    const { codes, sessions } = memoryStores()
    const redeem: NonNullable<Codes['redemption']>['redeem'] = async (codeHash, session, now) => {
      await sessions.create(session).catch(() => {})
      return codes.consume(codeHash, now)
    }
    return { codes: { ...codes, redemption: { sessions, redeem } } }
  },
}

const badSessions = {
  'sessions: end reads, then writes': withSessions((good) => ({
    async end(id, reason, now) {
      const session = await good.find(id)
      await awaited()
      await good.end(id, reason, now)
      return session?.endedAt === null
    },
  })),
  'sessions: end says true to everyone': withSessions((good) => ({
    end: (id, reason, now) => good.end(id, reason, now).then(() => true),
  })),
  'sessions: end overwrites the reason': sessionRows((rows, good) => ({
    async end(id, endReason, endedAt) {
      const row = rows.get(id)
      if (row === undefined || row.endedAt === null) return good.end(id, endReason, endedAt)
      rows.set(id, { ...row, endReason, endedAt })
      return false
    },
  })),
  'sessions: end deletes': sessionRows((rows) => ({ end: async (id) => rows.delete(id) })),
  'sessions: rotate reads, then writes': sessionRows((rows, good) => ({
    async rotateRefresh(id, hash, next) {
      const row = rows.get(id)
      await awaited()
      if (row?.endedAt !== null || row.refresh?.hash !== hash) return good.rotateRefresh(id, hash, next, new Date())
      await good.touch(id, next)
      const current = rows.get(id)
      if (current?.endedAt === null) rows.set(id, structuredClone({ ...current, refresh: next.refresh }))
      return { outcome: 'rotated' }
    },
  })),
  'sessions: rotate writes the whole row': sessionRows((rows, good) => ({
    async rotateRefresh(id, hash, next, now) {
      const row = rows.get(id)
      if (row?.endedAt !== null || row.refresh?.hash !== hash) return good.rotateRefresh(id, hash, next, now)
      rows.set(id, { ...row, refresh: { ...row.refresh, hash: `taken ${hash}` } })
      await awaited()
      rows.set(id, structuredClone({ ...row, ...next }))
      return { outcome: 'rotated' }
    },
  })),
  'sessions: rotate ignores endedAt': sessionRows((rows) => ({
    async rotateRefresh(id, hash, next) {
      const row = rows.get(id)
      if (row === undefined) return { outcome: 'ended' }
      if (row.refresh?.hash !== hash) return { outcome: 'superseded' }
      rows.set(id, structuredClone({ ...row, ...next }))
      return { outcome: 'rotated' }
    },
  })),
  'sessions: touch as an upsert': sessionRows((rows) => ({
    async touch(id, seen) {
      const row = rows.get(id)
      rows.set(id, structuredClone({ ...(row ?? ({ id } as SessionRecord)), ...seen, endedAt: null, endReason: null }))
    },
  })),
  'sessions: touch reads, then writes the whole row': sessionRows((rows) => ({
    async touch(id, seen) {
      const row = rows.get(id)
      await awaited()
      if (row?.endedAt === null) rows.set(id, structuredClone({ ...row, ...seen }))
    },
  })),
  'sessions: live at the moment of expiry': withSessions((good) => ({
    listForUser: (userId, now) => good.listForUser(userId, new Date(now.getTime() - 1)),
  })),
  'sessions: liveAmong answers ended ones': withSessions((good) => ({
    async liveAmong(ids) {
      const found = await Promise.all(ids.map((id) => good.find(id)))
      return found.flatMap((session) => session?.id ?? [])
    },
  })),
  'sessions: listForUser of everybody': sessionRows((rows) => ({
    listForUser: async (_userId, now) =>
      structuredClone([...rows.values()].filter((row) => row.endedAt === null && now < row.idleExpiresAt && now < row.expiresAt)),
  })),
  'sessions: listForUser the newest first': withSessions((good) => ({
    listForUser: async (userId, now) => (await good.listForUser(userId, now)).reverse(),
  })),
  'sessions: endAllForUser reads again afterwards': sessionRows((rows, good) => ({
    async endAllForUser(userId, reason, now, exceptId) {
      await good.endAllForUser(userId, reason, now, exceptId)
      await awaited()
      return [...rows.values()].flatMap((row) =>
        row.userId === userId && row.endedAt?.getTime() === now.getTime() && row.id !== exceptId ? [row.id] : [],
      )
    },
  })),
  'sessions: endAllForUser ignores exceptId': withSessions((good) => ({
    endAllForUser: (userId, reason, now) => good.endAllForUser(userId, reason, now),
  })),
  'sessions: ids without regard to case': withSessions((good) => {
    const stored = collation((id) => id.toLowerCase())
    return {
      create: (session) => good.create({ ...session, id: stored(session.id) }),
      find: (id) => good.find(stored(id)),
      end: (id, reason, now) => good.end(stored(id), reason, now),
      liveAmong: (ids, now) => good.liveAmong(ids.map(stored), now),
    }
  }),
  'sessions: user ids without a trailing blank': withSessions((good) => ({
    create: (session) => good.create({ ...session, userId: session.userId.trimEnd() }),
    listForUser: (userId, now) => good.listForUser(userId.trimEnd(), now),
    endAllForUser: (userId, reason, now, exceptId) => good.endAllForUser(userId.trimEnd(), reason, now, exceptId),
  })),
  'sessions: user ids cut at 255': withSessions((good) => ({
    create: (session) => good.create({ ...session, userId: session.userId.slice(0, 255) }),
    listForUser: (userId, now) => good.listForUser(userId.slice(0, 255), now),
  })),
  'sessions: create as an upsert': sessionRows((rows) => ({
    create: async (session) => void rows.set(session.id, structuredClone(session)),
  })),
  'sessions: dates in seconds': withSessions((good) => ({
    async find(id) {
      const session = await good.find(id)
      return session && { ...session, createdAt: new Date(Math.floor(session.createdAt.getTime() / 1000) * 1000) }
    },
  })),
  'sessions: records by reference': sessionRows((rows) => ({
    create: async (session) => {
      if (rows.has(session.id)) throw new Error('duplicate')
      rows.set(session.id, session)
    },
    find: async (id) => rows.get(id) ?? null,
  })),
  'sessions: purge by ids read before': sessionRows((rows) => ({
    async purge(now) {
      const over = [...rows.values()].filter((row) => row.endedAt !== null || row.idleExpiresAt <= now || row.expiresAt <= now)
      await awaited()
      for (const { id } of over) rows.delete(id)
      return over.length
    },
  })),
}

const badFactors = {
  'secondFactors: advanceStep reads, then writes': withFactors((good) => ({
    async advanceStep(userId, step) {
      const factor = await good.find(userId)
      await awaited()
      await good.advanceStep(userId, step)
      return { outcome: factor !== null && step > factor.lastStep ? 'advanced' : 'stale' }
    },
  })),
  'secondFactors: advanceStep with >=': withFactors((good) => {
    const last = new Map<string, number>()
    return {
      async advanceStep(userId, step) {
        if (last.get(userId) === step) return { outcome: 'advanced' }
        last.set(userId, step)
        return good.advanceStep(userId, step)
      },
    }
  }),
  'secondFactors: activate overwrites': withFactors((good) => ({
    async activate(factor, hashes) {
      const [, answer] = await Promise.all([good.deactivate(factor.userId), good.activate(factor, hashes)])
      return answer
    },
  })),
  'secondFactors: activate reads, then writes': withFactors((good) => ({
    async activate(factor, hashes) {
      const existing = await good.find(factor.userId)
      await awaited()
      if (existing !== null) return { outcome: 'already-active' }
      await good.deactivate(factor.userId)
      return good.activate(factor, hashes)
    },
  })),
  'secondFactors: deactivate says so to everyone': withFactors((good) => ({
    deactivate: (userId) => good.deactivate(userId).then(() => ({ outcome: 'deactivated' })),
  })),
  'secondFactors: deactivate leaves the recovery codes': withFactors((good) => {
    const left = new Set<string>()
    return {
      async activate(factor, hashes) {
        const answer = await good.activate(factor, hashes)
        if (answer.outcome === 'activated') for (const hash of hashes) left.add(`${factor.userId} ${hash}`)
        return answer
      },
      consumeRecoveryCode: async (userId, hash) => ({ outcome: left.delete(`${userId} ${hash}`) ? 'consumed' : 'unknown' }),
    }
  }),
  'secondFactors: recovery codes as one list in a value': withFactors((good) => {
    const lists = new Map<string, readonly string[]>()
    return {
      async activate(factor, hashes) {
        const answer = await good.activate(factor, hashes)
        if (answer.outcome === 'activated') lists.set(factor.userId, [...hashes])
        return answer
      },
      async consumeRecoveryCode(userId, hash) {
        const list = lists.get(userId) ?? []
        await awaited()
        lists.set(
          userId,
          list.filter((one) => one !== hash),
        )
        return { outcome: list.includes(hash) ? 'consumed' : 'unknown' }
      },
    }
  }),
  'secondFactors: user ids in one Unicode form': withFactors((good) => {
    const stored = collation((userId) => userId.normalize())
    return {
      find: (userId) => good.find(stored(userId)),
      activate: (factor, hashes) => good.activate({ ...factor, userId: stored(factor.userId) }, hashes),
      advanceStep: (userId, step) => good.advanceStep(stored(userId), step),
      consumeRecoveryCode: (userId, hash) => good.consumeRecoveryCode(stored(userId), hash),
      deactivate: (userId) => good.deactivate(stored(userId)),
    }
  }),
}

const badTickets = {
  'tickets: GET and DEL': withTickets(() => {
    const rows = new Map<string, SocketTicketRecord>()
    return {
      async save(ticket) {
        if (rows.has(ticket.ticketHash)) throw new Error('duplicate')
        rows.set(ticket.ticketHash, structuredClone(ticket))
      },
      async consume(ticketHash, now) {
        const ticket = rows.get(ticketHash)
        await awaited()
        if (ticket === undefined || now >= ticket.expiresAt) return { outcome: 'unknown' }
        rows.delete(ticketHash)
        return { outcome: 'consumed', ticket }
      },
      purge: async () => 0,
    }
  }),
  'tickets: good at the moment of expiry': withTickets((good) => ({
    consume: (ticketHash, now) => good.consume(ticketHash, new Date(now.getTime() - 1)),
  })),
  'tickets: save as an upsert': withTickets((good) => ({
    async save(ticket) {
      await good.consume(ticket.ticketHash, ticket.createdAt)
      await good.save(ticket)
    },
  })),
  'tickets: purge without a limit': withTickets((good) => ({ purge: (now) => good.purge(now) })),
  'tickets: purge too early': withTickets((good) => ({ purge: (now, limit) => good.purge(new Date(now.getTime() + 1), limit) })),
}

const badKeys = {
  'keys: insert as an upsert': withKeys((good) => ({
    async insert(key) {
      await good.remove(key.generation)
      return good.insert(key)
    },
  })),
  'keys: insert reads, then writes': withKeys((good) => ({
    async insert(key) {
      const exists = (await good.list()).some(({ generation }) => generation === key.generation)
      await awaited()
      if (exists) return { outcome: 'exists' }
      await good.remove(key.generation)
      return good.insert(key)
    },
  })),
  'keys: all in one value': withKeys(() => {
    let all: readonly StoredSigningKey[] = []
    return {
      list: async () => structuredClone([...all]),
      async insert(key) {
        const before = all
        await awaited()
        if (before.some(({ generation }) => generation === key.generation)) return { outcome: 'exists' }
        all = [...before, structuredClone(key)]
        return { outcome: 'inserted' }
      },
      remove: async (generation) => {
        all = all.filter((key) => key.generation !== generation)
      },
    }
  }),
}

/** Every bad store by what is wrong with it; the word before the colon is the contract it breaks. */
export const badStores = { ...badCodes, ...badSessions, ...badFactors, ...badTickets, ...badKeys }
