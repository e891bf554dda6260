import type { ProofRecord } from '../proof-contract.js'
import {
  integer,
  type KeyValue,
  key,
  type MomentValue,
  moment,
  orNull,
  type Row,
  text,
} from './members.js'

/** The members of a proof, stored as `sessionRow` says. */
export const proofRow: Row<ProofRecord> = {
  idHash: key,
  purpose: key,
  userId: orNull(key),
  codeTag: orNull(text),
  mark: orNull(text),
  sealed: orNull(text),
  triesLeft: integer,
  createdAt: moment,
  expiresAt: moment,
  consumedAt: orNull(moment),
}

/** One row of proofs. */
export interface ProofsTable {
  id_hash: KeyValue
  purpose: KeyValue
  user_id: KeyValue | null
  code_tag: string | null
  mark: string | null
  sealed: string | null
  tries_left: number
  created_at: MomentValue
  expires_at: MomentValue
  consumed_at: MomentValue | null
}
