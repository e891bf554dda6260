// A page of another site than the server's signs its user in, in a real browser.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey, joseSigner, type OAuthClient } from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { arrive } from '../pages/mounted/person.js'
import { signIn } from '../pages/mounted/stops.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { gate } from '../support/gate.js'
import { startHost } from '../support/host.js'
import { startPageSite } from './page-site.js'

const scope = 'openid profile offline_access'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** Further headers of the documents. */
interface Headers {
  readonly ofPage?: Readonly<Record<string, string>>
  readonly ofServer?: Readonly<Record<string, string>>
}

/** A server at 127.0.0.1, and a page at localhost, which is another site to browsers. */
async function start({ ofPage = {}, ofServer = {} }: Headers = {}) {
  const firstPage = gate()
  const server = await startPageSite('', /^\/(?:api\/|\.well-known\/)/)
  const issuer = server.origin.replace('localhost', '127.0.0.1')
  const site = await startPageSite(
    `
    import { createAuthClient, localStorageStore } from '/client/index.js'
    import { oauth } from '/client/oauth.js'
    import { handOver, signInByPopup } from '/client/popup.js'
    window.isHandedOver = handOver(location.href)
    window.ahead = 0
    const clock = () => new Date(Date.now() + window.ahead)
    const storage = localStorageStore()
    window.client = createAuthClient({ baseUrl: '${issuer}/api/v1', storage, clock })
    const redirectUri = location.origin + '/callback'
    const options = { clientId: 'page', redirectUri, scope: '${scope}' }
    window.app = oauth(client, options)
    const open = window.open
    window.open = (...how) => (window.opened = open(...how))
    document.querySelector('h1').onclick = () => {
      const signedIn = signInByPopup(client, options)
      window.said = signedIn.then(({ me }) => me.username, ({ code }) => code)
    }`,
    /^$/,
    ofPage,
  )
  const client: OAuthClient = {
    id: 'page',
    name: 'Page',
    type: 'web',
    redirectUris: [`${site.origin}/callback`],
    scopes: scope.split(' '),
  }
  const clock = manualClock(new Date())
  const key = await generateSigningKey('ES256')
  const signer = joseSigner({ issuer, audience: 'chat', keys: [key], clock })
  const { consents, once } = memoryOAuthStores()
  const oauth = { baseUrl: `${issuer}/api/v1`, clients: [client], consents, once }
  const host = await startHost({
    options: { clock, signer, oauth },
    before: (app, auth) => {
      app.use((request, response, next) => {
        response.set(ofServer)
        const isHeld = request.path.endsWith('/oauth/authorize')
        void (isHeld ? firstPage.pass() : Promise.resolve()).then(() => next())
      })
      app.use(auth.wellKnown)
    },
  })
  server.serveWith(host)
  return { clock, asked: server.asked, origin: site.origin, firstPage }
}

async function openTab(origin: string): Promise<Page> {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const tab = await context.newPage()
  await tab.goto(origin)
  await tab.waitForFunction('window.client?.state.status === "signed-out"')
  return tab
}

const ready = (tab: Page) => tab.waitForFunction('window.client?.state.status !== undefined')

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  it('a page of another site signs in, refreshes once for all, and signs out', async () => {
    const { clock, asked, origin } = await start()
    const tab = await openTab(origin)
    await tab.goto(await tab.evaluate<string>("app.start({ returnTo: '/rooms/7' })"))
    expect(await arrive(tab, 'alice', { clock })).toEqual(['Sign in', 'Allow access?', 'Landed'])
    await ready(tab)
    expect(await tab.evaluate('app.isAnswer(location.href)')).toBe(true)
    const finished = await tab.evaluate('app.finish(location.href)')
    expect(finished).toMatchObject({ returnTo: '/rooms/7', me: { username: 'alice' } })
    expect(await tab.evaluate('sessionStorage.length')).toBe(0)
    // A reload of the address is no second sign-in, and no sign-out.
    await tab.reload()
    await tab.waitForFunction('window.client?.state.status === "signed-in"')
    const again = 'app.finish(location.href).catch(({ code }) => code)'
    expect(await tab.evaluate(again)).toBe('not-begun')
    asked.length = 0
    clock.advance(700)
    await tab.evaluate('window.ahead += 700_000')
    const names = 'Promise.all([1, 2, 3].map(() => app.userinfo())).then((all) => all[2].name)'
    expect(await tab.evaluate(names)).toBe('Alice A.')
    const refreshes = asked.filter((one) => one === 'POST /api/v1/oauth/token')
    expect(refreshes).toHaveLength(1)
    await tab.evaluate('client.signOut()')
    expect(asked.at(-1)).toBe('POST /api/v1/oauth/revoke')
    expect(await tab.evaluate('client.state.reason')).toBe('signed-out')
  })

  it('the answer to another browser signs nobody in', async () => {
    const { clock, origin } = await start()
    const mallory = await openTab(origin)
    await mallory.goto(await mallory.evaluate<string>('app.start()'))
    await arrive(mallory, 'alice', { clock })
    const victim = await openTab(origin)
    await victim.goto(mallory.url())
    await ready(victim)
    const finish = 'app.finish(location.href).catch(({ code }) => code)'
    expect(await victim.evaluate(finish)).toBe('not-begun')
    expect(await victim.evaluate('client.state.status')).toBe('signed-out')
  })
})

/** Presses for a window of its own. */
async function openPopup(tab: Page): Promise<Page> {
  const [popup] = await Promise.all([tab.waitForEvent('popup'), tab.locator('h1').click()])
  return popup
}

/** Presses what is the last in a window, which then closes by itself. */
async function pressLast(popup: Page, name: string): Promise<void> {
  const button = popup.getByRole('button', { name })
  // It may be gone before the press is told of.
  await Promise.all([popup.waitForEvent('close'), button.click().catch(() => {})])
}

// Timers that begin after the window shows a page of another origin. That of the client is as long
// and older: by the end of the eleventh it has looked eleven times, and is sure of the window.
const seesPopup = `new Promise((resolve) => {
  const wait = (times) => (times === 0 ? resolve() : setTimeout(wait, 50, times - 1))
  const look = () => {
    try {
      void opened.location.href
      setTimeout(look)
    } catch {
      wait(11)
    }
  }
  look()
})`

/** As the button of the window does it. */
const closeByHand = (popup: Page) => popup.close({ runBeforeUnload: true })

async function closeByDebugger(popup: Page): Promise<void> {
  const session = await popup.context().newCDPSession(popup)
  // The window may be gone before it answers.
  await Promise.all([popup.waitForEvent('close'), session.send('Page.close').catch(() => {})])
}

const cutOff = { 'Cross-Origin-Opener-Policy': 'same-origin' }

describe.skipIf(chromiumPath === null)('in a window of its own', () => {
  it.each<[string, Headers]>([
    ['the page signs in, and stays', {}],
    ['also where the page is cut off from it', { ofPage: cutOff }],
    ['also where the server cuts it off', { ofServer: cutOff }],
  ])('%s', async (_name, headers) => {
    const { clock, asked, origin } = await start(headers)
    const tab = await openTab(origin)
    const popup = await openPopup(tab)
    await signIn(popup, 'alice')
    // Both are pressed by somebody who has read the page.
    clock.advance(1)
    await pressLast(popup, 'Allow')
    expect(await tab.evaluate('said')).toBe('alice')
    expect(asked.filter((one) => one === 'POST /api/v1/oauth/token')).toHaveLength(1)
    expect([tab.url(), await tab.evaluate('client.state.status')]).toEqual([
      `${origin}/`,
      'signed-in',
    ])
    expect(await tab.evaluate('sessionStorage.length')).toBe(0)
    // The server knows the browser by now.
    const again = await openPopup(tab)
    await again.getByRole('heading', { name: 'Continue?' }).waitFor()
    clock.advance(1)
    await pressLast(again, 'Continue')
    expect(await tab.evaluate('said')).toBe('alice')
  })

  it('is told of a window that was closed, and of one that was never opened', async () => {
    const { asked, origin } = await start()
    const tab = await openTab(origin)
    const popup = await openPopup(tab)
    await popup.getByRole('heading', { name: 'Sign in' }).waitFor()
    await tab.evaluate(seesPopup)
    await popup.close()
    expect(await tab.evaluate('said')).toBe('popup-closed')
    asked.length = 0
    await tab.evaluate('window.open = () => null')
    await tab.locator('h1').click()
    expect(await tab.evaluate('said')).toBe('popup-blocked')
    expect([asked, await tab.evaluate('client.state.status')]).toEqual([[], 'signed-out'])
  })

  it.each<[string, Headers, (popup: Page, tab: Page) => Promise<unknown>]>([
    ['by the user', {}, closeByHand],
    ['by the user, of a page that is cut off', { ofPage: cutOff }, closeByHand],
    ['by the user, of a server that cuts off', { ofServer: cutOff }, closeByHand],
    ['by the debugger', {}, closeByDebugger],
    ['by a script', {}, (_popup, tab) => tab.evaluate('opened.close()')],
  ])(
    'is told of a window that was closed while it was still empty: %s',
    async (_name, headers, close) => {
      const { origin, firstPage } = await start(headers)
      const tab = await openTab(origin)
      const isAsked = firstPage.shut()
      onTestFinished(() => firstPage.open())
      const popup = await openPopup(tab)
      await isAsked
      await close(popup, tab)
      expect(await tab.evaluate('said')).toBe('popup-closed')
    },
  )

  it('is told that the user would not', async () => {
    const { origin } = await start()
    const tab = await openTab(origin)
    const popup = await openPopup(tab)
    await pressLast(popup, 'Cancel')
    expect(await tab.evaluate('said')).toBe('access_denied')
  })

  it('an answer that no page waits for stays where it is, and signs nobody in', async () => {
    const { clock, origin } = await start()
    const mallory = await openTab(origin)
    const popup = await openPopup(mallory)
    await popup.getByRole('heading', { name: 'Sign in' }).waitFor()
    await mallory.close()
    expect((await arrive(popup, 'alice', { clock })).at(-1)).toBe('Landed')
    const victim = await openTab(origin)
    await victim.goto(popup.url())
    await ready(victim)
    expect(await victim.evaluate('isHandedOver')).toBe(true)
    expect(await victim.evaluate('client.state.status')).toBe('signed-out')
    const finish = 'app.finish(location.href).catch(({ code }) => code)'
    expect(await victim.evaluate(finish)).toBe('not-begun')
  })
})
