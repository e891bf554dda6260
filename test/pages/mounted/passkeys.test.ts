// Signing in with a passkey on the real pages: in Chromium, with a device in front of it.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { giveDevice, givePasskey, type PasskeyPages, startPasskeyPages } from './passkey-host.js'
import { arrive, landed, leaving, press, settled } from './person.js'
import { authorizeAt, signIn } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

const button = 'Sign in with a passkey'
const noAutofill = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'

/** As a device that asks for the finger whatever the page says. */
const alwaysVerifies = `{
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = ({ publicKey, ...others }) =>
    get({ ...others, publicKey: { ...publicKey, userVerification: 'required' } })
}`

/** A browser that waits for nobody longer than a second. */
const waitsBriefly = `{
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = ({ publicKey, ...others }) =>
    get({ ...others, publicKey: { ...publicKey, timeout: 1000 } })
}`

/** The browser's own would leave no trace that a test can see. */
const noteSignals = `{
  window.signals = []
  PublicKeyCredential.signalUnknownCredential = async (one) => void signals.push(one)
}`

/** A tab in front of a device, in which only the button asks. */
async function openWithDevice() {
  const tab = await openTab(browser)
  await tab.addInitScript(noAutofill)
  return { tab, device: await giveDevice(tab) }
}

const methodsOf = async ({ stores, clock }: PasskeyPages, userId: string) =>
  (await stores.sessions.listForUser(userId, clock())).map(({ methods }) => methods)

/** Opens the sign-in of the wiki. */
async function openSignIn(host: PasskeyPages, tab: Page, change = {}): Promise<void> {
  await tab.goto(authorizeAt(host, 'wiki', change))
  expect(await settled(tab)).toBe('Sign in')
}

describe.runIf(chromiumPath !== null)('Whoever has a passkey', () => {
  it('signs in by the button, and is asked for nothing else', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-alice'))
    await openSignIn(host, tab)
    await leaving(tab, () => tab.getByRole('button', { name: button }).dblclick())
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-alice')).toEqual([['passkey']])
    expect(await device.held()).toMatchObject([{ signCount: 1 }])
  })

  it('signs in by what the browser offers in the field of the name', async () => {
    const host = await startPasskeyPages()
    const tab = await openTab(browser)
    const device = await giveDevice(tab)
    await device.hold(await givePasskey(host, 'u-alice'))
    // The virtual device takes the offer by itself.
    await tab.goto(authorizeAt(host, 'wiki'))
    await tab.getByRole('heading', { name: landed }).waitFor()
    expect(await methodsOf(host, 'u-alice')).toEqual([['passkey']])
  })

  it('presses the button while the browser offers it, and one of both signs in', async () => {
    const host = await startPasskeyPages()
    const tab = await openTab(browser)
    const device = await giveDevice(tab)
    await openSignIn(host, tab)
    await device.hold(await givePasskey(host, 'u-alice'))
    await leaving(tab, () => tab.getByRole('button', { name: button }).click())
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-alice')).toEqual([['passkey']])
  })

  it('stays signed in where the tick is set, and not otherwise', async () => {
    const host = await startPasskeyPages()
    const passkey = await givePasskey(host, 'u-alice')
    for (const stay of [true, false]) {
      const { tab, device } = await openWithDevice()
      await device.hold(passkey)
      await openSignIn(host, tab)
      if (stay) await tab.getByLabel('Keep me signed in').check()
      await leaving(tab, () => tab.getByRole('button', { name: button }).click())
      const cookies = await tab.context().cookies(host.base)
      const kept = cookies.find(({ name }) => name.includes('session'))
      expect(kept?.expires === -1, `stay ${stay}`).toBe(!stay)
    }
  })

  it('signs in on a page that has been open for longer than a challenge lasts', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-alice'))
    await openSignIn(host, tab)
    host.clock.advance(6 * 60)
    await tab.evaluate('{ const now = Date.now; Date.now = () => now() + 360000 }')
    await leaving(tab, () => tab.getByRole('button', { name: button }).click())
    expect(await settled(tab)).toBe(landed)
  })

  it('signs in anew where an app asks for that, by password or passkey', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-alice'))
    await openSignIn(host, tab)
    expect((await arrive(tab, 'alice', host)).at(-1)).toBe(landed)
    for (const change of [{ prompt: 'login' }, { max_age: '0' }]) {
      await openSignIn(host, tab, change)
      expect(await tab.getByLabel('Password').count()).toBe(1)
      await leaving(tab, () => tab.getByRole('button', { name: button }).click())
      expect(await settled(tab)).toBe(landed)
      expect(await methodsOf(host, 'u-alice')).toEqual([['passkey']])
    }
  })
})

describe.runIf(chromiumPath !== null)('On the page of the second factor', () => {
  it('a passkey stands in for the code of an app', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-bob'))
    await openSignIn(host, tab)
    await signIn(tab, 'bob')
    expect(await tab.locator('#one-time-code').count()).toBe(1)
    await press(tab, 'Use a passkey')
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-bob')).toEqual([['pwd', 'passkey']])
  })

  it('a touch is enough, since the password was the other factor', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-bob'))
    await device.recognise(false)
    await openSignIn(host, tab)
    await signIn(tab, 'bob')
    await press(tab, 'Use a passkey')
    expect(await settled(tab)).toBe(landed)
  })

  it('who has only a passkey is asked for that, and has a way by a recovery code', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-carol'))
    await openSignIn(host, tab)
    await signIn(tab, 'carol')
    expect(await settled(tab)).toBe('Confirm that it is you')
    expect(await tab.locator('input:not([type=hidden])').count()).toBe(0)
    await leaving(tab, () => tab.getByRole('link', { name: 'Use a recovery code' }).click())
    expect(await tab.locator('#recovery-code').count()).toBe(1)
    await leaving(tab, () => tab.getByRole('link', { name: 'Use a passkey' }).click())
    await press(tab, 'Use a passkey')
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-carol')).toEqual([['pwd', 'passkey']])
  })

  it('the recovery code lets in who has lost the device, also without JavaScript', async () => {
    const host = await startPasskeyPages()
    await givePasskey(host, 'u-carol')
    const tab = await openTab(browser, { javaScriptEnabled: false })
    await tab.goto(authorizeAt(host, 'wiki'))
    await signIn(tab, 'carol')
    expect(await tab.getByRole('button', { name: 'Use a passkey' }).isVisible()).toBe(false)
    expect(await tab.innerText('main')).toContain('Passkeys do not work in this browser')
    await leaving(tab, () => tab.getByRole('link', { name: 'Use a recovery code' }).click())
    expect((await arrive(tab, 'carol', host)).at(-1)).toBe(landed)
    expect(await methodsOf(host, 'u-carol')).toEqual([['pwd', 'recovery']])
  })
})

describe.runIf(chromiumPath !== null)('On the page of the second factor, where it fails', () => {
  const nothing = 'Nothing was chosen.'

  async function openPage(name: 'bob' | 'carol', script: string) {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await tab.addInitScript(script)
    await device.hold(await givePasskey(host, `u-${name}`))
    await openSignIn(host, tab)
    await signIn(tab, name)
    return { host, tab, device }
  }
  const use = (tab: Page) => tab.getByRole('button', { name: 'Use a passkey' }).click()

  it('a finger that the device does not know ends nothing: the code is there, and the button', async () => {
    const { host, tab, device } = await openPage('bob', alwaysVerifies)
    const before = host.host().events.length
    await device.recognise(false)
    await use(tab)
    await tab.getByRole('status').filter({ hasText: nothing }).waitFor()
    expect(await tab.locator('#fault').count()).toBe(0)
    expect(host.host().events.length, 'the server hears nothing of it').toBe(before)
    expect(await tab.locator('#one-time-code').isEditable()).toBe(true)
    await device.recognise(true)
    await press(tab, 'Use a passkey')
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-bob')).toEqual([['pwd', 'passkey']])
  })

  it('the code of the app lets in instead', async () => {
    const { host, tab, device } = await openPage('bob', alwaysVerifies)
    await device.recognise(false)
    await use(tab)
    await tab.getByRole('status').filter({ hasText: nothing }).waitFor()
    expect((await arrive(tab, 'bob', host)).at(-1)).toBe(landed)
    expect(await methodsOf(host, 'u-bob')).toEqual([['pwd', 'otp']])
  })

  it('who has only a passkey goes on by a recovery code', async () => {
    const { host, tab, device } = await openPage('carol', alwaysVerifies)
    await device.recognise(false)
    await use(tab)
    await tab.getByRole('status').filter({ hasText: nothing }).waitFor()
    await leaving(tab, () => tab.getByRole('link', { name: 'Use a recovery code' }).click())
    expect((await arrive(tab, 'carol', host)).at(-1)).toBe(landed)
    expect(await methodsOf(host, 'u-carol')).toEqual([['pwd', 'recovery']])
  })

  it('a device that nobody touches keeps no other way shut, and says so in the end', async () => {
    const { host, tab, device } = await openPage('bob', waitsBriefly)
    await device.touched(false)
    await use(tab)
    expect(await tab.locator('#one-time-code').isEditable()).toBe(true)
    await tab.getByRole('status').filter({ hasText: nothing }).waitFor()
    await device.touched(true)
    await press(tab, 'Use a passkey')
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-bob')).toEqual([['pwd', 'passkey']])
  })

  it('the code is taken while the device still waits to be touched', async () => {
    const { host, tab, device } = await openPage('bob', '')
    await device.touched(false)
    await use(tab)
    expect((await arrive(tab, 'bob', host)).at(-1)).toBe(landed)
    expect(await methodsOf(host, 'u-bob')).toEqual([['pwd', 'otp']])
  })
})

describe.runIf(chromiumPath !== null)('Where no passkey comes of it', () => {
  it('one that says nobody was verified is refused in a sentence, and the password works', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-alice'))
    await device.forgetVerifying(true)
    await openSignIn(host, tab)
    await press(tab, button)
    expect(await settled(tab)).toBe('Sign in')
    expect(await tab.locator('#fault').innerText()).toContain('That passkey was not accepted.')
    expect(host.host().events).toMatchObject([
      { type: 'passkey.refused', reason: 'user-not-verified' },
    ])
    expect((await arrive(tab, 'alice', host)).at(-1)).toBe(landed)
    expect(await methodsOf(host, 'u-alice')).toEqual([['pwd']])
  })

  it('nothing was chosen, the account has not failed, and the password works', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await device.hold(await givePasskey(host, 'u-alice'))
    await device.recognise(false)
    await openSignIn(host, tab)
    await tab.getByRole('button', { name: button }).click()
    const status = tab.getByRole('status')
    await status.filter({ hasText: 'Nothing was chosen.' }).waitFor()
    expect(await tab.locator('#fault').count()).toBe(0)
    expect(host.host().events).toEqual([])
    await device.recognise(true)
    await leaving(tab, () => tab.getByRole('button', { name: button }).click())
    expect(await settled(tab)).toBe(landed)
  })

  it('one that was removed here is refused in a sentence, and the name stays', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    const passkey = await givePasskey(host, 'u-alice')
    await device.hold(passkey)
    await host.passkeys.removeAllForUser('u-alice')
    await tab.addInitScript(noteSignals)
    await openSignIn(host, tab)
    await tab.getByLabel('E-mail or user name').fill('alice')
    await press(tab, button)
    expect(await settled(tab)).toBe('Sign in')
    expect(await tab.locator('#fault').innerText()).toContain('That passkey was not accepted.')
    // The browser is told to drop it.
    const credential = { rpId: 'localhost', credentialId: passkey.id }
    expect(await tab.evaluate('signals')).toEqual([credential])
    expect(await tab.locator('[aria-invalid]').count()).toBe(0)
    expect((await arrive(tab, 'alice', host)).at(-1)).toBe(landed)
  })

  it('and without JavaScript there is the password, and no button that does nothing', async () => {
    const host = await startPasskeyPages()
    const tab = await openTab(browser, { javaScriptEnabled: false })
    await tab.goto(authorizeAt(host, 'wiki'))
    expect(await tab.getByRole('button', { name: button }).isVisible()).toBe(false)
    await signIn(tab, 'alice')
    expect(await settled(tab)).toBe(landed)
  })

  it('and a browser that has none shows no such button', async () => {
    const host = await startPasskeyPages()
    const tab = await openTab(browser)
    await tab.addInitScript('delete window.PublicKeyCredential')
    await openSignIn(host, tab)
    expect(await tab.getByRole('button', { name: button }).isVisible()).toBe(false)
    expect((await arrive(tab, 'alice', host)).at(-1)).toBe(landed)
  })
})

describe.runIf(chromiumPath !== null)('Who must have a second factor and has none', () => {
  it('makes a passkey in its place, keeps the recovery codes, and arrives', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    await openSignIn(host, tab)
    await signIn(tab, 'carol')
    expect(await settled(tab)).toBe('Set up a second factor')
    expect(await tab.locator('#one-time-code').count()).toBe(1)
    await press(tab, 'Create a passkey')
    expect(await settled(tab)).toBe('Keep your recovery codes')
    const codes = await tab.locator('.codes li').allInnerTexts()
    for (const code of codes) host.host().issued.add(code)
    expect(codes).toHaveLength(10)
    await press(tab, 'I have kept them')
    expect(await settled(tab)).toBe(landed)
    expect(await device.held()).toHaveLength(1)
    expect(await methodsOf(host, 'u-carol')).toEqual([['pwd', 'passkey']])
    const [kept] = await host.passkeys.listForUser('u-carol')
    expect(kept).toMatchObject({ backedUp: true, name: 'Passkey' })
    // It is a way in from now on, and each of the codes is.
    await tab.context().clearCookies()
    await openSignIn(host, tab)
    await leaving(tab, () => tab.getByRole('button', { name: button }).click())
    expect(await settled(tab)).toBe(landed)
  })

  it('is offered the passkey alone by a host that keeps no seeds, or goes back', async () => {
    const options = { secondFactors: undefined } as object
    const host = await startPasskeyPages({ options })
    const { tab, device } = await openWithDevice()
    await openSignIn(host, tab)
    await signIn(tab, 'carol')
    expect(await tab.locator('input:not([type=hidden])').count()).toBe(0)
    await device.recognise(false)
    await tab.getByRole('button', { name: 'Create a passkey' }).click()
    await tab.getByRole('status').filter({ hasText: 'Nothing was chosen.' }).waitFor()
    await device.recognise(true)
    await press(tab, 'Create a passkey')
    expect(await settled(tab)).toBe('Keep your recovery codes')
    await press(tab, 'I have kept them')
    expect(await settled(tab)).toBe(landed)
    const other = await openTab(browser)
    await other.goto(authorizeAt(host, 'wiki', { prompt: 'login' }))
    await signIn(other, 'carol')
    await press(other, 'Cancel')
    expect(new URL(other.url()).searchParams.get('error')).toBe('access_denied')
  })
})

describe.runIf(chromiumPath !== null)('After a password, on a device that has passkeys', () => {
  const offered = 'Add a passkey?'
  const signInAnew = async (host: PasskeyPages, tab: Page) => {
    await openSignIn(host, tab, { prompt: 'login' })
    await signIn(tab, 'alice')
    return settled(tab)
  }

  it('a passkey gives the browser another cookie, and another tab goes on with it', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    expect(await signInAnew(host, tab)).toBe(offered)
    const other = await tab.context().newPage()
    await other.goto(authorizeAt(host, 'tracker'))
    expect(await settled(other)).toBe('Allow access?')
    const cookie = async () => {
      const cookies = await tab.context().cookies(host.base)
      return cookies.find(({ name }) => name.includes('session'))
    }
    const before = await cookie()
    // No browser asks a device for a page in the background.
    await tab.bringToFront()
    await press(tab, 'Create a passkey')
    expect(await settled(tab)).toBe('Keep your recovery codes')
    for (const code of await tab.locator('.codes li').allInnerTexts()) host.host().issued.add(code)
    expect(await device.held()).toHaveLength(1)
    const { value, ...attributes } = (await cookie()) ?? { value: '' }
    expect(value).not.toBe(before?.value)
    expect(before).toMatchObject(attributes)
    host.clock.advance(60)
    await press(other, 'Allow')
    expect(await settled(other)).toBe(landed)
    await press(tab, 'I have kept them')
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-alice')).toEqual([['pwd', 'passkey']])
  })

  it('a passkey is offered, and signs in the next time', async () => {
    const host = await startPasskeyPages()
    const { tab, device } = await openWithDevice()
    expect(await signInAnew(host, tab)).toBe(offered)
    await press(tab, 'Create a passkey')
    expect(await settled(tab)).toBe('Keep your recovery codes')
    for (const code of await tab.locator('.codes li').allInnerTexts()) host.host().issued.add(code)
    await press(tab, 'I have kept them')
    expect(await settled(tab)).toBe(landed)
    expect(await device.held()).toHaveLength(1)
    await openSignIn(host, tab, { prompt: 'login' })
    await press(tab, button)
    expect(await settled(tab)).toBe(landed)
    expect(await methodsOf(host, 'u-alice')).toEqual([['passkey']])
  })

  it('it is offered once in 30 days, and "Not now" leads on', async () => {
    const host = await startPasskeyPages()
    const { tab } = await openWithDevice()
    expect(await signInAnew(host, tab)).toBe(offered)
    await tab.reload()
    await press(tab, 'Not now')
    expect(await settled(tab)).toBe(landed)
    expect(await signInAnew(host, tab)).toBe(landed)
    const cookies = await tab.context().cookies(host.base)
    const asked = cookies.find(({ name }) => name.startsWith('mar_offered_dev_'))
    const days = ((asked?.expires ?? 0) - Date.now() / 1000) / (24 * 60 * 60)
    expect([Math.round(days), asked?.value, asked?.httpOnly]).toEqual([30, 'yes', true])
    expect(await host.passkeys.listForUser('u-alice')).toEqual([])
  })

  it('it is not offered to who has one, nor to who signs in with it', async () => {
    const host = await startPasskeyPages()
    const { tab } = await openWithDevice()
    await givePasskey(host, 'u-alice')
    expect(await signInAnew(host, tab)).toBe(landed)
  })

  it('it is not offered where the device has none of its own', async () => {
    const host = await startPasskeyPages()
    expect(await signInAnew(host, await openTab(browser))).toBe(landed)
  })

  it('a page that is left open for long has the way on, and no passkey any more', async () => {
    const host = await startPasskeyPages()
    const { tab } = await openWithDevice()
    expect(await signInAnew(host, tab)).toBe(offered)
    host.clock.advance(11 * 60)
    await tab.reload()
    expect(await tab.getByRole('button').allInnerTexts()).toEqual(['Not now'])
    await press(tab, 'Not now')
    // The app has asked for a sign-in here and now, which this is not any more.
    expect(await settled(tab)).toBe('Sign in')
  })
})
