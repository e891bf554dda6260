// The example's page in a real browser: a second factor from its first QR code to its end. SCREENSHOTS=<folder> keeps pictures of every
// step, 1280 and 360 pixels wide.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { encode } from 'uqr'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { totpCode } from '../../src/testing/totp-code.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { alice, buildExample, type Example, environmentIn, startExample, temporaryFolder } from '../support/example.js'

const user1 = { username: 'user1', password: 'passphrase of user 1' }
const screenshots = process.env['SCREENSHOTS']
/** A moment whose code has not been used by whoever has just used the code of now: the next step's, which the server takes as well. */
const nextStep = () => new Date(Date.now() + 30_000)

let app: Example
let browser: Browser
let context: BrowserContext
let page: Page
/** What no page may do: script errors, violations of its policy, requests to elsewhere. */
let offences: string[]

async function openPage() {
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  page = await context.newPage()
  page.setDefaultTimeout(10_000)
  offences = []
  page.on('pageerror', (error) => offences.push(`threw: ${error.message}`))
  page.on('console', (message) => {
    // The browser reports refused requests by itself, and the server is meant to refuse some.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) offences.push(message.text())
  })
  const fromHere = (url: string) => new URL(url).host === new URL(app.url).host || url.startsWith(`blob:${app.url}/`)
  page.on('request', (request) => fromHere(request.url()) || offences.push(`asked ${request.url()}`))
  page.on('websocket', (socket) => fromHere(socket.url()) || offences.push(`opened ${socket.url()}`))
  await page.goto(app.url)
}

/** Nothing sticks out of the page, however narrow it is. */
async function look(name: string) {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow, `${name} at ${width} px`).toBeLessThanOrEqual(0)
    const wide = await page.evaluate(
      "[...document.querySelectorAll('dialog[open]')].some((dialog) => dialog.scrollWidth > dialog.clientWidth)",
    )
    expect(wide, `the dialog of ${name} at ${width} px`).toBe(false)
    if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}-${width}.png`) })
  }
}

async function signIn({ username, password }: typeof alice) {
  const form = page.locator('#sign-in-form')
  await form.getByLabel('Name or e-mail').fill(username)
  await form.getByLabel('Password').fill(password)
  await press('Sign in')
}

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const sees = (text: string) => page.getByText(text).first().waitFor()
const text = (selector: string) => page.locator(selector).innerText()
const dialog = () => page.getByRole('dialog', { name: 'Two-factor' })

/** Proves the password, and a code where one is asked for. */
async function prove(button: string, code?: string) {
  await dialog().getByLabel('Password').fill(alice.password)
  if (code !== undefined) await dialog().getByLabel('Code', { exact: true }).fill(code)
  await dialog().getByRole('button', { name: button }).click()
}

/** Reads what an authenticator app would: the URI of the link, and the modules of the picture as they are drawn. */
async function scan() {
  await page.locator('#qr path').waitFor()
  const uri = (await page.getByRole('link', { name: 'Open in an app on this device' }).getAttribute('href')) ?? ''
  const drawn = (await page.locator('#qr path').getAttribute('d')) ?? ''
  const box = await page.locator('#qr').getAttribute('viewBox')
  const typed = (await text('#secret')).replaceAll(' ', '')
  return { uri: new URL(uri), drawn, box, typed, secret: new URL(uri).searchParams.get('secret') ?? '' }
}

/** The picture that stands for a text, by the library and not by the page: black modules, and four blank ones around them. */
function picture(content: string) {
  const { data, size } = encode(content, { ecc: 'M', border: 4 })
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { drawn: modules.join(''), box: `0 0 ${size} ${size}` }
}

describe.skipIf(chromiumPath === null)('the page', () => {
  beforeAll(async () => {
    buildExample()
    const required = { SEED_USERS: '1', SECOND_FACTOR_REQUIRED: 'user1' }
    app = await startExample({ ...environmentIn(temporaryFolder()), ...required })
    browser = await launchChromium()
  }, 120_000)

  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  beforeEach(openPage, 30_000)

  afterEach(async () => {
    expect(offences).toEqual([])
    await context.close()
  })

  test('leads a second factor through its life', { timeout: 120_000 }, async () => {
    await look('sign-in')
    await signIn(alice)
    await press('Two-factor')
    await sees('Off: whoever knows your password')
    await look('off')

    await press('Set up')
    await dialog().getByLabel('Password').fill('not her passphrase')
    await press('Continue')
    await sees('The password is wrong.')
    await look('password')
    await prove('Continue')
    const { uri, drawn, box, typed, secret } = await scan()
    expect(uri.href).toMatch(/^otpauth:\/\/totp\/Chat:alice\?/)
    expect(typed).toBe(secret)
    expect({ drawn, box }).toEqual(picture(uri.href))
    await look('scan')

    await page.getByLabel('First code').fill(totpCode(secret, new Date(0)))
    await press('Switch on')
    await sees('The code is not valid.')
    await look('wrong-code')
    await page.getByLabel('First code').fill(totpCode(secret, new Date()))
    await press('Switch on')
    await page.locator('#recovery-codes li').nth(9).waitFor()
    const codes = await page.locator('#recovery-codes li').allInnerTexts()
    expect(new Set(codes).size).toBe(10)
    await look('recovery')
    await press('Copy')
    await sees('Copied.')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${codes.join('\n')}\n`)
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download')])
    expect(readFileSync(await download.path(), 'utf8')).toBe(`${codes.join('\n')}\n`)
    expect(download.suggestedFilename()).toBe('recovery-codes.txt')
    await page.keyboard.press('Escape')
    expect(await page.locator('#recovery').isVisible()).toBe(true)
    await press('I have kept them')
    await sees('10 recovery codes left')
    await look('on')
    expect(await page.locator('#recovery-codes li').count()).toBe(0)
    expect(await text('#secret').catch(() => '')).toBe('')
    await press('Close')
    await press('Log out')

    expect(await page.getByLabel('Second-factor code').isVisible()).toBe(false)
    await signIn(alice)
    await sees('Type the six digits in your authenticator app or a recovery code.')
    await look('code')
    const used = totpCode(secret, nextStep())
    await page.getByLabel('Second-factor code').fill(used)
    await press('Sign in')
    await sees('Signed in as')
    await look('chat')
    await press('Log out')

    await signIn(alice)
    await page.getByLabel('Second-factor code').fill(used)
    await press('Sign in')
    await sees('The second-factor code is not valid.')
    await page.getByLabel('Second-factor code').fill(codes[0]?.toLowerCase() ?? '')
    await press('Sign in')
    await press('Two-factor')
    await sees('9 recovery codes left')

    await press('New recovery codes')
    await look('new-codes')
    await prove('Make new codes', codes[1])
    await page.locator('#recovery-codes li').nth(9).waitFor()
    const [newer] = await page.locator('#recovery-codes li').allInnerTexts()
    await press('I have kept them')
    await press('Switch off')
    await prove('Switch off', codes[2])
    await sees('The code is not valid.')
    await prove('Switch off', newer)
    await sees('Two-factor sign-in is off.')
    await press('Close')
    await press('Log out')
    await signIn(alice)
    await sees('Signed in as')
  })

  test('lets whoever must have one set it up or log out, and nothing else', { timeout: 60_000 }, async () => {
    await signIn(user1)
    await sees('Your account needs two-factor sign-in.')
    await look('demanded')
    expect(await page.locator('#chat').isVisible()).toBe(false)
    const loggedOut = page.waitForResponse((response) => response.url().endsWith('/logout'))
    await dialog().getByRole('button', { name: 'Log out' }).click()
    expect((await loggedOut).status()).toBe(200)

    await signIn(user1)
    await dialog().getByLabel('Password').fill(user1.password)
    await press('Continue')
    await page.getByLabel('First code').fill(totpCode((await scan()).secret, new Date()))
    await press('Switch on')
    await press('I have kept them')
    await sees('Signed in as')
    expect(await dialog().isVisible()).toBe(false)
  })
})
