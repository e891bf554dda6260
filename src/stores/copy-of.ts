import { types } from 'node:util'
import type { FormerSecret, SessionRecord, SpentRefreshToken } from './contract.js'

/**
 * A copy that shares no Date and no list with the original: a caller that changes its copy must not
 * change the store, as with a real database. Faster than `structuredClone`, and texts are shared.
 */
export function copyOf<Value>(value: Value): Value {
  return copy(value) as Value
}

/** The same of a session, four times as fast: each sign-in copies all sessions of its user. */
export function copyOfSession(session: SessionRecord): SessionRecord {
  const { refresh, endedAt, resources, formerSecret } = session
  return {
    ...session,
    methods: [...session.methods],
    authenticatedAt: copyOfDate(session.authenticatedAt),
    createdAt: copyOfDate(session.createdAt),
    lastSeenAt: copyOfDate(session.lastSeenAt),
    idleExpiresAt: copyOfDate(session.idleExpiresAt),
    expiresAt: copyOfDate(session.expiresAt),
    refresh: refresh && { ...refresh, spent: refresh.spent.map(copyOfSpent) },
    endedAt: endedAt && copyOfDate(endedAt),
    ...(resources === undefined ? {} : { resources: [...resources] }),
    ...(formerSecret === undefined ? {} : { formerSecret: copyOfFormer(formerSecret) }),
  }
}

function copyOfSpent(token: SpentRefreshToken): SpentRefreshToken {
  return { ...token, spentAt: copyOfDate(token.spentAt) }
}

function copyOfFormer(secret: FormerSecret): FormerSecret {
  return { ...secret, until: copyOfDate(secret.until) }
}

function copyOfDate(date: Date): Date {
  return new Date(date.getTime())
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (types.isDate(value)) return copyOfDate(value)
  if (Array.isArray(value)) return value.map(copy)
  const whole: Record<string, unknown> = { ...value }
  for (const [name, field] of Object.entries(whole))
    if (typeof field === 'object') whole[name] = copy(field)
  return whole
}
