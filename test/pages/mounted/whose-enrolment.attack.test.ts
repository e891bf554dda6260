// The page on which TOTP is set up shows each browser a seed of its own: a thief of the password
// who has looked at his does not know hers.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { chromiumPath, launchChromium } from '../../support/chromium.js'
import { password } from '../../support/host.js'
import { type MountedHost, startMounted } from './mounted-host.js'
import { press, settled } from './person.js'
import { authorizeAt, signIn } from './stops.js'
import { openTab } from './tab.js'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

const setUp = 'Set up a second factor'
const seedOn = async (tab: Page) =>
  (await tab.locator('code.secret').innerText()).replaceAll(' ', '')

/** Another browser, in which carol's password was typed: she must have a second factor. */
async function enrolling(host: MountedHost): Promise<Page> {
  const tab = await openTab(browser, { javaScriptEnabled: false })
  await tab.goto(authorizeAt(host, 'wiki'))
  await signIn(tab, 'carol')
  expect(await settled(tab)).toBe(setUp)
  return tab
}

async function switchOn(tab: Page, secret: string, host: MountedHost): Promise<string> {
  await tab.fill('#one-time-code', totpCode(secret, host.clock()))
  await press(tab, 'Switch on')
  return settled(tab)
}

async function byApi(host: MountedHost) {
  const ask = async (path: string, body: object, token?: string) => {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const answer = await fetch(`${host.base}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const { data, error } = (await answer.json()) as {
      data?: { authToken: string; secret: string }
      error?: string
    }
    return { status: answer.status, data, error }
  }
  const token = (await ask('/login', { username: 'carol', password })).data?.authToken
  const begin = async () => (await ask('/auth/totp', { password }, token)).data?.secret as string
  const confirm = async (secret: string) =>
    ask('/auth/totp/confirm', { code: totpCode(secret, host.clock()) }, token)
  return { begin, confirm }
}

describe.runIf(chromiumPath !== null)('the page that sets TOTP up', () => {
  it('shows each browser a seed of its own, and the same one when it is loaded again', async () => {
    const host = await startMounted()
    const [thief, owner] = [await enrolling(host), await enrolling(host)]
    const [his, hers] = [await seedOn(thief), await seedOn(owner)]
    expect(his).not.toBe(hers)
    await owner.reload()
    expect(await seedOn(owner)).toBe(hers)
    // Who looks at his page again and again keeps nobody from setting hers up.
    for (let times = 0; times < 3; times += 1) await thief.reload()
    expect(await switchOn(owner, his, host)).toBe(setUp)
    expect(await switchOn(owner, hers, host)).toBe('Keep your recovery codes')
  })

  it('neither shows nor takes what was begun by the API in another session', async () => {
    const host = await startMounted()
    const thief = await byApi(host)
    const his = await thief.begin()
    const owner = await enrolling(host)
    const hers = await seedOn(owner)
    expect(hers).not.toBe(his)
    await thief.begin()
    expect((await thief.confirm(hers)).error).toBe('totp-invalid')
    expect(await switchOn(owner, his, host)).toBe(setUp)
    expect(await seedOn(owner)).toBe(hers)
    expect(await switchOn(owner, hers, host)).toBe('Keep your recovery codes')
    expect((await thief.confirm(his)).status).toBe(401)
  })

  it('lets who began by the API go on while another browser looks at its page', async () => {
    const host = await startMounted()
    const owner = await byApi(host)
    const hers = await owner.begin()
    const thief = await enrolling(host)
    expect(await seedOn(thief)).not.toBe(hers)
    expect(await switchOn(thief, hers, host)).toBe(setUp)
    expect((await owner.confirm(hers)).status).toBe(200)
  })

  it('shows another seed after the password was changed', async () => {
    const host = await startMounted()
    const thief = await enrolling(host)
    const his = await seedOn(thief)
    await host.host().auth.passwordChanged('u-carol')
    const owner = await enrolling(host)
    expect(await seedOn(owner)).not.toBe(his)
    expect(await switchOn(thief, his, host)).toBe('Sign in')
  })
})
