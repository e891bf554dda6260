// "Log out" of the host's own page, which has signed in by the pages of the server.
import { describe, expect, it } from 'vitest'
import type { AuthClientOptions } from '../../src/client/client.js'
import { issuer } from '../support/oauth-apps.js'
import { ownPage } from '../support/pages.js'
import { appOf, back, deskOptions, startOAuth } from './oauth-client.js'
import { lost, refusing, tap } from './recorded.js'

const path = '/auth/browser-session'

/** A page that has signed in by the pages, in a browser that sends its cookie as browsers do. */
async function startPage(wireOf: typeof tap = tap, more: Partial<AuthClientOptions> = {}) {
  const started = await startOAuth()
  const wire = wireOf(started.host)
  const fetchAsPage: typeof wire.fetch = (url, init) => {
    const isSent = init.credentials === 'same-origin'
    const cookie: Record<string, string> = isSent ? { Cookie: started.cookie } : {}
    return wire.fetch(url, { ...init, headers: { ...init.headers, ...ownPage, ...cookie } })
  }
  const { client, app } = appOf(started, {
    options: deskOptions,
    wire: { fetch: fetchAsPage },
    client: { maxWaitMs: 1, ...more },
  })
  await app.finish(await back(started, await app.start({ prompt: 'none' })))
  const kinds = async () =>
    (await started.host.auth.sessions.list('u-alice')).map(({ kind }) => kind).sort()
  /** Whether the next sign-in gets by without a page. */
  const isLetIn = async () => app.isAnswer(await back(started, await app.start()))
  return { ...started, wire, client, app, kinds, isLetIn }
}

describe('signOut({ browser: true })', () => {
  it('ends the sign-in of the browser, then its own: the next one asks for the password', async () => {
    const { wire, client, app, kinds, host, cookie } = await startPage()
    expect(await kinds()).toEqual(['browser', 'oauth'])
    wire.sent.length = 0
    await client.signOut({ browser: true })
    expect(wire.sent).toEqual([`DELETE ${path}`, 'POST /oauth/revoke'])
    expect(await kinds()).toEqual([])
    expect(client.state).toEqual({ status: 'signed-out', reason: 'signed-out' })
    const again = await back({ host, cookie, clock: host.clock }, await app.start())
    expect(again.startsWith(`${issuer}/api/v1/oauth/sign-in?`)).toBe(true)
  })

  it('leaves the browser signed in without that', async () => {
    const { client, kinds, isLetIn, wire } = await startPage()
    await client.signOut()
    expect([await kinds(), await isLetIn(), wire.to(path)]).toEqual([['browser'], true, []])
  })

  it('ends it also where this page is signed out already', async () => {
    const { client, kinds } = await startPage()
    await client.signOut()
    await client.signOut({ browser: true })
    expect(await kinds()).toEqual([])
  })

  it('throws where it cannot be ended, and stays signed in, until it can', async () => {
    const { client, kinds, wire } = await startPage()
    for (const answer of [lost, async () => refusing(503, 'temporarily-unavailable')]) {
      wire.next(path, answer)
      await expect(client.signOut({ browser: true })).rejects.toMatchObject({
        name: 'AuthClientError',
      })
      expect(client.state.status).not.toBe('signed-out')
    }
    expect(await kinds()).toEqual(['browser', 'oauth'])
    await client.signOut({ browser: true })
    expect(await kinds()).toEqual([])
  })

  it('signs out here all the same where it was told to', async () => {
    const { client, kinds, wire } = await startPage()
    wire.next(path, lost)
    await client.signOut({ browser: true, evenIfUnreachable: true })
    expect([client.state.status, await kinds()]).toEqual(['signed-out', ['browser']])
  })
})
