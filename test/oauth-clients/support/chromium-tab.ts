// Alice in Chromium, where the client is a page.
import { readFileSync } from 'node:fs'
import type { Page as Tab } from 'playwright-core'
import { listen } from './listen.js'
import type { Answer, Provider } from './provider.js'

const library = readFileSync(
  new URL('../node_modules/oidc-client-ts/dist/browser/oidc-client-ts.js', import.meta.url),
  'utf8',
)

/**
 * Serves a page with oidc-client-ts in it, at every path, until the end of the test. `localhost` is
 * another site than the provider's 127.0.0.1, so that a browser keeps their cookies apart.
 */
export async function servePage(): Promise<string> {
  const origin = await listen((req, res) => {
    const isLibrary = req.url === '/oidc-client-ts.js'
    const html = '<!doctype html><title>page</title><script src="/oidc-client-ts.js"></script>'
    res.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html')
    res.end(isLibrary ? library : html)
  })
  return origin.replace('127.0.0.1', 'localhost')
}

/** Answers the provider's pages until the tab is elsewhere, or closed. */
export async function answerPages(tab: Tab, { issuer, answer }: Provider): Promise<void> {
  const { origin } = new URL(issuer)
  const isThere = () => !tab.isClosed() && new URL(tab.url()).origin === origin
  await tab.waitForURL(`${origin}/**`)
  while (isThere()) {
    await tab.evaluate(() => document.documentElement.setAttribute('data-answered', ''))
    if ((await tab.locator('meta[http-equiv="refresh" i]').count()) === 0) {
      const page = { url: new URL(tab.url()), html: await tab.content() }
      await act(tab, answer(page, true))
    }
    await nextDocument(tab)
  }
  if (!tab.isClosed()) await tab.waitForLoadState()
}

async function act(tab: Tab, reply: Answer): Promise<void> {
  if ('follow' in reply) {
    await tab.goto(new URL(reply.follow, tab.url()).href)
    return
  }
  const form = tab.locator('form').first()
  for (const [name, value] of Object.entries(reply.fields)) {
    await form.locator(`[name="${name}"]`).fill(value)
  }
  await form
    .locator(reply.press ?? 'button')
    .first()
    .click()
}

/** Waits for what comes after a document that is answered; a popup may close instead. */
async function nextDocument(tab: Tab): Promise<void> {
  const isFresh = () =>
    !document.documentElement.hasAttribute('data-answered') && document.readyState !== 'loading'
  try {
    await tab.waitForFunction(isFresh)
  } catch (error) {
    if (!tab.isClosed()) throw error
  }
}
