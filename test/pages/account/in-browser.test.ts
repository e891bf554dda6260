// Passwords and addresses in Chromium, without a line of JavaScript, and as axe sees the pages.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { landed, leaving, press, settled } from '../mounted/person.js'
import { authorizeAt, signIn } from '../mounted/stops.js'
import { openTab } from '../mounted/tab.js'
import { type MailHost, newPassword, startMailPages } from './mail-host.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

const narrow = { width: 320, height: 640 }

async function follow(tab: Page, name: string): Promise<string> {
  await leaving(tab, () => tab.getByRole('link', { name }).click())
  return settled(tab)
}

async function typeInto(tab: Page, label: string, text: string): Promise<void> {
  await tab.getByLabel(label, { exact: true }).fill(text)
}

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

/** The request headers that tell where somebody came from, of all requests of a tab. */
function refererOf(tab: Page): string[] {
  const sent: string[] = []
  tab.on('request', (request) => {
    const { referer } = request.headers()
    if (referer !== undefined) sent.push(referer)
  })
  return sent
}

async function signedIn(tab: Page, host: MailHost, page: string): Promise<void> {
  await tab.goto(`${host.base}/account/${page}`)
  await signIn(tab, 'alice')
}

describe.runIf(chromiumPath !== null)('In Chromium', () => {
  it.each([true, false])(
    'a forgotten password leads by the mail back to the app, with scripts: %s',
    async (javaScriptEnabled) => {
      const host = await startMailPages()
      const tab = await openTab(browser, { javaScriptEnabled })
      const referers = refererOf(tab)
      await tab.goto(authorizeAt(host, 'wiki'))
      expect(await follow(tab, 'Forgot your password?')).toBe('Forgot your password?')
      await typeInto(tab, 'E-mail or user name', 'alice')
      await press(tab, 'Mail me a link')
      expect(await settled(tab)).toBe('Look at your mail')

      await tab.goto(await host.link('reset-password'))
      expect(await tab.getByLabel('Account').inputValue()).toBe('alice')
      await typeInto(tab, 'New password', 'too short')
      await press(tab, 'Set the password')
      expect(await tab.getByText('It is too short').count()).toBe(1)
      await typeInto(tab, 'New password', newPassword)
      await press(tab, 'Set the password')
      expect(await settled(tab)).toBe('Your new password is set')

      expect(await follow(tab, 'Sign in')).toBe('Sign in')
      await typeInto(tab, 'E-mail or user name', 'alice')
      await typeInto(tab, 'Password', newPassword)
      await press(tab, 'Sign in')
      expect(await settled(tab)).toBe(landed)
      expect(new URL(tab.url()).searchParams.get('state')).toBe('af0ifjsldkj')
      expect(referers.filter((one) => one.includes('token='))).toEqual([])
    },
  )

  it('a password is changed, and the browser stays signed in', async () => {
    const host = await startMailPages()
    const tab = await openTab(browser, { javaScriptEnabled: false })
    await signedIn(tab, host, 'password')
    expect(await settled(tab)).toBe('Change the password')
    await typeInto(tab, 'Current password', password)
    await typeInto(tab, 'New password', newPassword)
    await press(tab, 'Set the password')
    expect(await settled(tab)).toBe('Your account')
    host.clock.advance(60)
    await tab.reload()
    expect(await settled(tab)).toBe('Your account')
  })

  it('an address is changed by the link in the mail, and taken back by another', async () => {
    const host = await startMailPages()
    const tab = await openTab(browser, { javaScriptEnabled: false })
    const referers = refererOf(tab)
    await signedIn(tab, host, 'email')
    await typeInto(tab, 'New address', 'new@example.org')
    await typeInto(tab, 'Current password', password)
    await press(tab, 'Mail a code there')
    expect(await settled(tab)).toBe('Type the code')
    const code = await host.code('change-address')
    await tab.goto((await host.mailed('change-address')).at(-1)?.url ?? '')
    await press(tab, 'Confirm the address')
    expect(await settled(tab)).toBe('Your address is confirmed')
    await tab.goto(await host.link('address-changed'))
    await typeInto(tab, 'New password', newPassword)
    await press(tab, 'Take it back')
    expect(await settled(tab)).toBe('The change is taken back')
    expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
    expect(referers.filter((one) => /token=|code=/.test(one) || one.includes(code))).toEqual([])
  })

  it.each(['en', 'de'])('axe finds no fault, and all fits into 320 px (%s)', async (locale) => {
    const host = await startMailPages()
    const tab = await openTab(browser, { bypassCSP: true, viewport: narrow, locale })
    const elsewhere = await openTab(browser, { bypassCSP: true, viewport: narrow, locale })
    const submit = async (one: Page = tab) => {
      await leaving(one, () => one.locator('form button[type=submit]').first().click())
      expect([one.url(), await faultsOf(one)]).toEqual([one.url(), []])
    }
    const open = async (url: string, one: Page = tab) => {
      await one.goto(url)
      expect([url, await faultsOf(one)]).toEqual([url, []])
    }
    await open(`${host.base}/account/forgot`)
    await tab.fill('#username', ' ')
    await submit()
    await tab.fill('#username', 'alice')
    await submit()
    const link = await host.link('reset-password')
    await open(link)
    await tab.fill('#new-password', 'alice')
    await submit()
    await tab.fill('#new-password', password)
    await submit()
    await open(link)
    await tab.goto(`${host.base}/account/email`)
    await tab.fill('#username', 'alice')
    await tab.fill('#current-password', password)
    await submit()
    await tab.fill('#email', 'alice@example.com')
    await tab.fill('#present', password)
    await submit()
    await tab.fill('#email', 'new@example.org')
    await tab.fill('#present', password)
    await submit()
    await tab.fill('#one-time-code', '0')
    await submit()
    await host.code('change-address')
    const { url = '' } = (await host.mailed('change-address')).at(-1) ?? {}
    await open(url, elsewhere)
    await open(url)
    await submit()
    await open(`${host.base}/account`)
    await open(`${host.base}/account/password`)
    await tab.fill('#present', 'wrong')
    await tab.fill('#new-password', newPassword)
    await submit()
    await open(await host.link('address-changed'))
    await tab.fill('#new-password', newPassword)
    await submit()
  })
})
