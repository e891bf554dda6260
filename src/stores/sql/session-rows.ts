import type { Expression, ExpressionBuilder, InsertObject, Selectable } from 'kysely'
import type {
  FormerSecret,
  RefreshState,
  SessionRecord,
  SessionSeen,
  StoredReason,
} from '../contract.js'
import type { SqlEngine } from './engine.js'
import type { MomentValue, SessionsTable, SqlAuthTables } from './tables.js'
import { fromKey, fromMethods, fromMoment, fromMomentOrNull, toMoment } from './values.js'

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

// What a session does not have is null in its row, and left out in its record.
function optionalColumns(engine: SqlEngine, session: SessionRecord) {
  const { text } = engine
  const { secretHash, passwordMark, passwordMarkNext, clientId, parentId } = session
  const { lifetime, resources, openedBySessionId, formerSecret } = session
  const key = (value: string | undefined, member: string) =>
    value === undefined ? null : engine.key(value, member)
  return {
    secret_hash: key(secretHash, 'secretHash'),
    password_mark: key(passwordMark, 'passwordMark'),
    password_mark_next: key(passwordMarkNext, 'passwordMarkNext'),
    lifetime_idle: lifetime?.idle ?? null,
    lifetime_absolute: lifetime?.absolute ?? null,
    client_id: key(clientId, 'clientId'),
    parent_id: key(parentId, 'parentId'),
    resources: resources === undefined ? null : text(JSON.stringify(resources), 'resources'),
    opened_by_session_id: key(openedBySessionId, 'openedBySessionId'),
    ...(formerSecret === undefined
      ? { former_secret_hash: null, former_secret_until: null }
      : formerColumns(engine, formerSecret)),
  }
}

/** The columns of the secret before the present one. */
export function formerColumns(
  { key }: SqlEngine,
  { hash, until }: FormerSecret,
): Columns<'former_secret_hash' | 'former_secret_until'> {
  return {
    former_secret_hash: key(hash, 'formerSecret.hash'),
    former_secret_until: toMoment(until),
  }
}

function optionalMembers(row: Selectable<SessionsTable>): Partial<SessionRecord> {
  const texts = {
    secretHash: row.secret_hash,
    passwordMark: row.password_mark,
    passwordMarkNext: row.password_mark_next,
    clientId: row.client_id,
    parentId: row.parent_id,
    openedBySessionId: row.opened_by_session_id,
  }
  const given = Object.entries(texts).flatMap(([name, value]) =>
    value === null ? [] : [[name, fromKey(value)]],
  )
  const { lifetime_idle: idle, lifetime_absolute: absolute, resources } = row
  const { former_secret_hash: former, former_secret_until: until } = row
  return {
    ...Object.fromEntries(given),
    // Some drivers can be told to answer every whole number as a BigInt.
    ...(idle === null ? {} : { lifetime: { idle: Number(idle), absolute: Number(absolute) } }),
    ...(resources === null ? {} : { resources: JSON.parse(resources) as readonly string[] }),
    ...(former === null || until === null
      ? {}
      : { formerSecret: { hash: fromKey(former), until: fromMoment(until) } }),
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
    ...optionalColumns(engine, session),
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
    ...optionalMembers(row),
  }
}
