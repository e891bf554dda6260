// What a user must do first, in Chromium, which blocks what a visitor without a window does not.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { newPassword } from '../account/mail-host.js'
import { arrive, landed, press, settled } from './person.js'
import { headings, startRequired } from './required-host.js'
import { authorizeAt, signIn } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

describe.runIf(chromiumPath !== null)('In Chromium', () => {
  it.each([true, false])(
    'all of it leads to the app (with scripts: %s)',
    async (javaScriptEnabled) => {
      const alice = { mustChangePassword: true, emailVerified: false }
      const host = await startRequired({ documents: true, provenAddress: true, alice })
      const tab = await openTab(browser, { javaScriptEnabled })
      await tab.goto(authorizeAt(host, 'wiki'))
      await signIn(tab, 'alice')
      expect(await settled(tab)).toBe(headings.password)
      await tab.getByLabel('Current password').fill(password)
      await tab.getByLabel('New password').fill(newPassword)
      await press(tab, 'Set the password')
      expect(await settled(tab)).toBe(headings.address)
      await press(tab, 'Mail me a code to confirm it')
      expect(await settled(tab)).toBe(headings.code)
      await tab.getByLabel('Code that we sent you').fill(await host.code('verify-address'))
      await press(tab, 'Confirm the address')
      expect(await settled(tab)).toBe(headings.acceptance)
      host.clock.advance(1)
      await press(tab, 'I accept')
      expect(await settled(tab)).toBe(landed)
    },
  )

  it('a session that meets new terms gets from them to the app', async () => {
    const host = await startRequired({ documents: true })
    host.users.change('u-alice', { accepted: [{ id: 'privacy', version: '1' }] })
    const tab = await openTab(browser)
    await tab.goto(authorizeAt(host, 'wiki'))
    await signIn(tab, 'alice')
    host.clock.advance(1)
    await press(tab, 'I accept')
    expect(await settled(tab)).toBe(landed)
    await host.publish('2')
    await tab.goto(authorizeAt(host, 'wiki'))
    expect(await settled(tab)).toBe(headings.acceptance)
    host.clock.advance(1)
    await press(tab, 'I accept')
    expect(await arrive(tab, 'alice', host)).toEqual([landed])
  })
})
