// Numbers in the example, whose text messages are read where it writes them.
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
import { atLocalhost } from '../support/example-page.js'

const number = '+4917012345678'
/** A machine may be busy. */
const poll = { timeout: 120_000 }

beforeAll(buildExample)

describe.skipIf(chromiumPath === null)('in Chromium, without scripts, at 320 pixels', () => {
  let browser: Browser
  let app: Example
  beforeAll(async () => {
    app = await startExample({ ...environmentIn(temporaryFolder()), PHONES: 'DE' })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  /** The codes that went to the number, oldest first. */
  const codes = () =>
    [...app.output.stdout.matchAll(/Text message to (\+\d+)\n.*\n.*?(\d{8})/g)].flatMap(
      ([, to, code]) => (to === number ? [code ?? ''] : []),
    )
  async function codeOf(index: number): Promise<string> {
    await expect.poll(() => codes()[index], poll).toBeDefined()
    return codes()[index] ?? ''
  }

  test('a number is proven; then a code that goes there signs in, and is a second factor', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 320, height: 640 },
    })
    const page = await context.newPage()
    const at = (path: string) => `${atLocalhost(app.url)}/api/v1${path}`
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor()
    const fits = async () => {
      const { width } = (await page.locator('html').boundingBox()) ?? { width: 0 }
      expect(width).toBeLessThanOrEqual(320)
    }

    await page.goto(at('/account/phone'))
    await page.getByLabel('E-mail or user name').fill(alice.username)
    await page.getByLabel('Password', { exact: true }).fill(alice.password)
    await press('Sign in')
    await heading('Phone number')
    await page.getByLabel('Mobile number').fill('0170 12345678')
    await page.getByLabel('Current password').fill(alice.password)
    await fits()
    await press('Send a code there')
    await heading('Type the code')
    const field = page.getByLabel('Code that we sent you')
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await field.getAttribute('inputmode')).toBe('numeric')
    await field.fill(await codeOf(0))
    await press('Confirm the number')
    await heading('Your number is confirmed')

    await page.goto(at('/account/second-factor'))
    await press('Switch on codes by text message')
    await page.getByText('You have switched on codes by text message.').waitFor()
    await fits()

    await context.clearCookies()
    await page.goto(at('/account'))
    await page.getByLabel('E-mail or user name').fill(number)
    await page.getByLabel('Password', { exact: true }).fill(alice.password)
    await press('Sign in')
    await heading('Confirm that it is you')
    await page.getByLabel('Code that we sent you').fill(await codeOf(1))
    await press('Confirm')
    await heading('Your account')
    await page.getByText('Codes by text message are on.').waitFor()

    await page.goto(at('/account/second-factor'))
    await press('Switch off codes by text message')
    await heading('Are you sure?')
    await press('Switch off codes by text message')
    await heading('Second factor')
    await context.clearCookies()
    await page.goto(at('/account'))
    await page.getByRole('link', { name: 'Sign in by a code' }).click()
    await page.getByLabel('E-mail, user name or phone number').fill('0170 / 123 456 78')
    await press('Send me a code')
    await page.getByText('If this account exists, a code is on its way.').waitFor()
    await page.getByLabel('Code that we sent you').fill(await codeOf(2))
    await press('Sign in')
    await heading('Your account')
    await fits()
    await context.close()
  })
})
