// Passkeys in a real browser: what the server asks for is what Chromium takes, and what Chromium
// answers is what the server judges. The pages of a test are at an origin of their own, which leads
// to the test's server.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { password } from '../support/host.js'
import { plugIn, type VirtualAuthenticator } from '../support/virtual-authenticator.js'
import { type PasskeySettings, startPasskeys } from './passkey-host.js'

const site = 'http://localhost:4999'

/** What a page of a host has: a request, and the two ceremonies. Refusals are what is answered. */
const script = `
window.ask = async (method, path, body, token) => {
  const headers = { 'Content-Type': 'application/json' }
  if (token) headers.Authorization = 'Bearer ' + token
  const init = { method, headers, body: body && JSON.stringify(body) }
  const response = await fetch(path, init)
  return { ...(await response.json()), status: response.status }
}
window.make = async (options) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return (await navigator.credentials.create({ publicKey })).toJSON()
}
window.show = async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return (await navigator.credentials.get({ publicKey })).toJSON()
}
window.add = async (token) => {
  const { data } = await ask('POST', '/auth/passkeys/options', {}, token)
  return ask('POST', '/auth/passkeys', { response: await make(data), name: 'Laptop' }, token)
}
window.signIn = async () => {
  const { data } = await ask('POST', '/auth/passkey/options', {})
  return ask('POST', '/auth/passkey/login', { response: await show(data) })
}
`

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
  // On a busy machine the library takes longer to load than an answer may.
  await simpleWebAuthn().ready?.()
})
afterAll(() => browser?.close())

interface Answer {
  readonly status: number
  readonly error?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, unknown>>
}

/** A host, a page of it, and a device. */
async function start(settings: PasskeySettings = {}, device = { synced: true }) {
  const host = await startPasskeys({
    ...settings,
    passkeys: { rpId: 'localhost', origins: [site], ...settings.passkeys },
  })
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await lead(page, host.url)
  const authenticator = await plugIn(page, device)
  const run = <T = Answer>(code: string) => page.evaluate(code) as Promise<T>
  const token = await host.logIn()
  return { host, page, authenticator, run, token }
}

async function lead(page: Page, url: string) {
  await page.route(`${site}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname !== '/')
      return route.fulfill({ response: await route.fetch({ url: `${url}${pathname}` }) })
    const body = `<!doctype html><title>A host</title><script>${script}</script>`
    return route.fulfill({ contentType: 'text/html', body })
  })
  await page.goto(`${site}/`)
}

/** Sets the counter back, as that of a copy that was made before is. */
async function replaceByCopy(authenticator: VirtualAuthenticator) {
  const [passkey] = await authenticator.passkeys()
  if (passkey === undefined) throw new Error('there is no passkey on the device')
  await authenticator.take(passkey.credentialId)
  await authenticator.add({ ...passkey, signCount: 1 })
}

const text = (value: unknown) => JSON.stringify(value)

describe.skipIf(chromiumPath === null)('passkeys in Chromium', () => {
  it('are made and sign in, without a name, and count as both factors', async () => {
    const { host, authenticator, run, token } = await start({
      options: { secondFactor: () => 'required' },
    })
    const added = await run(`add(${text(token)})`)
    expect(added).toMatchObject({
      status: 200,
      data: { passkey: { name: 'Laptop', synced: true, backedUp: true } },
    })
    expect(added.data?.['recoveryCodes']).toHaveLength(10)
    expect(await authenticator.passkeys()).toMatchObject([
      { rpId: 'localhost', isResidentCredential: true, backupEligibility: true },
    ])
    const signedIn = await run('signIn()')
    expect(signedIn).toMatchObject({
      status: 200,
      data: { userId: 'u-alice', passkeys: { rpId: 'localhost', credentialIds: [{}] } },
    })
    expect(signedIn.data?.['enrolmentRequired']).toBeUndefined()
    const [session] = (await host.sessionsOf()).filter(({ methods }) => !methods.includes('pwd'))
    expect(session?.methods).toEqual(['passkey'])
  })

  it('are a second factor after a password, where everybody who has one is asked', async () => {
    const { run, token } = await start({ passkeys: { asSecondFactor: 'always' } })
    expect((await run(`add(${text(token)})`)).status).toBe(200)
    const login = { username: 'alice', password }
    const asked = await run(`ask('POST', '/login', ${text(login)})`)
    expect(asked).toMatchObject({ status: 401, error: 'totp-required' })
    expect(asked.details?.['availableMethods']).toEqual(['passkey', 'recovery'])
    const passkey = await run<object>(`show(${text(asked.details?.['passkeyOptions'])})`)
    const answer = await run(`ask('POST', '/login', ${text({ ...login, passkey })})`)
    expect(answer).toMatchObject({ status: 200, data: { userId: 'u-alice' } })
  })

  it('open a route that wants a sign-in of just now, for the session that asks', async () => {
    const { host, run, token } = await start()
    await run(`add(${text(token)})`)
    host.clock.advance(120)
    const route = () => run(`ask('GET', '/delicate', undefined, ${text(token)})`)
    expect(await route()).toMatchObject({ status: 403, error: 'reauthentication-required' })
    const options = await run(`ask('POST', '/auth/passkey/options', {}, ${text(token)})`)
    const passkey = await run<object>(`show(${text(options.data)})`)
    const proof = `ask('POST', '/auth/reauthenticate', ${text({ passkey })}, ${text(token)})`
    expect(await run(proof)).toMatchObject({ status: 200, data: { methods: ['pwd', 'passkey'] } })
    expect(await route()).toMatchObject({ status: 200, done: true })
    expect(host.typesOf()).toContain('passkey.used')
  })

  it('are two on two devices, known by one handle', async () => {
    const { host, authenticator, page, run, token } = await start()
    await run(`add(${text(token)})`)
    expect(await run<string>(`add(${text(token)}).catch(({ name }) => name)`)).toBe(
      'InvalidStateError',
    )
    const [first] = await authenticator.passkeys()
    await authenticator.remove()
    const second = await plugIn(page, { synced: false, transport: 'usb' })
    expect((await run(`add(${text(token)})`)).data).toMatchObject({ passkey: { synced: false } })
    const [other] = await second.passkeys()
    expect(other?.['userHandle']).toBe(first?.['userHandle'])
    expect((await run('signIn()')).data?.['passkeys']).toMatchObject({ credentialIds: [{}, {}] })
    expect(await host.store.listForUser('u-alice')).toHaveLength(2)
  })

  it('are let in as a copy where they are synced, and the host hears of it', async () => {
    const { host, authenticator, run, token } = await start()
    await run(`add(${text(token)})`)
    for (let n = 0; n < 3; n += 1) expect((await run('signIn()')).status).toBe(200)
    await replaceByCopy(authenticator)
    expect((await run('signIn()')).status).toBe(200)
    expect(host.typesOf()).toContain('passkey.counter-regressed')
    expect(host.typesOf()).not.toContain('passkey.clone-suspected')
  })

  it('are refused as a copy where they are on one device, and a password is not', async () => {
    const { host, authenticator, run, token } = await start({}, { synced: false })
    await run(`add(${text(token)})`)
    // A copy that is a few uses behind may be the device itself, overtaken on the way.
    for (let n = 0; n < 6; n += 1) expect((await run('signIn()')).status).toBe(200)
    await replaceByCopy(authenticator)
    expect(await run('signIn()')).toMatchObject({ status: 401, error: 'Unauthorized' })
    expect(host.typesOf()).toContain('passkey.clone-suspected')
    expect(host.reasons()).toEqual(['suspected-clone'])
    const listed = await run(`ask('GET', '/auth/passkeys', undefined, ${text(token)})`)
    expect(listed.data).toMatchObject({ passkeys: [{ suspectedCloneAt: expect.any(String) }] })
    await host.logIn()
  })

  it('are not shown where their user cannot be verified, and none is asked of the server', async () => {
    const { host, authenticator, run, token } = await start()
    await run(`add(${text(token)})`)
    await authenticator.setVerified(false)
    expect(await run<string>('signIn().catch(({ name }) => name)')).toBe('NotAllowedError')
    expect(host.typesOf()).toEqual(['passkey.added'])
  })

  it('sign nobody in once they are removed, and the browser is told which', async () => {
    const { host, authenticator, run, token } = await start()
    await run(`add(${text(token)})`)
    const [passkey] = await host.store.listForUser('u-alice')
    const path = `/auth/passkeys/${passkey?.credentialId}`
    const removal = `ask('DELETE', ${text(path)}, undefined, ${text(token)})`
    expect((await run(removal)).status).toBe(200)
    expect(await authenticator.passkeys()).toHaveLength(1)
    expect(await run('signIn()')).toMatchObject({
      status: 401,
      details: { wrong: 'passkey', signal: 'unknown-credential' },
    })
    expect(host.reasons()).toEqual(['unknown-credential'])
  })

  it('are not made at an address of IP', async () => {
    const { host, page, run, token } = await start()
    await page.route(`${host.url}/page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<script>${script}</script>` }),
    )
    await page.goto(`${host.url}/page`)
    expect(await run<string>(`add(${text(token)}).catch(({ name }) => name)`)).toBe('SecurityError')
  })
})
