import type { IdentityRecord } from '../identity-contract.js'
import { type KeyValue, key, type MomentValue, moment, orNull, type Row, text } from './members.js'

/** The members of an identity, stored as `sessionRow` says. */
export const identityRow: Row<IdentityRecord> = {
  provider: key,
  subject: key,
  issuer: text,
  userId: key,
  id: key,
  label: orNull(text),
  passwordMark: orNull(text),
  createdAt: moment,
  lastUsedAt: orNull(moment),
}

/** One row of identities. */
export interface IdentitiesTable {
  provider: KeyValue
  subject: KeyValue
  issuer: string
  user_id: KeyValue
  id: KeyValue
  label: string | null
  password_mark: string | null
  created_at: MomentValue
  last_used_at: MomentValue | null
  /** 1 for one that was unlinked, otherwise 0. */
  unlinked: number
}
