import type { DeviceCodeRecord } from '../device-code-contract.js'
import { integer, key, list, moment, orNull, type Row, text } from './members.js'

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
