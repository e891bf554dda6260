import type { Expression, ExpressionBuilder, Insertable, Selectable } from 'kysely'
import type { EndReason, RefreshState, SessionRecord, SessionSeen } from '../contract.js'
import type { SqlEngine } from './engine.js'
import type { MomentValue, SessionsTable, SqlAuthTables } from './tables.js'
import { checkedText, fromKey, fromMethods, fromMoment, fromMomentOrNull, toMethods, toMoment } from './values.js'

type Columns<Name extends keyof SessionsTable> = Pick<Insertable<SessionsTable>, Name>

/** The columns of an end. */
export function ended(reason: EndReason, now: Date): Columns<'ended_at' | 'end_reason' | 'purge_at'> {
  const at = toMoment(now)
  return { ended_at: at, end_reason: checkedText(reason, 'reason'), purge_at: at }
}

/** The columns of being used. When the row may go depends on the end that is already in it. */
export function seen(
  eb: ExpressionBuilder<SqlAuthTables, 'mar_sessions'>,
  { lastSeenAt, idleExpiresAt, ip }: SessionSeen,
): Columns<'last_seen_at' | 'idle_expires_at' | 'ip'> & { purge_at: Expression<MomentValue> } {
  const idle = toMoment(idleExpiresAt)
  return {
    last_seen_at: toMoment(lastSeenAt),
    idle_expires_at: idle,
    purge_at: eb.case().when('expires_at', '<', idle).then(eb.ref('expires_at')).else(eb.val<MomentValue>(idle)).end(),
    ip: ip === null ? null : checkedText(ip, 'ip'),
  }
}

/** The columns of the refresh state. */
export function refreshColumns({ key }: SqlEngine, refresh: RefreshState | null): Columns<'refresh_hash' | 'refresh_state'> {
  if (refresh === null) return { refresh_hash: null, refresh_state: null }
  const { hash, familyKey } = refresh
  const spent = refresh.spent.map(({ hash, salt, spentAt }) => ({ hash, salt, spentAt: toMoment(spentAt) }))
  return { refresh_hash: key(hash, 'refresh.hash'), refresh_state: checkedText(JSON.stringify({ familyKey, spent }), 'refresh') }
}

/** What `refresh_state` holds. */
interface StoredRefresh {
  readonly familyKey: string
  readonly spent: readonly { readonly hash: string; readonly salt: string; readonly spentAt: number }[]
}

function toRefresh({ refresh_hash, refresh_state }: Selectable<SessionsTable>): RefreshState | null {
  if (refresh_hash === null || refresh_state === null) return null
  const { familyKey, spent }: StoredRefresh = JSON.parse(refresh_state)
  return {
    hash: fromKey(refresh_hash),
    familyKey,
    spent: spent.map(({ hash, salt, spentAt }) => ({ hash, salt, spentAt: fromMoment(spentAt) })),
  }
}

/** A session as it is stored. */
export function toRow(engine: SqlEngine, session: SessionRecord): Insertable<SessionsTable> {
  const { kind, scope, ip, userAgent, idleExpiresAt, expiresAt, endedAt, endReason } = session
  return {
    id: engine.key(session.id, 'id'),
    user_id: engine.key(session.userId, 'userId'),
    kind: checkedText(kind, 'kind'),
    scope: checkedText(scope, 'scope'),
    methods: toMethods(session.methods),
    authenticated_at: toMoment(session.authenticatedAt),
    created_at: toMoment(session.createdAt),
    last_seen_at: toMoment(session.lastSeenAt),
    idle_expires_at: toMoment(idleExpiresAt),
    expires_at: toMoment(expiresAt),
    ip: ip === null ? null : checkedText(ip, 'ip'),
    user_agent: userAgent === null ? null : checkedText(userAgent, 'userAgent'),
    ...refreshColumns(engine, session.refresh),
    ended_at: endedAt === null ? null : toMoment(endedAt),
    end_reason: endReason,
    ended_by: null,
    purge_at: toMoment(endedAt ?? (idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt)),
  }
}

/** A session as it was saved. */
export function toSession(row: Selectable<SessionsTable>): SessionRecord {
  return {
    id: fromKey(row.id),
    userId: fromKey(row.user_id),
    kind: row.kind as SessionRecord['kind'],
    scope: row.scope,
    methods: fromMethods(row.methods),
    authenticatedAt: fromMoment(row.authenticated_at),
    createdAt: fromMoment(row.created_at),
    lastSeenAt: fromMoment(row.last_seen_at),
    idleExpiresAt: fromMoment(row.idle_expires_at),
    expiresAt: fromMoment(row.expires_at),
    ip: row.ip,
    userAgent: row.user_agent,
    refresh: toRefresh(row),
    endedAt: fromMomentOrNull(row.ended_at),
    endReason: row.end_reason as EndReason | null,
  }
}
