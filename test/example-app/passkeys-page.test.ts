// The example's page in a real browser, with authenticators in it: passkeys from the first one to
// the last.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { atLocalhost, type ExamplePage, openProfile, openTab } from '../support/example-page.js'
import { type FreshDatabase, freshPostgres } from '../support/fresh-database.js'
import { postgresUrl } from '../support/services.js'
import { plugIn, type VirtualAuthenticator } from '../support/virtual-authenticator.js'

const numbered = (n: number) => ({ username: `user${n}`, password: `passphrase of user ${n}` })

let app: Example
let browser: Browser
let context: BrowserContext
let tab: ExamplePage
let device: VirtualAuthenticator

const codes = (of = tab) => of.page.locator('#recovery-codes li')
const listed = (of = tab) => of.page.locator('#passkey-list .device-name')

/** Adds a passkey on this device, and keeps the recovery codes that come with the first. */
async function add(of = tab, { isFirst = true } = {}) {
  await of.choose('Passkeys')
  await of.press('Add a passkey')
  if (!isFirst) {
    await of.sees('The passkey was added.')
    return of.press('Close')
  }
  await codes(of).nth(9).waitFor()
  await of.press('I have kept them')
}

/** Logs out and presses the button. Answers what the server says of the passkey. */
async function signInByPasskey(of = tab) {
  if (await of.page.locator('#chat').isVisible()) await of.choose('Log out')
  const [answer] = await Promise.all([
    of.page.waitForResponse((response) => response.url().endsWith('/auth/passkey/login')),
    of.press('Sign in with a passkey'),
  ])
  const body = await answer.json()
  if (answer.status() === 200) await of.sees('Signed in as')
  return { status: answer.status(), body }
}

/** The one passkey that is on the device. */
async function only(of = device) {
  const [passkey, ...others] = await of.passkeys()
  expect(others).toEqual([])
  if (passkey === undefined) throw new Error('there is no passkey on the device')
  return passkey
}

/** Sets the counter back, as that of a copy that was made before is. */
async function replaceByCopy() {
  const passkey = await only()
  await device.take(passkey.credentialId)
  await device.add({ ...passkey, signCount: 1 })
}

/** How pages ask for passkeys from now on: in the field of the name, or in a window. */
async function watchMediation(page: Page): Promise<string[]> {
  const mediations: string[] = []
  await page.exposeFunction('noteMediation', (mediation: string) => mediations.push(mediation))
  await page.addInitScript(`{
    const { credentials } = navigator
    const get = credentials.get.bind(credentials)
    credentials.get = (options) => {
      noteMediation(options.mediation ?? 'optional')
      return get(options)
    }
  }`)
  return mediations
}

const databases = [
  { name: 'SQLite', open: async () => null, isThere: true },
  { name: 'PostgreSQL', open: freshPostgres, isThere: postgresUrl !== null },
]

describe.each(databases)('the page over $name', ({ open, isThere }) => {
  describe.skipIf(chromiumPath === null || !isThere)('with passkeys', { timeout: 120_000 }, () => {
    let database: FreshDatabase | null = null

    beforeAll(async () => {
      buildExample()
      database = await open()
      app = await startExample({
        ...environmentIn(temporaryFolder()),
        ...(database === null ? {} : { DATABASE_URL: database.url }),
        SEED_USERS: '7',
        SECOND_FACTOR_REQUIRED: 'user1',
      })
      browser = await launchChromium()
    }, 300_000)

    afterAll(async () => {
      await browser?.close()
      await app?.stop('SIGKILL')
      await database?.drop()
    })

    beforeEach(async () => {
      context = await openProfile(browser, app.url)
      tab = await openTab(context, app.url)
      device = await plugIn(tab.page)
    }, 120_000)

    test('leads to localhost, for which there are passkeys, and not for an address', async () => {
      const elsewhere = await fetch(`${app.url}/?form`, { redirect: 'manual' })
      expect(elsewhere.headers.get('location')).toBe(`${atLocalhost(app.url)}/?form`)
      expect((await fetch(`${app.url}/chat.css`, { redirect: 'manual' })).status).toBe(200)
    })

    test('adds a passkey, names it, signs in by it, and removes it', async () => {
      const { page, signIn, press, choose, sees, look } = tab
      await look('sign-in')
      await signIn(alice)
      await choose('Passkeys')
      await sees('None yet.')
      await look('none')
      await press('Add a passkey')
      await codes().nth(9).waitFor()
      await look('codes')
      expect(new Set(await codes().allInnerTexts()).size).toBe(10)
      await press('I have kept them')
      expect(await codes().count()).toBe(0)

      await choose('Passkeys')
      await press('Rename')
      await page.getByLabel('Name', { exact: true }).fill('My laptop')
      await look('rename')
      await press('Save')
      await sees('It has another name now.')
      expect(await listed().allInnerTexts()).toEqual(['My laptop'])
      await look('list')
      await press('Add a passkey')
      await sees('This device has a passkey for this account already.')
      await press('Close')

      const { status, body } = await signInByPasskey()
      expect(status).toBe(200)
      expect(body.data.passkeys).toMatchObject({ rpId: 'localhost', credentialIds: [{}] })
      await sees('Signed in as alice')

      const removed = await only()
      await choose('Passkeys')
      await press('Remove')
      await sees('My laptop was removed.')
      await sees('None yet.')
      await press('Close')
      // The browser has been told to forget it. Another browser would not have been.
      await expect.poll(() => device.passkeys()).toEqual([])
      await device.add(removed)
      const after = await signInByPasskey()
      expect(after).toMatchObject({
        status: 401,
        body: { error: 'Unauthorized', details: { signal: 'unknown-credential' } },
      })
      await sees('This passkey was not accepted.')
      await look('refused')
      await signIn(alice)
      await sees('Signed in as alice')
    })

    test('signs in on the pages by what the browser offers in the field of the name', async () => {
      const { page, signIn, press, choose, sees } = tab
      await signIn(numbered(7))
      await add()
      await choose('Log out')
      await sees('Sign in to Chat')

      const mediations = await watchMediation(page)
      await page.goto(`${atLocalhost(app.url)}/`)
      const form = page.waitForRequest(
        (request) => request.method() === 'POST' && request.url().includes('/oauth/sign-in'),
      )
      // The last press. The virtual authenticator takes the offer by itself.
      await press('Sign in')
      const sent = Object.fromEntries(new URLSearchParams((await form).postData() ?? ''))
      expect(sent).toMatchObject({ username: '', password: '', passkey: expect.any(String) })
      await sees('Signed in as user7')
      expect(mediations).toEqual(['conditional'])
    })

    test('signs in on two devices, each by its own passkey, until one is removed', async () => {
      await tab.signIn(numbered(2))
      await add()
      const phone = await openTab(await openProfile(browser, app.url), app.url)
      const inPhone = await plugIn(phone.page, { synced: false })
      await phone.signIn(numbered(2))
      await add(phone, { isFirst: false })
      const [here, there] = [await only(), await only(inPhone)]
      expect(here.credentialId).not.toBe(there.credentialId)
      expect(here['userHandle']).toBe(there['userHandle'])
      expect((await signInByPasskey(phone)).status).toBe(200)
      await phone.sees('Signed in as user2')
      expect((await signInByPasskey()).status).toBe(200)

      await tab.choose('Passkeys')
      await tab.sees('on all your devices')
      await tab.page.locator('#passkey-list .passkey').last().getByText('on one device').waitFor()
      await tab.page.getByRole('button', { name: 'Remove' }).last().click()
      await tab.sees('was removed.')
      await tab.press('Close')
      await phone.sees('You were signed out')
      expect((await signInByPasskey(phone)).status).toBe(401)
      expect((await signInByPasskey()).status).toBe(200)
    })

    test('asks who must have a second factor for the passkey after the password', async () => {
      const { page, signIn, press, choose, sees, look } = tab
      await signIn(numbered(1))
      await sees('Your account needs two-factor sign-in.')
      await look('demanded')
      await press('Use a passkey instead')
      await codes().nth(9).waitFor()
      const [code] = await codes().allInnerTexts()
      await press('I have kept them')
      await sees('Signed in as user1')
      await choose('Log out')

      await signIn(numbered(1))
      await page.getByLabel('Second-factor code').waitFor()
      await look('asked')
      await press('Use a passkey')
      await sees('Signed in as user1')
      await choose('Log out')

      await signIn(numbered(1))
      await page.getByLabel('Second-factor code').fill(code ?? '')
      await press('Sign in')
      await sees('Signed in as user1')
      expect((await signInByPasskey()).status).toBe(200)
      await sees('Signed in as user1')
    })

    test('asks once more who it is, and takes a password or a passkey', async () => {
      const { page, press, choose, sees, look } = tab
      await tab.signIn(numbered(3))
      await add()
      await choose('Passkeys')
      // As when ten minutes have passed.
      let refusals = 2
      await page.route('**/api/v1/auth/passkeys/*', (route) => {
        if (route.request().method() !== 'DELETE' || refusals === 0) return route.continue()
        refusals -= 1
        const json = { error: 'reauthentication-required', message: '' }
        return route.fulfill({ status: 403, json })
      })
      await press('Remove')
      await sees('Show once more that it is you')
      await look('reauthenticate')
      const form = page.locator('#reauth')
      await form.getByLabel('Password').fill('not the passphrase')
      await press('Continue')
      await sees('The password is wrong.')
      await form.getByLabel('Password').fill(numbered(3).password)
      await press('Continue')
      // The second refusal, and this time the passkey that is about to go.
      await expect.poll(() => refusals).toBe(0)
      await page.locator('#passkeys:not([aria-busy])').waitFor()
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/auth/reauthenticate')),
        form.getByRole('button', { name: 'Use a passkey' }).click(),
      ])
      expect((await answer.json()).data.methods).toContain('passkey')
      await sees('None yet.')
    })

    test('lets a copy of a synced passkey in', async () => {
      await tab.signIn(numbered(4))
      await add()
      for (let n = 0; n < 3; n += 1) expect((await signInByPasskey()).status).toBe(200)
      await replaceByCopy()
      expect((await signInByPasskey()).status).toBe(200)
      await tab.sees('Signed in as user4')
      expect(app.output.stderr).not.toContain('clone-suspected')
    })

    test('refuses a copy of one that is on one device, tells of it, and takes the password', async () => {
      await device.remove()
      device = await plugIn(tab.page, { synced: false })
      await tab.signIn(numbered(5))
      await add()
      // A copy that is a few uses behind may be the device itself, overtaken on the way.
      for (let n = 0; n < 6; n += 1) expect((await signInByPasskey()).status).toBe(200)
      await replaceByCopy()
      expect((await signInByPasskey()).status).toBe(401)
      await tab.sees('This passkey was not accepted.')
      await expect.poll(() => app.output.stderr).toContain('passkey.clone-suspected')
      await tab.signIn(numbered(5))
      await tab.choose('Passkeys')
      await tab.sees('Somebody may have a copy of it')
      await tab.look('suspected')
    })

    test('says that no passkey was chosen where its user could not be verified', async () => {
      await tab.signIn(numbered(6))
      await add()
      await tab.choose('Log out')
      await device.setVerified(false)
      await tab.press('Sign in with a passkey')
      await tab.sees('No passkey was chosen.')
      expect(await tab.page.locator('#sign-in-problem').getAttribute('class')).toContain('notice')
    })
  })
})
