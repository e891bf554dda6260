// The real pages, as axe sees them: those of the states in ../support are drawn without a router.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { startMounted } from './mounted-host.js'
import { press, settled } from './person.js'
import { authorizeAt, stops } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** What axe finds fault with, of all its rules. */
async function faultsOf(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source)
  const { violations } = (await tab.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

// The pages allow no script, so axe comes in past their policy; the other tests keep that.
const open = () => openTab(browser, { bypassCSP: true, viewport: { width: 320, height: 640 } })

describe.runIf(chromiumPath !== null)('Axe finds no fault', () => {
  it.each(stops)('with $title, as it comes first and as it comes again', async (stop) => {
    const host = await startMounted()
    const tab = await open()
    await stop.reach(tab, host)
    expect([await settled(tab), await faultsOf(tab)]).toEqual([stop.heading, []])
    host.clock.advance(2 * 60 * 60)
    // A form of this browser is good for long: so it comes back with a fault of another value.
    await tab.context().clearCookies({ name: /^mar_pre_/ })
    await tab
      .context()
      .addCookies([{ name: 'mar_pre_dev', value: 'A'.repeat(22), url: host.origin }])
    const field = tab.locator('input:not([type=hidden]):not([readonly]):not([type=checkbox])')
    for (const one of await field.all()) await one.fill('000000')
    const button = tab.locator('form button[type=submit]').first()
    // One that gives an app something is not there for the first moment, and has no text.
    await button.waitFor()
    await press(tab, await button.innerText())
    expect(await tab.locator('#fault').count()).toBe(1)
    expect(await faultsOf(tab)).toEqual([])
    const width = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(width).toBeLessThanOrEqual(0)
  })

  it('with an error page, and with the hand-over page', async () => {
    const host = await startMounted()
    const tab = await open()
    await tab.goto(authorizeAt(host, 'wiki', { client_id: 'nobody' }))
    expect([await settled(tab), await faultsOf(tab)]).toEqual(['This does not work', []])
    await tab.goto(authorizeAt(host, 'phone'))
    await tab.getByRole('button', { name: 'Cancel' }).click()
    await tab.getByRole('heading', { name: 'One moment' }).waitFor()
    // That it leads on at once is technique H76 of WCAG.
    expect(await faultsOf(tab)).toEqual([])
  })
})
