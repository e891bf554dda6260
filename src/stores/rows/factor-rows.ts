import type { PasskeyRecord } from '../passkey-contract.js'
import type { PendingSecondFactor, SecondFactorRecord } from '../second-factor-contract.js'
import {
  flag,
  integer,
  type KeyValue,
  key,
  list,
  type MomentValue,
  moment,
  orNull,
  type Row,
  text,
} from './members.js'

/** The members of a second factor, stored as `sessionRow` says. */
export const factorRow: Row<SecondFactorRecord> = {
  userId: key,
  sealedSeed: key,
  lastStep: integer,
  createdAt: moment,
}

/** One row of second factors. */
export interface SecondFactorsTable {
  user_id: KeyValue
  sealed_seed: KeyValue
  last_step: MomentValue
  /**
   * Counts the sets of recovery codes. A process that replaces them writes here first, and so waits
   * for any other that does the same.
   */
  codes_version: number
  created_at: MomentValue
}

/** The members of an enrolment that waits for its first code. */
export const enrolmentRow: Row<PendingSecondFactor> = {
  userId: key,
  sessionId: key,
  sealedSeed: key,
  createdAt: moment,
  expiresAt: moment,
}

/** One row of enrolments that wait for their first code. */
export interface EnrolmentsTable {
  user_id: KeyValue
  session_id: KeyValue
  sealed_seed: KeyValue
  created_at: MomentValue
  expires_at: MomentValue
}

/** The members of a passkey, stored as `sessionRow` says. */
export const passkeyRow: Row<PasskeyRecord> = {
  credentialId: text,
  userId: key,
  userHandle: text,
  publicKey: text,
  counter: integer,
  backupEligible: flag,
  backedUp: flag,
  transports: list(text),
  aaguid: text,
  name: text,
  suspectedCloneAt: orNull(moment),
  passwordMark: orNull(text),
  createdAt: moment,
  lastUsedAt: orNull(moment),
}

/** One row of passkeys. */
export interface PasskeysTable {
  /** SHA-256 of the id, which may be longer than a key. */
  credential_hash: KeyValue
  credential_id: string
  user_id: KeyValue
  user_handle: string
  public_key: string
  counter: MomentValue
  /** 1 or 0. */
  backup_eligible: number
  /** 1 or 0. */
  backed_up: number
  /** A JSON list. */
  transports: string
  aaguid: string
  name: string
  suspected_clone_at: MomentValue | null
  password_mark: string | null
  created_at: MomentValue
  last_used_at: MomentValue | null
}
