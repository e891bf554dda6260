// Passkeys as the second factor of `POST /login`.
import { describe, expect, it } from 'vitest'
import { password, passwordHash } from '../support/host.js'
import { assertion, type Deviations, newPasskey } from './authenticator.js'
import { type PasskeySettings, startPasskeys } from './passkey-host.js'

const alice = { username: 'alice', password }
const always: PasskeySettings = { passkeys: { asSecondFactor: 'always' } }

/** Alice with a passkey that is demanded besides her password, unless told otherwise. */
async function withPasskey(settings: PasskeySettings = always) {
  const host = await startPasskeys(settings)
  const { passkey, added } = await host.add(await host.logIn())
  return { host, passkey, codes: added.data.recoveryCodes ?? [] }
}

describe('a passkey as the second factor', () => {
  it('is demanded where a factor is demanded, and not because there is a passkey', async () => {
    const optional = await withPasskey({})
    expect((await optional.host.due()).status).toBe(200)
    const { host } = await withPasskey()
    expect((await host.due()).body.error).toBe('totp-required')
    const required = await withPasskey({ options: { secondFactor: { policy: () => 'required' } } })
    expect((await required.host.due()).body.error).toBe('totp-required')
  })

  it('is demanded of nobody who has none', async () => {
    const host = await startPasskeys(always)
    expect((await host.due()).status).toBe(200)
  })

  it('is offered by name after a right password, and taken with a touch alone', async () => {
    const { host, passkey } = await withPasskey()
    const { body } = await host.due()
    expect(body.details).toEqual({
      method: 'passkey',
      codeGenerated: false,
      availableMethods: ['passkey', 'recovery'],
      passkeyOptions: {
        challenge: expect.any(String),
        rpId: 'chat.example.com',
        timeout: 300_000,
        allowCredentials: [
          { type: 'public-key', id: passkey.id, transports: ['internal', 'hybrid'] },
        ],
        userVerification: 'discouraged',
      },
    })
    const given = { flags: { uv: false }, userHandle: null }
    const { status, data } = await host.logInWith(passkey, given)
    expect(status).toBe(200)
    expect((await host.ask('GET', '/me', undefined, data.authToken)).status).toBe(200)
    expect(host.events.at(-1)).toMatchObject({
      type: 'login.succeeded',
      methods: ['pwd', 'passkey'],
    })
    const wrong = await host.post('/login', { ...alice, password: 'wrong' })
    expect(wrong.body).not.toHaveProperty('details')
  })

  it('stands beside TOTP: either of them is enough, and none is not', async () => {
    const { host, passkey, codes } = await withPasskey({})
    await host.importTotp()
    const { body } = await host.due()
    expect(body.details).toMatchObject({
      method: 'totp',
      availableMethods: ['totp', 'recovery', 'passkey'],
    })
    expect((await host.logInWith(passkey)).status).toBe(200)
    expect((await host.post('/login', { ...alice, code: host.totpCode() })).status).toBe(200)
    // Those that came with the passkey are not of the app.
    const byCode = await host.post('/login', { ...alice, code: codes[0] })
    expect(byCode.body.error).toBe('totp-invalid')
  })

  it('is noted where it is shown though nobody asks for it', async () => {
    const { host, passkey } = await withPasskey({})
    await host.importTotp()
    const { challenge } = await host.due()
    await host.auth.secondFactors.reset('u-alice')
    const response = assertion(passkey, challenge)
    expect((await host.post('/login', { ...alice, passkey: response })).status).toBe(200)
    expect(host.events.at(-1)).toMatchObject({ methods: ['pwd', 'passkey'] })
  })

  it.each<[string, Deviations]>([
    ['that nobody has touched', { flags: { up: false } }],
    ['of another site', { rpId: 'evil.example' }],
    ['for another origin', { clientData: { origin: 'https://evil.example' } }],
    ['signed by another key', { signedBy: newPasskey() }],
    ['that says that it is of another user', { userHandle: 'b2Z-Ym9i' }],
    ['that may be synced no longer', { flags: { be: false, bs: false } }],
  ])('%s is none', async (_what, given) => {
    const { host, passkey } = await withPasskey()
    const { status, body } = await host.logInWith(passkey, given)
    expect({ status, error: body.error }).toEqual({ status: 401, error: 'totp-invalid' })
    expect((await host.logInWith(passkey)).status).toBe(200)
  })

  it('of another user, or by a challenge that was not for this user, is none', async () => {
    const { host, passkey } = await withPasskey()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const { passkey: ofBob } = await host.add(await host.logIn({ username: 'bob', password }))
    expect((await host.logInWith(ofBob)).body.error).toBe('totp-invalid')
    const { challenge: ofBobs } = await host.due('bob')
    for (const challenge of [ofBobs, await host.challenge()]) {
      const response = assertion(passkey, challenge)
      const { body } = await host.post('/login', { ...alice, passkey: response })
      expect(body.error).toBe('totp-invalid')
    }
    expect(host.reasons()).toEqual([
      'credential-of-another-user',
      'unknown-challenge',
      'unknown-challenge',
    ])
  })

  it('beside a wrong password is not looked at', async () => {
    const { host, passkey } = await withPasskey()
    const response = assertion(passkey, (await host.due()).challenge)
    const wrong = { ...alice, password: 'wrong', passkey: response }
    expect((await host.post('/login', wrong)).body.error).toBe('Unauthorized')
    expect((await host.post('/login', { ...alice, passkey: response })).status).toBe(200)
  })

  it('is taken once, of fifty at a time', async () => {
    const { host, passkey } = await withPasskey()
    const response = assertion(passkey, (await host.due()).challenge)
    const before = (await host.sessionsOf()).length
    const asked = await Promise.all(
      Array.from({ length: 50 }, () => host.post('/login', { ...alice, passkey: response })),
    )
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await host.sessionsOf()).toHaveLength(before + 1)
  })

  it('that is removed while it signs in opens nothing', async () => {
    const { host, passkey } = await withPasskey()
    const token = (await host.logInWith(passkey)).data.authToken
    const { challenge } = await host.due()
    const { create } = host.stores.sessions
    host.stores.sessions.create = async (...given) => {
      host.stores.sessions.create = create
      const removed = await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)
      expect(removed.status).toBe(200)
      return create(...given)
    }
    const response = assertion(passkey, challenge)
    const { status } = await host.post('/login', { ...alice, passkey: response })
    expect(status).toBe(401)
    expect(await host.sessionsOf()).toHaveLength(1)
  })

  it('is told to wait after ten that were refused, and a right one is let in', async () => {
    const { host, passkey } = await withPasskey()
    for (let tries = 0; tries < 10; tries += 1)
      expect((await host.logInWith(passkey, { flags: { up: false } })).status).toBe(401)
    const { status, headers } = await host.logInWith(passkey, { flags: { up: false } })
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await host.logInWith(passkey)).status).toBe(200)
  })

  it.each([null, 'AAAA', {}, { id: 'a' }, [], { response: {} }])(
    'that is none in shape is a 400: %j',
    async (passkey) => {
      const { host } = await withPasskey()
      const { status, body } = await host.post('/login', { ...alice, passkey })
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid-request' })
    },
  )

  it('is sent alone, or a code is', async () => {
    const { host, passkey, codes } = await withPasskey()
    const response = assertion(passkey, (await host.due()).challenge)
    const both = { ...alice, passkey: response, code: codes[0] }
    expect((await host.post('/login', both)).status).toBe(400)
    expect((await host.post('/login', { ...alice, passkey: response })).status).toBe(200)
  })
})

describe('a recovery code of a user without another factor', () => {
  it('works once, however it is typed, of fifty at a time', async () => {
    const { host, codes } = await withPasskey()
    const [code = '', other = ''] = codes
    const asked = await Promise.all(
      Array.from({ length: 50 }, () => host.post('/login', { ...alice, code })),
    )
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(1)
    const typed = other.toLowerCase().replaceAll('-', ' ')
    expect((await host.post('/login', { ...alice, code: typed })).status).toBe(200)
    expect(host.events.at(-1)).toMatchObject({ methods: ['pwd', 'recovery'] })
  })

  it('of another user, or a text that is none, is none', async () => {
    const { host, codes } = await withPasskey()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    await host.add(await host.logIn({ username: 'bob', password }))
    for (const code of [codes[0] ?? '', '000000', 'A'.repeat(24)]) {
      const { body } = await host.post('/login', { username: 'bob', password, code })
      expect(body.error).toBe('totp-invalid')
    }
  })

  it('is beyond no limit that guesses have reached', async () => {
    const { host, codes } = await withPasskey()
    const statuses: number[] = []
    for (let tries = 0; tries < 12; tries += 1)
      statuses.push((await host.post('/login', { ...alice, code: '000000' })).status)
    expect(statuses.at(-1)).toBe(429)
    expect((await host.post('/login', { ...alice, code: codes[0] })).status).toBe(200)
  })

  it('goes with the last passkey', async () => {
    const { host, passkey, codes } = await withPasskey()
    const token = (await host.logInWith(passkey)).data.authToken
    await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)
    const { passkey: next } = await host.add(await host.logIn())
    expect((await host.post('/login', { ...alice, code: codes[0] })).body.error).toBe(
      'totp-invalid',
    )
    expect((await host.logInWith(next)).status).toBe(200)
  })
})
