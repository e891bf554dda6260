// What a terminal changes reaches a running router at once, and each change says who made it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { adminOf } from '../../src/admin/admin.js'
import { AuthConfigError, generateClientSecret, joseSigner, keyRing } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newFactor } from '../../src/stores/new-records.js'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { encryptionKey, password, startHost, totpSecret } from '../support/host.js'
import { wiki } from '../support/mounted-oauth.js'
import { identityRecord } from '../support/records.js'
import { openSocket, startManaged } from './running-host.js'

const by = 'cli:ada'

describe('sessions', () => {
  it('are listed and ended; the socket of one closes with it', async () => {
    const managed = await startManaged()
    const { host, admin, events } = managed
    const { authToken } = await logIn(host)
    const { closed } = await openSocket(managed, authToken)
    const [session] = await admin.sessions.list('u-alice')
    expect(session).toMatchObject({ kind: 'login', ip: '127.0.0.1' })
    expect(await admin.sessions.revokeAllForUser('u-alice', { by })).toBe(1)
    expect(await closed).toBe(4401)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect(await admin.sessions.list('u-alice')).toEqual([])
    await admin.close()
    expect(events).toMatchObject([
      { type: 'session.ended', userId: 'u-alice', reason: 'revoked', actor: by },
    ])
  })

  it('are ended one by one, and named tokens with them or not', async () => {
    const { host, admin } = await startManaged()
    await logIn(host)
    // The list begins with the oldest.
    host.clock.advance(1)
    const { authToken } = await logIn(host)
    const { id: bot, token } = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'CI' })
    host.issued.add(token)
    const [first] = await admin.sessions.list('u-alice')
    expect(await admin.sessions.revoke(first?.id ?? '', { by })).toBe(true)
    expect(await admin.sessions.revoke(first?.id ?? '', { by })).toBe(false)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect(await admin.sessions.revokeAllForUser('u-alice', { keepNamedTokens: true })).toBe(1)
    expect(await admin.namedTokens.list('u-alice')).toMatchObject([{ id: bot, name: 'CI' }])
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    expect(await admin.namedTokens.revoke('u-bob', bot, { by })).toBe(false)
    expect(await admin.namedTokens.revoke('u-alice', bot, { by })).toBe(true)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('of everybody end, with codes under way, and their sockets close', async () => {
    const managed = await startManaged()
    const { host, admin } = managed
    const { authToken } = await logIn(host)
    const { closed } = await openSocket(managed, authToken)
    host.users.add({ id: 'u-bob', username: 'bob' })
    const { token } = await host.auth.namedTokens.create({ userId: 'u-bob', name: 'CI' })
    host.issued.add(token)
    expect(await admin.sessions.deleteAll()).toBeGreaterThan(1)
    host.clock.advance(6)
    expect(await closed).toBe(4401)
    for (const one of [authToken, token])
      expect((await get(host, '/me', bearer(one))).status).toBe(401)
    expect(await admin.sessions.deleteAll()).toBe(0)
  })

  it('do not end in part where a user is needed', async () => {
    const { admin } = await startManaged()
    const waysIn = { waysIn: 'added-by-password' } as object
    const call = admin.sessions.revokeAllForUser('u-alice', waysIn)
    await expect(call).rejects.toThrow(AuthConfigError)
  })
})

it('a second factor is taken away, and with it the sessions', async () => {
  const { host, admin, events } = await startManaged()
  await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  expect(await admin.secondFactors.status('u-alice')).toEqual({
    enabled: true,
    recoveryCodesLeft: 10,
  })
  const wanted = await post(host, '/login', { username: 'alice', password })
  expect(wanted.body.error).toBe('totp-required')
  expect(await admin.secondFactors.reset('u-alice', { by })).toEqual({ hadFactor: true })
  expect(await admin.passkeys.list('u-alice')).toEqual([])
  expect(await admin.passkeys.reset('u-alice', { by })).toBe(0)
  await logIn(host)
  await admin.close()
  expect(events.map(({ type, actor }) => [type, actor])).toEqual([
    ['second-factor.reset', by],
    ['passkey.reset', by],
  ])
})

it('a locked name is unlocked, for a network with its address', async () => {
  const { host, admin, events } = await startManaged()
  for (let tries = 0; tries < 6; tries += 1)
    await post(host, '/login', { username: 'alice', password: 'wrong' })
  const locked = await post(host, '/login', { username: 'alice', password })
  expect(locked.status).toBe(429)
  const name = { kind: 'username', value: 'Alice' } as const
  await admin.unlockLogin(name, { ip: '127.0.0.1', userId: 'u-alice', by })
  await logIn(host)
  await admin.close()
  expect(events).toMatchObject([{ type: 'login.unlocked', userId: 'u-alice', actor: by }])
})

describe('accounts', () => {
  it('are deleted with all that is theirs, as by the server', async () => {
    const managed = await startManaged()
    const { host, admin, events, database } = managed
    const { authToken } = await logIn(host)
    const { closed } = await openSocket(managed, authToken)
    const { secondFactors } = database.stores
    await secondFactors.activate(newFactor(host.clock, { userId: 'u-alice' }), [])
    await database.stores.identities.link(identityRecord({ userId: 'u-alice' }))
    const now = new Date()
    const consent = { userId: 'u-alice', clientId: 'wiki', scopes: ['openid'] }
    await database.oauthStores.consents.grant({ ...consent, grantedAt: now, updatedAt: now })
    await admin.accounts.delete('u-alice', { by })
    expect(await closed).toBe(4401)
    expect(host.users.rows.has('u-alice')).toBe(false)
    expect(await secondFactors.find('u-alice')).toBeNull()
    expect(await database.stores.identities.listForUser('u-alice')).toEqual([])
    expect(await database.oauthStores.consents.listForUser('u-alice')).toEqual([])
    await admin.close()
    expect(events).toMatchObject([
      { type: 'session.ended', reason: 'account-deleted', actor: by },
      { type: 'account.deleted', userId: 'u-alice', actor: by },
    ])
  })

  it('are disabled, and signed out at once', async () => {
    const { host, admin } = await startManaged()
    const { authToken } = await logIn(host)
    expect(await admin.accounts.disable('u-alice', { by })).toBe(1)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(401)
  })

  it('whose table is away are neither deleted nor signed out by half', async () => {
    const away = () => Promise.reject(new Error('away'))
    const { host, admin } = await startManaged({ users: { delete: away, disable: away } })
    const { authToken } = await logIn(host)
    const refused = { code: 'temporarily-unavailable' }
    await expect(admin.accounts.disable('u-alice')).rejects.toMatchObject(refused)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    await expect(admin.accounts.delete('u-alice')).rejects.toMatchObject(refused)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })
})

it('invitations are listed and revoked', async () => {
  const { host, admin, events } = await startManaged()
  const { id, token } = await host.auth.accounts.invite({ uses: 20, note: 'team:support' })
  host.issued.add(token)
  const [made, ...others] = await admin.accounts.invitations()
  expect([made, others]).toMatchObject([{ id, note: 'team:support', usesLeft: 20 }, []])
  expect(await admin.accounts.revokeInvitation(id, { by })).toBe(true)
  expect(await admin.accounts.revokeInvitation(id, { by })).toBe(false)
  expect((await get(host, `/auth/invitations/${token}`)).status).toBe(400)
  await admin.close()
  expect(events).toMatchObject([{ type: 'invitation.revoked', invitationId: id, actor: by }])
})

describe('clients', () => {
  const { secretHashes: _none, ...app } = wiki

  it('are registered, get another secret, and are disabled in running servers at once', async () => {
    const { host, admin, events } = await startManaged()
    const { secret = '' } = await admin.clients.create(app, { by })
    const introspect = (given: string) =>
      post(host, '/oauth/token', undefined, {
        authorization: `Basic ${Buffer.from(`${app.id}:${given}`).toString('base64')}`,
      })
        .type('form')
        .send('grant_type=refresh_token&refresh_token=none')
    expect((await introspect(secret)).body.error).toBe('invalid_grant')
    const { secret: next } = await admin.clients.rotateSecret(app.id, { by })
    expect((await introspect(next)).body.error).toBe('invalid_grant')
    expect(await admin.clients.list()).toMatchObject([{ id: app.id, secrets: 2, disabled: false }])
    expect(await admin.clients.disable(app.id, { by })).toBe(true)
    expect((await introspect(next)).body.error).toBe('invalid_client')
    await admin.close()
    expect(events.map((event) => 'change' in event && [event.change, event.actor])).toEqual([
      ['created', by],
      ['secret-rotated', by],
      ['disabled', by],
    ])
    expect(JSON.stringify(events)).not.toContain(secret)
    expect(JSON.stringify(events)).not.toContain(next)
  })

  it('are checked as the router checks them', async () => {
    const { admin } = await startManaged()
    await expect(admin.clients.create({ ...app, scopes: ['no:such'] })).rejects.toThrow(
      'is a scope that there is not',
    )
    await expect(admin.clients.create({ ...app, id: 'chat' })).rejects.toThrow('id')
    const { hash } = generateClientSecret()
    const native = { ...app, type: 'native', secretHashes: [hash] } as const
    await expect(admin.clients.create(native)).rejects.toThrow('native')
  })
})

describe('keys', () => {
  it('are listed, followed and retired', async () => {
    const { host, admin, events } = await startManaged()
    await logIn(host)
    const [active] = await admin.keys.list()
    expect(active).toMatchObject({ state: 'active', generation: 1, signs: 'access-tokens' })
    const rotated = await admin.keys.rotate({ by })
    expect(rotated.map(({ state }) => state)).toEqual(['active', 'next'])
    expect(await admin.keys.rotate({ by })).toHaveLength(2)
    const left = await admin.keys.retire(active?.kid ?? '', { by })
    expect(left.map(({ kid }) => kid)).not.toContain(active?.kid)
    await expect(admin.keys.retire('none', { by })).rejects.toThrow('no key of this ring')
    await admin.close()
    expect(events.every(({ actor }) => actor === by)).toBe(true)
    expect(events.map((event) => 'change' in event && event.change)).toEqual([
      'made',
      'retired',
      'made',
    ])
  })

  it('with which something is sealed are counted, also those of nothing', async () => {
    const newer = Buffer.from('another encryption key for tests').toString('base64')
    const { host, admin } = await startManaged()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const sealed = await admin.sealed()
    expect(sealed).toEqual([
      {
        what: 'totp-seeds',
        mark: expect.stringMatching(/^v1\.\w{8}$/),
        encryptionKey: 1,
        count: 1,
      },
      { what: 'signing-keys', mark: expect.any(String), encryptionKey: 1, count: 1 },
      { what: 'id-token-keys', mark: null, encryptionKey: null, count: null },
    ])
    const { admin: later, host: other } = await startManaged({ encryptionKeys: [newer] })
    await other.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    expect((await later.sealed()).slice(0, 2)).toMatchObject([
      { encryptionKey: 1, count: 0 },
      { mark: sealed[0]?.mark, encryptionKey: null, count: 1 },
    ])
  })
})

describe('an old encryption key', () => {
  const newer = Buffer.from('another encryption key for tests').toString('base64')
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }

  it('is needed for nothing once all is sealed anew: of a user who is away, too', async () => {
    const { host, admin, database } = await startManaged()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    for (let user = 0; user < 3; user += 1)
      await database.stores.secondFactors.activate(newFactor(host.clock), [])
    await admin.keys.list()
    const { keys: store } = database.stores
    const both = [newer, encryptionKey]
    const change = { encryptionKeys: both, keys: keyRing({ store, encryptionKeys: both }) }
    const later = adminOf({ stores: database.stores, ...change })
    const left = [
      { what: 'totp-seeds', encryptionKey: 1, count: 1 },
      { what: 'totp-seeds', encryptionKey: 2, count: 0 },
    ]
    const sealed = await later.reseal()
    expect(sealed.slice(0, 2)).toMatchObject(left)
    // Sealed with a key that nobody has: left as they are, and told.
    const unknown = sealed.filter(({ encryptionKey: key, count }) => key === null && count === 1)
    expect(unknown).toHaveLength(3)
    expect(sealed.filter(({ what }) => what === 'signing-keys')).toMatchObject([
      { encryptionKey: 1, count: 1 },
      { encryptionKey: 2, count: 0 },
    ])
    expect(await later.reseal()).toEqual(sealed)
    const ring = keyRing({ store, encryptionKeys: [newer], create: false, logger: quiet })
    await ring.ready()
    const signer = joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: ring })
    const { keys: _, ...stores } = database.stores
    const next = await startHost({ options: { ...stores, signer, encryptionKeys: [newer] } })
    const code = totpCode(totpSecret, next.clock())
    expect((await post(next, '/login', { username: 'alice', password, code })).status).toBe(200)
  })

  it('stays needed by keys in files, and is told so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mar-keys-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const keys = keyRing({ files: folder, encryptionKeys: [encryptionKey] })
    await keys.ready()
    const both = [newer, encryptionKey]
    const ring = keyRing({ files: folder, encryptionKeys: both })
    const admin = adminOf({ stores: memoryStores(), keys: ring, encryptionKeys: both })
    const left = (await admin.reseal()).filter(({ what }) => what === 'signing-keys')
    expect(left).toMatchObject([
      { encryptionKey: 1, count: 0 },
      { encryptionKey: 2, count: 1 },
    ])
  })
})

it('tells what has happened to a user, also what it has done itself', async () => {
  const { host, admin, audit } = await startManaged()
  await logIn(host)
  await admin.sessions.revokeAllForUser('u-alice', { by })
  await admin.close()
  await audit.close()
  expect((await admin.audit({ userId: 'u-alice' })).events).toMatchObject([
    { type: 'session.ended', userId: 'u-alice', detail: { reason: 'revoked', actor: by } },
  ])
})

describe('what is missing', () => {
  const admin = adminOf({ stores: { sessions: memoryStores().sessions } })

  it.each([
    ['stores.clients', () => admin.clients.list()],
    ['stores.secondFactors', () => admin.secondFactors.reset('u-1')],
    ['stores.passkeys', () => admin.passkeys.list('u-1')],
    ['throttle.limiter', () => admin.unlockLogin({ kind: 'username', value: 'alice' })],
    ['keys', () => admin.keys.list()],
    ['encryptionKeys', () => admin.sealed()],
    ['onEvent', () => admin.audit({ userId: 'u-1' })],
    ['users.delete', () => admin.accounts.delete('u-1')],
    ['users.disable', () => admin.accounts.disable('u-1')],
    ['stores.proofs', () => admin.accounts.invitations()],
  ])('%s is named', async (option, call) => {
    const error = await call().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(AuthConfigError)
    expect(error).toMatchObject({ option })
  })

  it.each<readonly [string, object]>([
    ['stores', {}],
    ['stores', { stores: {} }],
    ['keys', { stores: memoryStores(), keys: { list: async () => [] } }],
    ['encryptionKeys', { stores: memoryStores(), encryptionKeys: ['short'] }],
    ['user', { stores: memoryStores(), user: 1 }],
  ])('a wrong option is named: %s of %j', (option, options) => {
    expect(() => adminOf(options as never)).toThrow(`adminOf.${option}`)
  })
})

it('says so where the bus or the sink fails, and has made the change', async () => {
  const lines: unknown[] = []
  const note = (message: string, fields?: object) => void lines.push({ message, ...fields })
  const { host, admin } = await startManaged({
    bus: {
      publish: () => Promise.reject(new Error('away')),
      subscribe: vi.fn(),
    },
    onEvent: () => Promise.reject(new Error('away')),
    logger: { debug: note, info: note, warn: note, error: note },
  })
  const { authToken } = await logIn(host)
  expect(await admin.sessions.revokeAllForUser('u-alice')).toBe(1)
  await admin.close()
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'host.failed', operation: 'bus.publish' }),
  )
  expect(lines).toContainEqual({ message: expect.stringContaining('onEvent failed') })
  host.clock.advance(6)
  expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
})
