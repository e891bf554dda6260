import type { ProofRecord } from '../proof-contract.js'
import { integer, key, moment, orNull, type Row, text } from './members.js'

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
