import type { IdentityRecord } from '../identity-contract.js'
import type {
  AuthorizationCodeRecord,
  DeviceCodeRecord,
  ProofRecord,
  SocketTicketRecord,
} from '../one-time-contract.js'
import {
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

/** The members of a code, stored as `sessionRow` says. */
export const codeRow: Row<AuthorizationCodeRecord> = {
  codeHash: key,
  userId: key,
  issuedBySessionId: key,
  opensSessionId: key,
  codeChallenge: text,
  scope: text,
  methods: list(text),
  authenticatedAt: moment,
  createdAt: moment,
  expiresAt: moment,
  retainUntil: moment,
  consumedAt: orNull(moment),
  clientId: optional(key),
  redirectUri: optional(text),
  nonce: optional(text),
  resources: optional(list(text)),
  acr: optional(text),
}

/** One row of authorization codes. */
export interface AuthorizationCodesTable {
  code_hash: KeyValue
  user_id: KeyValue
  issued_by_session_id: KeyValue
  opens_session_id: KeyValue
  code_challenge: string
  scope: string
  /** JSON. */
  methods: string
  authenticated_at: MomentValue
  created_at: MomentValue
  expires_at: MomentValue
  retain_until: MomentValue
  consumed_at: MomentValue | null
  /**
   * When the row may be deleted: `expires_at` until it is consumed, `retain_until` from then on.
   */
  purge_at: MomentValue
  client_id: KeyValue | null
  redirect_uri: string | null
  nonce: string | null
  /** A JSON list. */
  resources: string | null
  acr: string | null
}

/** The members of a ticket, stored as `sessionRow` says. */
export const ticketRow: Row<SocketTicketRecord> = {
  ticketHash: key,
  sessionId: key,
  userId: key,
  scope: text,
  tokenExpiresAt: moment,
  createdAt: moment,
  expiresAt: moment,
}

/** One row of socket tickets. */
export interface SocketTicketsTable {
  ticket_hash: KeyValue
  session_id: KeyValue
  user_id: KeyValue
  scope: string
  token_expires_at: MomentValue
  created_at: MomentValue
  expires_at: MomentValue
}

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
