import type {
  FormerSecret,
  RefreshState,
  SessionLifetime,
  SessionRecord,
  SpentRefreshToken,
} from '../contract.js'
import {
  flag,
  group,
  integer,
  type KeyValue,
  key,
  list,
  type MomentValue,
  moment,
  optional,
  orNull,
  type Row,
  text,
} from './members.js'

/** The members of the refresh state. */
export const refreshRow: Row<RefreshState> = {
  hash: key,
  familyKey: text,
  spent: list(group<SpentRefreshToken>({ hash: text, salt: text, spentAt: moment })),
  pairUsed: optional(flag),
}

/**
 * The members of a session. In SQL each is a column, named in snake case; each part of a group is a
 * column of its own. In Redis the JSON has this order.
 */
export const sessionRow: Row<SessionRecord> = {
  id: key,
  userId: key,
  kind: text,
  scope: text,
  methods: list(text),
  ip: orNull(text),
  userAgent: orNull(text),
  authenticatedAt: moment,
  createdAt: moment,
  lastSeenAt: moment,
  idleExpiresAt: moment,
  expiresAt: moment,
  refresh: orNull(group(refreshRow)),
  endedAt: orNull(moment),
  endReason: orNull(text),
  secretHash: optional(key),
  formerSecret: optional(group<FormerSecret>({ hash: key, until: moment })),
  passwordMark: optional(key),
  passwordMarkNext: optional(key),
  lifetime: optional(group<SessionLifetime>({ idle: integer, absolute: integer })),
  resources: optional(list(text)),
  clientId: optional(key),
  parentId: optional(key),
  openedBySessionId: optional(key),
  upstream: optional(text),
  actorId: optional(key),
  actorSessionId: optional(key),
}

/** One row of sessions. */
export interface SessionsTable {
  id: KeyValue
  user_id: KeyValue
  kind: string
  scope: string
  /** JSON. */
  methods: string
  authenticated_at: MomentValue
  created_at: MomentValue
  last_seen_at: MomentValue
  idle_expires_at: MomentValue
  expires_at: MomentValue
  ip: string | null
  user_agent: string | null
  /** SHA-256 of the current refresh token: what a rotation compares. */
  refresh_hash: KeyValue | null
  /** JSON: the rest of the refresh state. */
  refresh_state: string | null
  ended_at: MomentValue | null
  end_reason: string | null
  /** Random: names the call that ended the row, so that it can tell its own rows afterwards. */
  ended_by: KeyValue | null
  /** When the row may be deleted: the earlier of the two expiries, or `ended_at`. */
  purge_at: MomentValue
  secret_hash: KeyValue | null
  password_mark: KeyValue | null
  /** Marks with a blank between two of them. */
  password_mark_next: KeyValue | null
  /** Seconds, both. */
  lifetime_idle: number | null
  lifetime_absolute: number | null
  client_id: KeyValue | null
  parent_id: KeyValue | null
  /** A JSON list. */
  resources: string | null
  opened_by_session_id: KeyValue | null
  /** Both or neither. */
  former_secret_hash: KeyValue | null
  former_secret_until: MomentValue | null
  upstream: string | null
  actor_id: KeyValue | null
  actor_session_id: KeyValue | null
}
