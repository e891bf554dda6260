import type { Expression, ExpressionBuilder, InsertObject, Selectable } from 'kysely'
import type { RefreshState, SessionRecord, SessionSeen, StoredReason } from '../contract.js'
import type { SqlEngine } from './engine.js'
import type { MomentValue, SessionsTable, SqlAuthTables } from './tables.js'
import { fromKey, fromMethods, fromMoment, fromMomentOrNull, isThere, toMoment } from './values.js'

type Row = InsertObject<SqlAuthTables, 'mar_sessions'>
type Columns<Name extends keyof SessionsTable> = Pick<Row, Name>

/** The columns of an end. */
export function ended(
  { text }: SqlEngine,
  reason: StoredReason,
  now: Date,
): Columns<'ended_at' | 'end_reason' | 'purge_at'> {
  const at = toMoment(now)
  return { ended_at: at, end_reason: text(reason, 'reason'), purge_at: at }
}

/** The columns of being used. When the row may go depends on the end that is already in it. */
export function seen(
  { text }: SqlEngine,
  eb: ExpressionBuilder<SqlAuthTables, 'mar_sessions'>,
  { lastSeenAt, idleExpiresAt, ip }: SessionSeen,
): Columns<'last_seen_at' | 'idle_expires_at' | 'ip'> & { purge_at: Expression<MomentValue> } {
  const idle = toMoment(idleExpiresAt)
  return {
    last_seen_at: toMoment(lastSeenAt),
    idle_expires_at: idle,
    purge_at: eb
      .case()
      .when('expires_at', '<', idle)
      .then(eb.ref('expires_at'))
      .else(eb.val<MomentValue>(idle))
      .end(),
    ip: ip === null ? null : text(ip, 'ip'),
  }
}

/** The columns of the refresh state. */
export function refreshColumns(
  { key, text }: SqlEngine,
  refresh: RefreshState | null,
): Columns<'refresh_hash' | 'refresh_state'> {
  if (refresh === null) return { refresh_hash: null, refresh_state: null }
  // With whatever a newer release has put into it, as it was read.
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

// Named only where there is something in them, so that a host that uses none of it can write to
// tables of version 1.
function laterColumns({ key, text }: SqlEngine, session: SessionRecord): Partial<Row> {
  const { secretHash, passwordMark, passwordMarkNext, lifetime, clientId, parentId } = session
  const { resources } = session
  const texts = {
    secret_hash: secretHash,
    password_mark: passwordMark,
    password_mark_next: passwordMarkNext,
    client_id: clientId,
    parent_id: parentId,
  }
  const given = Object.entries(texts).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, key(value, column)]],
  )
  const times =
    lifetime === undefined
      ? {}
      : { lifetime_idle: lifetime.idle, lifetime_absolute: lifetime.absolute }
  const granted =
    resources === undefined ? {} : { resources: text(JSON.stringify(resources), 'resources') }
  return { ...Object.fromEntries(given), ...times, ...granted }
}

// Null is what an older release has left there, too.
function laterMembers(row: Partial<Selectable<SessionsTable>>): Partial<SessionRecord> {
  const { lifetime_idle: idle, lifetime_absolute: absolute } = row
  const texts = {
    secretHash: row.secret_hash,
    passwordMark: row.password_mark,
    passwordMarkNext: row.password_mark_next,
    clientId: row.client_id,
    parentId: row.parent_id,
  }
  const given = Object.entries(texts).flatMap(([name, value]) =>
    isThere(value) ? [[name, fromKey(value)]] : [],
  )
  const { resources } = row
  return {
    ...Object.fromEntries(given),
    // Some drivers can be told to answer every whole number as a BigInt.
    ...(isThere(idle) ? { lifetime: { idle: Number(idle), absolute: Number(absolute) } } : {}),
    ...(isThere(resources) ? { resources: JSON.parse(resources) as readonly string[] } : {}),
  }
}

/** A session as it is stored. */
export function toRow(engine: SqlEngine, session: SessionRecord): Row {
  const { key, text } = engine
  const { kind, scope, ip, userAgent, idleExpiresAt, expiresAt, endedAt, endReason } = session
  return {
    id: key(session.id, 'id'),
    user_id: key(session.userId, 'userId'),
    kind: text(kind, 'kind'),
    scope: text(scope, 'scope'),
    methods: text(JSON.stringify(session.methods), 'methods'),
    authenticated_at: toMoment(session.authenticatedAt),
    created_at: toMoment(session.createdAt),
    last_seen_at: toMoment(session.lastSeenAt),
    idle_expires_at: toMoment(idleExpiresAt),
    expires_at: toMoment(expiresAt),
    ip: ip === null ? null : text(ip, 'ip'),
    user_agent: userAgent === null ? null : text(userAgent, 'userAgent'),
    ...refreshColumns(engine, session.refresh),
    ended_at: endedAt === null ? null : toMoment(endedAt),
    end_reason: endReason === null ? null : text(endReason, 'endReason'),
    ended_by: null,
    purge_at: toMoment(endedAt ?? (idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt)),
    ...laterColumns(engine, session),
  }
}

/** A session as it was saved. */
export function toSession(row: Selectable<SessionsTable>): SessionRecord {
  return {
    id: fromKey(row.id),
    userId: fromKey(row.user_id),
    kind: row.kind,
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
    endReason: row.end_reason,
    ...laterMembers(row),
  }
}
