// The page on which users see and end their devices, and take back what apps may do.
import { describe, expect, it } from 'vitest'
import { startHost } from '../../support/host.js'
import { oauthOptions } from '../../support/mounted-oauth.js'
import { signIn } from '../mounted/forms.js'
import { queryOf, startMounted, wiki } from '../mounted/mounted-host.js'
import { openVisitor } from '../mounted/visitor.js'
import { alice, allowTracker, choicesOn, openAccount, sessionsOf } from './account-visitor.js'

describe('the account page', () => {
  it('asks a stranger to sign in, and comes afterwards', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const asked = await visitor.open(`${host.base}/account`)
    expect(asked.heading).toBe('Sign in')
    const page = await visitor.fill(asked, alice)
    expect([page.status, page.heading]).toEqual([200, 'Your account'])
    expect(page.text).toContain('<bdi><b>alice example</b></bdi> <bdi>alice</bdi>')
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("script-src 'none'"),
    })
  })

  it('comes at once for a browser that an app has signed in, in its language', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice', queryOf(wiki))
    expect((await visitor.open(`${host.base}/account`)).heading).toBe('Your account')
    const german = await visitor.open(`${host.base}/account?&language=de`)
    expect([german.heading, german.headers['content-language']]).toEqual(['Dein Konto', 'de'])
    // The language stays where the browser has to sign in first.
    const stranger = await openVisitor(host).open(`${host.base}/account?&language=de`)
    expect(stranger.heading).toBe('Anmelden')
  })

  it('keeps whoever must set up a factor from it until that is done', async () => {
    const host = await startMounted()
    const { visitor, page } = await openAccount(host, 'carol')
    expect(page.heading).toBe('Set up a second factor')
    expect((await visitor.open(`${host.base}/account`)).heading).toBe('Sign in')
  })

  it('lists each browser once, this one first, and ends one', async () => {
    const host = await startMounted()
    const other = await openAccount(host)
    const [otherId] = await sessionsOf(host)
    const { visitor, page } = await openAccount(host)
    expect(page.text.match(/This browser/g)).toHaveLength(1)
    expect(choicesOn(page)).toEqual([`end ${otherId}`, 'end-others'])
    const after = await visitor.fill(page, { choice: `end ${otherId}`, sure: 'yes' })
    expect([after.status, choicesOn(after)]).toEqual([200, ['end-others']])
    expect(await sessionsOf(host)).not.toContain(otherId)
    expect((await other.visitor.open(`${host.base}/account`)).heading).toBe('Sign in')
  })

  it('ends all other devices, and this browser stays signed in', async () => {
    const host = await startMounted()
    for (let count = 0; count < 3; count += 1) await openAccount(host)
    const { visitor, page } = await openAccount(host)
    expect(await sessionsOf(host)).toHaveLength(4)
    const after = await visitor.fill(page, { choice: 'end-others', sure: 'yes' })
    expect(after.heading).toBe('Your account')
    expect(await sessionsOf(host)).toHaveLength(1)
  })

  it('lists the apps that were allowed something, and takes it back', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    await allowTracker(visitor, host)
    const page = await visitor.open(`${host.base}/account`)
    expect(page.text).toContain('Tracker')
    expect(page.text).toContain('Read your messages')
    const after = await visitor.fill(page, { choice: 'revoke tracker', sure: 'yes' })
    expect(after.text).toContain('You have given no app access to your account.')
    expect(await host.oauthStores.consents.find('u-alice', 'tracker')).toBeNull()
    expect(host.host().events).toContainEqual(
      expect.objectContaining({ type: 'consent.revoked', userId: 'u-alice', clientId: 'tracker' }),
    )
    // Sent once more, as by a double click.
    expect((await visitor.fill(page, { choice: 'revoke tracker', sure: 'yes' })).heading).toBe(
      'Your account',
    )
  })

  it('is not there with pages.account: false, nor without oauth', async () => {
    const pages = { brand: { name: 'Example Chat' }, account: false }
    const host = await startMounted({ options: { pages } })
    expect((await openVisitor(host).get(`${host.base}/account`)).status).toBe(404)
    const plain = await startHost()
    expect((await fetch(`${plain.url}/account`)).status).toBe(404)
    const withApps = await startHost({ options: oauthOptions() })
    expect((await fetch(`${withApps.url}/account`, { redirect: 'manual' })).status).toBe(303)
  })
})
