import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { asWiki, desktop, startOAuth, wiki } from '../oauth/oauth-parts.js'
import { bearer, get } from '../support/client.js'
import { sharedKinds } from '../support/shared-stores.js'

type OAuth = Awaited<ReturnType<typeof startOAuth>>

/** An app that is signed in again and again by one browser, each time with a token of its own. */
async function startTabs(settings: Parameters<typeof startOAuth>[0] = {}) {
  const oauth = await startOAuth(settings)
  const browser = await oauth.openBrowser()
  const issuedBySessionId = browser.id
  const open = async (client: OAuthClient = wiki, headers: Record<string, string> = asWiki) => {
    const { record, form } = await oauth.issueCode(client, { issuedBySessionId, scope: '* openid' })
    const { status, json } = await oauth.token(form, headers)
    expect(status).toBe(200)
    return { id: record.opensSessionId, accessToken: String(json['access_token']) }
  }
  const isLive = async ({ id }: { readonly id: string }) =>
    (await oauth.kit.sessions.findLive(id)) !== null
  return { ...oauth, browser, open, isLive }
}

const statusOf = async ({ host }: Pick<OAuth, 'host'>, token: string) =>
  (await get(host, '/me', bearer(token))).status

describe.each(sharedKinds)('the session of an app in a browser, over $name,', (kind) => {
  it.skipIf(!kind.isThere)(
    'gives way to the next one within 60 seconds, in use or not',
    async () => {
      const { codes, sessions } = (await kind.open())()
      const oauth = await startTabs({ stores: { codes, sessions } })
      const former = await oauth.open()
      oauth.clock.advance(1)
      const next = await oauth.open()
      for (let second = 0; second < 60; second += 10) {
        expect([second, await statusOf(oauth, former.accessToken)]).toEqual([second, 200])
        oauth.clock.advance(10)
      }
      expect(await oauth.isLive(former)).toBe(false)
      expect(await sessions.liveAmong([former.id, next.id], oauth.clock())).toEqual([next.id])
      oauth.clock.advance(5)
      expect(await statusOf(oauth, former.accessToken)).toBe(401)
      expect(await statusOf(oauth, next.accessToken)).toBe(200)
    },
  )

  it.skipIf(!kind.isThere)(
    'is one of 20 exchanges at once that is left a minute later',
    async () => {
      const { codes, sessions } = (await kind.open())()
      const oauth = await startTabs({ stores: { codes, sessions } })
      const tabs = await Promise.all(Array.from({ length: 20 }, () => oauth.open()))
      const living = async () =>
        (await Promise.all(tabs.map(oauth.isLive))).filter((isLive) => isLive).length
      // The room of one app, as ever.
      expect(await living()).toBeLessThanOrEqual(10)
      oauth.clock.advance(60)
      expect(await living()).toBe(1)
    },
  )
})

describe('the session of an app in a browser', () => {
  it('is not kept by signing in again and again before its minute is over', async () => {
    const oauth = await startTabs()
    const first = await oauth.open()
    oauth.clock.advance(1)
    for (let seconds = 0; seconds < 60; seconds += 20) {
      await oauth.open()
      oauth.clock.advance(20)
    }
    expect(await oauth.isLive(first)).toBe(false)
    const now = await oauth.kit.sessions.listForUser('u-alice')
    expect(now.filter(({ kind }) => kind === 'oauth').length).toBeLessThanOrEqual(3)
  })

  it('leaves that of another app, of another browser, and one that can be refreshed', async () => {
    const other: OAuthClient = { ...wiki, id: 'other' }
    const { secretHashes: _public, ...openWiki } = other
    const oauth = await startTabs({ clients: [wiki, openWiki, desktop] })
    const elsewhere = await oauth.issueCode(wiki, { scope: '* openid' })
    await oauth.token(elsewhere.form, asWiki)
    const others = [
      await oauth.open(openWiki, {}),
      { id: elsewhere.record.opensSessionId },
      await oauth.open(desktop, {}),
    ]
    oauth.clock.advance(1)
    await oauth.open()
    await oauth.open(desktop, {})
    oauth.clock.advance(61)
    for (const one of others) expect(await oauth.isLive(one)).toBe(true)
  })

  it('is opened also where the former cannot give way, which the next one sees to', async () => {
    const oauth = await startTabs()
    const former = await oauth.open()
    const { sessionStore: sessions } = oauth.kit
    const { touch } = sessions
    Object.assign(sessions, { touch: () => Promise.reject(new Error('away')) })
    oauth.clock.advance(1)
    const next = await oauth.open()
    Object.assign(sessions, { touch })
    oauth.clock.advance(61)
    expect([await oauth.isLive(former), await oauth.isLive(next)]).toEqual([true, true])
    await oauth.open()
    oauth.clock.advance(60)
    expect([await oauth.isLive(former), await oauth.isLive(next)]).toEqual([false, false])
  })
})
