// The browsers of this folder themselves, with a provider whose pages have what the control's lack.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { openBrowser } from './support/browser.js'
import { answerPages } from './support/chromium-tab.js'
import { listen } from './support/listen.js'
import type { Provider } from './support/provider.js'

/** Asks whether alice agrees, by two buttons, and hands over by a page that forwards. */
async function startProvider(target: string): Promise<Provider> {
  const server = createServer((req, res) => {
    res.setHeader('content-type', 'text/html')
    if (req.method === 'GET') {
      res.setHeader('set-cookie', 'session=s; Path=/; HttpOnly; SameSite=Lax')
      res.end(
        '<form method="post" action="/decide?a=1&amp;b=2">' +
          '<input type="hidden" name="csrf" value="&quot;c&quot;"><input name="note">' +
          '<button name="decision" value="no">No</button>' +
          '<button name="decision" value="yes">Yes</button></form>',
      )
      return
    }
    let body = ''
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      const seen = new URLSearchParams({
        at: req.url ?? '',
        cookie: req.headers.cookie ?? '',
        fetch: ['site', 'mode', 'dest'].map((what) => req.headers[`sec-fetch-${what}`]).join(' '),
        body,
      })
      const forward = `${target}?${seen}`.replaceAll('&', '&amp;')
      res.end(`<meta http-equiv="refresh" content="0; url='${forward}'">`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (_page, agrees) => ({
      fields: { note: 'from alice' },
      press: `[value=${agrees ? 'yes' : 'no'}]`,
    }),
    stop,
  }
}

const handedOver = (decision: string) => ({
  at: '/decide?a=1&b=2',
  cookie: 'session=s',
  fetch: 'same-origin navigate document',
  body: `csrf=%22c%22&note=from+alice&decision=${decision}`,
})

it.each([
  [true, 'yes'],
  [false, 'no'],
])('the browser that fetches presses a button and is forwarded (%s)', async (agrees, decision) => {
  const provider = await startProvider('https://client.example.com/callback')
  const { url, status } = await openBrowser(provider, { agrees }).open(provider.issuer)
  expect([url.origin, status]).toEqual(['https://client.example.com', undefined])
  expect(Object.fromEntries(url.searchParams)).toEqual(handedOver(decision))
})

it('the browser that fetches says where it is stuck', async () => {
  const provider = await startProvider('https://client.example.com/callback')
  const answer = () => ({ fields: { absent: 'x' } })
  const stuck = openBrowser({ ...provider, answer }).open(provider.issuer)
  await expect(stuck).rejects.toThrow('a form without absent')
  const inCircles = openBrowser({ ...provider, answer: () => ({ follow: '/' }) })
  await expect(inCircles.open(provider.issuer)).rejects.toThrow('leads on and on')
})

it.skipIf(chromiumPath === null)('Chromium does the same', async () => {
  const client = await listen((_req, res) => res.end('signed in'))
  const provider = await startProvider(`${client}/callback`)
  const chromium = await launchChromium()
  onTestFinished(() => chromium.close())
  const tab = await chromium.newPage()
  await tab.goto(provider.issuer)
  await answerPages(tab, provider)
  expect(Object.fromEntries(new URL(tab.url()).searchParams)).toEqual(handedOver('yes'))
})
