import { describe, expect, it } from 'vitest'
import { password, passwordHash } from '../support/host.js'
import { creation, newPasskey } from './authenticator.js'
import { startPasskeys } from './passkey-host.js'

describe('adding a passkey', () => {
  it('begins with options that any browser can read', async () => {
    const host = await startPasskeys({ passkeys: { rpName: 'Example Chat' } })
    const token = await host.logIn()
    const { passkey, options } = await host.add(token)
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{100,120}$/),
      rp: { id: 'chat.example.com', name: 'Example Chat' },
      user: {
        id: expect.stringMatching(/^[\w-]{43}$/),
        name: 'alice',
        displayName: 'Alice A.',
      },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      extensions: { credProps: true },
    })
    const second = await host.post('/auth/passkeys/options', {}, token)
    expect(second.data).toMatchObject({
      // One for each user: pickers would otherwise show the user twice.
      user: { id: passkey.userHandle },
      excludeCredentials: [
        { type: 'public-key', id: passkey.id, transports: ['internal', 'hybrid'] },
      ],
    })
  })

  it('gives every user a handle of their own, which says nothing of them', async () => {
    const host = await startPasskeys()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const alice = (await host.add(await host.logIn())).passkey.userHandle
    const bob = (await host.add(await host.logIn({ username: 'bob', password }))).passkey.userHandle
    expect(alice).not.toBe(bob)
    expect(Buffer.from(alice, 'base64url')).toHaveLength(32)
    expect(Buffer.from(alice, 'base64url').toString()).not.toContain('alice')
  })

  it('brings ten recovery codes with the first one, and none with the second', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const first = await host.add(token)
    expect(first.added.data.recoveryCodes).toHaveLength(10)
    expect(new Set(first.added.data.recoveryCodes).size).toBe(10)
    const second = await host.add(token)
    expect(second.added.status).toBe(200)
    expect(second.added.data).not.toHaveProperty('recoveryCodes')
    const told = [first, second].map(({ passkey }) => passkey.id)
    expect(host.events.filter(({ type }) => type === 'passkey.added')).toMatchObject(
      told.map((passkeyId) => ({ userId: 'u-alice', passkeyId, name: 'Phone', backedUp: true })),
    )
  })

  it('lets a user who must have a second factor do everything from then on', async () => {
    const host = await startPasskeys({ options: { secondFactor: { policy: () => 'required' } } })
    const token = await host.logIn()
    expect((await host.ask('GET', '/me', undefined, token)).status).toBe(403)
    await host.add(token)
    expect((await host.ask('GET', '/me', undefined, token)).status).toBe(200)
  })

  it('takes any attestation for none: whoever made the device is not asked', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const passkey = newPasskey()
    const response = creation(passkey, data.challenge as string)
    const bytes = Buffer.from(response.response.attestationObject, 'base64url')
    // `packed`, with a statement that holds an address as if it were a certificate.
    const at = bytes.indexOf('none')
    const packed = Buffer.concat([
      bytes.subarray(0, at - 1),
      Buffer.from([0x66]),
      Buffer.from('packed'),
      bytes.subarray(at + 4, bytes.indexOf('attStmt') + 7),
      Buffer.from([0xa1, 0x63]),
      Buffer.from('x5c'),
      Buffer.from([0x81, 0x44, 1, 2, 3, 4]),
      bytes.subarray(bytes.indexOf('attStmt') + 8),
    ])
    response.response.attestationObject = packed.toString('base64url')
    expect((await host.post('/auth/passkeys', { response }, token)).status).toBe(200)
  })
})

describe('a user’s passkeys', () => {
  it('are listed, the oldest first, and those of nobody else', async () => {
    const host = await startPasskeys()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    await host.add(await host.logIn({ username: 'bob', password }))
    const token = await host.logIn()
    const first = await host.add(token)
    host.clock.advance(5)
    const second = await host.add(token, newPasskey({ flags: { be: false, bs: false } }))
    const { data } = await host.ask('GET', '/auth/passkeys', undefined, token)
    expect(data.passkeys).toMatchObject([
      { id: first.passkey.id, synced: true, backedUp: true },
      { id: second.passkey.id, synced: false, backedUp: false },
    ])
  })

  it('are renamed', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const renamed = await host.post(`/auth/passkeys/${passkey.id}`, { name: ' Läptop ' }, token)
    expect(renamed).toMatchObject({ status: 200, data: { name: 'Läptop' } })
    const { data } = await host.ask('GET', '/auth/passkeys', undefined, token)
    expect(data.passkeys).toMatchObject([{ name: 'Läptop' }])
  })

  it('are removed, and every other session ends', async () => {
    const host = await startPasskeys()
    const other = await host.logIn()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const byPasskey = (await host.signIn(passkey)).data.authToken
    const removed = await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)
    expect(removed.status).toBe(200)
    expect((await host.signIn(passkey)).status).toBe(401)
    expect((await host.ask('GET', '/me', undefined, other)).status).toBe(401)
    expect((await host.ask('GET', '/me', undefined, byPasskey)).status).toBe(401)
    expect((await host.ask('GET', '/me', undefined, token)).status).toBe(200)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'passkey.removed',
        userId: 'u-alice',
        passkeyId: passkey.id,
        name: expect.any(String),
      }),
    )
    // Without a passkey the session has shown none any more.
    expect((await host.sessionsOf())[0]?.methods).toEqual(['pwd'])
  })

  it('that are left keep what the session has shown', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    await host.add(token)
    await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)
    expect((await host.sessionsOf())[0]?.methods).toEqual(['pwd', 'passkey'])
  })

  it('are listed and taken away by the host, with what came with them', async () => {
    const host = await startPasskeys({ options: { secondFactor: { policy: () => 'required' } } })
    const token = await host.logIn()
    const { passkey, added } = await host.add(token)
    await host.add(token)
    expect(await host.auth.passkeys.list('u-alice')).toHaveLength(2)
    expect(await host.auth.passkeys.reset('u-alice')).toBe(2)
    expect(await host.sessionsOf()).toEqual([])
    expect((await host.signIn(passkey)).status).toBe(401)
    const [code = ''] = added.data.recoveryCodes ?? []
    // There is none to be demanded, and so nothing that the code could stand for.
    const { data } = await host.post('/login', { username: 'alice', password, code })
    expect(data).toMatchObject({ enrolmentRequired: true })
    await expect(host.auth.passkeys.reset('\0')).rejects.toMatchObject({ status: 400 })
  })
})
