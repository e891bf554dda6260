// A tab of Chromium that may break no policy, and may not be led in circles.
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { landed } from './person.js'

/** Redirects that one click may bring. */
const maxRedirects = 3

/** What went wrong in tabs, for the end of the test. */
type Offences = string[]

/**
 * Opens the profile of a browser, until the test is over. Sites of clients are not there: each of
 * their pages is answered in the browser, in place of a server with TLS.
 */
async function openProfile(
  browser: Browser,
  given: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en', ...given })
  const offences: Offences = []
  context.setDefaultTimeout(120_000)
  await context.route(/^https:\/\/(?:wiki|tracker)\.example\.(?:com|net)\//, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<title>client</title><h1>${landed}</h1>` }),
  )
  if (given.javaScriptEnabled !== false) await context.addInitScript(reportViolations)
  context.on('page', (page) => void watch(page, offences))
  onTestFinished(async () => {
    await context.close()
    expect(offences).toEqual([])
  })
  return context
}

/** Opens a tab in a profile of its own. */
export async function openTab(browser: Browser, given: BrowserContextOptions = {}): Promise<Page> {
  return (await openProfile(browser, given)).newPage()
}

// It comes into every page past its policy, and finds out what that stopped.
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('violation of ' + event.effectiveDirective + ' by ' + event.blockedURI)
})`

function watch(page: Page, offences: Offences): void {
  page.on('pageerror', (error) => offences.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // A page that says no is told of here as well, and an app that needs somebody to press a link.
    const isExpected = /^Failed to load resource|user gesture is required/.test(text)
    if (message.type() === 'error' && !isExpected) offences.push(`${text}: ${page.url()}`)
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.includes('/assets/') && !response.ok()) offences.push(`no ${pathname}`)
  })
  page.on('request', (request) => {
    if (redirectsBefore(request) > maxRedirects) offences.push(`in circles to ${request.url()}`)
  })
}

function redirectsBefore(request: Request): number {
  const before = request.redirectedFrom()
  return before === null ? 0 : 1 + redirectsBefore(before)
}
