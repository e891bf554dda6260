import { afterEach, describe, expect, it } from 'vitest'
import { randomId } from '../../src/lib/secrets.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { newRefreshToken } from '../../src/tokens/refresh-token.js'
import { afterAttack } from '../support/after-attack.js'
import { asWiki, claimsOf, desktop, ownResource, search, startOAuth, wiki } from './oauth-parts.js'

const running: Awaited<ReturnType<typeof startOAuth>>[] = []

/** An app of which the register says something else after `change`. */
async function start(first: OAuthClient) {
  const clients = [first]
  const oauth = await startOAuth({ clients })
  const change = (changed: Partial<OAuthClient>) => {
    clients[0] = { ...(clients[0] as OAuthClient), ...changed }
  }
  running.push(oauth)
  return { ...oauth, change }
}

// Before the server of the test is stopped: these run first.
afterEach(async () => {
  for (const { host, app } of running.splice(0)) {
    await afterAttack(host, [], [])
    expect(app.unforeseen).toEqual([])
  }
})

const asDesktop = { client_id: 'desktop' }
const toBoth = { ...desktop, resources: [ownResource, search] }

describe('a refresh token', () => {
  it('brings no token for an API that its client has got since, or never asked for', async () => {
    const { openApp, refresh, change } = await start({ ...desktop, resources: [ownResource] })
    const { refreshToken } = await openApp(desktop)
    change({ resources: [ownResource, search] })
    const wider = await refresh(refreshToken, { ...asDesktop, resource: search })
    expect([wider.status, wider.json['error']]).toEqual([400, 'invalid_target'])
    const { json } = await refresh(refreshToken, asDesktop)
    expect(claimsOf(json['access_token'])['aud']).toBe(ownResource)
  })

  it('of an app that was granted another API alone is never for the host’s own', async () => {
    const { openApp, refresh } = await start(toBoth)
    const { refreshToken } = await openApp(desktop, {}, { resources: [search] })
    const own = await refresh(refreshToken, { ...asDesktop, resource: ownResource })
    expect(own.json['error']).toBe('invalid_target')
    const { json } = await refresh(refreshToken, asDesktop)
    expect(claimsOf(json['access_token'])['aud']).toBe(search)
  })

  it('brings no token for an API that was taken from its client', async () => {
    const { openApp, refresh, change } = await start(toBoth)
    const { refreshToken } = await openApp(desktop, {}, { resources: [ownResource, search] })
    change({ resources: [search] })
    const own = await refresh(refreshToken, { ...asDesktop, resource: ownResource })
    expect(own.json['error']).toBe('invalid_target')
    const { json } = await refresh(refreshToken, asDesktop)
    expect(claimsOf(json['access_token'])['aud']).toBe(search)
  })

  it('brings no scope that was taken from its client, openid included, until it is back', async () => {
    const { openApp, refresh, change } = await start(wiki)
    const { refreshToken } = await openApp(wiki, asWiki)
    change({ scopes: ['profile', 'offline_access', 'read'] })
    const asked = await refresh(refreshToken, { scope: 'openid read' }, asWiki)
    expect([asked.status, asked.json['error']]).toEqual([400, 'invalid_scope'])
    const { json } = await refresh(refreshToken, {}, asWiki)
    expect(json['scope']).toBe('profile offline_access read')
    expect(json).not.toHaveProperty('id_token')
    expect(claimsOf(json['access_token'])['scope']).toBe('profile offline_access read')
    change({ scopes: wiki.scopes })
    const whole = await refresh(refreshToken, {}, asWiki)
    expect(whole.json['scope']).toBe('openid profile offline_access read')
  })

  it.each<[string, Partial<OAuthClient>]>([
    ['no scope', { scopes: ['email'] }],
    ['no API', { resources: ['https://other.example/'] }],
    ['no offline_access', { scopes: ['openid', 'profile', 'read'] }],
  ])('of a client that has %s left of the grant brings nothing, and stays', async (_what, less) => {
    const { openApp, refresh, change, session } = await start(wiki)
    const { refreshToken, sessionId } = await openApp(wiki, asWiki)
    change(less)
    const none = await refresh(refreshToken, {}, asWiki)
    expect([none.status, none.json['error']]).toEqual([400, 'invalid_grant'])
    expect(none.json).not.toHaveProperty('access_token')
    expect((await session(sessionId))?.endedAt).toBeNull()
    change(wiki)
    change({ resources: [ownResource] })
    expect((await refresh(refreshToken, {}, asWiki)).status).toBe(200)
  })

  it('of a session that says nothing of its APIs is for the host’s own alone', async () => {
    const { openApp, refresh, kit } = await start(toBoth)
    const { sessionId } = await openApp(desktop)
    const { resources: _none, ...before } = (await kit.sessionStore.find(sessionId)) ?? {}
    const id = randomId()
    const { token, refresh: state } = newRefreshToken(id)
    await kit.sessionStore.create({ ...before, id, refresh: state } as never)
    const other = await refresh(token, { ...asDesktop, resource: search })
    expect(other.json['error']).toBe('invalid_target')
    expect((await refresh(token, asDesktop)).status).toBe(200)
  })
})

describe('a code', () => {
  it('brings nothing that was taken from its client since, nor the session of it', async () => {
    const { issueCode, token, session, change } = await start(toBoth)
    const granted = { scope: 'openid profile read', resources: [ownResource, search] }
    const { form, record } = await issueCode(desktop, granted)
    change({ scopes: ['profile', 'read'], resources: [search] })
    const own = await token({ ...form, resource: ownResource })
    expect(own.json['error']).toBe('invalid_target')
    const { json } = await token(form)
    expect(json['scope']).toBe('profile read')
    expect(json).not.toHaveProperty('id_token')
    expect(claimsOf(json['access_token'])).toMatchObject({ aud: search, scope: 'profile read' })
    expect(await session(record.opensSessionId)).toMatchObject({
      scope: 'profile read',
      resources: [search],
    })
  })

  it.each<[string, Partial<OAuthClient>]>([
    ['scope', { scopes: ['email'] }],
    ['API', { resources: ['https://other.example/'] }],
  ])('of a client that has no %s left of the grant opens nothing', async (_what, less) => {
    const { issueCode, token, session, change } = await start(desktop)
    const { form, record } = await issueCode(desktop)
    change(less)
    expect((await token(form)).json['error']).toBe('invalid_grant')
    expect(await session(record.opensSessionId)).toBeNull()
  })
})
