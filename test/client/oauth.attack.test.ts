import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { issuer } from '../support/oauth-apps.js'
import { appOf, back, editorOptions, type OAuthHost, startOAuth } from './oauth-client.js'
import { tap } from './recorded.js'

/** An answer of the server, as it came or changed. */
async function answered(started: OAuthHost, change: (query: URLSearchParams) => void = () => {}) {
  const wire = tap(started.host)
  const { client, app } = appOf(started, { wire })
  const url = new URL(await back(started, await app.start()))
  change(url.searchParams)
  wire.sent.length = 0
  return { client, app, wire, address: url.href }
}

const sessionsOf = async ({ host }: OAuthHost) =>
  (await host.auth.sessions.list('u-alice')).map(({ kind }) => kind)

describe('an answer', () => {
  it.each<[string, string, (query: URLSearchParams) => void]>([
    ['of no state', 'not-begun', (query) => query.delete('state')],
    ['of another state', 'not-begun', (query) => query.set('state', 'A'.repeat(43))],
    ['of two states', 'not-begun', (query) => query.append('state', 'A'.repeat(43))],
    ['of no issuer', 'wrong-issuer', (query) => query.delete('iss')],
    ['of another issuer', 'wrong-issuer', (query) => query.set('iss', 'https://evil.example')],
    ['of two issuers', 'wrong-issuer', (query) => query.append('iss', issuer)],
  ])('%s is %s, and nothing is asked', async (_name, code, change) => {
    const { client, app, wire, address } = await answered(await startOAuth(), change)
    await expect(app.finish(address)).rejects.toMatchObject({ name: 'OAuthError', code })
    expect([wire.sent, client.state.status]).toEqual([[], 'signed-out'])
  })

  it('that was begun elsewhere signs nobody in', async () => {
    const started = await startOAuth()
    const mallory = appOf(started)
    const hers = await back(started, await mallory.app.start())
    const { client, app } = appOf(started)
    await app.start()
    await expect(app.finish(hers)).rejects.toMatchObject({ code: 'not-begun' })
    expect(client.state.status).toBe('signed-out')
  })

  it('is good once, also after one that failed', async () => {
    const started = await startOAuth()
    const { app, address } = await answered(started, (query) => query.set('code', 'wrong'))
    await expect(app.finish(address)).rejects.toMatchObject({ code: 'invalid_grant' })
    await expect(app.finish(address)).rejects.toMatchObject({ code: 'not-begun' })
  })

  it('with two codes is exchanged for nothing', async () => {
    const started = await startOAuth()
    const { app, address } = await answered(started, (query) => query.append('code', 'other'))
    await expect(app.finish(address)).rejects.toMatchObject({ name: 'AuthClientError' })
    expect(await sessionsOf(started)).toEqual(['browser'])
  })

  it('with an error does not say whose page it is', async () => {
    const started = await startOAuth()
    const { app, address } = await answered(started, (query) => {
      query.delete('code')
      query.set('error', '__proto__')
      query.set('error_description', '%')
    })
    await expect(app.finish(address)).rejects.toMatchObject({ code: 'unknown', message: '%' })
  })
})

/** A token endpoint that answers another ID token. */
async function withIdToken(started: OAuthHost, change: (claims: Record<string, unknown>) => void) {
  const all = await answered(started)
  all.wire.next('/oauth/token', async (send) => {
    const tokens = (await (await send()).json()) as { id_token: string }
    const [head, payload = '', tail] = tokens.id_token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    change(claims)
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return Response.json({ ...tokens, id_token: `${head}.${changed}.${tail}` })
  })
  return all
}

describe('an ID token', () => {
  it.each<[string, (claims: Record<string, unknown>) => void]>([
    ['without the nonce', (claims) => void delete claims['nonce']],
    ['with another nonce', (claims) => void Object.assign(claims, { nonce: 'A'.repeat(43) })],
    ['for another app', (claims) => void Object.assign(claims, { aud: 'desk' })],
    ['for several apps', (claims) => void Object.assign(claims, { aud: ['editor', 'desk'] })],
    ['of another issuer', (claims) => void Object.assign(claims, { iss: 'https://evil.example' })],
    ['that is over', (claims) => void Object.assign(claims, { exp: 1 })],
    ['of another user', (claims) => void Object.assign(claims, { sub: 'u-mallory' })],
    ['of nobody', (claims) => void delete claims['sub']],
  ])('%s is refused, and the session of its tokens ends', async (_name, change) => {
    const started = await startOAuth()
    const { client, app, address } = await withIdToken(started, change)
    await expect(app.finish(address)).rejects.toMatchObject({ code: 'wrong-id-token' })
    expect(client.state.status).toBe('signed-out')
    expect(await sessionsOf(started)).toEqual(['browser'])
  })

  it.each([undefined, '', 'a.b.c', 'a.%.c', 'a.bnVsbA.c'])('%j is none', async (idToken) => {
    const started = await startOAuth()
    const { app, wire, address } = await answered(started)
    wire.next('/oauth/token', async (send) => {
      const tokens = (await (await send()).json()) as object
      return Response.json({ ...tokens, id_token: idToken })
    })
    await expect(app.finish(address)).rejects.toMatchObject({ code: 'wrong-id-token' })
  })

  it('of letters beyond ASCII is read as they are', async () => {
    const started = await startOAuth()
    const { app, address } = await withIdToken(started, (claims) => {
      claims['name'] = 'Álice 🙂'
    })
    expect((await app.finish(address)).claims?.name).toBe('Álice 🙂')
  })

  it('of a sign-in that is older than was asked for is refused', async () => {
    const started = await startOAuth()
    const wire = tap(started.host)
    const { app } = appOf(started, { wire })
    const address = new URL(await app.start({ maxAge: 30 }))
    started.clock.advance(300)
    // Somebody has taken it out on the way.
    address.searchParams.delete('max_age')
    const answer = await back(started, address.href)
    await expect(app.finish(answer)).rejects.toMatchObject({ code: 'wrong-id-token' })
  })
})

describe('a server', () => {
  const metadata = '/.well-known/openid-configuration'

  it.each([
    [{ issuer: 'https://evil.example' }, 'wrong-issuer'],
    [{ issuer: `${issuer}/` }, 'wrong-issuer'],
    [{ authorization_endpoint: 'javascript:alert(1)//' }, 'unknown'],
    [{ authorization_endpoint: undefined }, 'unknown'],
  ])('that says %o of itself is not asked', async (change, code) => {
    const started = await startOAuth()
    const wire = tap({ url: started.host.url.replace('/api/v1', '') })
    const { app } = appOf(started, { wire })
    wire.next(metadata, async (send) => {
      const said = (await (await send()).json()) as object
      return Response.json({ ...said, ...change })
    })
    await expect(app.start()).rejects.toMatchObject({ code })
  })

  it('at another issuer is asked there', async () => {
    const started = await startOAuth()
    const options = { ...editorOptions, issuer: 'https://login.example' }
    const { app } = appOf(started, {
      options,
      wire: { fetch: async (url) => Response.json({ issuer: url.split('/.well')[0] }) },
    })
    // It says who it is, but not where its pages are.
    await expect(app.start()).rejects.toMatchObject({ code: 'unknown' })
  })
})

describe('what is kept of a sign-in', () => {
  it('is in the tab alone, and gone when it is finished', async () => {
    const started = await startOAuth()
    const kept = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const { app } = appOf(started)
    const address = await app.start()
    const { codeVerifier } = JSON.parse([...kept.values()][0] ?? '{}')
    expect(address).not.toContain(codeVerifier)
    await app.finish(await back(started, address))
    expect(kept.size).toBe(0)
  })
})
