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
    const page = await unlessReplaced(tab, () => tab.evaluate(takePage))
    if (page !== undefined && !page.movesOn) {
      await act(tab, answer({ url: new URL(page.url), html: page.html }, true))
    }
    await unlessReplaced(tab, () => nextDocument(tab))
  }
  await unlessReplaced(tab, () => tab.waitForLoadState())
}

/** Reads the document and marks it as answered, at once: it may move on by itself at any time. */
function takePage() {
  document.documentElement.setAttribute('data-answered', '')
  return {
    url: location.href,
    html: document.documentElement.outerHTML,
    movesOn: document.querySelector('meta[http-equiv="refresh" i]') !== null,
  }
}

/** Nothing where the document went away meanwhile: a page moves on by itself, a popup closes. */
async function unlessReplaced<T>(tab: Tab, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (tab.isClosed() || /navigation|has been closed/.test(String(error))) return undefined
    throw error
  }
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
    .locator(reply.press ?? 'button[type=submit], button:not([type])')
    .first()
    .click()
}

/** Waits for what comes after a document that is answered. */
async function nextDocument(tab: Tab): Promise<void> {
  await tab.waitForFunction(
    () =>
      !document.documentElement.hasAttribute('data-answered') && document.readyState !== 'loading',
  )
}
