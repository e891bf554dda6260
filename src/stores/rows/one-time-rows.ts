import type { AuthorizationCodeRecord } from '../code-contract.js'
import type { SocketTicketRecord } from '../ticket-contract.js'
import {
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
