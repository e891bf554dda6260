// The pages that ask for a passkey, as axe sees them and by keyboard, at 320 pixels.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { giveDevice, givePasskey, startPasskeyPages } from './passkey-host.js'
import { landed, leaving, type Name, settled } from './person.js'
import { authorizeAt, signIn } from './stops.js'
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

const overflow = 'document.documentElement.scrollWidth - innerWidth'

/** A page, who comes there, and its button. */
interface Asking {
  readonly title: string
  readonly name: Name | null
  readonly button: string
  readonly hasPasskey: boolean
  readonly options?: object
}

const pages: readonly Asking[] = [
  { title: 'the sign-in', name: null, button: 'Sign in with a passkey', hasPasskey: true },
  { title: 'the second factor', name: 'bob', button: 'Use a passkey', hasPasskey: true },
  {
    title: 'the second factor of who has only passkeys',
    name: 'carol',
    button: 'Use a passkey',
    hasPasskey: true,
  },
  { title: 'the offer of one', name: 'alice', button: 'Create a passkey', hasPasskey: false },
  { title: 'the enrolment', name: 'carol', button: 'Create a passkey', hasPasskey: false },
  {
    title: 'the enrolment of a host without seeds',
    name: 'carol',
    button: 'Create a passkey',
    hasPasskey: false,
    options: { secondFactors: undefined },
  },
]

describe.runIf(chromiumPath !== null)('Axe finds no fault', () => {
  it.each(pages)(
    'with $title, before, after nothing was chosen, and as it comes again',
    async ({ name, button, hasPasskey, options = {} }) => {
      const host = await startPasskeyPages({ options })
      // The pages allow no other script, so axe comes in past their policy.
      const tab = await openTab(browser, {
        bypassCSP: true,
        viewport: { width: 320, height: 640 },
      })
      await tab.addInitScript(
        'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
      )
      const device = await giveDevice(tab)
      await device.recognise(false)
      if (hasPasskey) await givePasskey(host, name === null ? 'u-alice' : `u-${name}`)
      await tab.goto(authorizeAt(host, 'wiki'))
      if (name !== null) await signIn(tab, name)
      await settled(tab)
      const shown = tab.getByRole('button', { name: button })
      expect([await shown.isVisible(), await faultsOf(tab)]).toEqual([true, []])
      expect(await tab.evaluate(overflow)).toBeLessThanOrEqual(0)
      const box = await shown.boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(44)
      await shown.click()
      await tab.getByRole('status').filter({ hasText: 'Nothing was chosen.' }).waitFor()
      expect([await faultsOf(tab), await tab.evaluate(overflow)]).toEqual([[], 0])
      // As it comes again, in German: a passkey that is none.
      await tab.evaluate(`{
      const form = document.querySelector('[data-passkey]').form
      const field = document.createElement('input')
      Object.assign(field, { type: 'hidden', name: 'passkey', value: '{}' })
      form.append(field)
      form.submit()
    }`)
      await tab.locator('#fault').waitFor()
      expect([await settled(tab), await faultsOf(tab)]).toEqual([expect.any(String), []])
      expect(await tab.evaluate('document.activeElement.id')).toBe('fault')
    },
  )
})

describe.runIf(chromiumPath !== null)('By keyboard alone', () => {
  it('a passkey signs in, in German as well', async () => {
    const host = await startPasskeyPages()
    const tab = await openTab(browser, { locale: 'de' })
    await tab.addInitScript(
      'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
    )
    const device = await giveDevice(tab)
    await device.hold(await givePasskey(host, 'u-alice'))
    await tab.goto(authorizeAt(host, 'wiki'))
    await settled(tab)
    // Name, password, what shows it, the tick, the button that signs in, and this one.
    for (let presses = 0; presses < 5; presses += 1) await tab.keyboard.press('Tab')
    const focused = await tab.evaluate('document.activeElement.innerText')
    expect(focused).toBe('Mit einem Passkey anmelden')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: landed }).waitFor()
  })

  it('Enter in the field of the name sends name and password, and asks for no passkey', async () => {
    const host = await startPasskeyPages()
    const tab = await openTab(browser)
    await giveDevice(tab)
    await tab.goto(authorizeAt(host, 'wiki'))
    await tab.getByLabel('Password').fill(password)
    await tab.getByLabel('E-mail or user name').fill('alice')
    await leaving(tab, () => tab.keyboard.press('Enter'))
    expect(await settled(tab)).toBe('Add a passkey?')
  })
})
