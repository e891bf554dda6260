// How an account is signed in to is changed by its user alone, who has just signed in.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { type MountedHost, startMounted } from '../mounted/mounted-host.js'
import { givePasskey, madeFor, startPasskeyPages } from '../mounted/passkey-host.js'
import { formOf, openVisitor } from '../mounted/visitor.js'
import { openAccount, sessionsOf } from './account-visitor.js'

async function openBob(host: MountedHost) {
  const visitor = openVisitor(host)
  const asked = await visitor.open(`${host.base}/account/second-factor`)
  const factor = await visitor.fill(asked, { username: 'bob', password })
  const page = await visitor.fill(factor, { code: totpCode(totpSecret, host.clock()) })
  return { visitor, page }
}

const sessionOf = async (host: MountedHost) => (await sessionsOf(host))[0] ?? ''
const factorOf = ({ stores }: MountedHost) => stores.secondFactors.find('u-bob')

describe('the second factor', () => {
  it('is changed by no GET, no form of another site, and none without its token', async () => {
    const host = await startMounted()
    const { visitor, page } = await openBob(host)
    const before = await factorOf(host)
    for (const choice of ['off', 'codes', 'begin']) {
      await visitor.open(`${page.url}&choice=${choice}`)
      const foreign = { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' }
      expect((await visitor.post(page, { choice }, foreign)).status).toBe(403)
      expect((await visitor.post(page, { choice, csrf: 'x' })).status).toBe(403)
      expect((await openVisitor(host).post(page, { choice })).status).toBe(303)
    }
    expect(await factorOf(host)).toEqual(before)
    expect(await host.stores.secondFactors.countRecoveryCodes('u-bob')).toBe(6)
  })

  it('is not changed by a sign-in of eleven minutes ago, though the form is older', async () => {
    const host = await startMounted()
    const { visitor, page } = await openBob(host)
    host.clock.advance(660)
    const before = await factorOf(host)
    for (const choice of ['off', 'codes', 'begin']) {
      const answer = await visitor.post(page, { choice })
      expect(answer.headers.location).toContain(
        '/oauth/sign-in?return_to=/api/v1/account/second-factor&max_age=600',
      )
    }
    expect(await factorOf(host)).toEqual(before)
  })

  it('is not reached by the password alone', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const asked = await visitor.open(`${host.base}/account/second-factor`)
    const factor = await visitor.fill(asked, { username: 'bob', password })
    expect(factor.heading).toBe('Confirm that it is you')
    expect((await visitor.open(`${host.base}/account/second-factor`)).heading).toBe('Sign in')
  })

  it('is not changed by a copy of the cookie from before another change', async () => {
    const host = await startMounted()
    const { visitor, page } = await openBob(host)
    const thief = openVisitor(host)
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
    await visitor.fill(page, { choice: 'codes' })
    const before = await factorOf(host)
    const answer = await thief.post(page, { choice: 'off', sure: 'yes' })
    // Nothing is done, and it gets no other cookie.
    expect([answer.headers['set-cookie'], await factorOf(host)]).toEqual([undefined, before])
    host.clock.advance(11)
    expect((await thief.post(page, { choice: 'off', sure: 'yes' })).headers.location).toContain(
      '/sign-in',
    )
    expect(await factorOf(host)).toEqual(before)
    // Its owner goes on.
    const own = await visitor.open(`${host.base}/account/second-factor`)
    expect(own.heading).toBe('Second factor')
  })

  it('is set up by no session alone: its thief would lock the owner out, whatever she resets', async () => {
    const host = await startMounted()
    const { visitor } = await openAccount(host)
    const page = await visitor.open(`${host.base}/account/second-factor`)
    for (const present of [undefined, '', 'not hers']) {
      const typed = present === undefined ? {} : { present }
      const refused = await visitor.post(page, { choice: 'begin', ...typed })
      expect([refused.status, refused.heading]).toEqual([422, 'Second factor'])
      expect(refused.text).toContain('The current password is not right.')
      // Nor by a code for a key that was never shown.
      await visitor.post(page, { code: '000000' })
    }
    expect(await host.stores.secondFactors.findPending('u-alice', await sessionOf(host))).toBeNull()
    const key = await visitor.fill(page, { choice: 'begin', present: password })
    expect(key.heading).toBe('Set up a second factor')
  })

  it('is set up once by a form that is sent twenty times at once', async () => {
    const host = await startMounted()
    const { visitor } = await openAccount(host)
    const page = await visitor.open(`${host.base}/account/second-factor`)
    const key = await visitor.fill(page, { choice: 'begin', present: password })
    const secret = /<code class="secret"[^>]*>([A-Z2-7 ]+)</.exec(key.text)?.[1] ?? ''
    const code = totpCode(secret.replaceAll(' ', ''), host.clock())
    const cookies = [...visitor.cookies]
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => {
        const tab = openVisitor(host)
        for (const [name, value] of cookies) tab.cookies.set(name, value)
        return tab.post(key, { code })
      }),
    )
    const shown = answers.filter(({ heading }) => heading === 'Keep your recovery codes')
    expect(shown).toHaveLength(1)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(await host.stores.secondFactors.countRecoveryCodes('u-alice')).toBe(10)
  })

  it('stays while the store is down, and the page says that it is busy', async () => {
    const host = await startMounted()
    const { visitor, page } = await openBob(host)
    const { deactivate } = host.stores.secondFactors
    host.stores.secondFactors.deactivate = () => Promise.reject(new Error('gone'))
    const busy = await visitor.fill(page, { choice: 'off', sure: 'yes' })
    expect(busy.status).toBe(503)
    host.stores.secondFactors.deactivate = deactivate
    expect(await factorOf(host)).not.toBeNull()
    const again = await visitor.open(`${host.base}/account/second-factor`)
    await visitor.fill(again, { choice: 'off', sure: 'yes' })
    expect(await factorOf(host)).toBeNull()
  })
})

describe('passkeys', () => {
  it('of another user are neither renamed nor removed', async () => {
    const host = await startPasskeyPages()
    const { id } = await givePasskey(host, 'u-dora')
    await givePasskey(host, 'u-alice')
    const visitor = openVisitor(host)
    const asked = await visitor.open(`${host.base}/account/passkeys`)
    const page = await visitor.fill(asked, { username: 'alice', password })
    if (page.heading !== 'Passkeys') throw new Error(page.heading)
    await visitor.fill(page, { choice: `remove ${id}`, sure: 'yes' })
    await visitor.fill(page, { id, name: 'Mine' })
    const [kept] = await host.passkeys.listForUser('u-dora')
    expect([kept?.credentialId, kept?.name]).toEqual([id, 'Phone'])
  })

  it('are not added with a response for another session, or a sign-in that has become old', async () => {
    const host = await startPasskeyPages()
    const first = await openAccount(host)
    const page = await first.visitor.open(`${host.base}/account/passkeys`)
    const adding = await first.visitor.fill(page, { choice: 'add' })
    const passkey = madeFor(host, adding)
    const dora = await openAccount(host, 'dora')
    const hers = await dora.visitor.open(`${host.base}/account/passkeys`)
    const answer = await dora.visitor.fill(hers, { passkey })
    expect(answer.status).toBe(422)
    host.clock.advance(601)
    const late = await first.visitor.post(adding, { passkey })
    expect(late.headers.location).toContain('max_age=600')
    for (const id of ['u-alice', 'u-dora']) expect(await host.passkeys.listForUser(id)).toEqual([])
    expect(formOf(adding).action).toContain('/account/passkeys')
  })
})
