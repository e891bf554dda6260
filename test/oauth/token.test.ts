import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get } from '../support/client.js'
import {
  asTracker,
  asWiki,
  claimsOf,
  desktop,
  issuer,
  ownResource,
  search,
  startOAuth,
  tracker,
  wiki,
} from './oauth-parts.js'

describe('a code', () => {
  it('is exchanged for the tokens of a session of the client', async () => {
    const { issueCode, token, session } = await startOAuth()
    const { record, form } = await issueCode(desktop)
    const { status, json, headers } = await token(form)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'openid profile',
      refresh_token: expect.stringMatching(/^mar_rt_/),
      id_token: expect.any(String),
    })
    expect(claimsOf(json['access_token'])).toMatchObject({
      iss: issuer,
      sub: 'u-alice',
      client_id: 'desktop',
      aud: ownResource,
      scope: 'openid profile',
      sid: record.opensSessionId,
    })
    expect(await session(record.opensSessionId)).toMatchObject({
      kind: 'oauth',
      clientId: 'desktop',
      scope: 'openid profile',
      resources: [ownResource],
    })
  })

  it('opens no session that lasts longer than the sign-in by a token that its browser hangs on', async () => {
    const { issueCode, token, session, openBrowser, kit, clock } = await startOAuth()
    const browser = await openBrowser()
    const lifetime = { idle: 1800, absolute: 43_200 }
    const expiresAt = new Date(clock().getTime() + 43_200_000)
    const { secretHash: _secret, ...row } = browser
    await kit.sessionStore.create({ ...row, id: 'short', kind: 'login', lifetime, expiresAt })
    await kit.sessionStore.create({ ...browser, id: 'below', parentId: 'short' })
    const { record, form } = await issueCode(desktop, { issuedBySessionId: 'below' })
    expect((await token(form)).json['refresh_token']).toMatch(/^mar_rt_/)
    expect(await session(record.opensSessionId)).toMatchObject({ lifetime, expiresAt })
    // A browser that was signed in by its page says with its times when it is closed, and no more.
    const own = await issueCode(desktop, { issuedBySessionId: browser.id })
    await token(own.form)
    expect((await session(own.record.opensSessionId))?.lifetime).toBeUndefined()
  })

  it('may be sent as JSON', async () => {
    const { issueCode, app } = await startOAuth()
    const { form } = await issueCode(desktop)
    const answer = await fetch(`${app.url}/oauth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(form),
    })
    expect(answer.status).toBe(200)
  })

  it('brings a web client a refresh token with offline_access alone', async () => {
    const { issueCode, token } = await startOAuth()
    const without = await token((await issueCode(wiki)).form, asWiki)
    expect(without.json).not.toHaveProperty('refresh_token')
    const offline = await issueCode(wiki, { scope: 'openid offline_access' })
    const { json } = await token(offline.form, asWiki)
    expect(json).toMatchObject({
      scope: 'openid offline_access',
      refresh_token: expect.any(String),
    })
  })

  it('opens a session that ends with the browser’s unless it can be refreshed', async () => {
    const { issueCode, token, kit, session } = await startOAuth()
    const dependent = await issueCode(wiki)
    const issuedBySessionId = dependent.record.issuedBySessionId as string
    const own = await issueCode(desktop, { issuedBySessionId })
    await token(dependent.form, asWiki)
    await token(own.form)
    const browser = { id: issuedBySessionId, userId: 'u-alice' }
    await kit.sessions.end(browser, 'logout', noRequest)
    expect((await session(dependent.record.opensSessionId))?.endReason).toBe('logout')
    expect((await session(own.record.opensSessionId))?.endedAt).toBeNull()
  })

  it('costs no waiting twice for answers that do not depend on each other', async () => {
    const pending = new Set<string>()
    const together: string[] = []
    const slowly = async <Value>(name: string, value: Value) => {
      together.push(...[...pending].map((other) => [other, name].sort().join(' and ')))
      pending.add(name)
      await nextTurn()
      pending.delete(name)
      return value
    }
    const { codes, sessions } = memoryStores()
    const find: typeof sessions.find = async (id) => slowly('session', await sessions.find(id))
    const consent = { userId: 'u-alice', clientId: 'tracker', scopes: ['openid', 'profile'] }
    const at = new Date('2026-03-01T12:00:00Z')
    const alice = { id: 'u-alice', name: 'Alice', username: 'alice', passwordHash: null }
    const { issueCode, token } = await startOAuth({
      stores: { codes, sessions: { ...sessions, find } },
      change: {
        users: { findById: () => slowly('user', alice) },
        factorStands: () => slowly('factor', true),
        clients: {
          findFresh: () => slowly('client', tracker),
          withRedirects: async (client) => client,
        },
        consents: { find: () => slowly('consent', { ...consent, grantedAt: at, updatedAt: at }) },
      },
    })
    for (const { form } of [await issueCode(tracker), await issueCode(tracker)]) {
      // The first of a process also tries the store.
      together.length = 0
      expect((await token(form, asTracker)).status).toBe(200)
    }
    expect(together).toEqual(['session and user', 'factor and session', 'client and consent'])
  })

  it('without openid brings no ID token', async () => {
    const { issueCode, token } = await startOAuth()
    const { form } = await issueCode(desktop, { scope: 'read' })
    expect((await token(form)).json).not.toHaveProperty('id_token')
  })

  it('whose client sent a nonce instead of a challenge needs no verifier', async () => {
    const { issueCode, token } = await startOAuth()
    const { code_verifier: _, ...form } = (await issueCode(wiki, { codeChallenge: '' })).form
    expect((await token(form, asWiki)).status).toBe(200)
  })

  it('is exchanged for a token for the one API that is asked for', async () => {
    const { issueCode, token, host } = await startOAuth()
    const resources = [ownResource, search]
    const { form } = await issueCode(desktop, { resources, scope: '*' })
    const { json } = await token({ ...form, resource: search })
    expect(claimsOf(json['access_token'])['aud']).toBe(search)
    expect((await get(host, '/me', bearer(String(json['access_token'])))).status).toBe(401)
    const first = await issueCode(desktop, { resources, scope: '*' })
    const answer = await token(first.form)
    expect(claimsOf(answer.json['access_token'])['aud']).toBe(ownResource)
    expect((await get(host, '/me', bearer(String(answer.json['access_token'])))).status).toBe(200)
  })
})

describe('an ID token', () => {
  it.each([
    ['ES256', desktop, {}],
    ['RS256', wiki, asWiki],
  ])('says in %s who has signed in, how and when', async (algorithm, client, headers) => {
    const { issueCode, token, signer, clock } = await startOAuth()
    const { record, form } = await issueCode(client)
    const { json } = await token(form, headers)
    const keys = createLocalJWKSet((await signer.publicKeys?.()) as never)
    const verified = await jwtVerify(String(json['id_token']), keys, {
      issuer,
      audience: client.id,
      typ: 'JWT',
      currentDate: clock(),
    })
    const iat = clock().getTime() / 1000
    const digest = createHash('sha256').update(String(json['access_token'])).digest()
    expect(verified.protectedHeader.alg).toBe(algorithm)
    expect(verified.payload).toEqual({
      iss: issuer,
      sub: 'u-alice',
      aud: client.id,
      iat,
      exp: iat + 600,
      auth_time: record.authenticatedAt.getTime() / 1000,
      nonce: 'n-0S6',
      acr: 'urn:mar:1fa',
      amr: ['pwd'],
      sid: expect.any(String),
      at_hash: digest.subarray(0, 16).toString('base64url'),
      name: 'Alice A.',
    })
  })

  it('says how surely: as the code has it, and with a refresh as the session has', async () => {
    const { issueCode, token, refresh, kit } = await startOAuth()
    const { record, form } = await issueCode(desktop, { acr: 'phr' })
    const { json } = await token(form)
    expect(claimsOf(json['id_token'])['acr']).toBe('phr')
    await kit.sessions.setMethods(record.opensSessionId, ['pwd', 'otp'])
    const next = await refresh(String(json['refresh_token']), { client_id: 'desktop' })
    expect(claimsOf(next.json['id_token'])['acr']).toBe('urn:mar:2fa')
  })

  it('is not an access token, nor the reverse', async () => {
    const { issueCode, token, host } = await startOAuth()
    const { json } = await token((await issueCode(desktop, { scope: '* openid' })).form)
    expect((await get(host, '/me', bearer(String(json['id_token'])))).status).toBe(401)
    expect((await get(host, '/me', bearer(String(json['access_token'])))).status).toBe(200)
  })
})

describe('a refresh token', () => {
  it('of a public client is replaced, and of one with a secret it stays', async () => {
    const { openApp, refresh } = await startOAuth()
    const app = await openApp(desktop)
    const next = await refresh(app.refreshToken, { client_id: 'desktop' })
    expect(next.status).toBe(200)
    expect(next.json['refresh_token']).not.toBe(app.refreshToken)
    const server = await openApp(wiki, asWiki)
    for (let round = 0; round < 3; round += 1) {
      const { status, json } = await refresh(server.refreshToken, {}, asWiki)
      expect([status, json['refresh_token']]).toEqual([200, server.refreshToken])
    }
  })

  it('that stays keeps its session in use', async () => {
    const { openApp, refresh, session, clock } = await startOAuth()
    const { refreshToken, sessionId } = await openApp(wiki, asWiki)
    const before = (await session(sessionId))?.idleExpiresAt as Date
    clock.advance(3600)
    await refresh(refreshToken, {}, asWiki)
    const after = (await session(sessionId))?.idleExpiresAt as Date
    expect(after.getTime() - before.getTime()).toBe(3600_000)
  })

  it('that stays is refused where its session ends a moment before the use is noted', async () => {
    const { codes, sessions } = memoryStores()
    const rotateRefresh: typeof sessions.rotateRefresh = async (id, ...rest) => {
      await sessions.end(id, 'logout', new Date())
      return sessions.rotateRefresh(id, ...rest)
    }
    const stores = { codes, sessions: { ...sessions, rotateRefresh } }
    const { openApp, refresh } = await startOAuth({ stores })
    const { refreshToken } = await openApp(wiki, asWiki)
    expect((await refresh(refreshToken, {}, asWiki)).json['error']).toBe('invalid_grant')
  })

  it('brings a new ID token of the same sign-in, without the nonce', async () => {
    const { openApp, refresh, clock } = await startOAuth()
    const { json, refreshToken } = await openApp(desktop)
    clock.advance(300)
    const next = await refresh(refreshToken, { client_id: 'desktop' })
    const { nonce, at_hash: _, iat, exp, ...same } = claimsOf(json['id_token'])
    const now = claimsOf(next.json['id_token'])
    expect(nonce).toBe('n-0S6')
    expect(now).toMatchObject(same)
    expect(now).toMatchObject({ iat: Number(iat) + 300, exp: Number(exp) + 300 })
    expect(now).not.toHaveProperty('nonce')
  })

  it('brings less than was granted where that is asked for, and all the next time', async () => {
    const { openApp, refresh } = await startOAuth()
    const { refreshToken } = await openApp(wiki, asWiki)
    const less = await refresh(refreshToken, { scope: 'read' }, asWiki)
    expect(less.json).toMatchObject({ scope: 'read' })
    expect(less.json).not.toHaveProperty('id_token')
    expect(claimsOf(less.json['access_token'])['scope']).toBe('read')
    const all = await refresh(refreshToken, {}, asWiki)
    expect(all.json['scope']).toBe('openid profile offline_access read')
  })

  it('brings a token for any one API that was granted, and the host’s own by default', async () => {
    const { openApp, refresh } = await startOAuth()
    const resources = [search, ownResource]
    const { refreshToken } = await openApp(desktop, {}, { resources })
    const asked = { client_id: 'desktop', resource: search }
    const { json } = await refresh(refreshToken, asked)
    expect(claimsOf(json['access_token'])).toMatchObject({ aud: search, client_id: 'desktop' })
    const own = await refresh(String(json['refresh_token']), { client_id: 'desktop' })
    expect(claimsOf(own.json['access_token'])['aud']).toBe(ownResource)
  })
})

describe('the token endpoint', () => {
  it('names what is wrong with a request as RFC 6749 does', async () => {
    const noCode = { ...wiki, id: 'api', type: 'service' as const }
    const { issueCode, token, refresh } = await startOAuth({ clients: [desktop, wiki, noCode] })
    const { form } = await issueCode(desktop)
    const { redirect_uri: _, ...noRedirect } = form
    const { code: __, ...nothing } = form
    const errorOf = async (parameters: Record<string, string>, headers = {}) => {
      const { status, json } = await token(parameters, headers)
      return [status, json['error']]
    }
    expect(await errorOf({ ...form, grant_type: 'password' })).toEqual([
      400,
      'unsupported_grant_type',
    ])
    expect(await errorOf({ ...form, grant_type: 'toString' })).toEqual([
      400,
      'unsupported_grant_type',
    ])
    expect(await errorOf({ ...form, grant_type: '' })).toEqual([400, 'invalid_request'])
    expect(await errorOf(noRedirect)).toEqual([400, 'invalid_request'])
    expect(await errorOf(nothing)).toEqual([400, 'invalid_request'])
    expect(await errorOf({ ...form, code_verifier: 'short' })).toEqual([400, 'invalid_request'])
    expect(await errorOf({ ...form, client_id: 'nobody' })).toEqual([401, 'invalid_client'])
    const service = { client_id: 'api', client_secret: wikiSecret(asWiki) }
    expect(await errorOf({ ...form, ...service })).toEqual([400, 'unauthorized_client'])
    expect((await refresh('', { client_id: 'desktop' })).json['error']).toBe('invalid_request')
    // None of them was a guess, so the code is as good as before.
    expect((await token(form)).status).toBe(200)
  })

  it('answers 503 while the signer fails, and the code is as good as before', async () => {
    let isDown = true
    const signIdToken = async () => {
      if (isDown) throw new Error('no')
      return 'an.id.token'
    }
    const { issueCode, token, session } = await startOAuth({ change: { signer: { signIdToken } } })
    const { record, form } = await issueCode(desktop)
    const failed = await token(form)
    expect([failed.status, failed.json['error']]).toEqual([503, 'temporarily_unavailable'])
    expect(await session(record.opensSessionId)).toBeNull()
    isDown = false
    expect((await token(form)).json['id_token']).toBe('an.id.token')
  })
})

function wikiSecret({ Authorization }: { readonly Authorization: string }): string {
  const [, encoded = ''] = Authorization.split(' ')
  return Buffer.from(encoded, 'base64').toString().slice('wiki:'.length)
}
