// The pages that somebody sees who has an account elsewhere, as axe sees them, at 320 pixels.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProvidersOptions } from '../../../src/index.js'
import type { FinishedFlow } from '../../../src/providers/contract.js'
import { ada } from '../../provider-sign-in/provider-host.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { leaving, press, settled } from './person.js'
import {
  connect,
  type ProviderPages,
  providerSite,
  signInAt,
  startProviderPages,
} from './provider-visits.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** What axe finds fault with, and what does not fit into 320 px. */
async function faultsOf(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source)
  const { violations } = (await tab.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  const width = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
  const wide = Number(width) > 0 ? [`${width} px too wide`] : []
  return [
    ...wide,
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
  ]
}

/** As long as they may be, with nowhere to break. */
const names = { name: `Example ${'Ltd'.repeat(10)}`, label: `${'x'.repeat(60)}@example.com` }

async function start(providers: Partial<ProvidersOptions> = {}): Promise<ProviderPages> {
  const provider = await providerSite('get', { name: names.name, id: 'fake' })
  return startProviderPages(providers, {}, { provider })
}

// The pages allow no script, so axe comes in past their policy; the other tests keep that.
const open = (locale: string) =>
  openTab(browser, { bypassCSP: true, viewport: { width: 320, height: 640 }, locale })

/** Presses the button of the provider, and the one that is there. */
async function comeBack(tab: Page, host: ProviderPages): Promise<void> {
  await tab.goto(signInAt(host))
  await leaving(tab, () => tab.locator('a[href*="/oauth/providers/"]').click())
  await press(tab, 'Yes, it is me')
}

async function submit(tab: Page): Promise<void> {
  await leaving(tab, () => tab.locator('form button[type=submit]').first().click())
}

const isFine = async (tab: Page) =>
  expect([await settled(tab), await faultsOf(tab)]).toEqual([expect.any(String), []])

describe.runIf(chromiumPath !== null).each(['en', 'de'])('Axe finds no fault (%s)', (locale) => {
  it.each([{}, { only: true }, { only: true, passwordFor: () => true }])(
    'with the sign-in: %o',
    async (providers) => {
      const host = await start(providers)
      const tab = await open(locale)
      await tab.goto(signInAt(host))
      await isFine(tab)
    },
  )

  it('with the sign-in that connects an account, as it comes first and as it comes again', async () => {
    const tab = await open(locale)
    await comeBack(tab, await start({ unknown: 'connect' }))
    expect(await tab.getByText(names.name).first().isVisible()).toBe(true)
    await isFine(tab)
    await tab.fill('#username', 'alice')
    await tab.fill('#current-password', 'wrong')
    await submit(tab)
    expect(await tab.locator('#fault').count()).toBe(1)
    await isFine(tab)
  })

  it('with the page for a new name, as it comes first and as it comes again', async () => {
    const host = await start({ unknown: 'create' })
    host.provider.answer = { outcome: 'identified', identity: { ...ada, username: 'alice' } }
    const tab = await open(locale)
    await comeBack(tab, host)
    await isFine(tab)
    await tab.fill('#username', 'bob')
    await submit(tab)
    expect(await tab.locator('#fault').count()).toBe(1)
    await isFine(tab)
  })

  it('with the other accounts: none, one, and one that is the only way in', async () => {
    const host = await start()
    const tab = await open(locale)
    await tab.goto(`${host.base}/account/identities`)
    await tab.fill('#username', 'alice')
    await tab.fill('#current-password', password)
    await submit(tab)
    await isFine(tab)
    await connect(host, 'u-alice', { ...ada, email: names.label })
    await tab.reload()
    await isFine(tab)
    host.users.change('u-alice', { passwordHash: null })
    await leaving(tab, () => tab.locator('button[value^="disconnect "]').click())
    expect(await tab.locator('#fault').count()).toBe(1)
    await isFine(tab)
  })

  const answers: [string, FinishedFlow | (() => Promise<FinishedFlow>)][] = [
    ['an account that nobody knows', { outcome: 'identified', identity: ada }],
    ['a refusal', { outcome: 'refused', reason: 'code' }],
    ['an outage', () => Promise.reject(new Error('away'))],
  ]
  it.each(answers)('with the page after %s', async (_what, answer) => {
    const host = await start()
    host.provider.answer = answer
    const tab = await open(locale)
    await comeBack(tab, host)
    await isFine(tab)
  })

  it('with the page of a sign-in that is too old', async () => {
    const host = await start()
    const tab = await open(locale)
    await tab.goto(`${host.base}/auth/providers/fake/callback?state=${'S'.repeat(43)}`)
    await isFine(tab)
  })
})
