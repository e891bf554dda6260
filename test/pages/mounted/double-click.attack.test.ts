// A page of a stranger asks for a double click: its first opens a page of ours, and the second
// falls on the button there. No frame is needed, so no header helps.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { addressOf, effectsIn, type Form, forms } from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { landed, press, settled } from './person.js'
import { signIn } from './stops.js'
import { openTab } from './tab.js'
import { openVisitor } from './visitor.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** Pages on which one press gives an app something. */
const granting = forms.filter(({ page }) => page === 'consent' || page === 'continue')

describe.each(granting)('The form of $page', (form: Form) => {
  async function shown(lookedFor: number) {
    const host = await startMounted()
    const visitor = openVisitor(host, lookedFor)
    return { host, visitor, page: await form.reach(visitor, host) }
  }

  it.each([0, 0.1, 0.399])('gives nothing %d s after it was shown', async (seconds) => {
    const { host, visitor, page } = await shown(seconds)
    const before = await effectsIn(host)
    const answer = await visitor.post(page, form.typed(page, host))
    expect([answer.status, answer.heading]).toEqual([422, form.heading])
    expect(answer.text).toContain('That was too quick to be read.')
    expect(await effectsIn(host)).toEqual(before)
  })

  it('gives it after 0.4 s', async () => {
    const { host, visitor, page } = await shown(0.4)
    expect((await visitor.post(page, form.typed(page, host))).status).toBe(303)
  })

  it('can be left at once', async () => {
    const { visitor, page } = await shown(0)
    expect((await visitor.post(page, { choice: 'cancel' })).heading).toBe('One moment')
  })
})

const grants = {
  consent: { query: queryOf(tracker), button: 'Allow' },
  continue: { query: queryOf(wiki, { prompt: 'select_account' }), button: 'Continue' },
} as const

/** Has somebody signed in, and looks where the button of a page will be. */
async function buttonPlace(tab: Page, host: MountedHost, name: keyof typeof grants) {
  const { query, button } = grants[name]
  await tab.goto(addressOf(host, 'authorize'))
  await signIn(tab, 'alice')
  await settled(tab)
  await tab.goto(addressOf(host, 'authorize', query))
  const box = await tab.getByRole('button', { name: button, exact: true }).boundingBox()
  if (box === null) throw new Error('no button')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

const settings = [
  ['consent', 'no-preference'],
  ['consent', 'reduce'],
  ['continue', 'no-preference'],
] as const

describe.runIf(chromiumPath !== null)('In Chromium', () => {
  it.each(settings)(
    'the second of two clicks does nothing on %s (motion: %s)',
    async (name, motion) => {
      const host = await startMounted()
      const tab = await openTab(browser, { reducedMotion: motion, javaScriptEnabled: false })
      const { x, y } = await buttonPlace(tab, host, name)
      const before = await effectsIn(host)
      // However busy this machine is, the click comes in the first 600 ms.
      const devtools = await tab.context().newCDPSession(tab)
      await devtools.send('Animation.enable')
      await devtools.send('Animation.setPlaybackRate', { playbackRate: 0.001 })
      await tab.goto(addressOf(host, 'authorize', grants[name].query))
      await settled(tab)
      // The server would take it: the button alone is tried.
      host.clock.advance(1)
      const sent: string[] = []
      tab.on('request', (request) => sent.push(request.method()))
      await tab.mouse.click(x, y)
      // Nor does a key get there, from the start of the page.
      await tab.keyboard.press('Tab')
      expect(await tab.evaluate('document.activeElement.value')).toMatch(/^(?:cancel|other)$/)
      expect(sent).toEqual([])
      expect(await effectsIn(host)).toEqual(before)
    },
  )

  it.each([true, false])(
    'somebody who has read it presses it, by mouse or key, with scripts: %s',
    async (javaScriptEnabled) => {
      const host = await startMounted()
      const tab = await openTab(browser, { javaScriptEnabled })
      await buttonPlace(tab, host, 'consent')
      host.clock.advance(1)
      const button = tab.getByRole('button', { name: 'Allow', exact: true })
      await button.focus()
      await tab.keyboard.press('Enter')
      await tab.getByRole('heading', { name: landed }).waitFor()
      await tab.goto(addressOf(host, 'authorize', grants.continue.query))
      await settled(tab)
      host.clock.advance(1)
      await press(tab, 'Continue')
      expect(await settled(tab)).toBe(landed)
    },
  )
})
