// One browser of alice's signs another one in, on the example's page and the page of its server.
import type { Browser, BrowserContext } from 'playwright-core'
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
import { type ExamplePage, openProfile, openTab } from '../support/example-page.js'

let app: Example
let browser: Browser

/** Counts what people press, on every page. */
async function countPresses(contexts: readonly BrowserContext[]): Promise<readonly string[]> {
  const presses: string[] = []
  for (const context of contexts) {
    await context.exposeFunction('pressed', (what: string) => presses.push(what))
    await context.addInitScript(
      "addEventListener('click', (event) => pressed(event.target.innerText), true)",
    )
  }
  return presses
}

/** The codes that sockets were closed with. */
async function watchSockets(context: BrowserContext): Promise<readonly number[]> {
  const codes: number[] = []
  await context.exposeFunction('socketClosed', (code: number) => void codes.push(code))
  await context.addInitScript(`window.WebSocket = class extends WebSocket {
    constructor(...asked) {
      super(...asked)
      this.addEventListener('close', ({ code }) => socketClosed(code))
    }
  }`)
  return codes
}

const shownLink = ({ text }: ExamplePage) => text('#link-address')

async function typeCheckCode(desktop: ExamplePage, phone: ExamplePage): Promise<void> {
  await desktop.sees('On the other device, type')
  const checkCode = await desktop.text('.check-code')
  await phone.page.getByLabel('The four digits on the device').fill(checkCode)
  await phone.press('Sign the device in')
  await phone.sees('The device is being signed in.')
}

describe.skipIf(chromiumPath === null)('linking a device', () => {
  beforeAll(async () => {
    buildExample()
    app = await startExample(environmentIn(temporaryFolder()))
    browser = await launchChromium()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  test('takes four presses in all, and ends from the account page at once', async () => {
    const [first, second] = [
      await openProfile(browser, app.url),
      await openProfile(browser, app.url),
    ]
    const presses = await countPresses([first, second])
    const closed = await watchSockets(second)
    const phone = await openTab(first, app.url)
    await phone.signIn(alice)
    const desktop = await openTab(second, app.url)
    const before = presses.length

    await desktop.press('Sign in by another device')
    await desktop.sees('Scan this with a device')
    const address = await shownLink(desktop)
    expect(address).toMatch(/\/api\/v1\/account\/link#mar_dl_[\w-]{43}$/)
    const drawn = await desktop.page.locator('#link-picture path').getAttribute('d')
    expect(drawn?.length).toBeGreaterThan(1000)
    await desktop.look('linking')

    // The camera of the phone opens what it sees.
    await phone.page.goto(address)
    await phone.look('link-found')
    await phone.press('Continue')
    await phone.sees('Is this your device?')
    await phone.sees('It calls itself: Chat page')
    await phone.sees('Device: Chrome on Linux')
    await phone.look('link-device')
    await desktop.sees('On the other device, type')
    await desktop.look('linking-opened')
    await typeCheckCode(desktop, phone)
    await desktop.press('Continue as Alice?')
    await desktop.sees('Signed in as')
    expect(presses.slice(before)).toEqual([
      'Sign in by another device',
      'Continue',
      'Sign the device in',
      'Continue as Alice?',
    ])
    await desktop.page.reload()
    await desktop.sees('Signed in as')
    await desktop.page.getByLabel('Your message').fill('from a linked device')
    await desktop.press('Send')
    await desktop.page.locator('#messages').getByText('from a linked device').waitFor()

    await phone.page.goto(new URL('/api/v1/account', address).href)
    const linked = phone.page
      .getByRole('list', { name: 'Your devices' })
      .getByRole('listitem')
      .filter({ hasText: 'Chat page' })
    expect(await linked.count()).toBe(1)
    await phone.look('account-with-link')
    // Those of the reload.
    const earlier = closed.length
    await linked.getByRole('button', { name: 'End' }).click()
    await phone.sees('Are you sure?')
    await phone.page.getByRole('button', { name: 'End' }).click()
    await expect.poll(() => closed.slice(earlier)).toContain(4401)
    await desktop.sees('You were signed out')
  })

  test('a person who says no, on either side, signs nobody in', async () => {
    const phone = await openTab(await openProfile(browser, app.url), app.url)
    await phone.signIn(alice)
    const desktop = await openTab(await openProfile(browser, app.url), app.url)
    await desktop.press('Sign in by another device')
    await desktop.sees('Scan this with a device')
    await phone.page.goto(await shownLink(desktop))
    await phone.press('Continue')
    await typeCheckCode(desktop, phone)
    await desktop.sees('Continue as Alice?')
    await desktop.press('Cancel')
    await desktop.sees('You have not signed in.')

    await desktop.press('Sign in by another device')
    await desktop.sees('Scan this with a device')
    await phone.page.goto('about:blank')
    await phone.page.goto(await shownLink(desktop))
    await phone.press('Continue')
    await phone.press('Do not sign it in')
    await phone.sees('The device is not signed in')
    await desktop.sees('The other device said no.')
  })
})
