import { type KeyValue, key, type MomentValue, moment, orNull, type Row, text } from './members.js'

/** One audit event as a row. */
export interface AuditRecord {
  readonly id: string
  readonly at: Date
  readonly type: string
  readonly userId: string | null
  readonly sessionId: string | null
  readonly clientId: string | null
  readonly ip: string | null
  /** JSON: the event's other fields. */
  readonly detail: string
}

/** The members of an audit event, stored as `sessionRow` says. */
export const auditRow: Row<AuditRecord> = {
  id: key,
  at: moment,
  type: text,
  userId: orNull(key),
  sessionId: orNull(key),
  clientId: orNull(key),
  ip: orNull(text),
  detail: text,
}

/** One row of audit events. */
export interface AuditTable {
  id: KeyValue
  at: MomentValue
  type: string
  user_id: KeyValue | null
  session_id: KeyValue | null
  client_id: KeyValue | null
  ip: string | null
  /** A JSON object. */
  detail: string
}
