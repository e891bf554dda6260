// "Do not ask again in this browser": the tick beside the code, the cookie, and the list.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { addressOf } from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

const cookie = 'mar_remembered_dev'
const code = 'Confirm that it is you'
const tick = 'Do not ask again in this browser for <bdi>30</bdi> days'
const remembering = { options: { secondFactor: { remember: { days: 30 } } } }

/** Types name and password on the way to an app, and answers what comes next. */
async function typePassword(
  visitor: Visitor,
  host: MountedHost,
  query = queryOf(wiki),
): Promise<PageAnswer> {
  const page = await visitor.open(addressOf(host, 'authorize', query))
  expect(page.heading).toBe('Sign in')
  return visitor.fill(page, { username: 'bob', password })
}

function typeCode(visitor: Visitor, host: MountedHost, page: PageAnswer, more = {}) {
  expect(page.heading).toBe(code)
  host.clock.advance(30)
  return visitor.fill(page, { code: totpCode(totpSecret, host.clock()), ...more })
}

/** Bob has ticked it and left: the browser keeps nothing but that. */
async function remembered() {
  const host = await startMounted(remembering)
  const visitor = openVisitor(host)
  const page = await typePassword(visitor, host)
  expect(page.text).toContain(tick)
  expect((await typeCode(visitor, host, page, { remember: 'yes' })).heading).toBe('One moment')
  leave(visitor)
  return { host, visitor }
}

function leave({ cookies }: Visitor): void {
  for (const name of [...cookies.keys()]) if (name !== cookie) cookies.delete(name)
}

describe('the tick beside the code', () => {
  it('spares the code at the next sign-ins in this browser', async () => {
    const { host, visitor } = await remembered()
    for (let times = 0; times < 3; times += 1) {
      const before = visitor.cookies.get(cookie)
      expect((await typePassword(visitor, host)).heading).toBe('One moment')
      expect(visitor.cookies.get(cookie)).not.toBe(before)
      leave(visitor)
    }
    const other = openVisitor(host)
    expect((await typePassword(other, host)).heading).toBe(code)
  })

  it('is not on the page of recovery codes, nor without the option', async () => {
    const { host, visitor } = await remembered()
    visitor.cookies.delete(cookie)
    const page = await typePassword(visitor, host)
    const link = /href="([^"]*recovery-code[^"]*)"/.exec(page.text)?.[1] ?? ''
    expect((await visitor.open(link.replaceAll('&amp;', '&'))).text).not.toContain(tick)
    const without = await startMounted()
    expect((await typePassword(openVisitor(without), without)).text).not.toContain(tick)
  })

  it('is asked for the code by an app that wants two factors, or a sign-in now', async () => {
    const { host, visitor } = await remembered()
    for (const asked of [{ acr_values: 'urn:mar:2fa' }, { prompt: 'login' }, { max_age: '60' }])
      expect((await typePassword(visitor, host, queryOf(wiki, asked))).heading).toBe(code)
    expect((await typePassword(visitor, host)).heading).toBe('One moment')
    // Signed in, with one factor: another app wants two, and gets the sign-in with both.
    const wanted = queryOf(tracker, { acr_values: 'urn:mar:2fa' })
    const page = await typePassword(visitor, host, wanted)
    expect((await typeCode(visitor, host, page)).heading).toBe('Allow access?')
  })

  it('changes no way to sign in without the code', async () => {
    const { host, visitor } = await remembered()
    expect((await typePassword(visitor, host)).heading).toBe('One moment')
    const account = addressOf(host, 'authorize').replace(/\/oauth\/.*/, '/account')
    // Signed in a moment ago, and yet not with the factor.
    const page = await visitor.open(`${account}/second-factor`)
    expect(page.heading).toBe('Sign in')
    const asked = await visitor.fill(page, { username: 'bob', password })
    expect((await typeCode(visitor, host, asked)).heading).toBe('Second factor')
  })

  it('is asked for the code by an app for which the sign-in of a moment ago is too old', async () => {
    const { host, visitor } = await remembered()
    expect((await typePassword(visitor, host)).heading).toBe('One moment')
    const asked = addressOf(host, 'authorize', queryOf(wiki, { max_age: '3600' }))
    expect((await visitor.open(asked)).heading).toBe('Sign in')
  })

  it('shows the browser on the account page, with a button to be asked again', async () => {
    const { host, visitor } = await remembered()
    await typePassword(visitor, host)
    const account = addressOf(host, 'authorize').replace(/\/oauth\/.*/, '/account')
    const page = await visitor.open(account)
    expect(page.text).toContain('Browsers without the second step')
    const choice = /value="(forget [\w-]{22})"/.exec(page.text)?.[1] ?? ''
    const after = await visitor.fill(page, { choice })
    expect(after.text).not.toContain('Browsers without the second step')
    leave(visitor)
    expect((await typePassword(visitor, host)).heading).toBe(code)
  })
})
