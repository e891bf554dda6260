// Records as the router would store them, each with an id of its own.
import { randomBytes } from 'node:crypto'
import type {
  AuthorizationCodeRecord,
  PendingSecondFactor,
  SecondFactorRecord,
  SessionRecord,
  SocketTicketRecord,
} from '../../src/index.js'

export const start = new Date(Math.floor(Date.now() / 1000) * 1000)
/** So many seconds after {@link start}. */
export const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
export const randomKey = () => randomBytes(16).toString('base64url')

export const codeRecord = (change: Partial<AuthorizationCodeRecord> = {}): AuthorizationCodeRecord => ({
  codeHash: randomKey(),
  userId: 'u-alice',
  issuedBySessionId: null,
  opensSessionId: randomKey(),
  codeChallenge: 'challenge',
  scope: '*',
  methods: ['pwd'],
  authenticatedAt: start,
  createdAt: start,
  expiresAt: at(60),
  retainUntil: at(3600),
  consumedAt: null,
  ...change,
})

export const sessionRecord = (change: Partial<SessionRecord> = {}): SessionRecord => ({
  id: randomKey(),
  userId: 'u-alice',
  kind: 'pkce',
  scope: '*',
  methods: ['pwd', 'otp'],
  authenticatedAt: start,
  createdAt: start,
  lastSeenAt: start,
  idleExpiresAt: at(600),
  expiresAt: at(3600),
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  refresh: { hash: randomKey(), familyKey: randomKey(), spent: [{ hash: randomKey(), salt: randomKey(), spentAt: start }] },
  endedAt: null,
  endReason: null,
  ...change,
})

export const ticketRecord = (change: Partial<SocketTicketRecord> = {}): SocketTicketRecord => ({
  ticketHash: randomKey(),
  sessionId: randomKey(),
  userId: 'u-alice',
  scope: '*',
  tokenExpiresAt: at(600),
  createdAt: start,
  expiresAt: at(30),
  ...change,
})

export const factorRecord = (change: Partial<SecondFactorRecord> = {}): SecondFactorRecord => ({
  userId: randomKey(),
  sealedSeed: 'sealed',
  lastStep: -1,
  createdAt: start,
  ...change,
})

export const pendingRecord = (change: Partial<PendingSecondFactor> = {}): PendingSecondFactor => ({
  userId: randomKey(),
  sealedSeed: 'sealed',
  createdAt: start,
  expiresAt: at(600),
  ...change,
})
