// Tabs that a browser opens all at once, as at its start: none of them has a cookie yet, each is
// given one, and the browser keeps the last.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { addressOf, effectsIn, secondFactorForm } from './forms.js'
import { type MountedHost, queryOf, startMounted, wiki } from './mounted-host.js'
import { arrive, landed, settled } from './person.js'
import { authorizeAt, signIn } from './stops.js'
import { openTab } from './tab.js'
import { openVisitor, type Visitor } from './visitor.js'

const pre = 'mar_pre_dev'
const copyOf = (value: string) =>
  `mar_pre_${((Buffer.from(value, 'base64url')[0] ?? 0) % 64).toString(16).padStart(2, '0')}_dev`

/** Opens the sign-in in some tabs at once; the cookies come in the order of the tabs. */
async function tabsAtOnce(host: MountedHost, count = 2) {
  for (;;) {
    const tabs = await Promise.all(
      Array.from({ length: count }, async () => {
        const tab = openVisitor(host)
        const page = await tab.open(addressOf(host, 'sign-in', queryOf(wiki)))
        return { page, cookies: tab.cookies }
      }),
    )
    const visitor = openVisitor(host)
    for (const { cookies } of tabs)
      for (const [name, value] of cookies) visitor.cookies.set(name, value)
    // Two values may go by one name; whoever has that luck types the password again.
    if (visitor.cookies.size === count + 1) return { visitor, pages: tabs.map(({ page }) => page) }
  }
}

const typeIn = (visitor: Visitor, page: Parameters<Visitor['fill']>[0], username = 'alice') =>
  visitor.fill(page, { username, password })

describe('A tab that was opened together with others, in a browser that knew nothing of us', () => {
  it.each([0, 1, 2])('takes the password at once: tab %i of three', async (index) => {
    const host = await startMounted()
    const { visitor, pages } = await tabsAtOnce(host, 3)
    const answer = await typeIn(visitor, pages[index] as never)
    expect(answer.heading).toBe('One moment')
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })

  it('goes on to the second factor', async () => {
    const host = await startMounted()
    const { visitor, pages } = await tabsAtOnce(host)
    const due = await typeIn(visitor, pages[0] as never, 'bob')
    expect(due.heading).toBe('Confirm that it is you')
    const answer = await visitor.fill(due, secondFactorForm.typed(due, host))
    expect(answer.heading).toBe('One moment')
  })

  it('is led on where another of them has signed in', async () => {
    const host = await startMounted()
    const { visitor, pages } = await tabsAtOnce(host)
    await typeIn(visitor, pages[1] as never)
    expect((await typeIn(visitor, pages[0] as never)).heading).toBe('One moment')
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })
})

describe('A form that another browser was shown at that moment', () => {
  it('is not taken, whatever cookies came with it', async () => {
    const host = await startMounted()
    const { visitor, pages } = await tabsAtOnce(host)
    const { visitor: thief, pages: stolen } = await tabsAtOnce(host)
    const before = await effectsIn(host)
    for (const page of stolen) {
      const answer = await visitor.post(page, { username: 'dora', password })
      expect([answer.status, answer.heading]).toEqual([403, 'Sign in'])
    }
    // What the thief has, in places where it is not looked for, or twice.
    const planted = thief.cookies.get(pre) as string
    const mine = `${pre}=${visitor.cookies.get(pre)}`
    const elsewhere = copyOf(planted) === 'mar_pre_00_dev' ? 'mar_pre_01_dev' : 'mar_pre_00_dev'
    for (const Cookie of [
      `${mine}; ${elsewhere}=${planted}`,
      `${mine}; ${copyOf(planted)}=${planted}; ${copyOf(planted)}=${planted}`,
      `${mine}; mar_pre_40_dev=${planted}`,
      `${mine}; ${copyOf(planted)}=${planted}A`,
      `${mine}; __Host-Http-${copyOf(planted)}=${planted}`,
    ]) {
      const answer = await visitor.post(
        stolen[1] as never,
        { username: 'dora', password },
        { Cookie },
      )
      expect(answer.status, Cookie).toBe(403)
    }
    expect(await effectsIn(host)).toEqual(before)
    expect((await typeIn(visitor, pages[0] as never)).heading).toBe('One moment')
  })

  it('nor is one of this browser that another site lays before its user', async () => {
    const host = await startMounted()
    const { visitor, pages } = await tabsAtOnce(host)
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    const typed = { username: 'alice', password }
    expect((await visitor.post(pages[0] as never, typed, headers)).status).toBe(403)
  })
})

describe.runIf(chromiumPath !== null)('In Chromium, of four tabs that open at once', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  async function openFour(host: MountedHost) {
    for (;;) {
      const first = await openTab(browser)
      const others = await Promise.all([1, 2, 3].map(() => first.context().newPage()))
      const tabs = [first, ...others]
      const answers = await Promise.all(tabs.map((tab) => tab.goto(authorizeAt(host, 'wiki'))))
      const given = await Promise.all(answers.map((answer) => answer?.headerValue('set-cookie')))
      const values = given.flatMap((set) => /_dev(?:_\d+)?=([^;]*)/.exec(set ?? '')?.[1] ?? [])
      const kept = (await first.context().cookies()).map(({ value }) => value)
      // Of two values that go by one name one is lost; and an answer may come before the next asks.
      if (values.length > 1 && values.every((value) => kept.includes(value)))
        return { first, others }
    }
  }

  it('the first takes the password, and the others are led on by theirs', async () => {
    const host = await startMounted()
    const { first, others } = await openFour(host)
    expect((await arrive(first, 'alice', host)).at(-1)).toBe(landed)
    for (const tab of others) {
      await signIn(tab, 'alice')
      expect(await settled(tab)).toBe(landed)
    }
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })
})
