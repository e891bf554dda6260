import { randomInt } from 'node:crypto'
import { randomId, randomSecret, sha256 } from '../lib/secrets.js'
import type { StoredSigningKey } from '../signers/contract.js'
import type { ConsentRecord, OAuthClient } from './client-contract.js'
import type { RefreshRotation, RefreshState, SessionRecord } from './contract.js'
import type { IdentityRecord } from './identity-contract.js'
import type {
  AuthorizationCodeRecord,
  DeviceCodeRecord,
  ProofRecord,
  SocketTicketRecord,
} from './one-time-contract.js'
import type { PasskeyRecord } from './passkey-contract.js'
import { type Content, type Member, optionalMembers, type Row } from './rows/members.js'
import { codeRow } from './rows/one-time-rows.js'
import { sessionRow } from './rows/session-row.js'
import type { PendingSecondFactor, SecondFactorRecord } from './second-factor-contract.js'

/** The moment this many seconds after the test began. */
export type Moment = (seconds: number) => Date

/**
 * Moments around the present: a store that lets the database expire its rows goes by the real time.
 * Never a whole second, so that a store that rounds is found out.
 */
export function moments(): Moment {
  const start = Math.floor(Date.now() / 1000) * 1000 + 123
  return (seconds) => new Date(start + Math.round(seconds * 1000))
}

/** Works on each of many rows, ten at a time. */
export async function inTurns<Row>(
  rows: readonly Row[],
  work: (row: Row, index: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += 10) {
    await Promise.all(rows.slice(from, from + 10).map((row, index) => work(row, from + index)))
  }
}

/** A code that is good for 60 seconds and remembered for an hour. */
export function newCode(
  at: Moment,
  change: Partial<AuthorizationCodeRecord> = {},
): AuthorizationCodeRecord {
  return {
    codeHash: randomSecret(),
    userId: randomId(),
    issuedBySessionId: randomId(),
    opensSessionId: randomId(),
    codeChallenge: randomSecret(),
    scope: 'messages:read messages:write',
    methods: ['pwd'],
    authenticatedAt: at(-5),
    createdAt: at(0),
    expiresAt: at(60),
    retainUntil: at(3600),
    consumedAt: null,
    ...change,
  }
}

/** A code in which no member is left out. */
export function newWholeCode(
  at: Moment,
  change: Partial<AuthorizationCodeRecord> = {},
): Required<AuthorizationCodeRecord> {
  return { ...newCode(at, change), ...optionalExamples(codeRow, at) }
}

/** A session that lives for an hour, and idles out after ten minutes. */
export function newSession(at: Moment, change: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: randomId(),
    userId: randomId(),
    kind: 'login',
    scope: '*',
    methods: ['pwd', 'otp'],
    authenticatedAt: at(-5),
    createdAt: at(0),
    lastSeenAt: at(0),
    idleExpiresAt: at(600),
    expiresAt: at(3600),
    ip: null,
    userAgent: null,
    refresh: null,
    endedAt: null,
    endReason: null,
    ...change,
  }
}

/** A session with a refresh token, as a code opens it. `hash` is the hash of the current token. */
export function newRefreshable(
  at: Moment,
  hash: string,
  change: Partial<SessionRecord> = {},
): SessionRecord {
  return newSession(at, { kind: 'pkce', refresh: newRefresh(at, hash), ...change })
}

/** The members of a session that may be left out, by name. */
export const optionalOfSession: readonly (readonly [string, Member<unknown>])[] = Object.entries(
  optionalMembers(sessionRow),
)

/** A session in which no member is left out. */
export function newWholeSession(
  at: Moment,
  change: Partial<SessionRecord> = {},
): Required<SessionRecord> {
  const session = newRefreshable(at, randomSecret(), { kind: 'browser', ...change })
  return { ...session, ...optionalExamples(sessionRow, at) }
}

// A value for each member that may be left out, no two of them alike.
function optionalExamples<Stored>(row: Row<Stored>, at: Moment): Required<Stored> {
  return exampleOf({ kind: 'group', parts: optionalMembers(row) }, at) as Required<Stored>
}

const examples = {
  key: randomSecret,
  text: () => `https://example.com/${randomId()}?a=1&b=%20`,
  moment: (at: Moment) => at(randomInt(10, 10_000)),
  integer: () => randomInt(1, 1_000_000),
  flag: () => true,
}

function exampleOf(content: Content, at: Moment): unknown {
  if (content.kind === 'list') return [exampleOf(content.of, at), exampleOf(content.of, at)]
  if (content.kind !== 'group') return examples[content.kind](at)
  const parts = Object.entries(content.parts)
  return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(part.content, at)]))
}

/** Refresh tokens, this many of them spent. */
export function newRefresh(at: Moment, hash: string, spent = 0): RefreshState {
  return {
    hash,
    familyKey: randomSecret(),
    spent: Array.from({ length: spent }, (_none, index) => ({
      hash: randomSecret(),
      salt: randomId(),
      spentAt: at(index - spent),
    })),
  }
}

/** The members that a rotation to the token with this hash changes. */
export function newRotation(at: Moment, hash: string): RefreshRotation {
  return {
    refresh: newRefresh(at, hash, 1),
    lastSeenAt: at(2),
    idleExpiresAt: at(602),
    ip: '203.0.113.7',
  }
}

/** A factor whose codes were never used. */
export function newFactor(
  at: Moment,
  change: Partial<SecondFactorRecord> = {},
): SecondFactorRecord {
  return {
    userId: randomId(),
    sealedSeed: `v1.${randomSecret()}`,
    lastStep: -1,
    createdAt: at(0),
    ...change,
  }
}

/** The session in which a user enrols, where a test does not say which. */
export const enrolling = 'the session that enrols'

/** An enrolment that can be confirmed for ten minutes. */
export function newPending(
  at: Moment,
  change: Partial<PendingSecondFactor> = {},
): PendingSecondFactor {
  return {
    userId: randomId(),
    sessionId: enrolling,
    sealedSeed: `v1.${randomSecret()}`,
    createdAt: at(0),
    expiresAt: at(600),
    ...change,
  }
}

/**
 * The record that an enrolment becomes when it is confirmed. Each of its fields differs from any
 * default.
 */
export function confirmed(
  { userId, sealedSeed }: PendingSecondFactor,
  at: Moment,
): SecondFactorRecord {
  return { userId, sealedSeed, lastStep: 58_000_007, createdAt: at(7.89) }
}

/** A ticket that is good for 30 seconds. */
export function newTicket(
  at: Moment,
  change: Partial<SocketTicketRecord> = {},
): SocketTicketRecord {
  return {
    ticketHash: randomSecret(),
    sessionId: randomId(),
    userId: randomId(),
    scope: '*',
    tokenExpiresAt: at(300),
    createdAt: at(0),
    expiresAt: at(30),
    ...change,
  }
}

/** The longest sealed text of a proof: 8 KiB. */
export function longestSealed(): string {
  return `v1.${randomSecret()}`.padEnd(8192, randomSecret())
}

/** A proof that is good for half an hour and five tries, in which nothing is absent. */
export function newProof(at: Moment, change: Partial<ProofRecord> = {}): ProofRecord {
  return {
    idHash: randomSecret(),
    purpose: 'change-address',
    userId: randomId(),
    codeTag: randomSecret(),
    mark: randomSecret(),
    sealed: `v1.${randomSecret()}`,
    triesLeft: 5,
    createdAt: at(0),
    expiresAt: at(1800),
    consumedAt: null,
    ...change,
  }
}

/** A device code that nobody has opened yet. */
export function newDeviceCode(
  at: Moment,
  change: Partial<DeviceCodeRecord> = {},
): DeviceCodeRecord {
  return {
    userCodeHash: randomSecret(),
    deviceCodeHash: randomSecret(),
    purpose: 'device',
    clientId: randomId(),
    scope: 'messages:read',
    resources: ['https://files.example.com/'],
    name: 'Alices Küchenbrett 🍳',
    requestedIp: '192.0.2.7',
    requestedAgent: 'chat-cli/1.0',
    interval: 5,
    nextPollAt: at(0),
    userId: null,
    claimedAt: null,
    triesLeft: 3,
    state: 'pending',
    authorizationCodeHash: null,
    createdAt: at(0),
    expiresAt: at(600),
    ...change,
  }
}

/** An identity of a user whom nobody knows, in which nothing is absent. */
export function newIdentity(at: Moment, change: Partial<IdentityRecord> = {}): IdentityRecord {
  return {
    provider: randomId(),
    subject: randomId(),
    issuer: 'https://login.example.com/realms/staff',
    userId: randomId(),
    id: randomId(),
    label: 'Alice \u{1f4bc} <alice@example.com>',
    passwordMark: 'mark',
    createdAt: at(0.456),
    lastUsedAt: at(2.345),
    ...change,
  }
}

// The generations count up from a random start, so that no two keys of a run meet. Six digits: more
// generations than a server will ever see.
let lastGeneration: number | undefined

/** A key that signs from 60 seconds on, of a generation that was not given out before. */
export function newKey(at: Moment, change: Partial<StoredSigningKey> = {}): StoredSigningKey {
  lastGeneration = (lastGeneration ?? randomInt(100_000, 900_000)) + 1
  return {
    generation: lastGeneration,
    kid: randomId(),
    sealedKey: `v1.${randomSecret()}`,
    createdAt: at(0),
    activatesAt: at(60),
    ...change,
  }
}

/** A consent of a user and a client whom nobody knows. */
export function newConsent(at: Moment, change: Partial<ConsentRecord> = {}): ConsentRecord {
  return {
    userId: randomId(),
    clientId: randomId(),
    scopes: ['openid', 'messages:read'],
    grantedAt: at(0),
    updatedAt: at(0),
    ...change,
  }
}

/** A passkey of a user whom nobody knows, in which nothing is as it would be by default. */
export function newPasskeyRecord(at: Moment, change: Partial<PasskeyRecord> = {}): PasskeyRecord {
  return {
    credentialId: randomId(),
    userId: randomId(),
    userHandle: randomSecret(),
    publicKey: randomSecret(),
    counter: 7,
    backupEligible: true,
    backedUp: true,
    transports: ['internal', 'hybrid'],
    aaguid: '07070707-0707-0707-0707-070707070707',
    name: 'Phone \u{1f4f1}',
    suspectedCloneAt: null,
    passwordMark: 'mark',
    createdAt: at(0.456),
    lastUsedAt: at(2.345),
    ...change,
  }
}

/** A client with a secret, in which nothing is left out that lasts. */
export function newClient(change: Partial<OAuthClient> = {}): OAuthClient {
  return {
    id: randomId(),
    name: 'Team wiki \u{1f4d6}',
    type: 'web',
    firstParty: true,
    redirectUris: ['https://wiki.example.com/oidc/callback?a=1&b=%20'],
    postLogoutRedirectUris: ['https://wiki.example.com/goodbye?a=1&b=%20'],
    grants: ['authorization_code'],
    scopes: ['openid', 'messages:read'],
    defaultScopes: ['openid'],
    resources: ['https://wiki.example.com/api'],
    secretHashes: [newSecretHash()],
    jwks: { keys: [{ kty: 'EC', crv: 'P-256', kid: "it's", x: 'x', y: 'y' }] },
    refreshTokens: 'always',
    idTokenAlgorithm: 'RS256',
    allowNonceInsteadOfPkce: false,
    pkce: 'optional',
    mayIntrospect: true,
    backchannelLogoutUri: 'https://wiki.example.com/logout?a=1',
    ...change,
  }
}

/** The hash of a secret of a client that nobody has. */
export function newSecretHash(): string {
  return `sha256:${sha256(randomSecret())}`
}

/** A hash that follows from the id, so that two processes can present the same one. */
export function derivedHash(use: string, id: string): string {
  return sha256(`${use}:${id}`)
}
