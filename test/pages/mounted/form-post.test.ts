// response_mode=form_post: the browser posts the answer to the app. ASP.NET Core asks for it unless
// it is told otherwise.
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { addressOf } from './forms.js'
import { desktop, listen, phone, portOf, queryOf, startMounted, wiki } from './mounted-host.js'
import { arrive, landed } from './person.js'
import { openTab } from './tab.js'
import { formOf, openVisitor, wayTo } from './visitor.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

const posted = { response_mode: 'form_post' }
const code = expect.stringMatching(/^mar_oc_[\w-]{43}$/)

/** An app that notes what is posted to it. */
async function startApp() {
  const answers: Record<string, string>[] = []
  const server = await listen(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    if (request.method === 'POST') answers.push(Object.fromEntries(form))
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><title>app</title><h1>${landed}</h1>`)
  })
  return { redirect_uri: `http://127.0.0.1:${portOf(server)}/callback`, answers }
}

describe.runIf(chromiumPath !== null)('An answer by a form', () => {
  it('arrives by itself after a sign-in', async () => {
    const host = await startMounted()
    const { redirect_uri, answers } = await startApp()
    const tab = await openTab(browser)
    const query = queryOf(desktop, { ...posted, redirect_uri })
    await tab.goto(`${host.base}/oauth/authorize?${query}`)
    expect((await arrive(tab, 'alice', host)).at(-1)).toBe(landed)
    const answer = { code, state: 'af0ifjsldkj', iss: host.origin }
    expect([tab.url(), answers]).toEqual([redirect_uri, [answer]])
  })

  it('is one press away without scripts', async () => {
    const host = await startMounted()
    const { redirect_uri, answers } = await startApp()
    const tab = await openTab(browser, { javaScriptEnabled: false })
    const query = queryOf(desktop, { ...posted, redirect_uri, prompt: 'none' })
    await tab.goto(`${host.base}/oauth/authorize?${query}`)
    await tab.getByRole('button', { name: /^Continue to / }).click()
    await tab.getByRole('heading', { name: landed }).waitFor()
    expect(answers).toMatchObject([
      { error: 'login_required', state: 'af0ifjsldkj', iss: host.origin },
    ])
  })
})

describe('The page that posts an answer', () => {
  const hostile = `"><script>alert(1)</script>'`

  it('goes to the app alone, shows nothing that runs, and is kept nowhere', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const query = queryOf(wiki, { ...posted, prompt: 'none', state: hostile })
    const page = await visitor.open(addressOf(host, 'authorize', query))
    expect(formOf(page)).toEqual({
      action: 'https://wiki.example.com/callback',
      fields: {
        error: 'login_required',
        error_description: expect.any(String),
        state: hostile,
        iss: host.origin,
      },
    })
    expect(page.text).not.toContain('<script>')
    const policy = page.headers['content-security-policy']
    expect(policy).toMatch(/form-action https:\/\/wiki\.example\.com https:;/)
    expect(policy).toMatch(/script-src \S+\/oauth\/assets\/post-over-[\w-]{16}\.js;/)
    expect(page.headers['cache-control']).toBe('no-store')
    const script = /<script src="([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect((await visitor.open(script)).status).toBe(200)
  })

  it('is none for the scheme of an app, nor for another mode: the app is told by the query', async () => {
    const host = await startMounted()
    for (const [client, response_mode] of [
      [phone, 'form_post'],
      [wiki, 'fragment'],
      [wiki, 'FORM_POST'],
      [wiki, 'form_post form_post'],
    ] as const) {
      const query = queryOf(client, { response_mode })
      const page = await openVisitor(host).open(addressOf(host, 'authorize', query))
      expect(wayTo(page)?.searchParams.get('error')).toBe('invalid_request')
    }
  })

  it('is not for a redirect URI of others', async () => {
    const host = await startMounted()
    const query = queryOf(wiki, { ...posted, redirect_uri: 'https://evil.example/callback' })
    const page = await openVisitor(host).open(addressOf(host, 'authorize', query))
    expect([page.status, page.text.includes('<form')]).toEqual([400, false])
  })
})
