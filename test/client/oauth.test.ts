import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { oauth } from '../../src/client/oauth/oauth.js'
import { memoryStore } from '../../src/client/token-store.js'
import { issuer } from '../support/oauth-apps.js'
import { appOf, back, deskOptions, editorOptions, startOAuth } from './oauth-client.js'
import { lost, tap } from './recorded.js'

describe('an app', () => {
  it('signs its user in by the pages: begun, come back, refreshed and signed out', async () => {
    const started = await startOAuth()
    const wire = tap(started.host)
    const storage = memoryStore()
    const { client, app } = appOf(started, { wire, client: { storage } })
    const address = await app.start({ returnTo: '/pages/7#end' })
    const asked = new URL(address)
    expect(`${asked.origin}${asked.pathname}`).toBe(`${issuer}/api/v1/oauth/authorize`)
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: 'editor',
      redirect_uri: editorOptions.redirectUri,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect([app.isAnswer(address), address]).toEqual([false, expect.not.stringContaining('pages')])
    const answer = await back(started, address)
    expect(app.isAnswer(answer)).toBe(true)
    const finished = await app.finish(answer)
    expect(finished).toMatchObject({
      me: { _id: 'u-alice', name: 'Alice A.', username: 'alice' },
      scope: ['openid', 'profile', 'offline_access'],
      returnTo: '/pages/7#end',
      claims: { sub: 'u-alice', iss: issuer, aud: 'editor' },
    })
    const ofApp = { status: 'signed-in', userId: 'u-alice', clientId: 'editor' }
    expect(client.state).toMatchObject(ofApp)
    started.clock.advance(700)
    const told = await Promise.all(Array.from({ length: 5 }, () => app.userinfo()))
    expect(told[0]).toEqual({ sub: 'u-alice', name: 'Alice A.', preferred_username: 'alice' })
    expect(wire.sent.filter((one) => one === 'POST /oauth/token')).toHaveLength(2)
    // After a reload, and after a refresh whose answer got lost.
    const reloaded = appOf(started, { wire, client: { storage } })
    started.clock.advance(700)
    wire.next('/oauth/token', async (send) => {
      await send()
      return lost()
    })
    expect(await reloaded.app.userinfo()).toEqual(told[0])
    await reloaded.client.signOut()
    expect(wire.sent.at(-1)).toBe('POST /oauth/revoke')
    const kinds = (await started.host.auth.sessions.list('u-alice')).map(({ kind }) => kind)
    expect(kinds).toEqual(['browser'])
    expect(await storage.get()).toBeNull()
  })

  it('of the host, with all scopes, does all that its user does, but for the account', async () => {
    const started = await startOAuth()
    const { client, app } = appOf(started, { options: deskOptions })
    const { me } = await app.finish(await back(started, await app.start({ prompt: 'none' })))
    expect(me).toMatchObject({ _id: 'u-alice', username: 'alice', status: 'offline' })
    await expect(client.sessions.list()).rejects.toMatchObject({ code: 'forbidden' })
    started.clock.advance(700)
    expect((await client.fetch('/me')).status).toBe(200)
    expect((await client.socketTicket()).expiresIn).toBeGreaterThan(0)
    await client.signOut()
    expect(await started.host.auth.sessions.list('u-alice')).toHaveLength(1)
  })

  it('that the server does not know any more can be signed out', async () => {
    const started = await startOAuth()
    const wire = tap(started.host)
    const storage = memoryStore()
    const { client, app } = appOf(started, { wire, client: { storage } })
    await app.finish(await back(started, await app.start()))
    started.clock.advance(700)
    const unknown = async () => Response.json({ error: 'invalid_client' }, { status: 401 })
    wire.next('/oauth/token', unknown)
    // A registration that was mistaken must not sign everybody out.
    expect((await client.check()).status).toBe('signed-in')
    wire.next('/oauth/token', unknown)
    await client.signOut()
    expect(client.state.status).toBe('signed-out')
    expect(await storage.get()).toBeNull()
  })

  it('without a refresh token is signed in until its token ends', async () => {
    const started = await startOAuth()
    const options = { ...editorOptions, scope: 'openid profile' }
    const { client, app } = appOf(started, { options })
    await app.finish(await back(started, await app.start()))
    expect((await app.userinfo()).sub).toBe('u-alice')
    started.clock.advance(700)
    await expect(app.userinfo()).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(client.state).toEqual({ status: 'signed-out', reason: 'session-ended' })
    // Which the user does not notice: the browser knows her still.
    await app.finish(await back(started, await app.start({ prompt: 'none' })))
    expect(client.state.status).toBe('signed-in')
  })

  it('whose session was ended elsewhere is signed out', async () => {
    const started = await startOAuth()
    const { client, app } = appOf(started)
    await app.finish(await back(started, await app.start()))
    await started.host.auth.sessions.revokeAllForUser('u-alice')
    started.clock.advance(6)
    await expect(app.userinfo()).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(client.state).toEqual({ status: 'signed-out', reason: 'session-ended' })
  })

  it('is told why nobody was signed in', async () => {
    const started = await startOAuth()
    const { client, app } = appOf(started)
    const nobody = { ...started, cookie: 'none=1' }
    const refused = app.finish(await back(nobody, await app.start({ prompt: 'none' })))
    await expect(refused).rejects.toMatchObject({ name: 'OAuthError', code: 'login_required' })
    expect(client.state.status).toBe('signed-out')
    const { searchParams } = new URL(await app.start({ maxAge: 0, acrValues: 'urn:mar:2fa' }))
    expect([searchParams.get('max_age'), searchParams.get('acr_values')]).toEqual([
      '0',
      'urn:mar:2fa',
    ])
  })

  it('drawn twice finishes once', async () => {
    const started = await startOAuth()
    const { app } = appOf(started)
    const answer = await back(started, await app.start())
    const both = await Promise.all([app.finish(answer), app.finish(answer)])
    expect(both[0]).toBe(both[1])
    await expect(app.finish(answer)).rejects.toMatchObject({ code: 'not-begun' })
  })

  it('keeps what it has begun where it is told to', async () => {
    const started = await startOAuth()
    const kept = new Map<string, string>()
    const begun = {
      get: async (key: string) => kept.get(key) ?? null,
      set: async (key: string, text: string) => void kept.set(key, text),
      remove: async (key: string) => void kept.delete(key),
    }
    const options = { ...editorOptions, begun }
    const answer = await back(started, await appOf(started, { options }).app.start())
    expect(kept.size).toBe(1)
    // Another process of the same app.
    const { app } = appOf(started, { options })
    expect((await app.finish(answer)).me.username).toBe('alice')
    expect(kept.size).toBe(0)
  })

  it('says what it cannot do here, and what was said wrong', async () => {
    const started = await startOAuth()
    const { client, app } = appOf(started)
    expect(() => oauth(client, { ...editorOptions, scope: 'profile' })).toThrow(TypeError)
    expect(() => oauth({ ...client } as never, editorOptions)).not.toThrow()
    expect(() => oauth({} as never, editorOptions)).toThrow(TypeError)
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes })
    onTestFinished(() => void vi.unstubAllGlobals())
    await expect(app.start()).rejects.toMatchObject({ code: 'not-supported' })
  })
})
