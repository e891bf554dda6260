// Whoever is on one of the pages gets to the client, whatever happens meanwhile, or is told in a
// sentence how to go on. Each page is reached by its real way, with scripts and without.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { rounds } from '../../support/rounds.js'
import { type MountedHost, startMounted } from './mounted-host.js'
import { arrive, landed, press, settled } from './person.js'
import { authorizeAt, type Stop, signIn, stops } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

interface Visit {
  readonly host: MountedHost
  readonly tab: Page
}

async function stopAt(stop: Stop, javaScriptEnabled: boolean): Promise<Visit> {
  const host = await startMounted()
  const tab = await openTab(browser, { javaScriptEnabled })
  await stop.reach(tab, host)
  expect(await settled(tab)).toBe(stop.heading)
  return { host, tab }
}

/** What happens between coming to a page and doing what it asks for. */
interface Event {
  readonly what: string
  readonly happens: (visit: Visit) => Promise<unknown>
}

const nothing: Event = { what: 'nothing at all', happens: async () => {} }
const events: readonly Event[] = [
  nothing,
  { what: 'loading it again', happens: ({ tab }) => tab.reload() },
  { what: 'a pause of 31 minutes', happens: async ({ host }) => host.clock.advance(31 * 60) },
  {
    what: 'two hours, which are more than a flow lasts',
    happens: async ({ host }) => host.clock.advance(7200),
  },
  { what: 'a new process of the server', happens: ({ host }) => host.restart() },
  { what: 'the loss of all cookies', happens: ({ tab }) => tab.context().clearCookies() },
]

/**
 * Every page with every event, one of them with scripts and the next without. A usual run takes a
 * third of them: each page with two events, and each event at a third of the pages.
 */
const cases = stops
  .flatMap((stop, row) =>
    events.map((event, column) => {
      const scripts = (row + Math.floor(column / 3)) % 2 === 0
      return { ...event, ...stop, scripts, isUsual: (row + column) % 3 === 0 }
    }),
  )
  .filter(({ isUsual }) => isUsual || rounds(1) > 1)
const each = stops.map((stop, row) => ({ ...stop, scripts: row % 2 === 0 }))

async function expectArrival(stop: Stop, visit: Visit, fewest = 2): Promise<void> {
  const way = await arrive(visit.tab, stop.name, visit.host)
  expect([way.at(-1), way.length >= fewest], way.join(', ')).toEqual([stop.end, true])
}

describe.runIf(chromiumPath !== null)('Whoever is at', () => {
  it.each(cases)('$title arrives after $what (with scripts: $scripts)', async (stop) => {
    const visit = await stopAt(stop, stop.scripts)
    await stop.happens(visit)
    await expectArrival(stop, visit)
  })

  it.each(each)(
    '$title arrives from a bookmark, in a browser that was never here',
    async (stop) => {
      const { host, tab } = await stopAt(stop, stop.scripts)
      host.clock.advance(24 * 60 * 60)
      const other = await openTab(browser, { javaScriptEnabled: stop.scripts })
      await other.goto(tab.url())
      await expectArrival(stop, { host, tab: other }, 1)
    },
  )

  it.each(each)('$title arrives once more, having gone back from the end', async (stop) => {
    const visit = await stopAt(stop, stop.scripts)
    await expectArrival(stop, visit)
    let isSentOn = false
    // Whoever is signed in is not asked again: a redirect leads to the client, which is not there.
    visit.tab.on('request', (request) => {
      if (request.redirectedFrom() !== null && /^https:.*[?&]code=/.test(request.url()))
        isSentOn = true
    })
    // Where a form was answered, the browser asks whether to send it again: one step further, then.
    for (let steps = 0; steps < 3 && !isSentOn; steps += 1)
      if ((await visit.tab.goBack().catch(() => null)) !== null) break
    if (!isSentOn) await expectArrival(stop, visit, 1)
  })
})

describe.runIf(chromiumPath !== null)('Two tabs of one browser', () => {
  it('arrive with two requests, in whichever order they are worked on', async () => {
    const host = await startMounted()
    const first = await openTab(browser, { javaScriptEnabled: false })
    const second = await first.context().newPage()
    await first.goto(authorizeAt(host, 'wiki'))
    await second.goto(authorizeAt(host, 'tracker'))
    expect((await arrive(second, 'bob', host)).at(-1)).toBe(landed)
    expect((await arrive(first, 'bob', host)).at(-1)).toBe(landed)
    expect(await host.stores.sessions.listForUser('u-bob', host.clock())).toHaveLength(1)
  })

  it('arrive with two accounts: what one is asked, the other does not answer', async () => {
    const host = await startMounted()
    const first = await openTab(browser)
    const second = await first.context().newPage()
    await first.goto(authorizeAt(host, 'tracker'))
    await signIn(first, 'alice')
    await second.goto(authorizeAt(host, 'wiki', { prompt: 'login' }))
    expect((await arrive(second, 'dora', host)).at(-1)).toBe(landed)
    await press(first, 'Allow')
    expect(await first.locator('.account').innerText()).toContain('dora example')
    expect(await host.oauthStores.consents.find('u-alice', 'tracker')).toBeNull()
    expect(await arrive(first, 'dora', host)).toEqual(['Allow access?', landed])
    expect(await host.oauthStores.consents.find('u-dora', 'tracker')).not.toBeNull()
  })
})

describe.runIf(chromiumPath !== null)('A page that a form was answered with', () => {
  it.each([
    ['Sign in', 'alice', 'Wrong name or password.'],
    ['Confirm that it is you', 'bob', 'That code is not right'],
    ['Set up a second factor', 'carol', 'That code is not right'],
  ] as const)('“%s” can be loaded again', async (heading, name, fault) => {
    const stop = stops.find((one) => one.heading === heading) as Stop
    const visit = await stopAt(stop, name === 'bob')
    const { tab } = visit
    if (name === 'alice') {
      await tab.getByLabel('E-mail or user name').fill(name)
      await tab.getByLabel('Password').fill('wrong')
    } else await tab.fill('#one-time-code', '000000')
    await press(tab, name === 'alice' ? 'Sign in' : name === 'bob' ? 'Confirm' : 'Switch on')
    expect(await tab.locator('#fault').innerText()).toContain(fault)
    await tab.reload()
    expect(await settled(tab)).toBe(heading)
    await expectArrival(stop, visit)
  })

  it('with recovery codes leads on when it is loaded again', async () => {
    const stop = stops.find(({ name }) => name === 'carol') as Stop
    const visit = await stopAt(stop, true)
    await visit.tab.fill('#one-time-code', await codeOnPage(visit))
    await press(visit.tab, 'Switch on')
    expect(await settled(visit.tab)).toBe('Keep your recovery codes')
    await visit.tab.reload()
    await expectArrival(stop, visit, 1)
  })
})

async function codeOnPage({ tab, host }: Visit): Promise<string> {
  const secret = (await tab.locator('code.secret').innerText()).replaceAll(' ', '')
  return totpCode(secret, host.clock())
}
