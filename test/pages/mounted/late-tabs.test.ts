// Two tabs of Chromium, the button “back”, and a page that was open over night.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { startMounted } from './mounted-host.js'
import { arrive, landed, leaving, press, settled } from './person.js'
import { authorizeAt, signIn } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** Two tabs at the sign-in page, of which the second one arrives as somebody. */
async function twoTabs(name: 'alice' | 'dora', javaScriptEnabled = true) {
  const host = await startMounted()
  const first = await openTab(browser, { javaScriptEnabled })
  const second = await first.context().newPage()
  for (const tab of [first, second]) await tab.goto(authorizeAt(host, 'wiki'))
  expect((await arrive(second, name, host)).at(-1)).toBe(landed)
  return { host, first, second }
}

const fault = (tab: Page) => tab.locator('#fault').innerText()

describe.runIf(chromiumPath !== null)('The first of two tabs at the sign-in', () => {
  it.each([true, false])('arrives when the second has (with scripts: %s)', async (scripts) => {
    const { host, first } = await twoTabs('alice', scripts)
    await signIn(first, 'alice')
    expect(await settled(first)).toBe(landed)
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })

  it('is told who is signed in where it has another name, and may go on as either', async () => {
    const { host, first } = await twoTabs('dora')
    await signIn(first, 'alice')
    expect(await settled(first)).toBe('Sign in')
    expect(await fault(first)).toBe('You are signed in as dora example now.')
    expect(await first.getByLabel('E-mail or user name').inputValue()).toBe('alice')
    expect(await first.getByLabel('Password').inputValue()).toBe('')
    const before = first.url()
    await press(first, 'Continue as dora example')
    expect(await settled(first)).toBe(landed)
    await first.goto(
      before.replace('/sign-in?', '/authorize?').replace('?', '?prompt=select_account&'),
    )
    await press(first, 'Use another account')
    await signIn(first, 'alice')
    expect(await settled(first)).toBe(landed)
    expect(await host.stores.sessions.listForUser('u-dora', host.clock())).toEqual([])
  })

  it('goes back to its app by “Cancel”', async () => {
    const { first } = await twoTabs('alice')
    await press(first, 'Cancel and go back to Team wiki')
    expect(await settled(first)).toBe(landed)
    expect(new URL(first.url()).searchParams.get('error')).toBe('access_denied')
  })
})

describe.runIf(chromiumPath !== null)('A tab that was left open', () => {
  it('over night signs in by the password that was typed in it', async () => {
    const host = await startMounted()
    const tab = await openTab(browser)
    await tab.goto(authorizeAt(host, 'wiki'))
    await tab.getByLabel('E-mail or user name').fill('alice')
    await tab.getByLabel('Password').fill(password)
    host.clock.advance(15 * 60 * 60)
    await press(tab, 'Sign in')
    expect(await settled(tab)).toBe(landed)
  })

  it('at the consent for two hours is as good as before', async () => {
    const host = await startMounted()
    const tab = await openTab(browser)
    await tab.goto(authorizeAt(host, 'tracker'))
    await signIn(tab, 'alice')
    host.clock.advance(2 * 60 * 60)
    await press(tab, 'Allow')
    expect(await settled(tab)).toBe(landed)
  })

  it('at the consent while its user signed out in another says so, and goes on', async () => {
    const host = await startMounted()
    const tab = await openTab(browser)
    await tab.goto(authorizeAt(host, 'tracker'))
    await signIn(tab, 'alice')
    const other = await tab.context().newPage()
    await other.goto(`${host.base}/oauth/sign-out`)
    await press(other, 'Sign out')
    await press(tab, 'Allow')
    expect(await settled(tab)).toBe('Sign in')
    expect(await fault(tab)).toBe('You were signed out in the meantime. Sign in to go on.')
    expect(await arrive(tab, 'alice', host)).toEqual(['Sign in', 'Allow access?', landed])
  })
})

describe.runIf(chromiumPath !== null)('The button “back”', () => {
  it('shows nothing of whoever has signed out', async () => {
    const host = await startMounted()
    const tab = await openTab(browser)
    await tab.goto(authorizeAt(host, 'tracker'))
    await signIn(tab, 'alice')
    await tab.goto(`${host.base}/oauth/sign-out`)
    await press(tab, 'Sign out')
    expect(await settled(tab)).toBe('You are signed out')
    for (let steps = 0; steps < 3; steps += 1) {
      await tab.goBack().catch(() => null)
      const seen = await tab.locator('body').innerText()
      expect(seen, tab.url()).not.toContain('alice example')
    }
  })

  it('of the second factor leads to the sign-in, and its ways out are there', async () => {
    const host = await startMounted()
    const tab = await openTab(browser)
    await tab.goto(authorizeAt(host, 'wiki'))
    await signIn(tab, 'bob')
    expect(await settled(tab)).toBe('Confirm that it is you')
    await press(tab, 'Use another account')
    expect(await arrive(tab, 'dora', host)).toEqual(['Sign in', landed])
    await tab.goto(authorizeAt(host, 'wiki', { prompt: 'login' }))
    await signIn(tab, 'bob')
    await leaving(tab, () => tab.getByRole('link', { name: 'Use a recovery code' }).click())
    await press(tab, 'Cancel')
    expect(await settled(tab)).toBe(landed)
    expect(new URL(tab.url()).searchParams.get('error')).toBe('access_denied')
  })
})
