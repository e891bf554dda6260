import { awaited, withOnce } from './helpers.js'

const claimed = { outcome: 'claimed' } as const
const known = { outcome: 'known' } as const

/** Rows of keys and their ends, and a store of them that a change makes wrong. */
function onceRows(
  claim: (rows: Map<string, Date>, key: string, expiresAt: Date, now: Date) => Promise<boolean>,
) {
  return withOnce(() => {
    const rows = new Map<string, Date>()
    return {
      claim: async (key, expiresAt, now) =>
        (await claim(rows, key, expiresAt, now)) ? claimed : known,
      async purge(now, limit = Number.POSITIVE_INFINITY) {
        const over = [...rows].filter(([, end]) => end <= now).slice(0, limit)
        for (const [key] of over) rows.delete(key)
        return over.length
      },
    }
  })
}

const isOver = (end: Date | undefined, now: Date) => end === undefined || end <= now

/** Stores of names that are used once, wrong in one respect each. */
export const badOnce = {
  'once: reads, then writes': onceRows(async (rows, key, expiresAt, now) => {
    const end = rows.get(key)
    await awaited()
    if (isOver(end, now)) rows.set(key, expiresAt)
    return isOver(end, now)
  }),
  'once: an expired note is read, then written': onceRows(async (rows, key, expiresAt, now) => {
    const end = rows.get(key)
    if (end === undefined) rows.set(key, expiresAt)
    else await awaited()
    if (isOver(end, now)) rows.set(key, expiresAt)
    return isOver(end, now)
  }),
  'once: an expired note stays in the way': onceRows(async (rows, key, expiresAt) => {
    if (rows.has(key)) return false
    rows.set(key, expiresAt)
    return true
  }),
  'once: known at the moment of expiry': onceRows(async (rows, key, expiresAt, now) => {
    const end = rows.get(key)
    if (end !== undefined && end >= now) return false
    rows.set(key, expiresAt)
    return true
  }),
  'once: ends in seconds': onceRows(async (rows, key, expiresAt, now) => {
    if (!isOver(rows.get(key), now)) return false
    rows.set(key, new Date(Math.floor(expiresAt.getTime() / 1000) * 1000))
    return true
  }),
  'once: an upsert moves the end': onceRows(async (rows, key, expiresAt, now) => {
    const end = rows.get(key)
    rows.set(key, expiresAt)
    return isOver(end, now)
  }),
  'once: a note that is taken over keeps its end': onceRows(async (rows, key, expiresAt, now) => {
    const end = rows.get(key)
    if (end === undefined) rows.set(key, expiresAt)
    return isOver(end, now)
  }),
  'once: keys cut at 255': withOnce((good) => ({
    claim: (key, ...given) => good.claim(key.slice(0, 255), ...given),
  })),
  'once: keys without regard to case': withOnce((good) => ({
    claim: (key, ...given) => good.claim(key.toLowerCase(), ...given),
  })),
  'once: rows in a plain object': withOnce((good) => ({
    claim: async (key, ...given) => {
      if (key in {}) throw new TypeError('no date')
      return good.claim(key, ...given)
    },
  })),
  'once: the TTL stays where the first claim has set it': withOnce((good) => {
    const ends = new Map<string, number>()
    return {
      async claim(key, expiresAt, now) {
        const end = ends.get(key) ?? expiresAt.getTime()
        ends.set(key, end)
        return end <= Date.now() && end > 0 && expiresAt.getTime() > Date.now()
          ? claimed
          : good.claim(key, expiresAt, now)
      },
    }
  }),
  'once: purge too early': withOnce((good) => ({
    purge: (now, limit) => good.purge(new Date(now.getTime() + 1), limit),
  })),
  'once: purge takes a limit of 0 for none': withOnce((good) => ({
    purge: (now, limit) => good.purge(now, limit || undefined),
  })),
  'once: purge without a limit': withOnce((good) => ({ purge: (now) => good.purge(now) })),
  'once: purge does nothing': withOnce(() => ({ purge: async () => 0 })),
}
