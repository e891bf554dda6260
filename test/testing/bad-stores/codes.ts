import type { AuthorizationCodeRecord, AuthorizationCodeStore } from '../../../src/index.js'
import { memoryStores } from '../../../src/stores/memory-stores.js'
import type { StoresUnderTest } from '../../../src/testing/testing.js'
import { awaited, collation, withCodes } from './helpers.js'

/** Stores of authorization codes that are wrong in one respect each. */
export const badCodes = {
  'codes: read, then write': withCodes((good) => ({
    async consume(codeHash, now) {
      const code = await good.find(codeHash)
      await awaited()
      const answer = await good.consume(codeHash, now)
      const looksGood = code !== null && code.consumedAt === null && now < code.expiresAt
      return looksGood ? { outcome: 'consumed', code: { ...code, consumedAt: now } } : answer
    },
  })),
  'codes: GET and DEL': withCodes((good) => {
    const used = new Set<string>()
    return {
      find: async (codeHash) => (used.has(codeHash) ? null : good.find(codeHash)),
      async consume(codeHash, now) {
        const code = used.has(codeHash) ? null : await good.find(codeHash)
        await awaited()
        if (code === null || now >= code.expiresAt) return { outcome: 'unknown' }
        used.add(codeHash)
        return { outcome: 'consumed', code: { ...code, consumedAt: new Date(now) } }
      },
    }
  }),
  'codes: losers of a race are rejected': withCodes((good) => {
    const locked = new Set<string>()
    return {
      async consume(codeHash, now) {
        if (locked.has(codeHash))
          throw new Error('could not serialize access due to concurrent update')
        locked.add(codeHash)
        await awaited()
        locked.delete(codeHash)
        return good.consume(codeHash, now)
      },
    }
  }),
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
  'codes: replays forgotten at retainUntil': withCodes((good) => ({
    async consume(codeHash, now) {
      const code = await good.find(codeHash)
      return code !== null && now >= code.retainUntil
        ? { outcome: 'unknown' }
        : good.consume(codeHash, now)
    },
  })),
  'codes: purge takes a limit of 0 for none': withCodes((good) => ({
    purge: (now, limit) => good.purge(now, limit || undefined),
  })),
  'codes: purge without a limit': withCodes((good) => ({ purge: (now) => good.purge(now) })),
  'codes: save as an upsert': withCodes((good) => {
    const rows = new Map<string, AuthorizationCodeRecord>()
    return {
      save: async (code) => void rows.set(code.codeHash, structuredClone(code)),
      find: async (codeHash) => structuredClone(rows.get(codeHash) ?? null),
      async consume(codeHash, now) {
        const code = rows.get(codeHash)
        if (code?.consumedAt instanceof Date)
          return { outcome: 'replayed', code: structuredClone(code) }
        if (code === undefined || now >= code.expiresAt) return good.consume(codeHash, now)
        rows.set(codeHash, { ...code, consumedAt: new Date(now) })
        return { outcome: 'consumed', code: structuredClone({ ...code, consumedAt: now }) }
      },
      purge: async () => 0,
    }
  }),
  'codes: undefined when there is none': withCodes((good) => ({
    find: async (codeHash) =>
      ((await good.find(codeHash)) ?? undefined) as AuthorizationCodeRecord | null,
  })),
  'codes: dates as texts': withCodes((good) => ({
    find: async (codeHash) =>
      JSON.parse(JSON.stringify(await good.find(codeHash))) as AuthorizationCodeRecord | null,
  })),
  'codes: replays without the record': withCodes((good) => ({
    async consume(codeHash, now) {
      const answer = await good.consume(codeHash, now)
      return answer.outcome === 'consumed' ? answer : { outcome: 'unknown' }
    },
  })),
  'codes: redeem consumes, then fails to insert': (): StoresUnderTest => {
    const { codes, sessions } = memoryStores()
    const redeem: NonNullable<AuthorizationCodeStore['redemption']>['redeem'] = async (
      codeHash,
      session,
      now,
    ) => {
      const answer = await codes.consume(codeHash, now)
      if (answer.outcome === 'consumed') await sessions.create(session)
      return answer
    }
    return { codes: { ...codes, redemption: { sessions, redeem } } }
  },
  'codes: redeem inserts, then consumes': (): StoresUnderTest => {
    const { codes, sessions } = memoryStores()
    const redeem: NonNullable<AuthorizationCodeStore['redemption']>['redeem'] = async (
      codeHash,
      session,
      now,
    ) => {
      await sessions.create(session).catch(() => {})
      return codes.consume(codeHash, now)
    }
    return { codes: { ...codes, redemption: { sessions, redeem } } }
  },
}
