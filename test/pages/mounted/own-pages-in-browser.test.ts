// A page of the host in Chromium: from it to the sign-in pages and back, with scripts and without.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { startRooms } from './own-pages.js'
import { arriveAt, type Name, settled } from './person.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

const ways: readonly (readonly [Name, boolean, readonly string[]])[] = [
  ['alice', true, ['Sign in']],
  ['alice', false, ['Sign in']],
  ['bob', false, ['Sign in', 'Confirm that it is you']],
  ['carol', true, ['Sign in', 'Set up a second factor', 'Keep your recovery codes']],
]

describe.runIf(chromiumPath !== null)('A page of the host in Chromium', () => {
  it.each(ways)('is reached by %s, with scripts: %s', async (name, javaScriptEnabled, steps) => {
    const host = await startRooms()
    const tab = await openTab(browser, { javaScriptEnabled })
    await tab.goto(`${host.origin}/rooms?tab=files`)
    const rooms = `Rooms of u-${name}`
    expect(await arriveAt(rooms, tab, name, host)).toEqual([...steps, rooms])
    expect(tab.url()).toBe(`${host.origin}/rooms?tab=files`)
    // Signed in, the sign-in page leads on at once.
    await tab.goto(host.host().auth.pages.signInUrl({ returnTo: '/rooms' }))
    expect([await settled(tab), tab.url()]).toEqual([rooms, `${host.origin}/rooms`])
  })
})
