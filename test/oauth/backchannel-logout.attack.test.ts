// What an app, its server or a stranger could make of logout tokens, and of the way to the app.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AuthConfigError, joseSigner, type TokenSigner } from '../../src/index.js'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, post, remove } from '../support/client.js'
import { memoryBus } from '../support/memory-bus.js'
import { claimsOf } from './oauth-parts.js'
import { key, signerOf, startTelling, startToldApp, type ToldHost, tokenIn } from './told-apps.js'

afterEach(() => void vi.useRealTimers())

const hold = () => {}

describe('a logout token', () => {
  it('is no ID token and no access token, here or elsewhere', async () => {
    const wiki = await startToldApp('wiki')
    const host = await startTelling({ clients: [wiki.client] })
    const session = await host.openApp(wiki.client)
    await host.auth.sessions.revoke(session.id)
    await wiki.toldTimes(1)
    const token = tokenIn(wiki.told[0]?.body ?? '')
    host.issued.add(token)
    const [claims = {}] = wiki.claims()
    expect([claims.aud, 'nonce' in claims, 'scope' in claims]).toEqual(['wiki', false, false])
    const signer = signerOf(host.clock)
    const refusal = { code: 'Unauthorized' }
    await expect(signer.verifyIdToken?.(token, { audience: 'wiki' })).rejects.toMatchObject(refusal)
    await expect(signer.verify(token)).rejects.toMatchObject(refusal)
    const asked = { audiences: ['wiki', 'chat'] }
    await expect(signer.verify(token, asked)).rejects.toMatchObject(refusal)
    await expect(signer.verifyExpired?.(token, asked)).rejects.toMatchObject(refusal)
    await get(host, '/me', bearer(token)).expect(401)
    await remove(host, '/auth/sessions', bearer(token)).expect(401)
    await get(host, '/oauth/userinfo', bearer(token)).expect(401)
    expect(await host.auth.sessions.revokeByToken(token)).toBe(false)
  })

  it('is in no log and no event, whatever becomes of it', async () => {
    const wiki = await startToldApp('wiki', (response, times) =>
      response.writeHead(times === 1 ? 200 : 400).end('<html>no</html>'),
    )
    const host = await startTelling({ clients: [wiki.client] })
    for (const session of [await host.openApp(wiki.client), await host.openApp(wiki.client)])
      await host.auth.sessions.revoke(session.id)
    await wiki.toldTimes(2)
    // The host looks for each of these when the test is over.
    for (const { body } of wiki.told) host.issued.add(tokenIn(body))
    await host.auth.close()
    expect(host.outcomes().map(({ type }) => type)).toEqual(['rp-logout.sent', 'rp-logout.failed'])
  })

  it.each([
    [{ signLogoutToken: undefined }, 'signLogoutToken'],
    [{ signIdToken: undefined }, 'ID tokens'],
  ])('that a signer cannot make is noticed at the start: %j', async (change, remedy) => {
    const wiki = await startToldApp('wiki', undefined, { scopes: ['profile'] })
    const { backchannelLogoutUri: _none, ...client } = wiki.client
    const signer = { ...signerOf(() => new Date()), ...change } as unknown as TokenSigner
    const starting = startTelling({ clients: [client], options: { signer } })
    const refusal = await starting.then(String, (error: unknown) => error as AuthConfigError)
    expect(refusal).toBeInstanceOf(AuthConfigError)
    expect((refusal as AuthConfigError).option).toBe('oauth.logout')
    expect((refusal as AuthConfigError).message).toContain(remedy)
  })
})

describe('an app that does not take its message', () => {
  const bad: [string, Parameters<typeof startToldApp>[1], string][] = [
    ['redirects', (response) => response.writeHead(302, { Location: '/else' }).end(), 'rejected'],
    ['fails', (response) => response.writeHead(500).end(), 'rejected'],
    ['refuses', (response) => response.writeHead(400).end('{"error":"x"}'), 'rejected'],
    ['hangs up', (response) => response.destroy(), 'unreachable'],
    ['says nothing', hold, 'timeout'],
    [
      'answers 10 MB',
      (response) => {
        response.writeHead(200)
        response.on('error', hold)
        response.end(Buffer.alloc(10 * 1024 * 1024))
      },
      'rejected',
    ],
  ]
  it.each(bad)(
    'it %s: three tries, and the user is signed out long before',
    async (_what, answer, reason) => {
      const wiki = await startToldApp('wiki', answer)
      const host = await startTelling({ clients: [wiki.client] })
      const { authToken } = await logIn(host)
      const parentId = String(claimsOf(authToken)['sid'])
      const session = await host.openApp(wiki.client, { parentId })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      await post(host, '/logout', {}, bearer(authToken)).expect(200)
      expect((await host.stores.sessions.find(session.id))?.endReason).toBe('logout')
      expect(host.outcomes()).toEqual([])
      await seconds(4)
      expect(wiki.told).toHaveLength(1)
      await seconds(60)
      expect(wiki.told).toHaveLength(3)
      const about = { userId: 'u-alice', sessionId: session.id, clientId: 'wiki' }
      expect(host.outcomes()).toEqual([{ type: 'rp-logout.failed', reason, ...about }])
      // Each try is a token of its own.
      expect(new Set(wiki.claims().map(({ jti }) => jti)).size).toBe(3)
      expect(host.auth.stats().rpLogout).toEqual({ sent: 0, failed: 1, waiting: 0 })
    },
  )

  it('takes none from the others', async () => {
    const [bad, good] = [await startToldApp('bad', hold), await startToldApp('good')]
    const host = await startTelling({ clients: [bad.client, good.client] })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (let count = 0; count < 40; count += 1) await host.openApp(bad.client)
    await host.openApp(good.client)
    await host.auth.sessions.revokeAllForUser('u-alice')
    // Eight hang for five seconds; then it is the other's turn.
    await seconds(6)
    expect(good.told).toHaveLength(1)
    expect(bad.told.length).toBeLessThanOrEqual(16)
  })
})

describe('the address of an app', () => {
  it.each([
    'https://127.0.0.1/logout',
    'https://10.0.0.1/logout',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/logout',
    'https://[::ffff:127.0.0.1]/logout',
    'https://[fd00::1]/logout',
    'https://2130706433/logout',
    'https://localhost/logout',
    'http://wiki.example.com/logout',
    'http://127.0.0.1:3001/logout',
    'https://wiki.example.com/logout#part',
    'https://ada:secret@wiki.example.com/logout',
    'https://wiki.example.com/a b',
    '//wiki.example.com/logout',
    'javascript:alert(1)',
    `https://wiki.example.com/${'a'.repeat(2000)}`,
    '',
  ])('is not one like %s', async (uri) => {
    const { clients } = memoryOAuthStores()
    const client = {
      id: 'wiki',
      name: 'Wiki',
      type: 'web',
      redirectUris: ['https://wiki.example.com/callback'],
      scopes: ['openid'],
      backchannelLogoutUri: uri,
    } as const
    const real = 'https://chat.example.com'
    const oauth = { baseUrl: `${real}/api/v1` }
    const signer = joseSigner({ issuer: real, audience: 'chat', keys: [key] })
    const refusal = { option: 'oauth.clients[0].backchannelLogoutUri' }
    await expect(
      startTelling({ clients: [client], oauth, options: { signer } }),
    ).rejects.toMatchObject(refusal)
    const host = await startTelling({
      clients: [],
      oauth: { ...oauth, clients },
      options: { signer },
    })
    await expect(host.auth.clients.create(client)).rejects.toMatchObject({
      code: 'invalid-request',
      details: { issues: [{ path: 'backchannelLogoutUri' }] },
    })
  })

  it('that a row of the database has is not asked, if it is of the inner network', async () => {
    const { clients } = memoryOAuthStores()
    const wiki = await startToldApp('wiki')
    await clients.create({ ...wiki.client, backchannelLogoutUri: 'https://10.0.0.1/' }, new Date())
    const host = await startTelling({ clients: [], oauth: { clients } })
    const session = await host.openApp(wiki.client)
    expect(await host.auth.sessions.revoke(session.id)).toBe(true)
    await host.settled()
    expect([wiki.told.length, host.outcomes()]).toEqual([0, []])
  })
})

describe('many ends at once', () => {
  it('of ten thousand sessions: a thousand messages wait, and the others are told of as lost', async () => {
    const wiki = await startToldApp('wiki', hold)
    const { clients } = memoryOAuthStores()
    await clients.create(wiki.client, new Date())
    const host = await startTelling({ clients: [], oauth: { clients } })
    for (let count = 0; count < 10_000; count += 1)
      await host.openApp(wiki.client, { userId: `u-${count % 5000}` })
    const before = process.memoryUsage().heapUsed
    expect(await host.auth.clients.disable('wiki')).toBe(true)
    expect(host.auth.stats().rpLogout).toMatchObject({ sent: 0, waiting: 1000 })
    const lost = host.outcomes()
    expect(lost.length).toBeGreaterThanOrEqual(9000)
    expect(new Set(lost.map(({ reason }) => reason))).toEqual(new Set(['overflow']))
    expect(host.events.filter(({ type }) => type === 'session.ended')).toHaveLength(10_000)
    // Everything else goes on.
    await logIn(host)
    expect(host.unforeseen).toEqual([])
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024)
  })

  it('in two processes tell the app once of each session', async () => {
    const wiki = await startToldApp('wiki')
    const stores = memoryStores()
    const options = { ...stores, bus: memoryBus() }
    const { clients } = memoryOAuthStores()
    const oauth = { clients }
    await clients.create(wiki.client, new Date())
    const hosts = [
      await startTelling({ clients: [], oauth, options }),
      await startTelling({ clients: [], oauth, options }),
    ]
    const [one] = hosts as [ToldHost, ToldHost]
    const opened: string[] = []
    for (let count = 0; count < 30; count += 1) opened.push((await one.openApp(wiki.client)).id)
    await Promise.all([
      ...hosts.map((host) => host.auth.sessions.revokeAllForUser('u-alice')),
      ...hosts.map((host) => host.auth.clients.disable('wiki')),
      ...hosts.flatMap((host) => opened.map((id) => host.auth.sessions.revoke(id))),
    ])
    for (const host of hosts) await host.settled()
    await wiki.toldTimes(30)
    expect(new Set(wiki.claims().map(({ sid }) => sid)).size).toBe(30)
  })
})

/** Moves the timers on, second by second, with time for what goes over the line. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(1000)
  }
}
