// The example's page in a real browser, signed in by the pages of its server: as an app, which
// manages no account. For that there is the page's own form.
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

let app: Example
let browser: Browser

describe.skipIf(chromiumPath === null)('the page, signed in by pages', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    buildExample()
    app = await startExample(environmentIn(temporaryFolder()))
    browser = await launchChromium()
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  test('chats, and leads to its own form where the account is to be managed', async () => {
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
})
