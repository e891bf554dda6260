import type { AuthenticationMethod, RefreshState, SessionRecord, SessionSeen, SpentRefreshToken } from './contract.js'

interface StoredSpent extends Omit<SpentRefreshToken, 'spentAt'> {
  readonly spentAt: number
}

/** What is kept of refresh tokens. */
export interface StoredRefresh extends Omit<RefreshState, 'spent'> {
  readonly spent: readonly StoredSpent[]
}

type Moment = 'authenticatedAt' | 'createdAt' | 'lastSeenAt' | 'idleExpiresAt' | 'expiresAt'

/**
 * A session as memory holds it, its moments as milliseconds: a Date takes 96 bytes more than the number in it, and a session has five or
 * more of them. Shares nothing with a record that can be changed.
 */
export interface StoredSession extends Omit<SessionRecord, Moment | 'endedAt' | 'refresh'>, Readonly<Record<Moment, number>> {
  readonly endedAt: number | null
  readonly refresh: StoredRefresh | null
}

const listsOfMethods = new Map<string, readonly AuthenticationMethod[]>()
const mostLists = 100

/** The methods as a row holds them. There are few ways to sign in, so that each list is kept once, and not with every session. */
export function methodsOfRow(methods: readonly AuthenticationMethod[]): readonly AuthenticationMethod[] {
  const name = methods.join()
  const list = listsOfMethods.get(name) ?? Object.freeze([...methods])
  if (listsOfMethods.size < mostLists) listsOfMethods.set(name, list)
  return list
}

/** The row of a record. */
export function storedSession(session: SessionRecord): StoredSession {
  return {
    ...session,
    methods: methodsOfRow(session.methods),
    authenticatedAt: session.authenticatedAt.getTime(),
    createdAt: session.createdAt.getTime(),
    ...storedSeen(session),
    expiresAt: session.expiresAt.getTime(),
    refresh: session.refresh && storedRefresh(session.refresh),
    endedAt: session.endedAt === null ? null : session.endedAt.getTime(),
  }
}

/** The part of a row that use changes. */
export function storedSeen({ lastSeenAt, idleExpiresAt, ip }: SessionSeen): Pick<StoredSession, keyof SessionSeen> {
  return { lastSeenAt: lastSeenAt.getTime(), idleExpiresAt: idleExpiresAt.getTime(), ip }
}

/** The part of a row that a rotation replaces. */
export function storedRefresh({ hash, familyKey, spent }: RefreshState): StoredRefresh {
  return { hash, familyKey, spent: spent.map((one) => ({ ...one, spentAt: one.spentAt.getTime() })) }
}

/** The record of a row. */
export function sessionRecord(row: StoredSession): SessionRecord {
  return {
    ...row,
    methods: [...row.methods],
    authenticatedAt: new Date(row.authenticatedAt),
    createdAt: new Date(row.createdAt),
    lastSeenAt: new Date(row.lastSeenAt),
    idleExpiresAt: new Date(row.idleExpiresAt),
    expiresAt: new Date(row.expiresAt),
    refresh: row.refresh && {
      ...row.refresh,
      spent: row.refresh.spent.map((one) => ({ ...one, spentAt: new Date(one.spentAt) })),
    },
    endedAt: row.endedAt === null ? null : new Date(row.endedAt),
  }
}
