// Signing in with the account of a provider, by a client without our pages.
import { expect, it } from 'vitest'
import { bearer, get, logIn, pkcePair, post, remove } from '../support/client.js'
import { password, type TestHost } from '../support/host.js'
import { begin as beginTotp, codeOf, confirm } from '../support/two-factor.js'
import {
  ada,
  alsoReturnTo,
  begin,
  browser,
  comeBack,
  connected,
  fakeProvider,
  finish,
  lead,
  returnTo,
  signIn,
  startProviders,
} from './provider-host.js'

/** Alice sets up TOTP. */
async function enableTotp(host: TestHost) {
  const { authToken } = await logIn(host)
  const secret = await beginTotp(host, authToken as string)
  await confirm(host, authToken as string, secret)
  host.clock.advance(30)
  return { code: () => codeOf(host, secret) }
}

const eventsOf = (host: { events: readonly { type: string }[] }, type: string) =>
  host.events.filter((event) => event.type === type)

it('lists the providers, in their order', async () => {
  const second = fakeProvider({ id: 'other', name: 'Other' })
  const host = await startProviders({ providers: { list: [fakeProvider(), second] } })
  const { body } = await get(host, '/auth/providers').expect(200)
  expect(body.data.providers).toEqual([
    { id: 'fake', name: 'Fake' },
    { id: 'other', name: 'Other' },
  ])
})

it('signs in whoever is connected, as a login does', async () => {
  const host = await startProviders()
  await connected(host)
  const begun = await begin(host)
  const came = await comeBack(begun)
  expect(came).toMatchObject({
    ticket: expect.stringMatching(/^mar_vt_[\w-]{43}$/),
    state: 'state of the client',
    iss: 'https://chat.example.com',
  })
  const { codeVerifier } = begun
  const { body } = await finish(host, { ticket: came.ticket, codeVerifier }).expect(200)
  expect(body.data).toMatchObject({ userId: 'u-alice', me: { username: 'alice' } })
  await get(host, '/me', bearer(body.data.authToken)).expect(200)
  const [signedIn] = eventsOf(host, 'login.succeeded')
  expect(signedIn).toMatchObject({ userId: 'u-alice', methods: ['host'] })
  const { body: list } = await get(host, '/auth/identities', bearer(body.data.authToken))
  expect(list.data.identities).toMatchObject([{ id: 'i-ada-1815', lastUsedAt: expect.any(String) }])
})

it('hands the provider what it needs, and back what it has kept', async () => {
  const host = await startProviders()
  await comeBack(await begin(host))
  const callbackUrl = 'https://chat.example.com/api/v1/auth/providers/fake/callback'
  const [started] = host.provider.asked.start as { state: string }[]
  expect(started).toMatchObject({ callbackUrl, state: expect.stringMatching(/^[\w-]{43}$/) })
  expect(host.provider.asked.finish).toMatchObject([
    { callbackUrl, method: 'GET', keep: { nonce: `nonce of ${started?.state}` } },
  ])
})

it('gives refreshable tokens to a client that asks for them', async () => {
  const host = await startProviders()
  await connected(host)
  const { body } = await signIn(host, { tokens: 'refreshable' })
  expect(body.data).toMatchObject({ refreshToken: expect.any(String), expiresIn: 600 })
})

it('asks for the second factor, and leaves the ticket alive for it', async () => {
  const host = await startProviders()
  await connected(host)
  const { code } = await enableTotp(host)
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  const { codeVerifier } = begun
  const first = await finish(host, { ticket, codeVerifier }).expect(401)
  expect(first.body).toMatchObject({ error: 'totp-required' })
  await finish(host, { ticket, codeVerifier, code: '000000' }).expect(401)
  await finish(host, { ticket, codeVerifier, code: code() }).expect(200)
  expect(eventsOf(host, 'login.succeeded').at(-1)).toMatchObject({ methods: ['host', 'otp'] })
})

it('tells a stranger no more than that the account is not connected', async () => {
  const host = await startProviders()
  const { body } = await signIn(host)
  expect(body).toEqual({
    success: false,
    status: 'error',
    error: 'provider-refused',
    message: 'This account is not connected here.',
    details: { reason: 'not-connected', canConnect: false },
  })
  expect(eventsOf(host, 'provider.refused')).toMatchObject([{ reason: 'not-connected' }])
})

it('says to the client that the user has cancelled, or that the provider is away', async () => {
  const provider = fakeProvider()
  const host = await startProviders({ provider })
  provider.answer = { outcome: 'refused', reason: 'access-denied' }
  expect(await comeBack(await begin(host))).toMatchObject({ ticket: '', error: 'access_denied' })
  provider.answer = { outcome: 'refused', reason: 'wrong-nonce' }
  expect(await comeBack(await begin(host))).toMatchObject({ error: 'provider_refused' })
  provider.answer = () => Promise.reject(new Error('no route'))
  expect(await comeBack(await begin(host))).toMatchObject({ error: 'temporarily_unavailable' })
})

it('refuses whomever the host does not allow', async () => {
  const provider = fakeProvider({
    allowed: ({ email }) => email?.endsWith('@example.org') === true,
  })
  const host = await startProviders({ provider })
  await connected(host)
  expect(await comeBack(await begin(host))).toMatchObject({ error: 'provider_refused' })
  expect(eventsOf(host, 'provider.refused')).toMatchObject([{ reason: 'not-allowed' }])
})

it('returns to any address of the list, and to no other', async () => {
  const ofTheMachine = 'http://127.0.0.1/signed-in'
  const list = [returnTo, alsoReturnTo, ofTheMachine]
  const host = await startProviders({ providers: { returnTo: list } })
  const { codeChallenge } = pkcePair()
  const start = (address: string) =>
    post(host, '/auth/providers/fake/start', { returnTo: address, codeChallenge })
  for (const good of [...list, 'http://127.0.0.1:49152/signed-in']) await start(good).expect(200)
  for (const bad of [
    `${returnTo}/`,
    `${returnTo}?a=b`,
    'https://chat.example.com/signed',
    '//chat.example.com/signed-in',
    'javascript:alert(1)',
    'https:\\\\chat.example.com\\signed-in',
    'https://evil.example.com/signed-in',
    'https://chat.example.com:8443/signed-in',
    'http://localhost:49152/signed-in',
    'http://127.0.0.1:49152/elsewhere',
  ])
    await start(bad).expect(400)
})

it('connects the account of a signed-in user, who signs in by it from then on', async () => {
  const host = await startProviders()
  const headers = bearer((await logIn(host)).authToken as string)
  const { codeVerifier, codeChallenge } = pkcePair()
  const { body } = await post(
    host,
    '/auth/identities/fake',
    { returnTo, codeChallenge },
    headers,
  ).expect(200)
  const used = browser(host)
  const begun = { codeVerifier, ...(await lead(host, body.data.url, used)) }
  const { ticket } = await comeBack(begun)
  const linked = await post(host, '/auth/identities', { ticket, codeVerifier }, headers).expect(200)
  expect(linked.body.data.identity).toMatchObject({ provider: 'fake', label: ada.email })
  expect(eventsOf(host, 'identity.linked')).toMatchObject([{ userId: 'u-alice', how: 'asked' }])
  const signedIn = await signIn(host)
  expect(signedIn.body.data).toMatchObject({ userId: 'u-alice' })
})

it('disconnects, and ends the sessions that the account has opened', async () => {
  const host = await startProviders()
  await connected(host)
  const byPassword = bearer((await logIn(host)).authToken as string)
  const { body } = await signIn(host)
  const byProvider = bearer(body.data.authToken)
  await remove(host, '/auth/identities/i-ada-1815', byPassword).expect(200)
  await get(host, '/me', byProvider).expect(401)
  await get(host, '/me', byPassword).expect(200)
  expect((await signIn(host)).status).toBe(401)
  await remove(host, '/auth/identities/i-ada-1815', byPassword).expect(404)
})

it('does not disconnect the last way to sign in', async () => {
  const host = await startProviders()
  host.users.add({ id: 'u-bob' })
  await connected(host, 'u-bob')
  const headers = bearer((await signIn(host)).body.data.authToken)
  const refused = await remove(host, '/auth/identities/i-ada-1815', headers).expect(409)
  expect(refused.body.error).toBe('last-sign-in-method')
  await get(host, '/me', headers).expect(200)
})

it('connects by a proven address only where the provider is trusted with it', async () => {
  for (const trustEmail of [false, true]) {
    const host = await startProviders({ provider: fakeProvider({ trustEmail }) })
    host.users.add({ id: 'u-ada', email: 'ada@example.com', emailVerified: true })
    const { status } = await signIn(host)
    expect(status).toBe(trustEmail ? 200 : 401)
    const how = eventsOf(host, 'identity.linked')
    expect(how).toMatchObject(trustEmail ? [{ userId: 'u-ada', how: 'email' }] : [])
  }
})

it('makes a user of a stranger with a proven address', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  const { body } = await signIn(host)
  expect(body.data.me).toMatchObject({ username: 'ada', name: 'Ada Lovelace' })
  const again = await signIn(host)
  expect(again.body.data.userId).toBe(body.data.userId)
  expect(eventsOf(host, 'identity.linked')).toMatchObject([{ how: 'created' }])
})

it('asks for another name where that of the provider is taken', async () => {
  const host = await startProviders({ providers: { unknown: 'create' } })
  host.users.add({ id: 'u-other', username: 'ada', email: 'other@example.com' })
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  const asked = { ticket, codeVerifier: begun.codeVerifier }
  const taken = await finish(host, asked).expect(409)
  expect(taken.body).toMatchObject({ error: 'username-taken', details: { suggestion: 'ada' } })
  const { body } = await finish(host, { ...asked, username: 'countess' }).expect(200)
  expect(body.data.me.username).toBe('countess')
})

it('leaves the providers as the only way in, but for the users that the host names', async () => {
  const host = await startProviders({
    providers: { only: true, passwordFor: ({ username }) => username === 'root' },
  })
  const { passwordHash = null } = host.users.rows.get('u-alice') ?? {}
  host.users.add({ id: 'u-root', username: 'root', passwordHash })
  await post(host, '/login', { username: 'root', password }).expect(200)
  await post(host, '/login', { username: 'alice', password }).expect(401)
})

it('accepts the second factor of a provider only where it is told to', async () => {
  for (const acceptMfa of [undefined, true]) {
    const provider = fakeProvider({ acceptMfa })
    provider.answer = { outcome: 'identified', identity: { ...ada, amr: ['pwd', 'mfa'] } }
    const host = await startProviders({
      provider,
      options: { secondFactor: { acceptHostMfa: true } },
    })
    await connected(host)
    await enableTotp(host)
    expect((await signIn(host)).status).toBe(acceptMfa ? 200 : 401)
  }
})
