// The example's page in a real browser: signing in, staying signed in, and what it says when
// something is away.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Route } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  bobsSecret,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { atLocalhost, type ExamplePage, openProfile, openTab } from '../support/example-page.js'

const numbered = (n: number) => ({ username: `user${n}`, password: `passphrase of user ${n}` })

/** A machine may be busy. */
const poll = { timeout: 120_000 }

let app: Example
let browser: Browser
let context: BrowserContext
let tab: ExamplePage

/** Answers the next requests for a path in the server's place. */
async function answerInstead(
  path: string,
  answers: { status: number; error: string; retryAfter?: number }[],
) {
  const left = [...answers]
  await tab.page.route(`**/api/v1${path}`, (route: Route) => {
    const next = left.shift()
    if (next === undefined) return route.fallback()
    const headers = next.retryAfter === undefined ? {} : { 'Retry-After': String(next.retryAfter) }
    return route.fulfill({
      status: next.status,
      headers,
      json: { error: next.error, message: 'The server’s words.' },
    })
  })
  return left
}

/** Lets no request for a path through until what it answers is called. */
async function hold(path: string, page = tab.page): Promise<() => void> {
  let letThrough = () => {}
  const held = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  await page.route(`**${path}`, async (route) => {
    await held
    await route.continue()
  })
  return letThrough
}

const requestsTo = (path: string, of = tab) => {
  const seen: string[] = []
  of.page.on(
    'request',
    (request) =>
      new URL(request.url()).pathname === `/api/v1${path}` && seen.push(request.method()),
  )
  return seen
}

/** What the tabs share, changed as time or another program would change it. */
const changeOfSession = (change: string) => `{
  const session = JSON.parse(localStorage.getItem('messaging-auth'))
  Object.assign(session, ${change})
  localStorage.setItem('messaging-auth', JSON.stringify(session))
}`

/** Reloads the page, which finds it changed: the page before has not seen it. */
async function reloadWith(change: string) {
  await tab.page.addInitScript(changeOfSession(change))
  await tab.page.reload()
}

/** The browsers on the account page, to which this leads. */
async function browsers(of = tab) {
  await of.choose('Manage account')
  await of.page.getByRole('heading', { name: 'Your account' }).waitFor()
  const listed = of.page.getByRole('list', { name: 'Your devices' }).getByRole('listitem')
  return listed.filter({ hasText: 'Chrome on Linux' })
}

async function say(text: string, from = tab) {
  await from.page.getByLabel('Your message').fill(text)
  await from.press('Send')
  await from.page.locator('#messages').getByText(text).waitFor()
}

describe.skipIf(chromiumPath === null)('the page', () => {
  beforeAll(async () => {
    buildExample()
    app = await startExample({ ...environmentIn(temporaryFolder()), SEED_USERS: '6' })
    browser = await launchChromium()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  beforeEach(async () => {
    context = await openProfile(browser, app.url)
    tab = await openTab(context, app.url)
  })

  test('names those who can try it', async () => {
    await tab.sees('To try it, sign in as')
    await tab.sees(alice.password)
    await tab.sees(bobsSecret)
    expect(await tab.focused()).toBe('set-out')
    await tab.look('sign-in')
  })

  test('says that it is signing in, and that it cannot yet where its scripts are not there', async () => {
    const slow = await context.newPage()
    const letThrough = await hold('/chat.js', slow)
    await slow.goto(`${atLocalhost(app.url)}/`, { waitUntil: 'commit' })
    const button = slow.locator('#set-out')
    await button.waitFor()
    expect([await button.isDisabled(), await button.innerText()]).toEqual([true, 'One moment…'])
    letThrough()
    await slow.getByRole('button', { name: 'Sign in', exact: true }).waitFor()

    await tab.page.route('**/api/v1/oauth/token', async (route) => {
      const works = tab.page.locator('#set-out')
      expect([await works.isDisabled(), await works.innerText()]).toEqual([true, 'Signing in…'])
      await route.continue()
    })
    await tab.signIn(alice)
    await expect.poll(() => tab.focused(), poll).toBe('text')
  })

  test('tries again by itself while the server is busy', async () => {
    const busy = { status: 503, error: 'temporarily_unavailable', retryAfter: 1 }
    const left = await answerInstead('/oauth/token', [busy, busy])
    const exchanges = requestsTo('/oauth/token')
    await tab.typePassword(alice)
    await tab.sees('Busy, one moment.')
    await tab.look('busy')
    await tab.sees('Signed in as')
    expect([left.length, exchanges.length]).toEqual([0, 3])
  })

  test('says how long a pause is, and lets its user try again', async () => {
    await answerInstead('/oauth/token', [
      { status: 429, error: 'temporarily_unavailable', retryAfter: 125 },
    ])
    await tab.typePassword(numbered(1))
    await tab.sees('Too many attempts. Try again in 3 minutes.')
    expect(new URL(tab.page.url()).search).toBe('')
    expect(await tab.focused()).toBe('set-out')
    await tab.look('locked')
    await tab.press('Sign in')
    await tab.press('Continue')
    await tab.sees('Signed in as user1')
  })

  test('shows what people write as text, and never as markup', async () => {
    await tab.signIn(alice)
    const markup = '<img src=x onerror="document.title=`taken`"><b>bold</b>'
    await say(markup)
    const shown = tab.page.locator('#messages .text').last()
    expect([await shown.innerText(), await shown.locator('*').count()]).toEqual([markup, 0])
    expect(await tab.page.title()).toBe('#General · Chat')
  })

  test('is still signed in after a reload and in a second tab, as one device', async () => {
    await tab.signIn(numbered(2))
    await tab.sees('Signed in as user2')
    await tab.page.getByRole('button', { name: '# Random' }).click()
    await tab.page.reload()
    await tab.sees('Signed in as user2')
    await tab.page.getByRole('heading', { name: '# Random' }).waitFor()
    const second = await openTab(context, app.url)
    await second.sees('Signed in as user2')
    await tab.page.goBack()
    await tab.page.getByRole('heading', { name: '# General' }).waitFor()
    expect(await (await browsers()).count()).toBe(1)
  })

  test('keeps what is written before the rooms are there, and lets it be sent then', async () => {
    const letThrough = await hold('/api/v1/rooms')
    await tab.signIn(numbered(5))
    await tab.sees('Signed in as user5')
    await tab.page.getByLabel('Your message').fill('written early')
    await tab.page.keyboard.press('Enter')
    expect(await tab.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    letThrough()
    await tab.press('Send')
    await tab.page.locator('#messages').getByText('written early').waitFor()
  })

  test('replaces a token that is refused, once for all tabs, and sends the request again', async () => {
    await tab.signIn(numbered(3))
    const second = await openTab(context, app.url)
    await second.sees('Signed in as user3')
    const refreshes = [requestsTo('/oauth/token'), requestsTo('/oauth/token', second)]
    await tab.page.evaluate(changeOfSession("{ accessToken: 'worn out' }"))
    await Promise.all([say('from one tab'), say('from the other', second)])
    expect(refreshes.flat()).toEqual(['POST'])
  })

  test('replaces a token before it ends', async () => {
    await tab.signIn(numbered(3))
    await tab.sees('Signed in as')
    const refreshes = requestsTo('/oauth/token')
    await reloadWith('{ receivedAt: Date.now() - 840_000, expiresAt: Date.now() + 60_000 }')
    await expect.poll(() => refreshes, poll).toEqual(['POST'])
    await say('with a new one')
    expect(refreshes).toEqual(['POST'])
  })

  test('survives the loss of the answer that had the new tokens', async () => {
    await tab.signIn(numbered(4))
    await tab.sees('Signed in as')
    const answers: string[] = []
    await tab.page.route('**/api/v1/oauth/token', async (route) => {
      const answer = await route.fetch()
      answers.push((await answer.json()).refresh_token)
      await (answers.length <= 2 ? route.abort() : route.fulfill({ response: answer }))
    })
    await reloadWith('{ expiresAt: 0 }')
    // The client has repeated it once by itself.
    await tab.sees('The server cannot be reached. Trying again.')
    await expect.poll(() => tab.text('#connection-problem'), poll).toBe('')
    expect(answers).toHaveLength(3)
    expect(new Set(answers).size).toBe(1)
    await say('still here')
  })

  test('logs out in all tabs, and tells the others why', async () => {
    await tab.signIn(numbered(5))
    const second = await openTab(context, app.url)
    await second.sees('Signed in as')
    await tab.choose('Log out')
    await tab.sees('You have logged out.')
    expect(await tab.focused()).toBe('set-out')
    await second.sees('You logged out in another tab.')
    await second.look('logged-out-elsewhere')
    await tab.signIn(numbered(5))
    await second.sees('Signed in as user5')
  })

  test('says that another device has signed it out, and keeps the draft for whoever wrote it', async () => {
    const draft = () => tab.page.getByLabel('Your message').inputValue()
    await tab.signIn(numbered(6))
    await tab.page.getByLabel('Your message').fill('half a thought')
    const phone = await openTab(await openProfile(browser, app.url), app.url)
    await phone.signIn(numbered(6))
    const listed = await browsers(phone)
    expect(await listed.count()).toBe(2)
    await phone.press('End all others')
    await phone.page.getByRole('heading', { name: 'Are you sure?' }).waitFor()
    await phone.press('End all others')
    await expect.poll(() => listed.count(), poll).toBe(1)
    await tab.sees('You were signed out: it was done on another device')
    await tab.signIn(alice)
    await tab.sees('Signed in as alice')
    expect(await draft()).toBe('')
    await tab.choose('Log out')
    const letThrough = await hold('/api/v1/rooms')
    await tab.signIn(numbered(6))
    await tab.sees('Signed in as user6')
    await expect.poll(draft, poll).toBe('half a thought')
    // Nor is it lost where this sign-in ends before the rooms are there.
    await phone.page.reload()
    await expect.poll(() => listed.count(), poll).toBe(2)
    await phone.press('End all others')
    await phone.page.getByRole('heading', { name: 'Are you sure?' }).waitFor()
    await phone.press('End all others')
    await expect.poll(() => listed.count(), poll).toBe(1)
    letThrough()
    await tab.sees('You were signed out: it was done on another device')
    await tab.signIn(numbered(6))
    await expect.poll(draft, poll).toBe('half a thought')
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('keeps a long name in one line of a small phone', async () => {
    await tab.signIn(alice)
    await tab.sees('Signed in as')
    await say('hello')
    for (const name of ['#me', '#open-account'])
      await tab.page.evaluate(
        `document.querySelector('${name}').textContent = 'Alexandra.Whitfield-Montgomery'`,
      )
    await tab.look('long-name')
    for (const width of [320, 390, 700, 1280]) {
      await tab.page.setViewportSize({ width, height: 740 })
      expect((await tab.page.locator('.bar').boundingBox())?.height, `${width} px`).toBeLessThan(64)
    }
    await tab.page.setViewportSize({ width: 320, height: 740 })
    await tab.page.locator('#open-account').click()
    await tab.page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
    await tab.look('menu')
    await tab.page.getByRole('link', { name: 'Manage account' }).click()
    await tab.page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  test('leads from an address of this machine to its name, which passkeys need', async () => {
    const elsewhere = await fetch(`${app.url}/?sign-in`, { redirect: 'manual' })
    expect(elsewhere.headers.get('location')).toBe(`${atLocalhost(app.url)}/?sign-in`)
    expect((await fetch(`${app.url}/chat.css`, { redirect: 'manual' })).status).toBe(200)
  })

  test('says when the device is offline, and when the server is away and back', async () => {
    const door = createServer()
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    const port = (door.address() as AddressInfo).port
    door.close()
    await once(door, 'close')
    const env = { ...environmentIn(temporaryFolder()), PORT: String(port) }
    const first = await startExample(env)
    const profile = await openProfile(browser, first.url)
    tab = await openTab(profile, first.url)
    await tab.signIn(alice)
    await tab.sees('Nothing here yet')
    await profile.setOffline(true)
    await tab.sees('This device is offline.')
    await tab.look('offline')
    await profile.setOffline(false)
    await expect.poll(() => tab.text('#connection-problem'), poll).toBe('')
    await first.stop()
    await tab.sees('Connection lost, trying again.')
    await tab.choose('Log out')
    await tab.sees('You are still signed in. The server cannot be reached.')
    const again = await startExample(env)
    try {
      await expect.poll(() => tab.text('#room-problem'), poll).toBe('')
      await say('back again')
    } finally {
      await again.stop('SIGKILL')
    }
  })
})
