// The example's page in a real browser. SCREENSHOTS=<folder> keeps pictures of every step.
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

const screenshots = process.env['SCREENSHOTS']
const widths = [1280, 390, 320]

/** A page, and what tests do with it. */
export interface ExamplePage {
  readonly page: Page
  /** Goes to the pages of the server, and fills in the one that asks for a name and a password. */
  typePassword(user: { username: string; password: string }): Promise<void>
  /** The same, and waits for the chat. */
  signIn(user: { username: string; password: string }): Promise<void>
  press(name: string): Promise<void>
  /** Chooses something of the account, which on a phone is in a menu. */
  choose(name: 'Manage account' | 'Log out of Chat only' | 'Log out'): Promise<void>
  sees(text: string | RegExp): Promise<void>
  text(selector: string): Promise<string>
  /** The id of what has the focus. */
  focused(): Promise<unknown>
  /** Nothing sticks out of the page, however narrow it is. */
  look(name: string): Promise<void>
}

/** Where people reach an example that says of itself that it listens at an address. */
export function atLocalhost(url: string): string {
  return url.replace('//127.0.0.1:', '//localhost:')
}

/**
 * A browser profile of its own. When the test ends, no page of it may have done what none may do.
 */
export async function openProfile(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext()
  const offences: string[] = []
  const here = new URL(atLocalhost(url))
  const fromHere = (asked: string) => new URL(asked).host === here.host
  context.on('page', (page) => {
    page.on('pageerror', (error) => offences.push(`threw: ${error.message}`))
    page.on('console', (message) => {
      // The browser reports refused and failed requests by itself, and the server is meant to
      // refuse some, or to be away.
      const isExpected = /^Failed to load resource|^WebSocket connection to/.test(message.text())
      if (message.type() === 'error' && !isExpected) offences.push(message.text())
    })
    page.on(
      'request',
      (request) => fromHere(request.url()) || offences.push(`asked ${request.url()}`),
    )
    page.on(
      'websocket',
      (socket) => fromHere(socket.url()) || offences.push(`opened ${socket.url()}`),
    )
  })
  onTestFinished(async () => {
    await context.close()
    expect(offences).toEqual([])
  })
  return context
}

/** One more tab of a profile. */
export async function openTab(context: BrowserContext, url: string): Promise<ExamplePage> {
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(`${atLocalhost(url)}/`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const sees = (text: string | RegExp) =>
    page.getByText(text).filter({ visible: true }).first().waitFor()
  const typePassword: ExamplePage['typePassword'] = async ({ username, password }) => {
    await press('Sign in')
    await page.getByLabel('E-mail or user name').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await press('Sign in')
  }
  return {
    page,
    press,
    sees,
    typePassword,
    async signIn(user) {
      await typePassword(user)
      await sees('Signed in as')
    },
    async choose(name) {
      const menu = page.locator('#open-account')
      if (await menu.isVisible()) await menu.click()
      await page.locator('#account').getByText(name, { exact: true }).click()
    },
    text: (selector) => page.locator(selector).innerText(),
    focused: () => page.evaluate('document.activeElement.id'),
    look: (name) => look(page, name),
  }
}

async function look(page: Page, name: string) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow, `${name} at ${width} px`).toBeLessThanOrEqual(0)
    if (screenshots === undefined) continue
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) })
    }
  }
  await page.setViewportSize({ width: widths[0] ?? 1280, height: 800 })
}
