import { afterEach, describe, expect, it } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import type { SessionRecord } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import { asWiki, desktop, startOAuth, wiki } from '../oauth/oauth-parts.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, remove } from '../support/client.js'
import { sharedKinds } from '../support/shared-stores.js'

type OAuth = Awaited<ReturnType<typeof startOAuth>>

const running: OAuth[] = []
const start = async (...settings: Parameters<typeof startOAuth>) => {
  const oauth = await startOAuth(...settings)
  running.push(oauth)
  return oauth
}

// Before the server of the test is stopped: these run first.
afterEach(async () => {
  for (const { host, app } of running.splice(0)) {
    await afterAttack(host, [], [])
    expect(app.unforeseen).toEqual([])
  }
})

/** An app without a refresh token, signed in by a browser. */
async function openInBrowser({ issueCode, token }: Pick<OAuth, 'issueCode' | 'token'>) {
  const { record, form } = await issueCode(wiki, { scope: '* openid' })
  const { json } = await token(form, asWiki)
  const browser = { id: String(record.issuedBySessionId), userId: 'u-alice' }
  return { id: record.opensSessionId, browser, accessToken: String(json['access_token']) }
}

const statusOf = async ({ host }: OAuth, token: string) =>
  (await get(host, '/me', bearer(token))).status

/** By which the browser ends, and with it what it has opened. */
const endings: Readonly<Record<string, (oauth: OAuth, browser: string) => Promise<unknown>>> = {
  'is signed out': ({ kit }, id) =>
    kit.sessions.end({ id, userId: 'u-alice' }, 'logout', noRequest),
  'is ended by the host': ({ host }, id) => host.auth.sessions.revoke(id),
  'is ended from another device': async ({ host }, id) => {
    const { authToken } = await logIn(host)
    const { status } = await remove(host, `/auth/sessions/${id}`, bearer(authToken))
    expect(status).toBe(200)
  },
  'ends with all others of its user': async ({ host }) => {
    const { authToken } = await logIn(host)
    expect((await remove(host, '/auth/sessions', bearer(authToken))).status).toBe(200)
  },
  'ends with all of its user': ({ host }) => host.auth.sessions.revokeAllForUser('u-alice'),
  'ends with the password': ({ host }) => host.auth.passwordChanged('u-alice'),
  'ends with the second factor': ({ host }) => host.auth.secondFactors.reset('u-alice'),
  'makes room': async ({ host, clock }) => {
    for (let i = 0; i < 3; i += 1) {
      clock.advance(1)
      await logIn(host)
    }
  },
}

describe.each(sharedKinds)('an app in a browser, over $name,', ({ isThere, open }) => {
  it.skipIf(!isThere).each(Object.entries(endings))(
    'has ended when the browser %s',
    async (_how, end) => {
      const { codes, sessions } = (await open())()
      const options = { maxSessionsPerUser: 3 }
      const oauth = await start({ stores: { codes, sessions }, options })
      const { id, browser, accessToken } = await openInBrowser(oauth)
      expect(await statusOf(oauth, accessToken)).toBe(200)
      await end(oauth, browser.id)
      expect((await oauth.session(browser.id))?.endedAt ?? null).not.toBeNull()
      const child = await oauth.session(id)
      expect(child?.endedAt ?? null).not.toBeNull()
      expect(child?.endReason).toBe((await oauth.session(browser.id))?.endReason)
      // The host is another process than the one that may have ended it.
      oauth.clock.advance(5)
      expect(await statusOf(oauth, accessToken)).toBe(401)
      const reported = oauth.host.events.filter(
        (event) => event.type === 'session.ended' && event.sessionId === id,
      )
      expect(reported).toHaveLength(1)
    },
  )

  it.skipIf(!isThere)('is over where nothing but the row of the browser says so', async () => {
    const { codes, sessions } = (await open())()
    const oauth = await start({ stores: { codes, sessions } })
    const { id, browser, accessToken } = await openInBrowser(oauth)
    // Not by the router: by an operator, or because a process was killed.
    await sessions.end(browser.id, 'revoked', oauth.clock())
    expect((await oauth.session(id))?.endedAt).toBeNull()
    expect(await oauth.kit.sessions.findLive(id)).toBeNull()
    expect((await oauth.kit.sessions.listForUser('u-alice')).map((one) => one.id)).toEqual([])
    oauth.clock.advance(5)
    expect(await statusOf(oauth, accessToken)).toBe(401)
  })

  it.skipIf(!isThere)(
    'never outlives it, however sign-out and exchange fall together',
    async () => {
      const { codes, sessions } = (await open())()
      const oauth = await start({ stores: { codes, sessions } })
      for (let round = 0; round < 10; round += 1) {
        const { record, form } = await oauth.issueCode(wiki)
        const browser = { id: String(record.issuedBySessionId), userId: 'u-alice' }
        const exchange = () => oauth.token(form, asWiki)
        const signOut = () => oauth.kit.sessions.end(browser, 'logout', noRequest)
        const turns = round % 2 === 0 ? [exchange, signOut] : [signOut, exchange]
        await Promise.all(turns.map((turn) => turn()))
        const child = await oauth.session(record.opensSessionId)
        expect([round, child === null || child.endedAt !== null]).toEqual([round, true])
      }
    },
  )
})

describe('an app in a browser', () => {
  it('is over when the browser idles out, and neither keeps the other in use', async () => {
    const oauth = await start({ options: { lifetimes: { sessionIdle: 3600 } } })
    const { id, browser, accessToken } = await openInBrowser(oauth)
    const before = await oauth.session(id)
    oauth.clock.advance(300)
    expect(await statusOf(oauth, accessToken)).toBe(200)
    // Nothing was noted: it goes by the browser alone.
    expect(await oauth.session(id)).toEqual(before)
    oauth.clock.advance(3299)
    expect(await oauth.kit.sessions.findLive(id)).not.toBeNull()
    oauth.clock.advance(1)
    expect(await oauth.kit.sessions.findLive(browser.id)).toBeNull()
    expect(await oauth.kit.sessions.findLive(id)).toBeNull()
  })

  it('does not idle out while the browser is used', async () => {
    const oauth = await start({ options: { lifetimes: { sessionIdle: 3600 } } })
    const { id, browser } = await openInBrowser(oauth)
    for (let hour = 0; hour < 5; hour += 1) {
      oauth.clock.advance(3599)
      const session = (await oauth.session(browser.id)) as SessionRecord
      const seen = oauth.kit.sessions.seenNow(session, noRequest)
      if (seen !== null) await oauth.kit.sessionStore.touch(session.id, seen)
    }
    expect(await oauth.kit.sessions.findLive(id)).not.toBeNull()
  })

  it('ends at the absolute end of the browser at the latest', async () => {
    const oauth = await start()
    const expiresAt = new Date(oauth.clock().getTime() + 7_000_000)
    const browser = newSession(() => oauth.clock(), {
      userId: 'u-alice',
      kind: 'browser',
      expiresAt,
      idleExpiresAt: expiresAt,
    })
    await oauth.kit.sessionStore.create(browser)
    const { record, form } = await oauth.issueCode(wiki, { issuedBySessionId: browser.id })
    expect((await oauth.token(form, asWiki)).status).toBe(200)
    expect(await oauth.session(record.opensSessionId)).toMatchObject({
      expiresAt,
      idleExpiresAt: expiresAt,
    })
    const lasting = await oauth.issueCode(desktop, { issuedBySessionId: browser.id })
    expect((await oauth.token(lasting.form)).status).toBe(200)
    const device = await oauth.session(lasting.record.opensSessionId)
    expect(device?.expiresAt.getTime()).toBeGreaterThan(expiresAt.getTime())
  })

  it('is refused with its user', async () => {
    const oauth = await start()
    const { accessToken } = await openInBrowser(oauth)
    oauth.host.users.change('u-alice', { disabled: true })
    oauth.clock.advance(5)
    expect(await statusOf(oauth, accessToken)).toBe(401)
  })

  it('is over when the row of its browser was purged', async () => {
    const oauth = await start()
    const { id, browser } = await openInBrowser(oauth)
    const { sessionStore: sessions } = oauth.kit
    await sessions.end(browser.id, 'revoked', oauth.clock())
    await sessions.purge(oauth.clock())
    expect(await oauth.session(browser.id)).toBeNull()
    expect(await oauth.session(id)).not.toBeNull()
    expect(await oauth.kit.sessions.findLive(id)).toBeNull()
  })

  it('is refused with 503, not let in, while its browser cannot be read', async () => {
    const stores = memoryStores()
    let hidden: string | null = null
    const find: typeof stores.sessions.find = (id) =>
      id === hidden ? Promise.reject(new Error('away')) : stores.sessions.find(id)
    const sessions = { ...stores.sessions, find }
    const oauth = await start({ stores: { codes: stores.codes, sessions } })
    const { browser, accessToken } = await openInBrowser(oauth)
    hidden = browser.id
    oauth.clock.advance(5)
    expect(await statusOf(oauth, accessToken)).toBe(503)
    hidden = null
    expect(await statusOf(oauth, accessToken)).toBe(200)
  })

  it('of rows that name each other is over', async () => {
    const { kit, clock } = await start()
    const at = (seconds: number) => new Date(clock().getTime() + seconds * 1000)
    const { sessionStore: sessions } = kit
    await sessions.create(newSession(at, { id: 'one', userId: 'u-eve', parentId: 'other' }))
    await sessions.create(newSession(at, { id: 'other', userId: 'u-eve', parentId: 'one' }))
    expect(await kit.sessions.findLive('one')).toBeNull()
    expect(await kit.sessions.listForUser('u-eve')).toEqual([])
  })

  it('of somebody else is over', async () => {
    const { kit, clock, openBrowser } = await start()
    const { id: parentId } = await openBrowser()
    const at = (seconds: number) => new Date(clock().getTime() + seconds * 1000)
    await kit.sessionStore.create(newSession(at, { id: 'eves', userId: 'u-eve', parentId }))
    expect(await kit.sessions.findLive('eves')).toBeNull()
    expect(await kit.sessions.listForUser('u-eve')).toEqual([])
  })

  it('is told of in the list of its user until then', async () => {
    const oauth = await start()
    const { id, browser } = await openInBrowser(oauth)
    const listed = async () => (await oauth.host.auth.sessions.list('u-alice')).map((one) => one.id)
    expect((await listed()).sort()).toEqual([id, browser.id].sort())
    await oauth.kit.sessions.end(browser, 'logout', noRequest)
    expect(await listed()).toEqual([])
  })
})
