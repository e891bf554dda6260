// Records as the router would store them, of one moment, each with an id of its own.
import { randomBytes } from 'node:crypto'
import type {
  AuthorizationCodeRecord,
  DeviceCodeRecord,
  IdentityRecord,
  PendingSecondFactor,
  ProofRecord,
  SecondFactorRecord,
  SessionRecord,
  SocketTicketRecord,
} from '../../src/index.js'
import {
  newCode,
  newDeviceCode,
  newFactor,
  newIdentity,
  newPending,
  newProof,
  newRefresh,
  newRefreshable,
  newTicket,
} from '../../src/stores/new-records.js'

export const start = new Date(Math.floor(Date.now() / 1000) * 1000)
/** So many seconds after {@link start}. */
export const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
export const randomKey = () => randomBytes(16).toString('base64url')

export const codeRecord = (change: Partial<AuthorizationCodeRecord> = {}) =>
  newCode(at, { userId: 'u-alice', scope: '*', ...change })

export const sessionRecord = (change: Partial<SessionRecord> = {}) =>
  newRefreshable(at, randomKey(), {
    userId: 'u-alice',
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    refresh: newRefresh(at, randomKey(), 1),
    ...change,
  })

export const ticketRecord = (change: Partial<SocketTicketRecord> = {}) =>
  newTicket(at, { userId: 'u-alice', tokenExpiresAt: at(600), ...change })

export const proofRecord = (change: Partial<ProofRecord> = {}) =>
  newProof(at, { userId: 'u-alice', ...change })

export const identityRecord = (change: Partial<IdentityRecord> = {}) =>
  newIdentity(at, { userId: 'u-alice', ...change })

export const deviceCodeRecord = (change: Partial<DeviceCodeRecord> = {}) =>
  newDeviceCode(at, change)

export const factorRecord = (change: Partial<SecondFactorRecord> = {}) =>
  newFactor(at, { sealedSeed: 'sealed', ...change })

export const pendingRecord = (change: Partial<PendingSecondFactor> = {}) =>
  newPending(at, { sealedSeed: 'sealed', ...change })
