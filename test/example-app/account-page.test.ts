// The example's page in a real browser, and the pages of its server on which people sign in and
// manage their accounts.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { atLocalhost, type ExamplePage, openProfile, openTab } from '../support/example-page.js'
import { plugIn } from '../support/virtual-authenticator.js'

const numbered = (n: number) => ({ username: `user${n}`, password: `passphrase of user ${n}` })
/** A machine may be busy. */
const poll = { timeout: 120_000 }

let app: Example
let browser: Browser

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
const browsersOn = (page: Page) =>
  page
    .getByRole('list', { name: 'Your devices' })
    .getByRole('listitem')
    .filter({ hasText: 'Chrome on Linux' })

/** Sets an authenticator app up, on the page that demands it, and goes on. */
async function enrol({ page, press }: ExamplePage) {
  await heading(page, 'Set up a second factor')
  const secret = (await page.locator('code.secret').innerText()).replaceAll(/\s/g, '')
  await page.getByLabel('The code that the app shows now').fill(totpCode(secret, new Date()))
  await press('Switch on')
  await heading(page, 'Keep your recovery codes')
  await press('I have kept them')
}

/** A port that an example can have twice, one after the other. */
async function freePort(): Promise<string> {
  const door = createServer().listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port } = door.address() as AddressInfo
  door.close()
  await once(door, 'close')
  return String(port)
}

describe.skipIf(chromiumPath === null)('the page and the account', () => {
  beforeAll(async () => {
    buildExample()
    const settings = { SEED_USERS: '3', SECOND_FACTOR_REQUIRED: 'user2' }
    app = await startExample({ ...environmentIn(temporaryFolder()), ...settings })
    browser = await launchChromium()
  })

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

  test('alice signs in, looks at her devices, adds a passkey, comes back, and signs in by it', async () => {
    const context = await openProfile(browser, app.url)
    const tab = await openTab(context, app.url)
    const { page, press, sees } = tab
    await tab.signIn(alice)
    await tab.look('by-pages')
    const other = await openTab(context, app.url)
    await other.sees('Signed in as alice')

    await tab.choose('Manage account')
    await heading(page, 'Your account')
    expect(await browsersOn(page).allInnerTexts()).toEqual([
      expect.stringMatching(
        /^Chrome on Linux\n.*\nThis browser\n\nSigned in from here:\n\nChat\n.*\nEnd$/s,
      ),
    ])
    await tab.look('account')
    // Browsers make passkeys in the tab that is in front.
    await page.bringToFront()
    await plugIn(page)
    await page.getByRole('link', { name: 'Change passkeys' }).click()
    await sees('You have no passkey.')
    await press('Add a passkey')
    await heading(page, 'Add a passkey?')
    await press('Create a passkey')
    await heading(page, 'Keep your recovery codes')
    await press('I have kept them')
    await heading(page, 'Passkeys')

    await page.goto(`${atLocalhost(app.url)}/`)
    await sees('Signed in as alice')
    await page.getByLabel('Your message').fill('back again')
    await press('Send')
    await page.locator('#messages').getByText('back again').waitFor()
    await tab.choose('Log out')
    await other.sees('You logged out in another tab.')
    // The last press. The authenticator takes by itself what the browser offers in the field.
    await press('Sign in')
    await sees('Signed in as alice')
    await other.sees('Signed in as alice')
  })

  test('logs out of the browser as well, so that the next sign-in asks for the password', async () => {
    const context = await openProfile(browser, app.url)
    const { page, signIn, press, choose, sees } = await openTab(context, app.url)
    const cookies = async () => (await context.cookies()).map(({ name }) => name)
    const leaveBrowser = page.getByRole('link', { name: 'Sign out in this browser as well' })
    await signIn(numbered(1))
    expect(await cookies()).toContain(`mar_session_dev_${new URL(app.url).port}`)
    await choose('Log out')
    await sees('You have logged out.')
    expect(await leaveBrowser.isVisible()).toBe(false)
    expect(await cookies()).not.toContain(`mar_session_dev_${new URL(app.url).port}`)
    await signIn(numbered(1))

    // The second choice: whoever wants to leave the app, and come back without a password.
    await choose('Log out of Chat only')
    await sees('You have logged out of the chat. This browser is still signed in.')
    expect(await leaveBrowser.isVisible()).toBe(true)
    await press('Sign in')
    await press('Continue')
    await sees('Signed in as')

    await page.route('**/api/v1/auth/browser-session', (route) => route.abort())
    await choose('Log out')
    await sees('You are still signed in. The server cannot be reached.')
    await page.unroute('**/api/v1/auth/browser-session')
    await choose('Log out')
    await sees('You have logged out.')
  })

  test('the account page ends another browser, and the chat in it', async () => {
    const there = await openTab(await openProfile(browser, app.url), app.url)
    await there.signIn(numbered(3))
    const { page, signIn, choose, press } = await openTab(
      await openProfile(browser, app.url),
      app.url,
    )
    await signIn(numbered(3))
    await choose('Manage account')
    await heading(page, 'Your account')
    expect(await browsersOn(page).count()).toBe(2)
    await press('End all others')
    await heading(page, 'Are you sure?')
    await press('End all others')
    await expect.poll(() => browsersOn(page).count(), poll).toBe(1)
    await there.sees('You were signed out: it was done on another device')
  })

  test('whoever must have a second factor sets it up on the pages, and then has the chat', async () => {
    const tab = await openTab(await openProfile(browser, app.url), app.url)
    await tab.typePassword(numbered(2))
    await tab.look('enrol')
    await enrol(tab)
    await tab.sees('Signed in as user2')
    await tab.page.reload()
    await tab.sees('Signed in as user2')
  })

  test('a second factor that is demanded later is asked for, and the draft stays', async () => {
    const env = { ...environmentIn(temporaryFolder()), PORT: await freePort() }
    const before = await startExample(env)
    const tab = await openTab(await openProfile(browser, before.url), before.url)
    const phone = await openTab(await openProfile(browser, before.url), before.url)
    for (const each of [tab, phone]) await each.signIn(alice)
    await tab.page.getByLabel('Your message').fill('half a thought')
    await before.stop()
    const after = await startExample({ ...env, SECOND_FACTOR_REQUIRED: 'alice' })
    onTestFinished(async () => void (await after.stop('SIGKILL')))
    for (const each of [tab, phone]) await each.sees('Your account needs a second factor.')
    expect(await tab.page.locator('#chat').isVisible()).toBe(false)
    await tab.look('demanded')
    // Also where the page has been loaded anew.
    await phone.page.reload()
    await phone.sees('Your account needs a second factor.')
    await phone.press('Log out')
    await phone.sees('You have logged out.')

    await tab.typePassword(alice)
    await enrol(tab)
    await tab.sees('Signed in as alice')
    expect(await tab.page.getByLabel('Your message').inputValue()).toBe('half a thought')
  })
})
