// Linking a device in Chromium: with the script and without, and as axe sees the pages.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCodeOn } from '../../device-links/link-host.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { leaving, press, settled } from '../mounted/person.js'
import { signIn } from '../mounted/stops.js'
import { openTab } from '../mounted/tab.js'
import { showLink, startLinkPages } from './link-pages.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

const screenshots = process.env['SCREENSHOTS']

/** What axe finds fault with, and what does not fit into 320 px. */
async function faultsOf(tab: Page, name: string): Promise<string[]> {
  const faults: string[] = []
  for (const width of [1280, 320]) {
    await tab.setViewportSize({ width, height: 800 })
    await tab.evaluate(axe.source)
    const { violations } = (await tab.evaluate('axe.run()')) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    const over = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
    if (Number(over) > 0) faults.push(`${over} px too wide`)
    faults.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)))
    if (screenshots !== undefined)
      await tab.screenshot({ path: `${screenshots}/${name}-${width}.png`, fullPage: true })
  }
  return faults
}

const languages = ['en', 'de'] as const
const words = {
  en: {
    signIn: 'Sign in',
    title: 'Sign in a device',
    goOn: 'Continue',
    yours: 'Is this your device?',
  },
  de: {
    signIn: 'Anmelden',
    title: 'Ein Gerät anmelden',
    goOn: 'Weiter',
    yours: 'Ist das Dein Gerät?',
  },
}

describe.runIf(chromiumPath !== null)('In Chromium', () => {
  it('the link outlives the sign-in, and stands in no address that is kept', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const tab = await openTab(browser)
    const asked: string[] = []
    tab.on('request', (request) => {
      const body = request.postData() ?? ''
      if (!new URLSearchParams(body).has('link'))
        asked.push(request.url(), JSON.stringify(request.headers()), body)
    })
    await tab.goto(device.qr)
    // The script leads on, as it would without a link.
    await signIn(tab, 'alice')
    expect(await settled(tab)).toBe('Sign in a device')
    expect(await tab.getByLabel('Address or code on the device').isVisible()).toBe(false)
    expect(await tab.getByText('Is it yours? Then continue.').isVisible()).toBe(true)
    expect(tab.url()).not.toContain('#')
    expect(await tab.evaluate('sessionStorage.length')).toBe(0)
    // Nothing was opened by itself.
    expect((await device.ask()).body.error).toBe('authorization_pending')
    await press(tab, 'Continue')
    expect(await settled(tab)).toBe('Is this your device?')
    await tab.getByLabel('The four digits on the device').fill(await checkCodeOn(device))
    await press(tab, 'Sign the device in')
    expect(await settled(tab)).toBe('Done')
    expect((await device.ask()).status).toBe(200)
    expect(asked.filter((text) => text.includes(device.link))).toEqual([])
    await tab.goBack()
    expect(tab.url()).not.toContain(device.link)
  })

  it('another picture in the same tab is another link', async () => {
    const host = await startLinkPages()
    const [one, two] = [await showLink(host), await showLink(host)]
    const tab = await openTab(browser)
    await tab.goto(one.qr)
    await signIn(tab, 'alice')
    await settled(tab)
    await tab.goto(one.qr)
    // To the page that is there already: only the fragment changes.
    await tab.goto(two.qr)
    const field = tab.locator('#link')
    await expect.poll(() => field.inputValue()).toBe(two.link)
    await press(tab, 'Continue')
    expect(await settled(tab)).toBe('Is this your device?')
    expect((await two.ask()).body.error).toBe('opened')
    expect((await one.ask()).body.error).toBe('authorization_pending')
  })

  it('without a line of JavaScript, the address is pasted', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const tab = await openTab(browser, { javaScriptEnabled: false })
    await tab.goto(device.qr)
    await leaving(tab, () => tab.getByRole('link', { name: 'Sign in', exact: true }).click())
    await signIn(tab, 'alice')
    await tab.getByLabel('Address or code on the device').fill(device.qr)
    await press(tab, 'Continue')
    await tab.getByLabel('The four digits on the device').fill(await checkCodeOn(device))
    await press(tab, 'Sign the device in')
    expect(await settled(tab)).toBe('Done')
  })

  it.each(languages)('axe finds nothing, and everything fits into 320 px: %s', async (language) => {
    const { title, goOn, yours, signIn: submit } = words[language]
    const host = await startLinkPages()
    const device = await showLink(host)
    const locale = language
    const tab = await openTab(browser, { locale })
    // The page before the sign-in is left by its script at once.
    await tab.route('**/assets/link-*', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '' }),
    )
    await tab.goto(device.qr)
    expect(await settled(tab)).toBe(title)
    expect(await faultsOf(tab, `link-sign-in-${language}`)).toEqual([])
    await leaving(tab, () => tab.getByRole('link', { name: submit, exact: true }).click())
    await tab.unroute('**/assets/link-*')
    await tab.locator('#username').fill('alice')
    await tab.locator('#current-password').fill(password)
    await press(tab, submit)
    expect(await settled(tab)).toBe(title)
    expect(await faultsOf(tab, `link-typed-${language}`)).toEqual([])
    await tab.goto('about:blank')
    await tab.goto(device.qr)
    expect(await settled(tab)).toBe(title)
    expect(await faultsOf(tab, `link-found-${language}`)).toEqual([])
    await press(tab, goOn)
    expect(await settled(tab)).toBe(yours)
    expect(await faultsOf(tab, `link-device-${language}`)).toEqual([])
  })
})
