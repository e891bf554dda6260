// Chromium goes to a provider and comes back: by “back”, too late, and without JavaScript.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProvidersOptions } from '../../../src/index.js'
import { totpCode } from '../../../src/testing/testing.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { totpSecret } from '../../support/host.js'
import { landed, press, settled } from './person.js'
import { connect, providerSite, signInAt, startProviderPages } from './provider-visits.js'
import { signIn } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

async function goThere(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Continue with Example Ltd' }).click()
  await tab.getByRole('heading', { name: 'Provider' }).waitFor()
}

async function withProvider(given: Partial<ProvidersOptions> = {}) {
  return startProviderPages(given, {}, { provider: await providerSite() })
}

async function withAlice(given: Partial<ProvidersOptions> = {}) {
  const host = await withProvider(given)
  await connect(host, 'u-alice')
  return host
}

describe.runIf(chromiumPath !== null)('Chromium at a provider', () => {
  it.each([true, false])('comes back signed in (with scripts: %s)', async (javaScriptEnabled) => {
    const host = await withAlice()
    const tab = await openTab(browser, { javaScriptEnabled })
    await tab.goto(signInAt(host))
    await goThere(tab)
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe(landed)
  })

  it('goes back, and there again', async () => {
    const host = await withAlice()
    const tab = await openTab(browser)
    await tab.goto(signInAt(host))
    await goThere(tab)
    await tab.goBack()
    await goThere(tab)
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe(landed)
  })

  it('goes there in two tabs at once, and comes back in each', async () => {
    const host = await withAlice()
    const first = await openTab(browser)
    const second = await first.context().newPage()
    for (const tab of [first, second]) {
      await tab.goto(signInAt(host, { state: tab === first ? 'of the first' : 'of the second' }))
      await goThere(tab)
    }
    await Promise.all([press(second, 'Yes, it is me'), press(first, 'Yes, it is me')])
    expect([await settled(first), await settled(second)]).toEqual([landed, landed])
    const stateOf = (tab: Page) => new URL(tab.url()).searchParams.get('state')
    expect([stateOf(first), stateOf(second)]).toEqual(['of the first', 'of the second'])
  })

  it('goes back once signed in: the answer of the provider signs nobody in again', async () => {
    const host = await withAlice()
    const tab = await openTab(browser)
    await tab.goto(signInAt(host))
    await goThere(tab)
    await press(tab, 'Yes, it is me')
    await tab.goBack()
    await tab.getByRole('heading', { name: 'Provider' }).waitFor()
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe('This does not work')
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
    await tab.getByRole('link', { name: 'Start again' }).click()
    expect(await settled(tab)).toBe('Your account')
  })

  it('is told after eleven minutes that it is too late, and where to start', async () => {
    const host = await withAlice()
    const tab = await openTab(browser)
    await tab.goto(signInAt(host))
    await goThere(tab)
    host.clock.advance(11 * 60)
    await press(tab, 'Yes, it is me')
    expect(await settled(tab)).toBe('This does not work')
    await tab.getByRole('link', { name: 'Start again' }).click()
    expect(await settled(tab)).toBe('Sign in')
  })

  it.each([true, false])(
    'connects an account from its page, past the policy for forms (with scripts: %s)',
    async (javaScriptEnabled) => {
      const host = await withProvider()
      const tab = await openTab(browser, { javaScriptEnabled })
      await tab.goto(`${host.base}/account/identities`)
      await signIn(tab, 'alice')
      await press(tab, 'Connect Example Ltd')
      await press(tab, 'Yes, it is me')
      expect(await settled(tab)).toBe('Other accounts')
      expect(await tab.getByText('ada@example.com').isVisible()).toBe(true)
      expect(tab.url()).not.toContain('ticket')
    },
  )
})

describe.runIf(chromiumPath !== null)('A provider that answers by a form of its own site', () => {
  async function answered(responseMode: 'form_post' | 'query', given: BrowserContextOptions = {}) {
    const provider = await providerSite('post', { responseMode })
    const host = await startProviderPages({}, {}, { provider, tls: true })
    await connect(host, 'u-bob')
    const tab = await openTab(browser, { ignoreHTTPSErrors: true, ...given })
    await tab.goto(signInAt(host))
    await goThere(tab)
    await press(tab, 'Yes, it is me')
    return { host, tab }
  }

  it.each([true, false])(
    'is heard over TLS, by the cookie that such forms bring (with scripts: %s)',
    async (javaScriptEnabled) => {
      const { host, tab } = await answered('form_post', { javaScriptEnabled })
      expect(await settled(tab)).toBe('Confirm that it is you')
      await tab.fill('#one-time-code', totpCode(totpSecret, host.clock()))
      await press(tab, 'Confirm')
      expect(await settled(tab)).toBe(landed)
      const cookies = await tab.context().cookies(host.origin)
      expect(cookies.map(({ name, sameSite }) => [name, sameSite])).toContainEqual([
        '__Host-Http-mar_up',
        'None',
      ])
      expect(cookies.filter(({ sameSite }) => sameSite === 'None')).toHaveLength(1)
    },
  )

  it('brings no cookie unless the provider is said to answer so', async () => {
    const { host, tab } = await answered('query')
    expect(await settled(tab)).toBe('This does not work')
    expect(await host.stores.sessions.listForUser('u-bob', host.clock())).toEqual([])
  })
})
