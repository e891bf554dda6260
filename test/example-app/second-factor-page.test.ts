// The example's page in a real browser: a second factor from its first QR code to its end.
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext } from 'playwright-core'
import { encode } from 'uqr'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { totpCode } from '../../src/testing/totp-code.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { type ExamplePage, openProfile, openTab } from '../support/example-page.js'

const numbered = (n: number) => ({ username: `user${n}`, password: `passphrase of user ${n}` })
/**
 * A moment whose code has not been used by whoever has just used the code of now: the next step's,
 * which the server takes as well.
 */
const nextStep = () => new Date(Date.now() + 30_000)

let app: Example
let browser: Browser
let context: BrowserContext
let tab: ExamplePage

const dialog = () => tab.page.locator('#two-factor')
const codes = () => tab.page.locator('#recovery-codes li')

/** Proves the password, and a code where one is asked for. */
async function prove(button: string, { password }: typeof alice, code?: string) {
  await dialog().getByLabel('Password').fill(password)
  if (code !== undefined) await dialog().getByLabel('Code', { exact: true }).fill(code)
  await dialog().getByRole('button', { name: button }).click()
}

/**
 * Reads what an authenticator app would: the URI of the link, and the modules of the picture as
 * they are drawn.
 */
async function scan() {
  await tab.page.locator('#qr path').waitFor()
  const uri =
    (await tab.page
      .getByRole('link', { name: 'Open in an app on this device' })
      .getAttribute('href')) ?? ''
  const drawn = (await tab.page.locator('#qr path').getAttribute('d')) ?? ''
  const box = await tab.page.locator('#qr').getAttribute('viewBox')
  const typed = (await tab.text('#secret')).replaceAll(' ', '')
  return {
    uri: new URL(uri),
    drawn,
    box,
    typed,
    secret: new URL(uri).searchParams.get('secret') ?? '',
  }
}

/** From the password to the recovery codes. Answers the secret. */
async function enrol(user: typeof alice): Promise<string> {
  await prove('Continue', user)
  const { secret } = await scan()
  await tab.page.getByLabel('First code').fill(totpCode(secret, new Date()))
  await tab.press('Switch on')
  await codes().nth(9).waitFor()
  return secret
}

/**
 * The picture that stands for a text, by the library and not by the page: black modules, and four
 * blank ones around them.
 */
function picture(content: string) {
  const { data, size } = encode(content, { ecc: 'M', border: 4 })
  const modules = data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return { drawn: modules.join(''), box: `0 0 ${size} ${size}` }
}

/** Whatever closes a dialog, five times each: a browser lets a page refuse it only so often. */
async function tryToClose() {
  for (let n = 0; n < 5; n += 1) await tab.page.keyboard.press('Escape')
  // What Android's Back does, and any close request that no key comes before.
  for (let n = 0; n < 5; n += 1)
    await tab.page.evaluate("document.getElementById('two-factor').requestClose()")
  await tab.page.mouse.click(2, 2)
}

describe.skipIf(chromiumPath === null)('the page', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    buildExample()
    const required = { SEED_USERS: '3', SECOND_FACTOR_REQUIRED: 'user1,user3' }
    app = await startExample({ ...environmentIn(temporaryFolder()), ...required })
    browser = await launchChromium()
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  beforeEach(async () => {
    context = await openProfile(browser, app.url)
    tab = await openTab(context, app.url)
  }, 120_000)

  test('leads a second factor through its life', async () => {
    const { page, signIn, press, choose, sees, look, text } = tab
    await look('sign-in')
    await signIn(alice)
    await choose('Two-factor')
    await sees('Off: whoever knows your password')
    await look('off')

    await press('Set up')
    await sees('you are signed out everywhere but here')
    await dialog().getByLabel('Password').fill('not her passphrase')
    await press('Continue')
    await sees('The password is wrong.')
    await look('password')
    await prove('Continue', alice)
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
    await codes().nth(9).waitFor()
    const first = await codes().allInnerTexts()
    expect(new Set(first).size).toBe(10)
    await look('recovery')
    await press('Copy')
    await sees('Copied.')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${first.join('\n')}\n`)
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download')])
    expect(readFileSync(await download.path(), 'utf8')).toBe(`${first.join('\n')}\n`)
    expect(download.suggestedFilename()).toBe('recovery-codes.txt')
    await press('I have kept them')
    await sees('10 recovery codes left')
    await look('on')
    expect(await codes().count()).toBe(0)
    expect(await text('#secret').catch(() => '')).toBe('')
    await press('Close')
    await choose('Log out')

    expect(await page.getByLabel('Second-factor code').isVisible()).toBe(false)
    await signIn(alice)
    await sees('Type the six digits in your authenticator app or a recovery code.')
    await look('code')
    const used = totpCode(secret, nextStep())
    await page.getByLabel('Second-factor code').fill(used)
    await press('Sign in')
    await sees('Signed in as')
    await look('chat')
    await choose('Log out')

    await signIn(alice)
    await page.getByLabel('Second-factor code').fill(used)
    await press('Sign in')
    await sees('The second-factor code is not valid.')
    await press('Type a recovery code')
    await page.getByLabel('Second-factor code').fill(first[0]?.toLowerCase() ?? '')
    await press('Sign in')
    await choose('Two-factor')
    await sees('9 recovery codes left')

    await press('New recovery codes')
    await look('new-codes')
    await prove('Make new codes', alice, first[1])
    await codes().nth(9).waitFor()
    const [newer] = await codes().allInnerTexts()
    await press('I have kept them')
    await press('Switch off')
    await look('switch-off')
    await prove('Switch off', alice, first[2])
    await sees('The code is not valid.')
    await prove('Switch off', alice, newer)
    await sees('Two-factor sign-in is off.')
    await press('Close')
    await choose('Log out')
    await signIn(alice)
    await sees('Signed in as')
  })

  test('keeps recovery codes on the screen until they are kept, whatever closes dialogs', async () => {
    await tab.signIn(numbered(2))
    await tab.choose('Two-factor')
    await tab.press('Set up')
    await enrol(numbered(2))
    const shown = await codes().allInnerTexts()
    await tryToClose()
    await tab.sees('Keep the codes first.')
    expect(await codes().allInnerTexts()).toEqual(shown)

    // Somebody signs the user out elsewhere: the codes are good for the next sign-in.
    const elsewhere = await openTab(context, app.url)
    await elsewhere.choose('Log out')
    await elsewhere.sees('You have logged out.')
    await tab.page.locator('#sign-in').waitFor({ state: 'attached' })
    expect(await codes().allInnerTexts()).toEqual(shown)

    // Leaving the page asks first.
    const asked = tab.page.waitForEvent('dialog')
    void tab.page.reload().catch(() => {})
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    expect(await codes().allInnerTexts()).toEqual(shown)
    await tab.press('I have kept them')
    await tab.sees('You logged out in another tab.')
  })

  test('lets whoever must have one set it up or log out, and nothing else', async () => {
    const { page, signIn, press, sees, look } = tab
    await signIn(numbered(1))
    await sees('Your account needs two-factor sign-in.')
    await look('demanded')
    expect(await page.locator('#chat').isVisible()).toBe(false)
    await page.reload()
    await sees('Your account needs two-factor sign-in.')
    expect(await page.locator('#chat').isVisible()).toBe(false)
    const loggedOut = page.waitForResponse((response) => response.url().endsWith('/logout'))
    await dialog().getByRole('button', { name: 'Log out' }).click()
    expect((await loggedOut).status()).toBe(200)
    await sees('You have logged out.')

    await signIn(numbered(1))
    await enrol(numbered(1))
    await press('I have kept them')
    await sees('Signed in as')
    expect(await dialog().isVisible()).toBe(false)
    await page.reload()
    await sees('Signed in as')
  })

  test('does not log out whoever must have one by Escape, and says what to do', async () => {
    const requests: string[] = []
    tab.page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await tab.signIn(numbered(3))
    await tab.sees('Your account needs two-factor sign-in.')
    await prove('Continue', numbered(3))
    const { secret } = await scan()
    await tryToClose()
    await tab.sees('Set it up to go on, or log out.')
    expect((await scan()).secret).toBe(secret)
    expect(requests).not.toContain('/api/v1/logout')
    await tab.page.getByLabel('First code').fill(totpCode(secret, new Date()))
    await tab.press('Switch on')
    await codes().nth(9).waitFor()
    await tryToClose()
    await codes().nth(9).waitFor()
  })
})
