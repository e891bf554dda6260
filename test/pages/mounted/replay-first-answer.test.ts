// A button that is pressed twice: the browser drops the first answer, and arrives by the second.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password, totpSecret } from '../../support/host.js'
import { effectsIn, enrolmentForm, forms, secondFactorForm } from './forms.js'
import { recoveryCodes, startMounted } from './mounted-host.js'
import { arrive, landed } from './person.js'
import { stops } from './stops.js'
import { openTab } from './tab.js'
import { openVisitor, type PageAnswer, wayTo } from './visitor.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** Pages with a button, and milliseconds between the two presses. */
const presses = (['Sign in', 'Confirm', 'Allow'] as const).flatMap((button) =>
  [0, 20, 120].map((between) => ({ button, between })),
)
const stopOf = { 'Sign in': 'Sign in', Confirm: 'Confirm that it is you', Allow: 'Allow access?' }

async function pressTwice(tab: Page, name: string, between: number): Promise<void> {
  const box = await tab.getByRole('button', { name, exact: true }).boundingBox()
  if (box === null) throw new Error('no button')
  await tab.mouse.move(box.x + 10, box.y + 10)
  await tab.mouse.down()
  await tab.mouse.up()
  await tab.waitForTimeout(between)
  await tab.mouse.down({ clickCount: 2 })
  await tab.mouse.up({ clickCount: 2 })
}

describe.runIf(chromiumPath !== null)('A browser', () => {
  it.each(presses)('arrives after $button was pressed twice in $between ms', async (press) => {
    const host = await startMounted()
    const tab = await openTab(browser, { javaScriptEnabled: false })
    const stop = stops.find(({ heading }) => heading === stopOf[press.button])
    if (stop === undefined) throw new Error('no such page')
    await stop.reach(tab, host)
    if (press.button === 'Sign in') {
      await tab.getByLabel('E-mail or user name').fill(stop.name)
      await tab.getByLabel('Password').fill(password)
    }
    if (press.button === 'Confirm')
      await tab.fill('#one-time-code', totpCode(totpSecret, host.clock()))
    if (press.button === 'Allow') host.clock.advance(1)
    // As long as a hash of usual cost takes, so that the second press comes before the answer.
    host.delay(150)
    await pressTwice(tab, press.button, press.between)
    host.delay(0)
    await tab.getByRole('heading', { name: landed }).waitFor()
    expect(await arrive(tab, stop.name, host)).toEqual([landed])
    const sessions = await host.stores.sessions.listForUser(`u-${stop.name}`, host.clock())
    // Of a sign-in by password alone the first one may be there, too.
    expect(sessions.length).toBeLessThanOrEqual(press.button === 'Sign in' ? 2 : 1)
  })
})

describe.runIf(chromiumPath !== null)('A browser in which a factor is switched on', () => {
  it.each([20, 120])('shows the recovery codes after two presses in %i ms', async (between) => {
    const host = await startMounted()
    const { secondFactors } = host.stores
    const { confirm } = secondFactors
    // The factor is there, and the first answer, which is dropped, is still to come.
    secondFactors.confirm = async (...given) => {
      const result = await confirm(...given)
      await new Promise((resolve) => setTimeout(resolve, 300))
      return result
    }
    const tab = await openTab(browser, { javaScriptEnabled: false })
    await stops.find(({ title }) => title === 'the enrolment')?.reach(tab, host)
    const secret = (await tab.locator('code.secret').innerText()).replaceAll(' ', '')
    await tab.fill('#one-time-code', totpCode(secret, host.clock()))
    await pressTwice(tab, 'Switch on', between)
    await tab.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    expect(await arrive(tab, 'carol', host)).toContain(landed)
  })
})

describe.each(forms)('The form of $page, sent twice at once', (form) => {
  it('leads on both times, or says how to go on', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await form.reach(visitor, host)
    const typed = form.typed(page, host)
    const answers = await Promise.all([visitor.post(page, typed), visitor.post(page, typed)])
    for (const { status, heading } of answers) {
      expect([form.page, status]).toEqual([form.page, heading === '' ? 303 : 200])
      expect(heading).not.toBe('This does not work')
    }
  })
})

describe('A second step that is sent twice', () => {
  async function reached() {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await secondFactorForm.reach(visitor, host)
    return { host, visitor, page, typed: secondFactorForm.typed(page, host) }
  }

  const sessionsIn = async (host: Parameters<typeof effectsIn>[0]) =>
    (await effectsIn(host)).rows.flatMap(({ sessions }) => sessions)
  const cookieIn = ({ headers }: PageAnswer) => headers['set-cookie']?.join().match(/=([^;]+)/)?.[1]

  it('is one sign-in: the same session, also after the first was answered', async () => {
    const { host, visitor, page, typed } = await reached()
    const kept = new Map(visitor.cookies)
    const answers = await Promise.all([1, 2, 3].map(() => visitor.post(page, typed)))
    visitor.cookies.clear()
    for (const [name, value] of kept) visitor.cookies.set(name, value)
    host.clock.advance(9)
    answers.push(await visitor.post(page, typed))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303])
    expect(new Set(answers.map(cookieIn)).size).toBe(1)
    expect(await sessionsIn(host)).toHaveLength(1)
    const last = await visitor.open(answers.at(-1)?.headers.location as string)
    expect(wayTo(last)?.searchParams.get('code')).toMatch(/^mar_oc_/)
  })

  it('is none ten seconds later, in another browser, or with another code', async () => {
    const { host, visitor, page, typed } = await reached()
    const kept = new Map(visitor.cookies)
    expect((await visitor.post(page, typed)).status).toBe(303)
    const again = openVisitor(host)
    expect((await again.post(page, typed)).status).toBe(403)
    for (const [name, value] of kept) again.cookies.set(name, value)
    expect((await again.post(page, { code: recoveryCodes[0] as string })).status).toBe(422)
    host.clock.advance(10)
    expect((await again.post(page, typed)).status).toBe(422)
    expect(await sessionsIn(host)).toHaveLength(1)
  })

  it('with a wrong code is judged and counted each time', async () => {
    const { host, visitor, page } = await reached()
    const wrong = { code: '000000' }
    for (let tries = 0; tries < 2; tries += 1)
      expect((await visitor.post(page, wrong)).status).toBe(422)
    const failed = host
      .host()
      .events.filter(
        (event) => event.type === 'login.failed' && event.reason === 'second-factor-invalid',
      )
    expect(failed).toHaveLength(2)
  })
})

describe('An enrolment that is sent twice', () => {
  async function reached() {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await enrolmentForm.reach(visitor, host)
    return { host, visitor, page, typed: enrolmentForm.typed(page, host) }
  }

  const shownCodes = ({ text }: PageAnswer) => text.match(/[A-Z2-7]{4}(-[A-Z2-7]{4})+/g) ?? []

  it('shows the same recovery codes, also after the first was answered', async () => {
    const { host, visitor, page, typed } = await reached()
    const answers = await Promise.all([1, 2, 3].map(() => visitor.post(page, typed)))
    host.clock.advance(9)
    answers.push(await visitor.post(page, typed))
    for (const answer of answers) {
      expect([answer.status, answer.heading]).toEqual([200, 'Keep your recovery codes'])
      expect(shownCodes(answer)).toHaveLength(10)
    }
    expect(new Set(answers.map((answer) => shownCodes(answer).join())).size).toBe(1)
  })

  it('shows none ten seconds later, in another browser, or without its token', async () => {
    const { host, visitor, page, typed } = await reached()
    expect(shownCodes(await visitor.post(page, typed))).toHaveLength(10)
    const again = [
      await openVisitor(host).post(page, typed),
      await visitor.post(page, { ...typed, csrf: '' }),
      await visitor.post(page, { ...typed, code: '000000' }),
    ]
    host.clock.advance(10)
    again.push(await visitor.post(page, typed))
    for (const answer of again) expect(shownCodes(answer)).toEqual([])
  })

  it('with a wrong code is judged and counted each time', async () => {
    const { host, visitor, page } = await reached()
    const wrong = { code: '000000' }
    for (let tries = 0; tries < 2; tries += 1)
      expect((await visitor.post(page, wrong)).status).toBe(422)
    const { events } = host.host()
    expect(events.filter(({ type }) => type === 'second-factor.refused')).toHaveLength(2)
  })
})
