// The real pages, as axe sees them at 320 pixels, and by keyboard: those of the states in
// ../support are drawn without a router.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProvidersOptions } from '../../../src/index.js'
import type { FinishedFlow } from '../../../src/providers/contract.js'
import { ada } from '../../provider-sign-in/provider-host.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { startMounted } from './mounted-host.js'
import { giveDevice, givePasskey, startPasskeyPages } from './passkey-host.js'
import { landed, leaving, type Name, press, settled } from './person.js'
import {
  connect,
  type ProviderPages,
  providerSite,
  signInAt,
  startProviderPages,
} from './provider-visits.js'
import { authorizeAt, signIn, stops } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** What axe finds fault with, of all its rules, and what does not fit into 320 px. */
async function faultsOf(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source)
  const { violations } = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  const width = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
  const wide = Number(width) > 0 ? [`${width} px too wide`] : []
  return [
    ...wide,
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
  ]
}

// The pages allow no script but their own, so axe comes in past their policy; the other tests keep
// that.
const open = (locale = 'en') =>
  openTab(browser, { bypassCSP: true, viewport: { width: 320, height: 640 }, locale })

describe.runIf(chromiumPath !== null)('Axe finds no fault', () => {
  it.each(stops)('with $title, as it comes first and as it comes again', async (stop) => {
    const host = await startMounted()
    const tab = await open()
    await stop.reach(tab, host)
    expect([await settled(tab), await faultsOf(tab)]).toEqual([stop.heading, []])
    host.clock.advance(2 * 60 * 60)
    // A form of this browser is good for long: so it comes back with a fault of another value.
    await tab.context().clearCookies({ name: /^mar_pre_/ })
    await tab.context().addCookies([
      {
        name: `mar_pre_dev_${new URL(host.origin).port}`,
        value: 'A'.repeat(22),
        url: host.origin,
      },
    ])
    const field = tab.locator('input:not([type=hidden]):not([readonly]):not([type=checkbox])')
    for (const one of await field.all()) await one.fill('000000')
    const button = tab.locator('form button[type=submit]').first()
    // One that gives an app something is not there for the first moment, and has no text.
    await button.waitFor()
    await press(tab, await button.innerText())
    expect(await tab.locator('#fault').count()).toBe(1)
    expect(await faultsOf(tab)).toEqual([])
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

describe.runIf(chromiumPath !== null)('Axe finds no fault where a passkey is asked for:', () => {
  it.each(pages)(
    'with $title, before, after nothing was chosen, and as it comes again',
    async ({ name, button, hasPasskey, options = {} }) => {
      const host = await startPasskeyPages({ options })
      const tab = await open()
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
      const box = await shown.boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(44)
      await shown.click()
      await tab.getByRole('status').filter({ hasText: 'Nothing was chosen.' }).waitFor()
      expect(await faultsOf(tab)).toEqual([])
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

/** As long as they may be, with nowhere to break. */
const longNames = { name: `Example ${'Ltd'.repeat(10)}`, label: `${'x'.repeat(60)}@example.com` }

async function startElsewhere(providers: Partial<ProvidersOptions> = {}): Promise<ProviderPages> {
  const provider = await providerSite('get', { name: longNames.name, id: 'fake' })
  return startProviderPages(providers, {}, { provider })
}

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

describe.runIf(chromiumPath !== null).each(['en', 'de'])(
  'Axe finds no fault for somebody from elsewhere (%s)',
  (locale) => {
    it.each([{}, { only: true }, { only: true, passwordFor: () => true }])(
      'with the sign-in: %o',
      async (providers) => {
        const host = await startElsewhere(providers)
        const tab = await open(locale)
        await tab.goto(signInAt(host))
        await isFine(tab)
      },
    )

    it('with the sign-in that connects an account, as it comes first and as it comes again', async () => {
      const tab = await open(locale)
      await comeBack(tab, await startElsewhere({ unknown: 'connect' }))
      expect(await tab.getByText(longNames.name).first().isVisible()).toBe(true)
      await isFine(tab)
      await tab.fill('#username', 'alice')
      await tab.fill('#current-password', 'wrong')
      await submit(tab)
      expect(await tab.locator('#fault').count()).toBe(1)
      await isFine(tab)
    })

    it('with the page for a new name, as it comes first and as it comes again', async () => {
      const host = await startElsewhere({ unknown: 'create' })
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
      const host = await startElsewhere()
      const tab = await open(locale)
      await tab.goto(`${host.base}/account/identities`)
      await tab.fill('#username', 'alice')
      await tab.fill('#current-password', password)
      await submit(tab)
      await isFine(tab)
      await connect(host, 'u-alice', { ...ada, email: longNames.label })
      await tab.reload()
      await isFine(tab)
      host.users.change('u-alice', { passwordHash: null })
      const disconnect = () => tab.locator('button[value^="disconnect "]').click()
      await leaving(tab, disconnect)
      // The question.
      await isFine(tab)
      await leaving(tab, disconnect)
      expect(await tab.locator('#fault').count()).toBe(1)
      await isFine(tab)
    })

    const answers: [string, FinishedFlow | (() => Promise<FinishedFlow>)][] = [
      ['an account that nobody knows', { outcome: 'identified', identity: ada }],
      ['a refusal', { outcome: 'refused', reason: 'code' }],
      ['an outage', () => Promise.reject(new Error('away'))],
    ]
    it.each(answers)('with the page after %s', async (_what, answer) => {
      const host = await startElsewhere()
      host.provider.answer = answer
      const tab = await open(locale)
      await comeBack(tab, host)
      await isFine(tab)
    })

    it('with the page of a sign-in that is too old', async () => {
      const host = await startElsewhere()
      const tab = await open(locale)
      await tab.goto(`${host.base}/auth/providers/fake/callback?state=${'S'.repeat(43)}`)
      await isFine(tab)
    })
  },
)
