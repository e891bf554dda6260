import type { IdentityRecord } from '../identity-contract.js'
import { type KeyValue, key, type MomentValue, moment, orNull, type Row, text } from './members.js'

/** The members of an identity, stored as `sessionRow` says. */
export const identityRow: Row<IdentityRecord> = {
  issuer: key,
  subject: key,
  userId: key,
  id: key,
  provider: text,
  label: orNull(text),
  passwordMark: orNull(text),
  createdAt: moment,
  lastUsedAt: orNull(moment),
}

/** One row of identities. */
export interface IdentitiesTable {
  issuer: KeyValue
  subject: KeyValue
  user_id: KeyValue
  id: KeyValue
  provider: string
  label: string | null
  password_mark: string | null
  created_at: MomentValue
  last_used_at: MomentValue | null
}
