import { describe, expect, it } from 'vitest'
import { bearer, get, logIn } from '../support/client.js'
import { ownPage } from '../support/pages.js'
import { startBrowserSessions } from './browser-session-host.js'

describe('the browser of a session that proves anew who it is', () => {
  it.each([
    ['when it was', { methods: ['pwd'], later: 60 }],
    ['what was shown', { methods: ['pwd', 'otp'], later: 0 }],
  ] as const)('gets another cookie, which says %s, in the place of the old one', async (_, to) => {
    const { host, clock, stores, ask, signInBrowser, browsers, isAlive } =
      await startBrowserSessions()
    const { authToken } = await logIn(host)
    const { id, Cookie, session } = await signInBrowser(authToken)
    const asking = session?.parentId ?? ''
    const authenticatedAt = new Date(clock().getTime() + to.later * 1000)
    clock.advance(60)
    await stores.sessions.setAuthenticated?.(asking, { methods: to.methods, authenticatedAt })
    expect((await ask(authToken, { ...ownPage, Cookie })).status).toBe(204)
    expect(await isAlive(id)).toBe(false)
    expect(await browsers()).toMatchObject([{ methods: to.methods, authenticatedAt }])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})
