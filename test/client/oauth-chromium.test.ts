// A page of another site than the server's signs its user in, in a real browser.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey, joseSigner, type OAuthClient } from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { manualClock } from '../../src/testing/manual-clock.js'
import { arrive } from '../pages/mounted/person.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { startHost } from '../support/host.js'
import { startPageSite } from './page-site.js'

const scope = 'openid profile offline_access'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** A server at 127.0.0.1, and a page at localhost, which is another site to browsers. */
async function start() {
  const server = await startPageSite('', /^\/(?:api\/|\.well-known\/)/)
  const issuer = server.origin.replace('localhost', '127.0.0.1')
  const site = await startPageSite(
    `
    import { createAuthClient, localStorageStore } from '/client/client.js'
    import { oauth } from '/client/oauth/oauth.js'
    window.ahead = 0
    const clock = () => new Date(Date.now() + window.ahead)
    const storage = localStorageStore()
    window.client = createAuthClient({ baseUrl: '${issuer}/api/v1', storage, clock })
    const redirectUri = location.origin + '/callback'
    window.app = oauth(client, { clientId: 'page', redirectUri, scope: '${scope}' })`,
    /^$/,
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
    before: (app, auth) => app.use(auth.wellKnown),
  })
  server.serveWith(host)
  return { clock, asked: server.asked, origin: site.origin }
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
