// Every state of the pages in a real browser, with the headers of the real ones.
// SCREENSHOTS=test/pages/screenshots keeps pictures of each.
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { type PageServer, startPageServer } from './support/page-server.js'
import { states } from './support/states.js'

const screenshots = process.env['SCREENSHOTS']
const names = Object.keys(states)
const narrow = { width: 320, height: 640 }
const wide = { width: 1280, height: 800 }
/** A browser looks at some thirty pages in each. */
const patience = 1_200_000

let browser: Browser
let server: PageServer
beforeAll(async () => {
  if (chromiumPath === null) return
  browser = await launchChromium()
  server = await startPageServer()
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})

/** A tab whose pages may break no policy, throw nothing and ask nobody else. */
async function openTab(given: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(given)
  const offences: string[] = []
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  page.on('pageerror', (error) => offences.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') offences.push(`${page.url()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) offences.push(`asked ${request.url()}`)
  })
  await closeTheWay(context)
  onTestFinished(async () => {
    await context.close()
    expect(offences).toEqual([])
  })
  return page
}

// The hand-over leads away at once. With 204 a browser stays where it is.
function closeTheWay(context: BrowserContext): Promise<unknown> {
  return context.route('**/landed*', (route) => route.fulfill({ status: 204 }))
}

async function openState(page: Page, name: string, query = 'lang=en'): Promise<void> {
  await page.goto(`${server.url}/${name}?${query}`)
}

async function picture(page: Page, name: string): Promise<void> {
  if (screenshots === undefined) return
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
}

interface AxeNode {
  readonly html: string
  readonly failureSummary: string
}

/** What axe finds fault with, of all its rules or of those that go by colour. */
async function faultsOf(page: Page, run: 'everything' | 'colours'): Promise<string[]> {
  // It is long, and the page may have it from the look before.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const tags = "'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'"
  const only = run === 'everything' ? tags : "'color-contrast', 'link-in-text-block'"
  const options = `{ runOnly: [${only}], resultTypes: ['violations'] }`
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as {
    violations: { id: string; nodes: AxeNode[] }[]
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}: ${node.failureSummary}`),
  )
}

// The page allows no script, so axe comes in past its policy; the other tests keep that.
const pastPolicy = { viewport: wide, bypassCSP: true }

describe.runIf(chromiumPath !== null)('A page', () => {
  it.each([
    ['en', true],
    ['de', false],
  ])(
    'stays within 320 px, whatever names are on it (%s, with scripts: %s)',
    async (tag, javaScriptEnabled) => {
      const page = await openTab({ viewport: narrow, javaScriptEnabled })
      for (const name of names) {
        await openState(page, name, `lang=${tag}`)
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(overflow, name).toBeLessThanOrEqual(0)
        await picture(page, `${name}-320-${tag}`)
      }
    },
    patience,
  )

  it(
    'has no fault that axe knows, and can be read in the dark',
    async () => {
      const page = await openTab(pastPolicy)
      for (const name of names) {
        await page.emulateMedia({ colorScheme: 'light' })
        await openState(page, name)
        expect(await faultsOf(page, 'everything'), name).toEqual([])
        await picture(page, `${name}-1280-light`)
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await faultsOf(page, 'colours'), `${name} in the dark`).toEqual([])
        await picture(page, `${name}-1280-dark`)
      }
    },
    patience,
  )

  it.each(['ffffff', '000000', 'ffe600', '777777', 'ff2d55'])(
    'can be read with the accent #%s, by day and in the dark',
    async (accent) => {
      const page = await openTab(pastPolicy)
      await openState(page, 'sign-in', `lang=en&logo&accent=${accent}`)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await faultsOf(page, 'colours'), colorScheme).toEqual([])
        await picture(page, `accent-${accent}-1280-${colorScheme}`)
      }
    },
    patience,
  )

  it('shows the edge of all that can be pressed where colours are the reader’s own', async () => {
    const page = await openTab({ viewport: wide, forcedColors: 'active' })
    for (const name of ['sign-in-wrong', 'second-factor-sendable', 'continue-device', 'consent']) {
      await openState(page, name)
      const widths = await page.evaluate(
        "[...document.querySelectorAll('button, .field input, .fault')]" +
          '.map((one) => getComputedStyle(one)).filter((style) => ' +
          "style.borderTopWidth === '0px' || style.borderTopStyle === 'none').length",
      )
      expect(widths, name).toBe(0)
      await picture(page, `${name}-1280-forced`)
    }
  })

  it('gives a finger 44 px wherever one can press', async () => {
    const page = await openTab({ viewport: narrow })
    for (const name of ['sign-in-wrong', 'second-factor-sendable', 'enrol', 'consent', 'error']) {
      await openState(page, name)
      const small = await page.evaluate(
        // A link within a sentence is as high as its line (WCAG 2.2, 2.5.8).
        "[...document.querySelectorAll('button, a:not(.hint a), label.tick, .field input')]" +
          '.filter((one) => one.getBoundingClientRect().height < 43.9)' +
          '.map((one) => one.outerHTML)',
      )
      expect(small, name).toEqual([])
    }
  })
})

/** The states in which something is focused, and what. */
const beginnings = [
  ['sign-in', 'username'],
  ['sign-in-hint', 'current-password'],
  ['sign-in-wrong', 'current-password'],
  ['sign-in-stale', 'fault'],
  ['sign-in-throttled', 'fault'],
  ['second-factor-wrong', 'one-time-code'],
  ['second-factor-recovery-wrong', 'recovery-code'],
  ['enrol-wrong', 'one-time-code'],
  ['code', 'username'],
  ['code-wrong-name', 'username'],
  ['code-sent', 'one-time-code'],
  ['code-wrong', 'one-time-code'],
  ['account-delete-code', 'one-time-code'],
  ['consent-too-soon', 'fault'],
  ['second-factor', 'one-time-code'],
  ['second-factor-recovery', 'recovery-code'],
] as const

describe.runIf(chromiumPath !== null)('The sign-in page in a browser', () => {
  async function focused(page: Page): Promise<unknown> {
    return page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()')
  }

  it('is passed by the keyboard from top to bottom', async () => {
    const page = await openTab({ viewport: wide })
    await openState(page, 'sign-in')
    const order = [await focused(page)]
    for (let presses = 0; presses < 11; presses += 1) {
      await page.keyboard.press('Tab')
      order.push(await focused(page))
    }
    expect(order.filter((id) => id !== '')).toEqual([
      'username',
      'current-password',
      'Show password',
      'Sign in',
      'Sign in by e-mail',
      'Forgot your password?',
      'Create an account',
      'Cancel and go back to Team wiki',
      'English',
      'Deutsch',
      'Help',
    ])
  })

  it('begins where something is to do', async () => {
    const page = await openTab({ javaScriptEnabled: false })
    for (const [name, id] of beginnings) {
      await openState(page, name)
      await expect.poll(() => focused(page), { message: name }).toBe(id)
    }
  })

  it.each([true, false])('posts what was typed, with scripts: %s', async (javaScriptEnabled) => {
    const page = await openTab({ javaScriptEnabled })
    await openState(page, 'sign-in')
    await page.getByLabel('E-mail or user name').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill('pass & "word" ü')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    const sent = [...new URLSearchParams(server.posted.at(-1))]
    expect(sent).toEqual([
      ['csrf', 'Q2'.repeat(21)],
      ['username', 'alice'],
      ['password', 'pass & "word" ü'],
    ])
  })

  it('shows what was typed while its button is pressed, and moves nothing by that', async () => {
    const page = await openTab({ viewport: narrow })
    await openState(page, 'sign-in')
    const password = page.getByLabel('Password', { exact: true })
    const button = page.getByRole('button', { name: 'Show password' })
    const places = () =>
      page.evaluate(
        "JSON.stringify([...document.querySelectorAll('label, input, button')]" +
          '.map((one) => one.getBoundingClientRect()))',
      )
    await password.fill('secret')
    const before = await places()
    await button.click()
    expect(await password.getAttribute('type')).toBe('text')
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    expect(await places()).toBe(before)
    await button.press('Enter')
    expect(await password.getAttribute('type')).toBe('password')
    expect(await button.getAttribute('aria-pressed')).toBe('false')
    // What browsers remember of a text field they do not remember of this one.
    await button.press('Space')
    await page.evaluate(
      "document.forms[0].addEventListener('submit', (event) => event.preventDefault())",
    )
    await page.getByLabel('E-mail or user name').fill('alice')
    await page.keyboard.press('Enter')
    expect(await password.getAttribute('type')).toBe('password')
  })

  it('has no button for that without scripts, and the fields stand where they stand', async () => {
    const tops = async (javaScriptEnabled: boolean) => {
      const page = await openTab({ javaScriptEnabled, viewport: narrow })
      await openState(page, 'sign-in')
      await page.getByLabel('Password', { exact: true }).fill('x')
      if (!javaScriptEnabled) expect(await page.locator('.reveal').isVisible()).toBe(false)
      return page.evaluate(
        "JSON.stringify([...document.querySelectorAll('input')]" +
          '.map((one) => one.getBoundingClientRect()))',
      )
    }
    expect(await tops(false)).toBe(await tops(true))
  })

  it('sends nothing that was typed when it is left', async () => {
    const page = await openTab()
    await openState(page, 'sign-in')
    await page.getByLabel('Password', { exact: true }).fill('secret')
    await page.getByRole('button', { name: /^Cancel/ }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(server.posted.at(-1)).toBe(`csrf=${'Q2'.repeat(21)}&choice=cancel`)
  })

  it('confirms, and does not send a code, when Enter is pressed', async () => {
    const page = await openTab()
    await openState(page, 'second-factor-sendable')
    await page.getByLabel('Code that we sent you').fill('123 456')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    const sent = new URLSearchParams(server.posted.at(-1))
    expect([...sent.keys()]).toEqual(['csrf', 'username', 'code'])
  })
})

describe.runIf(chromiumPath !== null)('The hand-over page in a browser', () => {
  it.each([true, false])('leads to the client by itself, with scripts: %s', async (scripts) => {
    const context = await browser.newContext({ javaScriptEnabled: scripts })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const asked = page.waitForRequest('**/landed?*')
    await openState(page, 'hand-over')
    expect((await asked).url()).toBe(`${server.url}/landed?code=mar_oc_1&state=2`)
  })
})
