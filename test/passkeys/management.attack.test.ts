import { describe, expect, it } from 'vitest'
import { password, passwordHash } from '../support/host.js'
import { assertion, creation, type Deviations, newPasskey } from './authenticator.js'
import { type PasskeyHost, startPasskeys } from './passkey-host.js'

const faults: readonly (readonly [what: string, given: Deviations, reason: string])[] = [
  ['made for another origin', { clientData: { origin: 'https://evil.example' } }, 'wrong-origin'],
  ['made in a frame', { clientData: { crossOrigin: true } }, 'cross-origin'],
  ['that is a sign-in', { clientData: { type: 'webauthn.get' } }, 'wrong-type'],
  ['of another site', { rpId: 'evil.example' }, 'not-verified'],
  ['whose user was not there', { flags: { up: false } }, 'not-verified'],
  ['whose user was not verified', { flags: { uv: false } }, 'not-verified'],
  ['that is backed up, and cannot be', { flags: { be: false, bs: true } }, 'not-verified'],
  ['with bytes behind it', { behind: Buffer.from([0]) }, 'not-verified'],
  ['with a challenge of the thief’s', { clientData: { challenge: 'AAAA' } }, 'unknown-challenge'],
  ['with no client data', { clientDataText: '[]' }, 'malformed'],
]

describe('a new passkey is refused', () => {
  it.each(faults)('%s', async (_what, given, reason) => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { added } = await host.add(token, newPasskey(), given)
    expect(added).toMatchObject({ status: 400, body: { error: 'invalid-request' } })
    expect(host.reasons()).toEqual([reason])
    expect(await host.store.listForUser('u-alice')).toEqual([])
    expect((await host.sessionsOf())[0]?.methods).toEqual(['pwd'])
  })

  it('under an id that its data does not have', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const { id } = newPasskey()
    const response = { ...creation(newPasskey(), data.challenge as string), id, rawId: id }
    expect((await host.post('/auth/passkeys', { response }, token)).status).toBe(400)
    expect(host.reasons()).toEqual(['not-verified'])
  })

  it('that anybody has, whoever it is, and changes nothing', async () => {
    const host = await startPasskeys()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const { passkey } = await host.add(await host.logIn())
    const bob = await host.logIn({ username: 'bob', password })
    const { userHandle } = passkey
    const { added } = await host.add(bob, { ...newPasskey(), id: passkey.id })
    expect(added).toMatchObject({ status: 409, body: { error: 'passkey-exists' } })
    passkey.userHandle = userHandle
    expect((await host.signIn(passkey)).data['userId']).toBe('u-alice')
  })

  it('that is the twenty-first, also of fifty at a time', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const many = Array.from({ length: 50 }, () => newPasskey())
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const challenges = await Promise.all(
      many.map(async () => (await host.post('/auth/passkeys/options', {}, token)).data.challenge),
    )
    expect(data.challenge).toBeDefined()
    const answers = await Promise.all(
      many.map((passkey, index) =>
        host.post(
          '/auth/passkeys',
          { response: creation(passkey, challenges[index] as string) },
          token,
        ),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ body }) => body.error === 'too-many-passkeys')).toHaveLength(30)
    expect(
      answers.filter(({ data: { recoveryCodes } }) => recoveryCodes !== undefined),
    ).toHaveLength(1)
    expect(await host.store.listForUser('u-alice')).toHaveLength(20)
  })

  it('by the challenge of another session, of another user, or one that was used', async () => {
    const host = await startPasskeys()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const [token, other] = [await host.logIn(), await host.logIn()]
    const bob = await host.logIn({ username: 'bob', password })
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const add = (by: string) =>
      host.post(
        '/auth/passkeys',
        { response: creation(newPasskey(), data.challenge as string) },
        by,
      )
    expect((await add(other)).status).toBe(400)
    expect((await add(bob)).status).toBe(400)
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(host.reasons().filter((reason) => reason === 'used-challenge')).toHaveLength(19)
  })

  it('for who has not signed in just now, unless it is proved anew, with every factor', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const options = (body: object = {}) => host.post('/auth/passkeys/options', body, token)
    host.clock.advance(600)
    expect((await options()).status).toBe(200)
    host.clock.advance(1)
    expect(await options()).toMatchObject({
      status: 403,
      body: { error: 'reauthentication-required' },
    })
    expect(await options({ password: 'wrong' })).toMatchObject({
      status: 401,
      body: { details: { wrong: 'password' } },
    })
    expect((await options({ password })).status).toBe(200)
  })

  it('where a password alone would add it for somebody who has a second factor', async () => {
    // A session that was opened before the factor was there, and was left alive.
    const host = await startPasskeys()
    const token = await host.logIn()
    await host.importTotp()
    const options = (body: object = {}) => host.post('/auth/passkeys/options', body, token)
    expect((await options()).body.error).toBe('reauthentication-required')
    expect((await options({ password })).body.error).toBe('totp-required')
    expect((await options({ password, code: '000000' })).body.error).toBe('totp-invalid')
  })

  it('where `always` demands a passkey of who has only shown a password', async () => {
    const host = await startPasskeys({ passkeys: { asSecondFactor: 'always' } })
    const thief = await host.logIn()
    await host.add(await host.logIn())
    const { status, body } = await host.post('/auth/passkeys/options', {}, thief)
    expect({ status, error: body.error }).toEqual({
      status: 403,
      error: 'reauthentication-required',
    })
  })

  it.each([
    ['no response', {}],
    ['a response that is a text', { response: 'AAAA' }],
    ['a name of control characters', { name: 'a\nb' }],
    ['a name that is turned round', { name: 'enohp\u202e' }],
    ['a name with an isolate', { name: 'my \u2066phone' }],
    ['a name that is too long', { name: 'a'.repeat(101) }],
    ['an empty name', { name: '  ' }],
  ])('with %s: 400, and the challenge is still good', async (_what, body) => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const response = creation(newPasskey(), data.challenge as string)
    const isName = 'name' in body
    const wrong = await host.post('/auth/passkeys', isName ? { response, ...body } : body, token)
    expect(wrong.status).toBe(400)
    expect((await host.post('/auth/passkeys', { response }, token)).status).toBe(200)
  })
})

describe('passkeys of others', () => {
  it('can be neither renamed nor removed nor seen', async () => {
    const host = await startPasskeys()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const { passkey } = await host.add(await host.logIn())
    const bob = await host.logIn({ username: 'bob', password })
    for (const id of [passkey.id, newPasskey().id, 'a', '..%2f', '%00', 'a'.repeat(1365)]) {
      expect((await host.post(`/auth/passkeys/${id}`, { name: 'Mine' }, bob)).status).toBe(404)
      expect((await host.ask('DELETE', `/auth/passkeys/${id}`, undefined, bob)).status).toBe(404)
    }
    expect((await host.ask('GET', '/auth/passkeys', undefined, bob)).data.passkeys).toEqual([])
    expect(await host.store.find(passkey.id)).toMatchObject({ name: 'Phone' })
    expect(await host.sessionsOf()).toHaveLength(1)
  })

  it('are nobody’s business without a sign-in', async () => {
    const host = await startPasskeys()
    for (const [method, path] of [
      ['GET', '/auth/passkeys'],
      ['POST', '/auth/passkeys'],
      ['POST', '/auth/passkeys/options'],
      ['POST', '/auth/passkeys/abc'],
      ['DELETE', '/auth/passkeys/abc'],
      ['POST', '/auth/reauthenticate'],
    ] as const)
      expect((await host.ask(method, path, method === 'POST' ? {} : undefined)).status).toBe(401)
  })
})

describe('the last way in', () => {
  it('stays: of two passkeys that are removed at once, one is left', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const { passkey: other } = await host.add(token)
    host.users.change('u-alice', { passwordHash: null })
    const remove = (id: string) => host.ask('DELETE', `/auth/passkeys/${id}`, undefined, token)
    const answers = await Promise.all([remove(passkey.id), remove(other.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const [left] = await host.store.listForUser('u-alice')
    expect(await remove(left?.credentialId as string)).toMatchObject({
      status: 409,
      body: { error: 'last-sign-in-method' },
    })
    expect(await host.store.listForUser('u-alice')).toHaveLength(1)
  })

  it('is removed by nobody who has not just signed in', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    host.clock.advance(601)
    const answer = await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)
    expect(answer).toMatchObject({ status: 403, body: { error: 'reauthentication-required' } })
  })

  it('that is removed while it signs in opens nothing that lives', async () => {
    let removing: (() => Promise<unknown>) | null = null
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async use(...given) {
          const used = await store.use(...given)
          await removing?.()
          return used
        },
      }),
    })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    removing = () => host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)
    expect((await host.signIn(passkey)).status).toBe(401)
    expect(await host.sessionsOf()).toHaveLength(1)
  })

  it('does not let a user in who was disabled meanwhile', async () => {
    let then: () => void = () => {}
    const host = await startPasskeys({
      options: { beforeLogin: () => void then() as undefined },
    })
    const { passkey } = await host.add(await host.logIn())
    then = () => host.users.change('u-alice', { disabled: true })
    expect((await host.signIn(passkey)).status).toBe(401)
    expect(await host.sessionsOf()).toHaveLength(1)
  })
})

describe('proving anew who one is', () => {
  const maxAge = (host: PasskeyHost, token: string) =>
    host.ask('GET', '/delicate', undefined, token).then(({ status }) => status)

  it('by a password or by a passkey opens what asks for a fresh sign-in, for this session', async () => {
    const host = await startPasskeys()
    const [token, other] = [await host.logIn(), await host.logIn()]
    const { passkey } = await host.add(token)
    for (const proof of ['password', 'passkey']) {
      host.clock.advance(61)
      expect(await maxAge(host, token)).toBe(403)
      const shown = assertion(passkey, await host.challenge(token))
      const body = proof === 'password' ? { password } : { passkey: shown }
      const answer = await host.post('/auth/reauthenticate', body, token)
      expect(answer).toMatchObject({
        status: 200,
        data: { authenticatedAt: host.clock().toISOString(), methods: ['pwd', 'passkey'] },
      })
      expect(await maxAge(host, token)).toBe(200)
      expect(await maxAge(host, other)).toBe(403)
    }
    expect(host.events.filter(({ type }) => type === 'reauthenticated')).toHaveLength(2)
    expect(await host.sessionsOf()).toHaveLength(2)
  })

  it('names the passkeys that there are, to who is signed in alone', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const { data } = await host.post('/auth/passkey/options', {}, token)
    expect(data['allowCredentials']).toMatchObject([{ id: passkey.id }])
    expect((await host.post('/auth/passkey/options', {})).data).not.toHaveProperty(
      'allowCredentials',
    )
    expect((await host.post('/auth/passkey/options', {}, 'no-token')).status).toBe(401)
  })

  it.each([
    ['nothing', {}, 400],
    ['a wrong password', { password: 'wrong' }, 401],
    ['both', { password, passkey: assertion(newPasskey(), 'AAAA') }, 400],
    ['a passkey of nobody', { passkey: assertion(newPasskey(), 'AAAA') }, 401],
  ])('with %s changes nothing', async (_what, body, status) => {
    const host = await startPasskeys()
    const token = await host.logIn()
    host.clock.advance(61)
    expect((await host.post('/auth/reauthenticate', body, token)).status).toBe(status)
    expect(await maxAge(host, token)).toBe(403)
  })

  it('asks for the second factor besides the password', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    await host.importTotp()
    const { body } = await host.post('/auth/reauthenticate', { password }, token)
    expect(body.error).toBe('totp-required')
  })

  it('by a passkey of somebody else, or one whose user was not verified, is refused', async () => {
    const host = await startPasskeys()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const { passkey: ofBob } = await host.add(await host.logIn({ username: 'bob', password }))
    const show = async (one: typeof passkey, given: Deviations = {}) => {
      const shown = { passkey: assertion(one, await host.challenge(token), given) }
      return (await host.post('/auth/reauthenticate', shown, token)).status
    }
    expect(await show(ofBob)).toBe(401)
    expect(await show(passkey, { flags: { uv: false } })).toBe(401)
    expect(host.reasons()).toEqual(['credential-of-another-user', 'user-not-verified'])
    // Whose it is is known, so the passkey need not say it; but if it does, it must be right.
    expect(await show(passkey, { userHandle: 'b2Z-Ym9i' })).toBe(401)
    expect(await show(passkey, { userHandle: null })).toBe(200)
  })
})
