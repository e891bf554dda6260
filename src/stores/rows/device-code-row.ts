import type { DeviceCodeRecord } from '../device-code-contract.js'
import {
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

/** The members of a device code, stored as `sessionRow` says. */
export const deviceCodeRow: Row<DeviceCodeRecord> = {
  userCodeHash: key,
  deviceCodeHash: key,
  purpose: key,
  clientId: orNull(key),
  scope: text,
  resources: list(text),
  name: orNull(text),
  requestedIp: orNull(text),
  requestedAgent: orNull(text),
  interval: integer,
  nextPollAt: moment,
  userId: orNull(key),
  claimedAt: orNull(moment),
  triesLeft: integer,
  state: key,
  authorizationCodeHash: orNull(key),
  createdAt: moment,
  expiresAt: moment,
}

/** One row of device codes. */
export interface DeviceCodesTable {
  user_code_hash: KeyValue
  device_code_hash: KeyValue
  purpose: KeyValue
  client_id: KeyValue | null
  scope: string
  /** A JSON list. */
  resources: string
  name: string | null
  requested_ip: string | null
  requested_agent: string | null
  interval: MomentValue
  next_poll_at: MomentValue
  user_id: KeyValue | null
  claimed_at: MomentValue | null
  tries_left: number
  state: KeyValue
  authorization_code_hash: KeyValue | null
  created_at: MomentValue
  expires_at: MomentValue
  /** 1 where the last question came too soon: once it is written, no other column tells. */
  asked_too_soon: number
}
