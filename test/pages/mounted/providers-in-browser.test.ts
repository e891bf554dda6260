// Chromium goes to a provider and comes back: by “back”, too late, and without JavaScript.
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { landed, press, settled } from './person.js'
import { connect, type ProviderPages, signInAt, startProviderPages } from './provider-visits.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** Opens a tab in which the provider is there: its page sends the browser back. */
async function tabWith(host: ProviderPages, given: BrowserContextOptions = {}): Promise<Page> {
  const tab = await openTab(browser, given)
  const action = `${host.base}/auth/providers/fake/callback`
  await tab.context().route(/^https:\/\/idp\.example\.com\//, (route) => {
    const state = new URL(route.request().url()).searchParams.get('state')
    const body = `<h1>Provider</h1><form action="${action}">
<input type="hidden" name="state" value="${state}"><button>Yes, it is me</button></form>`
    return route.fulfill({ contentType: 'text/html', body })
  })
  return tab
}

async function goThere(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Continue with Example Ltd' }).click()
  await tab.getByRole('heading', { name: 'Provider' }).waitFor()
}

async function withAlice(given: Parameters<typeof startProviderPages>[0] = {}) {
  const host = await startProviderPages(given)
  await connect(host, 'u-alice')
  return host
}

async function faultsOf(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source)
  const { violations } = (await tab.evaluate('axe.run()')) as { violations: { id: string }[] }
  return violations.map(({ id }) => id)
}

describe.runIf(chromiumPath !== null)('Chromium at a provider', () => {
  it.each([true, false])('comes back signed in (with scripts: %s)', async (javaScriptEnabled) => {
    const host = await withAlice()
    const tab = await tabWith(host, { javaScriptEnabled })
    await tab.goto(signInAt(host))
    await goThere(tab)
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe(landed)
  })

  it('goes back, and there again', async () => {
    const host = await withAlice()
    const tab = await tabWith(host)
    await tab.goto(signInAt(host))
    await goThere(tab)
    await tab.goBack()
    await goThere(tab)
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe(landed)
  })

  it('is told after eleven minutes that it is too late, and where to start', async () => {
    const host = await withAlice()
    const tab = await tabWith(host)
    await tab.goto(signInAt(host))
    await goThere(tab)
    host.clock.advance(11 * 60)
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe('This does not work')
    await tab.getByRole('link', { name: 'Start again' }).click()
    expect(await settled(tab)).toBe('Sign in')
  })

  it('connects an account from its page, past the policy for forms', async () => {
    const host = await startProviderPages()
    const tab = await tabWith(host)
    await tab.goto(`${host.base}/account/identities`)
    await tab.getByLabel('E-mail or user name').fill('alice')
    await tab.getByLabel('Password').fill(password)
    await press(tab, 'Sign in')
    await press(tab, 'Connect Example Ltd')
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe('Other accounts')
    expect(await tab.getByText('ada@example.com').isVisible()).toBe(true)
    expect(tab.url()).not.toContain('ticket')
  })
})

describe.runIf(chromiumPath !== null)('Axe finds no fault at 320 pixels', () => {
  it.each([{}, { only: true }, { only: true, passwordFor: () => true }])(
    'with the sign-in: %o',
    async (providers) => {
      const host = await withAlice(providers)
      const tab = await tabWith(host, {
        bypassCSP: true,
        viewport: { width: 320, height: 640 },
      })
      await tab.goto(signInAt(host))
      expect(await faultsOf(tab)).toEqual([])
      expect(await tab.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    },
  )
})
