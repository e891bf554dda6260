// Passkeys in a real browser, with an authenticator of its own.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import { memoryPasskeyStore } from '../../src/stores/memory-sign-in-methods.js'
import { memoryOAuthStores } from '../../src/stores/memory-stores.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { password, startHost } from '../support/host.js'
import { type PageSite, startPageSite } from './page-site.js'

const script = `
import { createAuthClient } from '/client/index.js'
import { passkeys } from '/client/passkeys.js'
window.client = createAuthClient({ baseUrl: '/api/v1' })
window.mine = passkeys(client)
window.said = (work) => work.then(({ status }) => status, ({ name, code }) => name + ' ' + code)
`
const signIn = `said(client.signIn({ user: 'alice', password: '${password}' }))`

/** A phone or laptop whose user is always there. */
const authenticator = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
  defaultBackupEligibility: true,
  defaultBackupState: true,
} as const

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

async function open(site: PageSite) {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(site.origin)
  await page.waitForFunction('window.client?.state.status === "signed-out"')
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable', { enableUI: false })
  const options = authenticator
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  const held = async () =>
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  return { page, held }
}

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  let site: PageSite
  let page: Page
  let tools: Awaited<ReturnType<typeof open>>

  beforeEach(async () => {
    site = await startPageSite(script, /^\/api\//)
    const { once } = memoryOAuthStores()
    const rules = { rpId: 'localhost', origins: [site.origin], verifier: simpleWebAuthn() }
    const asSecondFactor = 'always'
    const passkeys = { ...rules, store: memoryPasskeyStore(), once, asSecondFactor } as const
    site.serveWith(await startHost({ options: { passkeys } }))
    tools = await open(site)
    page = tools.page
    expect(await page.evaluate(signIn)).toBe('signed-in')
    await page.evaluate('mine.add({ name: "Laptop" })')
  })

  it('a passkey is made, signs in, and is not made twice', async () => {
    expect(await tools.held()).toMatchObject([{ rpId: 'localhost', userName: 'alice' }])
    expect(await page.evaluate('said(mine.add())')).toBe('PasskeyError exists')
    await page.evaluate('client.signOut()')
    expect(await page.evaluate('said(mine.signIn())')).toBe('signed-in')
    expect(await page.evaluate('client.state.me.username')).toBe('alice')
    const proved = await page.evaluate('mine.reauthenticate()')
    expect(proved).toMatchObject({ methods: ['passkey'] })
  })

  it('it is shown besides the password', async () => {
    await page.evaluate('client.signOut()')
    const work = `client.signIn({ user: 'alice', password: '${password}' }).then((result) =>
      Promise.all([result.status, result.methods.join(), said(mine.submit(result))]))`
    expect(await page.evaluate(work)).toEqual(['code-needed', 'passkey,recovery', 'signed-in'])
  })

  it('it is chosen among the suggestions of a field', async () => {
    await page.evaluate('client.signOut()')
    // Whoever is always there chooses at once.
    expect(await page.evaluate('mine.hasSuggestions()')).toBe(true)
    expect(await page.evaluate('said(mine.signIn({ conditional: true }))')).toBe('signed-in')
  })

  it('the picker forgets what was removed, wherever that was', async () => {
    await page.evaluate('mine.list().then(([{ id }]) => mine.remove(id))')
    await expect.poll(async () => (await tools.held()).length).toBe(0)
  })

  it('the picker forgets what the server does not know', async () => {
    // As if it had been removed in another browser.
    await page.evaluate(`mine.list().then(([{ id }]) =>
      client.fetch('/auth/passkeys/' + id, { method: 'DELETE' }))`)
    await page.evaluate('client.signOut()')
    expect(await tools.held()).toHaveLength(1)
    expect(await page.evaluate('said(mine.signIn())')).toBe('AuthClientError Unauthorized')
    await expect.poll(async () => (await tools.held()).length).toBe(0)
  })

  it('browsers of before JSON do the same', async () => {
    await page.evaluate(`
      for (const name of ['parseRequestOptionsFromJSON', 'parseCreationOptionsFromJSON'])
        PublicKeyCredential[name] = undefined
      PublicKeyCredential.prototype.toJSON = undefined`)
    expect(await page.evaluate('said(mine.add())')).toBe('PasskeyError exists')
    await page.evaluate('client.signOut()')
    expect(await page.evaluate('said(mine.signIn())')).toBe('signed-in')
    await page.evaluate('mine.list().then(([{ id }]) => mine.remove(id))')
    await page.evaluate('mine.add()')
    expect(await page.evaluate('mine.list().then(({ length }) => length)')).toBe(1)
  })
})
