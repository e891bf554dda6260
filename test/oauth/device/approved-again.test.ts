// An approval over a change of keys, by a passkey that is shown again, and the mail about it.
import { expect, it } from 'vitest'
import type { Mail } from '../../../src/index.js'
import { simpleWebAuthn } from '../../../src/passkeys/simple-webauthn.js'
import { memoryOAuthStores } from '../../../src/stores/memory-oauth-stores.js'
import { memoryPasskeyStore } from '../../../src/stores/memory-sign-in-methods.js'
import { assertion, creation, newPasskey, origin, rpId } from '../../passkeys/authenticator.js'
import { encryptionKey, password } from '../../support/host.js'
import { cookieOf, ownPage } from '../../support/pages.js'
import { openPageBrowser, type Rest } from '../page-browser.js'
import { issuer } from '../relying-party.js'
import { cli, type Devices, page, startDevices } from './device-host.js'

const newKey = Buffer.from('another encryption key for tests').toString('base64')

/** A second server on the same rows, after the keys were changed. */
async function restarted(first: Devices, encryptionKeys: readonly string[]) {
  const { codes, sessions, tickets, deviceCodes, secondFactors } = first.host.stores
  const { users, clock } = first.host
  const stores = { codes, sessions, tickets, deviceCodes, secondFactors }
  return startDevices({
    options: { ...stores, users, clock: first.clock ?? clock, encryptionKeys },
  })
}

it('is possible after a new encryption key came before the old one', async () => {
  const first = await startDevices()
  const asked = await first.begin()
  let at: Devices = first
  const browser = openPageBrowser(issuer, (url) => at.local(url))
  const signIn = await browser.open(page)
  const typed = await browser.send(signIn, { username: 'alice', password })
  const opened = await browser.send(typed, { user_code: asked.user_code })
  expect(opened.page?.text).toContain('Is this your device?')
  at = await restarted(first, [newKey, encryptionKey])
  // The form that was open, or else the page once more: never another device than was shown.
  const done = await decide(opened)
  expect(done.page?.text).toContain('Done')
  expect((await at.poll(asked)).status).toBe(200)
  const later = await at.begin()
  await at.approve(later.user_code)
  expect((await at.poll(later)).status).toBe(200)

  async function decide(rest: Rest): Promise<Rest> {
    const sent = await browser.send(rest, { seen: 'yes' })
    if (sent.page?.text.includes('Done')) return sent
    const again = await browser.send(await browser.open(page), { user_code: asked.user_code })
    return browser.send(again, { seen: 'yes' })
  }
})

it('is refused without the key by which the code was made', async () => {
  const first = await startDevices()
  const asked = await first.begin()
  const at = await restarted(first, [newKey])
  const [browser, rest] = await at.browserOf()
  const wrong = await browser.send(rest, { user_code: asked.user_code })
  expect([wrong.page?.status, wrong.page?.text]).toEqual([
    422,
    expect.stringContaining('That code is not valid'),
  ])
  expect((await at.poll(asked)).body['error']).toBe('authorization_pending')
})

const verifier = simpleWebAuthn()
await verifier.ready?.()

it('asks a user with a passkey, who has shown the password alone, to sign in anew', async () => {
  const at = await startDevices({
    options: {
      passkeys: {
        rpId,
        origins: [origin],
        verifier,
        store: memoryPasskeyStore(),
        once: memoryOAuthStores().once,
      },
    },
  })
  const { host, clock } = at
  async function post(path: string, body: object, headers: Record<string, string> = {}) {
    const answer = await fetch(`${host.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...ownPage, ...headers },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    const data = text === '' ? {} : (JSON.parse(text).data ?? {})
    if (typeof data.authToken === 'string') host.issued.add(data.authToken)
    return { status: answer.status, data, headers: answer.headers }
  }
  const login = await post('/login', { username: 'alice', password })
  const own = { Authorization: `Bearer ${login.data.authToken}` }
  const passkey = newPasskey()
  const options = await post('/auth/passkeys/options', {}, own)
  passkey.userHandle = options.data.user.id
  const added = { response: creation(passkey, options.data.challenge) }
  expect((await post('/auth/passkeys', added, own)).status).toBe(200)
  async function signInByPasskey(): Promise<string> {
    const { data } = await post('/auth/passkey/options', {})
    const response = assertion(passkey, data.challenge)
    return (await post('/auth/passkey/login', { response })).data.authToken
  }
  /** Signs a browser in: its cookie. */
  async function signIn(token: string) {
    const Authorization = `Bearer ${token}`
    const { headers } = await post('/auth/browser-session', {}, { Authorization })
    const set = cookieOf({ headers: { 'set-cookie': headers.getSetCookie() } } as never)
    host.issued.add(set?.value ?? '')
    return set?.pair as string
  }
  /** The page that follows a typed code, in a browser with this cookie. */
  async function typeCode(cookie: string, code: string) {
    const browser = openPageBrowser(issuer, at.local, cookie)
    const rest = await browser.open(page)
    return { browser, rest: await browser.send(rest, { user_code: code }) }
  }

  const { data: again } = await post('/login', { username: 'alice', password })
  const before = await signIn(again.authToken)
  const byPasskey = await signIn(await signInByPasskey())
  clock.advance(2)
  const asked = await at.begin()
  const old = await typeCode(before, asked.user_code)
  expect(old.rest.url.pathname).toMatch(/\/oauth\/sign-in$/)
  expect((await at.poll(asked)).body['error']).toBe('authorization_pending')
  const now = await typeCode(byPasskey, asked.user_code)
  expect(now.rest.page?.text).toContain('Is this your device?')
  const done = await now.browser.send(now.rest, { seen: 'yes' })
  expect(done.page?.text).toContain('Done')
  const { body } = await at.poll(asked)
  const { payload } = await at.verifiedIdToken(body['id_token'], cli)
  expect([payload['acr'], payload['amr']]).toEqual(['phr', ['pop', 'user', 'mfa']])
})

it('is told to the user by mail: where the device is, and nothing that opens it', async () => {
  const mails: Mail[] = []
  const at = await startDevices({
    options: { accounts: { mail: { send: async (mail) => void mails.push(mail) } } },
  })
  at.host.users.change('u-alice', { emailVerified: true })
  const asked = await at.begin(cli, {}, '192.0.2.77')
  await at.approve(asked.user_code)
  while (at.host.auth.stats().mail.waiting > 0)
    await new Promise((resolve) => setImmediate(resolve))
  const told = mails.filter(({ kind }) => kind === 'device-approved')
  expect(told).toMatchObject([{ to: 'alice@example.com', kind: 'device-approved' }])
  expect(told[0]?.text).toContain('A device or program was signed in to your account')
  for (const secret of [asked.user_code, asked.device_code])
    expect(told[0]?.text).not.toContain(secret)
  // And of a device that was refused, nothing.
  const denied = await at.begin()
  const [browser, rest] = await at.typeCode(denied.user_code)
  await browser.send(rest, { choice: 'deny' })
  while (at.host.auth.stats().mail.waiting > 0)
    await new Promise((resolve) => setImmediate(resolve))
  expect(mails.filter(({ kind }) => kind === 'device-approved')).toHaveLength(1)
})
