// Passwords and addresses in the example, whose mails are read where it writes them.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import * as client from '../support/example-client.js'
import { type ExamplePage, openProfile, openTab } from '../support/example-page.js'
import { type FreshDatabase, freshMysql, freshPostgres } from '../support/fresh-database.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'

const numbered = (n: number) => ({ username: `user${n}`, password: `passphrase of user ${n}` })
const newPassword = 'seven quiet lanterns on a hill'
/** A machine may be busy. */
const poll = { timeout: 120_000 }

beforeAll(buildExample)

async function start(env: Record<string, string> = {}): Promise<Example> {
  const app = await startExample({ ...environmentIn(temporaryFolder()), ...env })
  onTestFinished(async () => void (await app.stop('SIGKILL')))
  return app
}

/** What a mail to an address says that has this in it, once it is written. */
async function mailTo(app: Example, address: string, part: RegExp): Promise<string> {
  const find = () =>
    [...app.output.stdout.matchAll(/(?:^ {2}\|.*\n)+/gm)]
      .map(([mail]) => mail.replaceAll(/^ {2}\| ?/gm, ''))
      .filter((mail) => mail.startsWith(`Mail to ${address}\nSubject: `) && part.test(mail))
      .at(-1)
  await expect.poll(find, poll).toBeDefined()
  return part.exec(find() ?? '')?.[1] ?? ''
}

const linkTo = (page: string) =>
  new RegExp(`^(http://localhost:\\d+/api/v1/account/${page}\\S+)$`, 'm')
const code = /(\d{4} \d{4})/
const codeToSignIn = (app: Example, address: string) =>
  mailTo(app, address, /sign in[\s\S]*?(\d{4} \d{4})/i)

const post = (app: Example, path: string, body: object, headers: client.Credentials = {}) =>
  client.request(app.url, 'POST', `/api/v1${path}`, body, headers)
const loginOf = async (app: Example, user: typeof alice) => (await post(app, '/login', user)).status

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  let browser: Browser
  let app: Example
  beforeAll(async () => {
    app = await startExample({ ...environmentIn(temporaryFolder()), SEED_USERS: '2' })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop('SIGKILL')
  })

  const open = async (): Promise<ExamplePage> =>
    openTab(await openProfile(browser, app.url), app.url)

  test('a forgotten password is set by the mailed link, and leads back into the chat', async () => {
    const tab = await open()
    const { page, press, sees, look } = tab
    await page.goto(`${page.url()}#random`)
    await press('Sign in')
    const forgotten = page.getByRole('link', { name: 'Forgot your password?' })
    await forgotten.waitFor()
    await look('sign-in-with-forgotten')
    await forgotten.click()
    await heading(page, 'Forgot your password?')
    await look('forgot')
    await page.getByLabel('E-mail or user name').fill('Alice@Example.com')
    await press('Mail me a link')
    await heading(page, 'Look at your mail')
    await look('mail-sent')

    await page.goto(await mailTo(app, 'alice@example.com', linkTo('reset')))
    await heading(page, 'Set a new password')
    await look('reset')
    await page.getByLabel('New password', { exact: true }).fill('too short')
    await press('Set the password')
    await sees('It is too short: use 15 characters or more.')
    await look('reset-refused')
    await page.getByLabel('New password', { exact: true }).fill(newPassword)
    await press('Set the password')
    await heading(page, 'Your new password is set')
    await look('password-set')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail or user name').fill(alice.username)
    await page.getByLabel('Password', { exact: true }).fill(newPassword)
    await press('Sign in')
    await sees('Signed in as alice')
    await heading(page, '# Random')
    expect(await loginOf(app, alice)).toBe(401)
    await mailTo(app, 'alice@example.com', /(The password of your account)/)
  })

  test('an address is changed by the mailed code, and taken back by the link to the former one', async () => {
    const tab = await open()
    const { page, press, look } = tab
    const elsewhere = await open()
    for (const each of [tab, elsewhere]) await each.signIn(numbered(1))
    await tab.choose('Manage account')
    await heading(page, 'Your account')
    await look('account-with-address')
    await page.getByRole('link', { name: 'Confirm or change the address' }).click()
    await heading(page, 'E-mail address')
    await look('address')
    await page.getByLabel('New address').fill('User.One@Example.ORG')
    await page.getByLabel('Current password').fill(numbered(1).password)
    await press('Mail a code there')
    await heading(page, 'Type the code')
    await look('type-the-code')
    const typed = await mailTo(app, 'User.One@example.org', code)
    await page.getByLabel('Code that we sent you').fill(typed)
    await press('Confirm the address')
    await heading(page, 'Your address is confirmed')
    const byAddress = { email: 'user.one@example.org', password: numbered(1).password }
    expect((await post(app, '/login', byAddress)).status).toBe(200)

    await page.goto(await mailTo(app, 'user1@example.com', linkTo('undo')))
    await heading(page, 'Take the change back?')
    await look('undo')
    await page.getByLabel('New password', { exact: true }).fill('a longer phrase of user one')
    await press('Take it back')
    await heading(page, 'The change is taken back')
    await look('undone')
    await elsewhere.sees('You were signed out')
    expect((await post(app, '/login', byAddress)).status).toBe(401)
    const mine = { username: numbered(1).username, password: 'a longer phrase of user one' }
    expect((await post(app, '/login', mine)).status).toBe(200)
  })

  test('a code by mail is a second factor, once its user has switched it on', async () => {
    const signedIn = await client.signIn(app.url, numbered(2))
    const switched = await post(app, '/auth/email/second-factor', { enabled: true }, signedIn)
    expect(switched.status).toBe(200)
    const tab = await open()
    await tab.typePassword(numbered(2))
    await heading(tab.page, 'Confirm that it is you')
    await tab.look('code-by-mail')
    await tab.sees('A code was sent to you.')
    await tab.page
      .getByLabel('Code that we sent you')
      .fill(await mailTo(app, 'user2@example.com', code))
    await tab.press('Confirm')
    await tab.sees('Signed in as user2')
  })
})

const setups = [
  { name: 'SQLite', fresh: null, isThere: true, env: {} },
  { name: 'PostgreSQL', fresh: freshPostgres, isThere: postgresUrl !== null, env: {} },
  { name: 'MariaDB', fresh: freshMysql, isThere: mysqlUrl !== null, env: {} },
  { name: 'Redis', fresh: null, isThere: redisUrl !== null, env: { REDIS_URL: redisUrl ?? '' } },
]

for (const { name, fresh, isThere, env } of setups) {
  test.skipIf(!isThere)(
    `with ${name}, a link sets a new password, once`,
    async () => {
      const database: FreshDatabase | undefined = await fresh?.()
      onTestFinished(async () => void (await database?.drop()))
      const app = await start({ ...env, ...(database && { DATABASE_URL: database.url }) })
      const { status } = await post(app, '/auth/password/forgot', { user: 'alice' })
      expect(status).toBe(202)
      const link = new URL(await mailTo(app, 'alice@example.com', linkTo('reset')))
      const proof = { token: link.searchParams.get('token'), password: newPassword }
      expect((await post(app, '/auth/password/reset', proof)).status).toBe(200)
      expect((await post(app, '/auth/password/reset', proof)).status).toBe(400)
      expect(await loginOf(app, alice)).toBe(401)
      expect(await loginOf(app, { ...alice, password: newPassword })).toBe(200)
    },
    300_000,
  )
}

test('MAIL=off takes away what mails, and the start does not speak of it', async () => {
  const app = await start({ MAIL: 'off' })
  expect((await post(app, '/auth/password/forgot', { user: 'alice' })).status).toBe(404)
  const page = await fetch(`${app.url}/api/v1/account`)
  expect(await page.text()).not.toContain('Forgot your password?')
  expect(app.output.stdout).not.toContain('mails')
})

test('REGISTRATION=open makes an account by a mailed code, which signs in by another one', async () => {
  const app = await start({ REGISTRATION: 'open' })
  const ada = { email: 'ada@example.com', username: 'ada', name: 'Ada' }
  const password = newPassword
  const asked = await post(app, '/auth/register', ada)
  expect(asked.status).toBe(202)
  const { requestId } = asked.json.data
  const proof = { requestId, code: await mailTo(app, ada.email, code), password }
  const made = await post(app, '/auth/register/confirm', proof)
  expect([made.status, made.json.data.me.username]).toEqual([200, 'ada'])
  const { username } = ada
  expect(await loginOf(app, { username, password })).toBe(200)
  const sent = await post(app, '/auth/code', { user: 'ada' })
  const byCode = { requestId: sent.json.data.requestId, code: await codeToSignIn(app, ada.email) }
  expect((await post(app, '/auth/code/login', byCode)).status).toBe(200)
  expect((await post(app, '/auth/register', ada)).status).toBe(409)
})

test('REGISTRATION=invited prints an invitation, and makes no account without', async () => {
  const app = await start({ REGISTRATION: 'invited' })
  const ada = { email: 'ada@example.com', username: 'ada', name: 'Ada' }
  expect((await post(app, '/auth/register', ada)).status).toBe(403)
  const [, invitation] = /invitation\?token=(mar_iv_[\w-]+)/.exec(app.output.stdout) ?? []
  expect((await post(app, '/auth/register', { ...ada, invitation })).status).toBe(202)
  await mailTo(app, ada.email, code)
})
