// The example's page in a real browser, signed in by the pages of its server: as an app, which
// manages no account. For that there is the account page of the server.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { atLocalhost, openProfile, openTab } from '../support/example-page.js'

/** Who is signed in nowhere else. */
const another = { username: 'user1', password: 'passphrase of user 1' }

let app: Example
let browser: Browser

describe.skipIf(chromiumPath === null)('the page, signed in by pages', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    buildExample()
    app = await startExample({ ...environmentIn(temporaryFolder()), SEED_USERS: '1' })
    browser = await launchChromium()
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  test('says that it needs JavaScript, and waits for nothing without it', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${atLocalhost(app.url)}/`)
    expect((await page.locator('body').innerText()).trim()).toBe('This chat needs JavaScript.')
    await context.close()
  })

  test('chats, and leads to the account page, without another sign-in', async () => {
    const context = await openProfile(browser, app.url)
    const { page, signIn, choose, press, sees, look } = await openTab(context, app.url)
    await page.goto(`${atLocalhost(app.url)}/`)
    await press('Sign in')
    await page.getByLabel('E-mail or user name').fill(alice.username)
    await page.getByLabel('Password').fill(alice.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await sees('Signed in as')
    for (const name of ['Two-factor', 'Passkeys', 'Devices'])
      expect(await page.getByRole('button', { name }).isVisible()).toBe(false)
    await look('by-pages')
    const other = await context.newPage()
    await other.goto(`${atLocalhost(app.url)}/`)
    await other.getByText('Manage account').waitFor()

    await page.getByRole('link', { name: 'Manage account' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await sees('This browser')
    await page.goBack()
    await sees('Signed in as')

    // The form of the page itself shows the same by the endpoints for clients.
    await page.goto(`${atLocalhost(app.url)}/?form`)
    await sees('To manage your account, sign in once more, with your password.')
    await signIn(alice)
    await sees('Signed in as')
    await choose('Devices')
    await sees('Where you are signed in')
    await page.locator('#devices li').first().waitFor()
    await press('Close')
    // The sign-in is that of all tabs.
    await other.getByRole('button', { name: 'Devices' }).waitFor()
    // What the app had is over: a reload is signed in as before.
    await page.reload()
    await choose('Devices')
    await page.locator('#devices li').first().waitFor()
  })

  test('logs out of the browser as well, so that the next sign-in asks for the password', async () => {
    const context = await openProfile(browser, app.url)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const sees = (text: string) => page.getByText(text).first().waitFor()
    const signInByPassword = async () => {
      await press('Sign in')
      await page.getByLabel('E-mail or user name').fill(alice.username)
      await page.getByLabel('Password').fill(alice.password)
      await press('Sign in')
      await sees('Signed in as')
    }
    const cookies = async () => (await context.cookies()).map(({ name }) => name)
    const leaveBrowser = page.getByRole('link', { name: 'Sign out in this browser as well' })
    await page.goto(`${atLocalhost(app.url)}/`)
    await signInByPassword()
    const other = await context.newPage()
    await other.goto(`${atLocalhost(app.url)}/`)
    await other.getByText('Signed in as').first().waitFor()
    expect(await cookies()).toContain('mar_session_dev')
    await press('Log out')
    await sees('You have logged out.')
    expect(await leaveBrowser.isVisible()).toBe(false)
    expect(await cookies()).not.toContain('mar_session_dev')
    await other.getByText('You logged out in another tab.').waitFor()
    await signInByPassword()

    // The second choice: whoever wants to leave the app, and come back without a password.
    await press('Log out of Chat only')
    await sees('You have logged out of the chat. This browser is still signed in.')
    expect(await leaveBrowser.isVisible()).toBe(true)
    await press('Sign in')
    await page.getByRole('button', { name: 'Continue' }).waitFor()
  })

  test('says that it is still signed in where the server cannot be told', async () => {
    const context = await openProfile(browser, app.url)
    const { page, signIn, press, sees } = await openTab(context, app.url)
    await signIn(alice)
    await sees('Signed in as')
    await page.route('**/api/v1/auth/browser-session', (route) => route.abort())
    await press('Log out')
    await sees('You are still signed in. The server cannot be reached.')
    await page.unroute('**/api/v1/auth/browser-session')
    await press('Log out')
    await sees('You have logged out.')
  })

  test('stands once in the list of devices, with the app in it, and both are signed out by one button', async () => {
    const there = await openProfile(browser, app.url)
    const chat = await there.newPage()
    await chat.goto(`${atLocalhost(app.url)}/`)
    await chat.getByRole('button', { name: 'Sign in', exact: true }).click()
    await chat.getByLabel('E-mail or user name').fill(another.username)
    await chat.getByLabel('Password').fill(another.password)
    await chat.getByRole('button', { name: 'Sign in', exact: true }).click()
    await chat.getByText('Signed in as').first().waitFor()

    const here = await openProfile(browser, app.url)
    const { page, signIn, choose, press, sees, look } = await openTab(here, app.url)
    await signIn(another)
    await sees('Signed in as')
    await choose('Devices')
    await sees('this device')
    const devices = page.locator('#devices .device')
    expect(await devices.count()).toBe(2)
    const other = devices.nth(1)
    expect(await other.locator('.device-name').innerText()).toBe('Chrome on Linux')
    expect(await other.innerText()).toContain('Used for Chat ·')
    await look('devices-of-apps')
    await press('Sign out')
    await sees('Chrome on Linux was signed out.')
    expect(await devices.count()).toBe(1)
    await chat.getByText('You were signed out: it was done on another device').waitFor()
  })
})
