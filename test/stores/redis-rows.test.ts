import { randomUUID } from 'node:crypto'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionRecord } from '../../src/stores/contract.js'
import type {
  AuthorizationCodeRecord,
  DeviceCodeRecord,
} from '../../src/stores/one-time-contract.js'
import { redisOnceStore, redisStores } from '../../src/stores/redis/redis-stores.js'
import { redisUrl } from '../support/services.js'

// What is in Redis is read by the next release, too. Whoever changes it on purpose runs this file
// with `--update`, and looks at the difference.

/** So far ahead that what Redis reckons from its own clock is the same each time. */
const at = (seconds: number) => new Date(Date.UTC(2100, 0, 1) + 123 + seconds * 1000)

const bareSession = (id: string, change: Partial<SessionRecord> = {}): SessionRecord => ({
  id,
  userId: 'u-alice',
  kind: 'login',
  scope: '*',
  methods: ['pwd'],
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
})

const refresh = {
  hash: 'hash-of-refresh',
  familyKey: 'family-key',
  spent: [{ hash: 'hash-of-spent', salt: 'salt', spentAt: at(-1) }],
}

const wholeSession = (id: string, change: Partial<SessionRecord> = {}) =>
  bareSession(id, {
    kind: 'oauth',
    scope: 'openid messages:read',
    methods: ['pwd', 'otp'],
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0 “Ü”',
    refresh: { ...refresh, pairUsed: true },
    secretHash: 'hash-of-secret',
    formerSecret: { hash: 'hash-of-former', until: at(10) },
    passwordMark: 'mark',
    passwordMarkNext: 'next',
    lifetime: { idle: 600, absolute: 3600 },
    clientId: 'wiki',
    parentId: 'parent',
    resources: ['https://api.example.com/', 'urn:example:files'],
    openedBySessionId: 'opener',
    upstream: 'work digest-of-identity digest-of-session',
    actorId: 'u-bob',
    actorSessionId: 'of-bob',
    ...change,
  })

const bareCode = (codeHash: string): AuthorizationCodeRecord => ({
  codeHash,
  userId: 'u-alice',
  issuedBySessionId: 'code.page',
  opensSessionId: 'opened',
  codeChallenge: 'challenge',
  scope: '*',
  methods: ['pwd'],
  authenticatedAt: at(-5),
  createdAt: at(0),
  expiresAt: at(60),
  retainUntil: at(3600),
  consumedAt: null,
})

const wholeCode = (codeHash: string): AuthorizationCodeRecord => ({
  ...bareCode(codeHash),
  clientId: 'wiki',
  redirectUri: 'https://wiki.example.com/callback?from=app',
  nonce: 'nonce',
  resources: ['https://api.example.com/'],
  acr: 'urn:mar:2fa',
})

type Stores = ReturnType<typeof redisStores>

async function writeSessions({ sessions }: Stores): Promise<void> {
  await sessions.create(bareSession('bare'))
  await sessions.create(wholeSession('whole'))
  const changed = ['touched', 'rotated', 'methods', 'authenticated', 'secret', 'marked', 'ended']
  for (const id of changed) await sessions.create(wholeSession(id))
  const seen = { lastSeenAt: at(30), idleExpiresAt: at(630), ip: '203.0.113.8' }
  await sessions.touch('touched', seen)
  const next = { ...refresh, hash: 'hash-of-next' }
  await sessions.rotateRefresh('rotated', refresh.hash, { ...seen, refresh: next }, at(30))
  await sessions.setMethods('methods', ['pwd'])
  const anew = { methods: ['passkey'], authenticatedAt: at(30) }
  await sessions.setAuthenticated?.('authenticated', anew)
  const replacement = { from: 'hash-of-secret', to: 'hash-of-new', formerUntil: at(40) }
  await sessions.replaceSecret?.('secret', replacement)
  await sessions.addPasswordMark?.('u-alice', 'mark', 'later')
  await sessions.end('ended', 'logout', at(30))
}

// Of users of their own: a cutoff is for all of a user's sessions.
async function endTogether({ sessions }: Stores): Promise<void> {
  const { create } = sessions
  await create(wholeSession('kept', { userId: 'u-bob', clientId: 'a', parentId: 'a' }))
  await create(wholeSession('over', { userId: 'u-bob', clientId: 'a', parentId: 'a' }))
  await sessions.endAllForUser('u-bob', 'password-changed', at(30), 'kept')
  await create(wholeSession('of-pair', { userId: 'u-carol', clientId: 'b', parentId: 'b' }))
  await sessions.endAllForClient?.('b', { userId: 'u-carol' }, 'consent-revoked', at(30))
  await create(wholeSession('of-client', { userId: 'u-dan', clientId: 'c', parentId: 'c' }))
  await sessions.endAllForClient?.('c', {}, 'client-disabled', at(30))
  await create(wholeSession('of-parent', { userId: 'u-erin', clientId: 'd', parentId: 'd' }))
  await sessions.endChildren?.('d', 'revoked', at(30))
}

async function writeDeviceCodes({ deviceCodes }: Stores): Promise<void> {
  const code: DeviceCodeRecord = {
    userCodeHash: 'device-code',
    deviceCodeHash: 'hash-of-device-code',
    purpose: 'device',
    clientId: 'tv',
    scope: 'messages:read',
    resources: ['https://api.example.com/'],
    name: 'Kitchen “Ü”',
    requestedIp: '203.0.113.9',
    requestedAgent: 'tv/1.0',
    interval: 5,
    nextPollAt: at(5),
    userId: null,
    claimedAt: null,
    triesLeft: 3,
    state: 'pending',
    authorizationCodeHash: null,
    createdAt: at(0),
    expiresAt: at(600),
  }
  await deviceCodes.save(code)
  const absent = { clientId: null, name: null, requestedIp: null, requestedAgent: null }
  await deviceCodes.save({ ...code, ...absent, userCodeHash: 'link', purpose: 'link' })
  await deviceCodes.save({ ...code, userCodeHash: 'approved' })
  await deviceCodes.claim('approved', 'u-alice', at(10))
  await deviceCodes.takeTry('approved', 'u-alice', at(20))
  await deviceCodes.poll('approved', 'hash-of-device-code', at(4))
  const verdict = { state: 'approved', authorizationCodeHash: 'hash-of-code' } as const
  await deviceCodes.decide('approved', 'u-alice', verdict, at(30))
}

async function writeOneTimeThings({ codes, tickets, proofs }: Stores): Promise<void> {
  await codes.save(bareCode('bare'))
  await codes.save(wholeCode('whole'))
  await codes.save(wholeCode('used'))
  await codes.consume('used', at(30))
  await tickets.save({
    ticketHash: 'ticket',
    sessionId: 'whole',
    userId: 'u-alice',
    scope: '*',
    tokenExpiresAt: at(300),
    createdAt: at(0),
    expiresAt: at(30),
  })
  const proof = {
    idHash: 'proof',
    purpose: 'reset' as const,
    userId: 'u-alice',
    codeTag: 'tag',
    mark: 'mark',
    sealed: 'sealed',
    triesLeft: 5,
    createdAt: at(0),
    expiresAt: at(1800),
    consumedAt: null,
  }
  await proofs.save(proof)
  const absent = { userId: null, codeTag: null, mark: null, sealed: null }
  await proofs.save({ ...proof, ...absent, idHash: 'of-nobody' })
  await proofs.save({ ...proof, idHash: 'used' })
  await proofs.takeTry('used', 'reset', at(30))
  await proofs.consume('used', 'reset', at(31))
  await proofs.save({ ...proof, idHash: 'voided', purpose: 'sign-in' })
  await proofs.voidForUser('u-alice', ['sign-in'], at(32))
}

// Which call it was, at random; and what Redis has counted by its own clock.
const random =
  /^(savedBy|createdBy|rotatedBy|endedBy|consumedBy|claimedBy|takenBy|decidedBy|askedBy)$/
const counted = /^(number|after|afterClient|afterPair|afterParent)$/

function shown(field: string, value: string): string {
  if (random.test(field)) return '<random>'
  return counted.test(field) && value !== '0' ? '<counted>' : value
}

const connect = () => createClient({ url: String(redisUrl) }).connect()

async function everythingUnder(client: Awaited<ReturnType<typeof connect>>, prefix: string) {
  const blocks = (await client.keys(`${prefix}*`)).sort().map(async (key) => {
    const minutes = Math.ceil((await client.pTTL(key)) / 60_000)
    const isCutoff = key.endsWith(':cutoff')
    const kept = isCutoff ? `for a while: ${minutes > 0}` : `for ${minutes} minutes`
    const type = await client.type(key)
    const lines =
      type === 'hash'
        ? Object.entries(await client.hGetAll(key)).map(([field, value]) => [
            field,
            shown(field, value),
          ])
        : (await client.zRangeWithScores(key, 0, -1)).map(({ value, score }) => [
            value,
            String(score),
          ])
    const body = lines.map((line) => `  ${line.join(' ')}`).sort()
    return [`${key.replace(prefix, '')} ${type}, kept ${kept}`, ...body].join('\n')
  })
  return `${(await Promise.all(blocks)).join('\n')}\n`
}

describe.skipIf(redisUrl === null)('what Redis holds', () => {
  it('is this, key by key and field by field', async () => {
    const client = await connect()
    const prefix = `rows-${randomUUID()}:`
    onTestFinished(async () => {
      const keys = await client.keys(`${prefix}*`)
      if (keys.length > 0) await client.del(keys)
      client.destroy()
    })
    const stores = redisStores(client, { prefix })
    await writeSessions(stores)
    await endTogether(stores)
    await writeOneTimeThings(stores)
    await writeDeviceCodes(stores)
    await redisOnceStore(client, { prefix }).claim('name', at(60), at(0))
    const rows = await everythingUnder(client, prefix)
    await expect(rows).toMatchFileSnapshot('snapshots/redis-rows.txt')
  })
})
