// The last step, in a browser: by a page that leads on after a form, by a redirect without one; to
// a site, to a port of the device, to the scheme of an app, and back to the page behind a popup.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { desktop, listen, type MountedHost, portOf, queryOf, startMounted } from './mounted-host.js'
import { arrive, landed, settled } from './person.js'
import { authorizeAt } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** An app on the device, or a page of somebody’s: it answers every path with this. */
async function startApp(html: string): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = []
  const server = await listen((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><title>app</title>${html}`)
  })
  return { origin: `http://127.0.0.1:${portOf(server)}`, asked }
}

function answerIn(url: string) {
  const { searchParams, origin, pathname } = new URL(url)
  return { at: `${origin}${pathname}`, ...Object.fromEntries(searchParams) }
}

/** Addresses that a tab was sent to, and by what, whether it could go there or not. */
async function watchNavigations(tab: Page): Promise<string[]> {
  const sentTo: string[] = []
  const session = await tab.context().newCDPSession(tab)
  await session.send('Page.enable')
  session.on('Page.frameRequestedNavigation', ({ reason, url }) => sentTo.push(`${reason} ${url}`))
  return sentTo
}

const code = expect.stringMatching(/^mar_oc_[\w-]{43}$/)

describe.runIf(chromiumPath !== null).each([true, false])('With scripts: %s', (scripts) => {
  const open = () => openTab(browser, { javaScriptEnabled: scripts })

  it('a site is answered after a form by a page, and without one by a redirect', async () => {
    const host = await startMounted()
    const tab = await open()
    const statuses: string[] = []
    tab.on('response', (response) => {
      if (response.request().isNavigationRequest())
        statuses.push(`${response.status()} ${new URL(response.url()).pathname.split('/').at(-1)}`)
    })
    await tab.goto(authorizeAt(host, 'wiki'))
    expect(await arrive(tab, 'alice', host)).toEqual(['Sign in', landed])
    const at = 'https://wiki.example.com/callback'
    const answer = { at, code, state: 'af0ifjsldkj', iss: host.origin }
    expect(answerIn(tab.url())).toEqual(answer)
    expect(statuses.splice(0)).toEqual([
      '303 authorize',
      '200 sign-in',
      '303 sign-in',
      '200 authorize',
      '200 callback',
    ])
    // Nothing stands in for a site that a redirect leads to: the browser looks for the real one.
    const asked = tab.waitForRequest('https://wiki.example.com/**')
    await expect(tab.goto(authorizeAt(host, 'wiki'))).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
    expect([statuses, answerIn((await asked).url())]).toEqual([['303 authorize'], answer])
  })

  it('a site is told that the user has cancelled', async () => {
    const host = await startMounted()
    const tab = await open()
    await tab.goto(authorizeAt(host, 'tracker'))
    await tab.getByRole('button', { name: 'Cancel' }).click()
    await tab.waitForURL('https://tracker.example.net/**')
    expect(answerIn(tab.url())).toMatchObject({ error: 'access_denied', iss: host.origin })
  })

  it('an app is answered at its port, with no referrer', async () => {
    const host = await startMounted()
    const { origin, asked } = await startApp(`<h1>${landed}</h1>`)
    const tab = await open()
    const referrers: unknown[] = []
    tab.on('request', (request) => {
      if (request.url().startsWith(origin)) referrers.push(request.headers()['referer'])
    })
    const query = queryOf(desktop, { redirect_uri: `${origin}/callback` })
    await tab.goto(`${host.base}/oauth/authorize?${query}`)
    expect(await arrive(tab, 'bob', host)).toEqual(['Sign in', 'Confirm that it is you', landed])
    expect(answerIn(tab.url())).toMatchObject({ at: `${origin}/callback`, code })
    // Signed in already: she is asked, since no one can tell which app listens there.
    await tab.goto(`${host.base}/oauth/authorize?${query}`)
    expect(await arrive(tab, 'bob', host)).toEqual(['Continue?', landed])
    expect(asked.filter((url) => url.startsWith('/callback?'))).toHaveLength(2)
    expect(referrers.filter((one) => one !== undefined && !String(one).startsWith(origin))).toEqual(
      [],
    )
  })

  it('an app is sent to by its scheme, and the page stays with a link to the same', async () => {
    const host = await startMounted()
    const tab = await open()
    await tab.goto(authorizeAt(host, 'phone'))
    const sent = await signInWithoutEnd(tab)
    const given = new URLSearchParams(sent.split('?')[1])
    expect(Object.fromEntries(given)).toEqual({ code, state: 'af0ifjsldkj', iss: host.origin })
    expect(await tab.locator('h1').innerText()).toBe('One moment')
    expect(await tab.innerText('main')).toContain('You can close this window.')
    // Chromium does not always tell of a press that leads to a scheme, so the link is read.
    const link = tab.getByRole('link', { name: 'Continue to Chat' })
    expect(await link.getAttribute('href')).toBe(sent)
  })

  it('the hand-over page can be loaded again, and answers with a code that is new', async () => {
    const host = await startMounted()
    const tab = await open()
    await tab.goto(authorizeAt(host, 'phone'))
    await signInWithoutEnd(tab)
    const first = await tab.getByRole('link', { name: 'Continue to Chat' }).getAttribute('href')
    await tab.reload({ waitUntil: 'commit' })
    const link = tab.getByRole('link', { name: 'Continue to Chat' })
    await expect.poll(() => link.getAttribute('href')).not.toBe(first)
    expect(await link.getAttribute('href')).toMatch(/^com\.example\.chat:\/callback\?code=mar_oc_/)
  })
})

/**
 * Signs alice in where a page at the end leads nowhere that the browser can go. Answers where the
 * page has sent it, by then: a reload that comes before would be given up for it.
 */
async function signInWithoutEnd(tab: Page): Promise<string> {
  const sentTo = await watchNavigations(tab)
  await tab.getByLabel('E-mail or user name').fill('alice')
  await tab.getByLabel('Password').fill(password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('heading', { name: 'One moment' }).waitFor()
  const way = 'metaTagRefresh com.example.chat:/callback?'
  await expect.poll(() => sentTo.some((one) => one.startsWith(way))).toBe(true)
  return sentTo.find((one) => one.startsWith(way))?.replace('metaTagRefresh ', '') ?? ''
}

describe.runIf(chromiumPath !== null)('A popup', () => {
  it('comes back to the page that has opened it, which hears the answer', async () => {
    const host: MountedHost = await startMounted()
    const back = "if (opener) { opener.postMessage(location.href, '*'); close() }"
    const page = `<h1>${landed}</h1><button>go</button><script>${back}</script>`
    const { origin } = await startApp(page)
    const tab = await openTab(browser)
    await tab.goto(origin)
    const query = queryOf(desktop, { redirect_uri: `${origin}/callback` })
    const url = JSON.stringify(`${host.base}/oauth/authorize?${query}`)
    await tab.evaluate(`
      window.heard = new Promise((resolve) => {
        addEventListener('message', ({ data }) => resolve(data))
      })
      document.querySelector('button').onclick = () => window.open(${url}, 'popup', 'popup')
    `)
    const [popup] = await Promise.all([tab.waitForEvent('popup'), tab.click('button')])
    await settled(popup)
    await popup.getByLabel('E-mail or user name').fill('alice')
    await popup.getByLabel('Password').fill(password)
    const closed = popup.waitForEvent('close')
    await popup.getByRole('button', { name: 'Sign in' }).click()
    await closed
    expect(answerIn(String(await tab.evaluate('window.heard')))).toMatchObject({ code })
  })
})
