import { describe, expect, it } from 'vitest'
import type { OAuthClient, SessionRecord } from '../../src/index.js'
import { newSession } from '../../src/stores/new-records.js'
import { bearer, get, logIn, obtainCode, pkcePair, post, remove } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'
import {
  type AppTokens,
  codeFor,
  oauthOf,
  openBrowser,
  phone,
  sendAs,
  wiki,
} from '../support/oauth-apps.js'
import { cookieOf, ownPage, send, startPages } from '../support/pages.js'

/** Signs alice in to an app, in a browser of hers. */
async function signInTo(host: TestHost, app: OAuthClient, cookie: string): Promise<AppTokens> {
  const answer = await sendAs(host, app, '/oauth/token', await codeFor(host, cookie, app))
  expect(answer.status).toBe(200)
  return (await answer.json()) as AppTokens
}

/** Which session came from which, by kind and the name of the app, as alice is told. */
async function openersOf(host: TestHost, authToken: string) {
  const { body } = await get(host, '/auth/sessions', bearer(authToken))
  const { sessions } = body.data
  const nameOf = ({ kind, name }: { kind: string; name: string | null }) =>
    kind === 'oauth' ? name : kind
  const known = new Map(sessions.map((one: { id: string }) => [one.id, one]))
  return Object.fromEntries(
    sessions.map((one: { kind: string; name: string; openedBy: string | null }) => [
      nameOf(one),
      one.openedBy === null ? null : nameOf(known.get(one.openedBy) as never),
    ]),
  )
}

/** Signs alice's browser out, from another device of hers. */
async function endBrowser(host: TestHost, authToken: string) {
  const listed = await host.auth.sessions.list('u-alice')
  const browser = listed.find(({ kind }) => kind === 'browser')
  await remove(host, `/auth/sessions/${browser?.id}`, bearer(authToken)).expect(200)
}

const withApps = (change: Partial<OAuthClient> = {}) => {
  const clients = {
    async find(id: string) {
      const app = [wiki, phone].find((one) => one.id === id)
      return app === undefined ? null : { ...app, ...change }
    },
  }
  return startPages({ options: { oauth: oauthOf({ clients }) } })
}

describe('where a session came from', () => {
  it('is the browser in which its user signed in to the app, in the list of both user and host', async () => {
    const host = await withApps()
    const cookie = await openBrowser(host)
    for (const app of [wiki, phone]) await signInTo(host, app, cookie)
    const { authToken } = await logIn(host)
    expect(await openersOf(host, authToken)).toEqual({
      browser: null,
      'Team wiki': 'browser',
      Chat: 'browser',
      login: null,
    })
    const listed = await host.auth.sessions.list('u-alice')
    const browser = listed.find(({ kind }) => kind === 'browser')
    const opened = listed.flatMap(({ name, openedBy }) =>
      openedBy === null ? [] : [[name, openedBy]],
    )
    expect(opened.sort()).toEqual(['Chat', 'Team wiki'].map((name) => [name, browser?.id]))
  })

  it('ends nothing: an app with a refresh token outlives its browser, and names it no more', async () => {
    const host = await withApps()
    const cookie = await openBrowser(host)
    const { refresh_token } = await signInTo(host, wiki, cookie)
    const { authToken } = await logIn(host)
    await endBrowser(host, authToken)
    expect(await openersOf(host, authToken)).toEqual({ 'Team wiki': null, login: null })
    const refreshed = await sendAs(host, wiki, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
    })
    expect(refreshed.status).toBe(200)
  })

  it('is told of an app that ends with its browser, too', async () => {
    const host = await withApps({ grants: ['authorization_code'] })
    const cookie = await openBrowser(host)
    await signInTo(host, wiki, cookie)
    const { authToken } = await logIn(host)
    expect(await openersOf(host, authToken)).toMatchObject({ 'Team wiki': 'browser' })
    await endBrowser(host, authToken)
    expect(await openersOf(host, authToken)).toEqual({ login: null })
  })

  it('is the web app for the browser that it has signed in, and that browser for its apps', async () => {
    const host = await withApps()
    const { authToken } = await logIn(host)
    const headers = { ...ownPage, ...bearer(authToken) }
    const answer = await send(host, 'POST', '/api/v1/auth/browser-session', headers, {})
    const { pair = '', value = '' } = cookieOf(answer) ?? {}
    host.issued.add(value)
    await signInTo(host, wiki, pair)
    expect(await openersOf(host, authToken)).toEqual({
      login: null,
      browser: 'login',
      'Team wiki': 'browser',
    })
  })

  it('is the session that asked for a code, and nothing where the host’s own page did', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect(await openersOf(host, authToken)).toEqual({ login: null, pkce: 'login' })

    const { codeChallenge, codeVerifier } = pkcePair()
    host.users.add({ id: 'u-bob', username: 'bob' })
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-bob',
      codeChallenge,
    })
    await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier }).expect(200)
    expect(await host.auth.sessions.list('u-bob')).toEqual([
      expect.objectContaining({ kind: 'pkce', openedBy: null }),
    ])
  })

  it('is never a session of somebody else, nor one that is over', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const { authToken } = await logIn(host)
    await post(host, '/login', { username: 'bob', password })
    const [bobs] = await host.auth.sessions.list('u-bob')
    const over = { endedAt: host.clock(), endReason: 'logout' } as const
    const at = (seconds: number) => new Date(host.clock().getTime() + seconds * 1000)
    const ofAlice = (part: Partial<SessionRecord>) => newSession(at, { userId: 'u-alice', ...part })
    const ended = ofAlice(over)
    await host.stores.sessions.create(ended)
    for (const openedBySessionId of [bobs?.id ?? '', ended.id, 'of nobody', ''])
      await host.stores.sessions.create(ofAlice({ kind: 'pkce', openedBySessionId }))
    const { body, text } = await get(host, '/auth/sessions', bearer(authToken))
    expect(body.data.sessions).toHaveLength(5)
    for (const { openedBy } of body.data.sessions) expect(openedBy).toBeNull()
    expect(text).not.toContain(bobs?.id)
  })
})
