import type { Expression, ExpressionBuilder, InsertObject, Selectable, UpdateObject } from 'kysely'
import type { RefreshState, SessionRecord, SessionSeen, StoredReason } from '../contract.js'
import { type MomentValue, without } from '../rows/members.js'
import { type SessionsTable, sessionRow } from '../rows/session-row.js'
import { type Columns, columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import type { SqlAuthTables } from './tables.js'
import { fromKey, fromMoment, toMoment } from './values.js'

type Changed = UpdateObject<SqlAuthTables, 'mar_sessions'>

// Of the refresh state one part is compared, and the others are JSON.
const columns: Columns<Omit<SessionRecord, 'refresh'>, 'mar_sessions'> = columnsOf(
  without(sessionRow, 'refresh'),
)

/** The columns of these members alone. */
export function columnsOfSession(
  engine: SqlEngine,
  members: Partial<Omit<SessionRecord, 'refresh'>>,
): Changed {
  return columns.ofSome(engine, members)
}

/** The columns of an end. */
export function ended(engine: SqlEngine, endReason: StoredReason, endedAt: Date): Changed {
  return { ...columns.ofSome(engine, { endedAt, endReason }), purge_at: toMoment(endedAt) }
}

/** The columns of being used. When the row may go depends on the end that is already in it. */
export function seen(
  engine: SqlEngine,
  eb: ExpressionBuilder<SqlAuthTables, 'mar_sessions'>,
  { lastSeenAt, idleExpiresAt, ip }: SessionSeen,
): Changed & { purge_at: Expression<MomentValue> } {
  const idle = toMoment(idleExpiresAt)
  const purgeAt = eb
    .case()
    .when('expires_at', '<', idle)
    .then(eb.ref('expires_at'))
    .else(eb.val<MomentValue>(idle))
    .end()
  return { ...columns.ofSome(engine, { lastSeenAt, idleExpiresAt, ip }), purge_at: purgeAt }
}

/** The columns of the refresh state. */
export function refreshColumns(
  { key, text }: SqlEngine,
  refresh: RefreshState | null,
): Pick<InsertObject<SqlAuthTables, 'mar_sessions'>, 'refresh_hash' | 'refresh_state'> {
  if (refresh === null) return { refresh_hash: null, refresh_state: null }
  // Members that a newer release has put into it stay.
  const { hash, ...state } = refresh
  const spent = refresh.spent.map((one) => ({ ...one, spentAt: toMoment(one.spentAt) }))
  return {
    refresh_hash: key(hash, 'refresh.hash'),
    refresh_state: text(JSON.stringify({ ...state, spent }), 'refresh'),
  }
}

/** What `refresh_state` holds. */
interface StoredRefresh {
  readonly familyKey: string
  readonly spent: readonly {
    readonly hash: string
    readonly salt: string
    readonly spentAt: number
  }[]
  readonly pairUsed?: boolean
}

function toRefresh({
  refresh_hash,
  refresh_state,
}: Selectable<SessionsTable>): RefreshState | null {
  if (refresh_hash === null || refresh_state === null) return null
  const state: StoredRefresh = JSON.parse(refresh_state)
  const spent = state.spent.map((one) => ({ ...one, spentAt: fromMoment(one.spentAt) }))
  return { ...state, hash: fromKey(refresh_hash), spent }
}

/** A session as it is stored. */
export function toRow(
  engine: SqlEngine,
  session: SessionRecord,
): InsertObject<SqlAuthTables, 'mar_sessions'> {
  const { idleExpiresAt, expiresAt, endedAt } = session
  return {
    ...columns.of(engine, session),
    ...refreshColumns(engine, session.refresh),
    ended_by: null,
    purge_at: toMoment(endedAt ?? (idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt)),
  }
}

/** A session as it was saved. */
export function toSession(row: Selectable<SessionsTable>): SessionRecord {
  return { ...columns.read(row), refresh: toRefresh(row) }
}
