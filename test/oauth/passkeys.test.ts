// What apps are told of users who have signed in by passkeys. The host's web app signs its browser
// in by a token, so that no page is in the way.
import { expect, it } from 'vitest'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryPasskeyStore } from '../../src/stores/memory-sign-in-methods.js'
import { assertion, creation, newPasskey, origin, rpId } from '../passkeys/authenticator.js'
import { password } from '../support/host.js'
import { cookieOf, ownPage } from '../support/pages.js'
import {
  formOf,
  type RelyingParties,
  requestOf,
  startRelyingParties,
  wiki,
} from './relying-party.js'

const verifier = simpleWebAuthn()
await verifier.ready?.()
const options = () => ({
  passkeys: {
    rpId,
    origins: [origin],
    verifier,
    store: memoryPasskeyStore(),
    once: memoryOAuthStores().once,
  },
})

/** Requests of the web app. */
function webApp({ host }: RelyingParties) {
  async function post(path: string, body: object, token?: string, cookie?: string) {
    const answer = await fetch(`${host.url}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...ownPage,
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { Cookie: cookie }),
      },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    const data = text === '' ? {} : (JSON.parse(text).data ?? {})
    if (typeof data.authToken === 'string') host.issued.add(data.authToken)
    for (const code of data.recoveryCodes ?? []) host.issued.add(code)
    return { status: answer.status, data, headers: answer.headers }
  }
  const challenge = async (token?: string) =>
    (await post('/auth/passkey/options', {}, token)).data.challenge as string
  return {
    post,
    challenge,
    async logIn() {
      return (await post('/login', { username: 'alice', password })).data.authToken as string
    },
    async add(token: string) {
      const passkey = newPasskey()
      const { data } = await post('/auth/passkeys/options', {}, token)
      passkey.userHandle = data.user.id
      const added = { response: creation(passkey, data.challenge) }
      expect((await post('/auth/passkeys', added, token)).status).toBe(200)
      return passkey
    },
    async signIn(passkey: ReturnType<typeof newPasskey>) {
      const response = assertion(passkey, await challenge())
      return (await post('/auth/passkey/login', { response })).data.authToken as string
    },
    /** Signs the browser in by a token, and answers its cookie. */
    async browserOf(token: string, before?: string) {
      const { status, headers } = await post('/auth/browser-session', {}, token, before)
      expect(status).toBe(204)
      const set = cookieOf({ headers: { 'set-cookie': headers.getSetCookie() } } as never)
      host.issued.add(set?.value ?? '')
      return set?.pair as string
    },
  }
}

async function start() {
  const at = await startRelyingParties({ options: options() })
  return { ...at, app: webApp(at) }
}

it('a passkey alone is phishing-resistant; besides a password it is a second factor', async () => {
  const { flow, app, metadata } = await start()
  const token = await app.logIn()
  const once = await flow(wiki, {}, await app.browserOf(token))
  expect([once.claims['acr'], once.claims['amr']]).toEqual(['urn:mar:1fa', ['pwd']])
  const passkey = await app.add(token)
  const twice = await flow(wiki, {}, await app.browserOf(token))
  const amr = ['pop', 'user', 'mfa']
  expect([twice.claims['acr'], twice.claims['amr']]).toEqual(['urn:mar:2fa', ['pwd', ...amr]])
  const alone = await flow(wiki, {}, await app.browserOf(await app.signIn(passkey)))
  expect([alone.claims['acr'], alone.claims['amr']]).toEqual(['phr', amr])
  expect((await metadata())['acr_values_supported']).toEqual([
    once.claims['acr'],
    twice.claims['acr'],
    alone.claims['acr'],
  ])
})

it('a token that is refreshed says the same; a password that is shown again takes it back', async () => {
  const { flow, post, verifiedIdToken, app } = await start()
  const passkey = await app.add(await app.logIn())
  const token = await app.signIn(passkey)
  const Cookie = await app.browserOf(token)
  const { tokens } = await flow(wiki, { scope: 'openid offline_access' }, Cookie)
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) }
  const { body } = await post('/oauth/token', wiki, form)
  expect((await verifiedIdToken(body['id_token'], wiki)).payload['acr']).toBe('phr')
  expect((await app.post('/auth/reauthenticate', { password }, token)).status).toBe(200)
  const { claims } = await flow(wiki, {}, await app.browserOf(token, Cookie))
  expect([claims['acr'], claims['amr']]).toEqual(['urn:mar:2fa', ['pop', 'user', 'mfa', 'pwd']])
})

it('acr_values is a wish: who has shown more is asked nothing, who has not is let in as known', async () => {
  const { flow, app } = await start()
  const token = await app.logIn()
  const acrOf = async (by: string, acr_values: string) =>
    (await flow(wiki, { acr_values, prompt: 'none' }, await app.browserOf(by))).claims['acr']
  expect(await acrOf(token, 'phr')).toBe('urn:mar:1fa')
  const passkey = await app.add(token)
  for (const wanted of ['phr', 'urn:mar:2fa', 'urn:mar:1fa', 'urn:mar:2fa phr'])
    expect(await acrOf(await app.signIn(passkey), wanted)).toBe('phr')
})

it('max_age is fulfilled by proving it anew, by a password or by a passkey', async () => {
  const { authorize, flow, clock, app } = await start()
  const token = await app.logIn()
  const passkey = await app.add(token)
  let Cookie = await app.browserOf(token)
  const proofs = [
    async () => ({ password }),
    async () => ({ passkey: assertion(passkey, await app.challenge(token)) }),
  ]
  for (const proof of proofs) {
    clock.advance(61)
    const silently = { ...requestOf(wiki), max_age: '60', prompt: 'none' }
    expect((await authorize(formOf(silently), Cookie)).params['error']).toBe('login_required')
    expect((await app.post('/auth/reauthenticate', await proof(), token)).status).toBe(200)
    Cookie = await app.browserOf(token, Cookie)
    const { claims } = await flow(wiki, { max_age: '60', prompt: 'none' }, Cookie)
    expect(claims['auth_time']).toBe(clock().getTime() / 1000)
  }
})

it('without the option nothing speaks of passkeys', async () => {
  const { metadata } = await startRelyingParties()
  expect(JSON.stringify(await metadata())).not.toContain('phr')
})
