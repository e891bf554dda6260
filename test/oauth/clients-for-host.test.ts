import { describe, expect, it } from 'vitest'
import { AuthError, type OAuthClient } from '../../src/index.js'
import { generateClientSecret } from '../../src/oauth/client-secret.js'
import { startOAuthApp } from './oauth-app.js'

const tracker: OAuthClient = {
  id: 'tracker',
  name: 'Tracker',
  type: 'web',
  redirectUris: ['https://tracker.example.net/callback'],
  scopes: ['openid', 'messages:read'],
}
const phone: OAuthClient = {
  ...tracker,
  id: 'my-phone',
  type: 'native',
  redirectUris: ['http://127.0.0.1/callback'],
}

type App = Awaited<ReturnType<typeof startOAuthApp>>

/** The status of a request that the client sends with this secret. */
const statusWith = async (app: App, id: string, secret: string | undefined) => {
  const body = new URLSearchParams({ client_id: id, token: 'nothing' })
  if (secret !== undefined) body.set('client_secret', secret)
  return (await app.ask('/oauth/revoke', { method: 'POST', body })).status
}
const changesOf = (app: App) =>
  app.told('client.changed').map((event) => ('change' in event ? event.change : null))
const refusalOf = async (work: Promise<unknown>): Promise<AuthError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof AuthError) return error
  throw new Error('it was not refused')
}

const publicJwk = async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign'])
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { kty, crv, x, y, alg: 'ES256' }
}

describe('a client that the host creates', () => {
  it('has a secret that is told once, and works at once, even if it was looked for', async () => {
    const app = await startOAuthApp()
    expect(await statusWith(app, 'tracker', 'mar_cs_x')).toBe(401)
    const { client, secret } = await app.forHost.create(tracker)
    expect(client).toEqual({ ...tracker, disabled: false, secrets: 1 })
    expect(secret).toMatch(/^mar_cs_[\w-]{43}$/)
    expect(await statusWith(app, 'tracker', secret)).toBe(200)
    const stored = await app.oauthStores.clients.find('tracker')
    expect(JSON.stringify([stored, app.events])).not.toContain(secret)
    for (const shown of [await app.forHost.find('tracker'), ...(await app.forHost.list())])
      expect(JSON.stringify(shown)).not.toMatch(/sha256|secretHashes/)
    expect(app.told('client.changed')).toMatchObject([{ clientId: 'tracker', change: 'created' }])
  })

  it('has none where it is native, shows keys, or brings its own along, or as the host says', async () => {
    const app = await startOAuthApp()
    const own = generateClientSecret()
    const keys = [await publicJwk()]
    const created = [
      await app.forHost.create(phone),
      await app.forHost.create({ ...tracker, jwks: { keys } }),
      await app.forHost.create({ ...tracker, id: 'own', secretHashes: [own.hash] }),
      await app.forHost.create({ ...tracker, id: 'page' }, { withSecret: false }),
    ]
    expect(created.map(({ client, secret }) => [client.secrets, secret])).toEqual([
      [0, undefined],
      [0, undefined],
      [1, undefined],
      [0, undefined],
    ])
    expect(created.some((one) => 'secret' in one)).toBe(false)
    expect(await statusWith(app, 'own', own.secret)).toBe(200)
    expect(await statusWith(app, 'page', undefined)).toBe(200)
    const both = { ...tracker, id: 'both', secretHashes: [own.hash] }
    const { secret } = await app.forHost.create(both, { withSecret: true })
    for (const one of [own.secret, secret]) expect(await statusWith(app, 'both', one)).toBe(200)
  })

  it.each<[string, unknown, string]>([
    ['with an empty list of secrets', { ...tracker, secretHashes: [] }, 'secretHashes'],
    ['with an empty list of keys', { ...tracker, jwks: { keys: [] } }, 'jwks.keys'],
    ['without a name', { ...tracker, name: undefined }, 'name'],
    [
      'with a redirect to http',
      { ...tracker, redirectUris: ['http://x.example/'] },
      'redirectUris[0]',
    ],
    ['with an unknown scope', { ...tracker, scopes: ['openid', 'mesages'] }, 'scopes[1]'],
    ['with another’s scope', { ...tracker, scopes: ['*'] }, 'scopes'],
    ['with a member that is none', { ...tracker, secret: 'x' }, 'secret'],
    ['called like the host’s own API', { ...tracker, id: 'chat' }, 'id'],
    ['called like another', { ...tracker, id: 'wiki' }, 'id'],
    [
      'that is a program with a grant',
      { ...tracker, type: 'service', redirectUris: [], grants: ['refresh_token'] },
      'grants',
    ],
    ['that is nothing', null, 'client'],
    ['that is a text', 'wiki', 'client'],
  ])('is refused %s, by what is wrong with it', async (_name, client, path) => {
    const app = await startOAuthApp()
    const before = await app.forHost.list()
    const error = await refusalOf(app.forHost.create(client as OAuthClient))
    expect([error.code, error.status, error.name]).toEqual(['invalid-request', 400, 'AuthError'])
    expect(error.details).toMatchObject({ issues: [{ path }] })
    expect(error.message).toContain(path)
    expect([await app.forHost.list(), changesOf(app)]).toEqual([before, []])
  })

  it('is refused a secret that it cannot keep, and options that there are not', async () => {
    const app = await startOAuthApp()
    for (const [client, options, path] of [
      [phone, { withSecret: true }, 'secretHashes'],
      [tracker, { withSecret: 'no' }, 'options'],
      [tracker, { secret: false }, 'options'],
    ] as const) {
      const error = await refusalOf(app.forHost.create(client, options as object))
      expect(error.details).toMatchObject({ issues: [{ path }] })
    }
  })

  it('is created by one call of 50, whose secret is the one that works', async () => {
    const app = await startOAuthApp()
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => app.forHost.create(tracker)),
    )
    const [made, ...others] = answers.flatMap((one) =>
      one.status === 'fulfilled' ? [one.value.secret] : [],
    )
    expect(others).toEqual([])
    expect(await statusWith(app, 'tracker', made)).toBe(200)
    expect(changesOf(app)).toEqual(['created'])
  })
})

describe('a client that the host updates', () => {
  it('is what it was handed, but for its secrets and whether it is disabled', async () => {
    const app = await startOAuthApp()
    const { secret } = await app.forHost.create({ ...tracker, mayIntrospect: true })
    await app.clients.find('tracker')
    const read = await app.forHost.find('tracker')
    await app.forHost.disable('tracker')
    // What was read before brings nothing back.
    const handed = { ...read, ...tracker, name: 'Bugs', secretHashes: [] }
    const updated = await app.forHost.update(handed)
    expect(updated).toMatchObject({ name: 'Bugs', disabled: true, secrets: 1 })
    expect(await app.clients.find('tracker')).toMatchObject({ name: 'Bugs', disabled: true })
    await app.forHost.enable('tracker')
    expect(await statusWith(app, 'tracker', secret)).toBe(200)
    expect(changesOf(app)).toEqual(['created', 'disabled', 'updated', 'enabled'])
  })

  it('is refused by the same rules, which know its secrets', async () => {
    const app = await startOAuthApp()
    await app.forHost.create(tracker)
    await app.forHost.create({ ...tracker, id: 'page' }, { withSecret: false })
    for (const [client, path] of [
      [{ ...phone, id: 'tracker' }, 'secretHashes'],
      [{ ...tracker, scopes: ['nothing'] }, 'scopes[0]'],
      [{ ...tracker, id: 'page', mayIntrospect: true }, 'mayIntrospect'],
      [{ ...tracker, id: 'no id' }, 'clientId'],
      [undefined, 'client'],
    ] as const) {
      const error = await refusalOf(app.forHost.update(client as OAuthClient))
      expect([error.code, error.details]).toMatchObject(['invalid-request', { issues: [{ path }] }])
    }
    await app.forHost.update({ ...tracker, mayIntrospect: true })
    expect((await refusalOf(app.forHost.update({ ...tracker, id: 'nobody' }))).status).toBe(404)
    expect(await app.forHost.find('nobody')).toBeNull()
  })
})

describe('a client that shows who it is by its keys', () => {
  it('is not made one that anybody can be by an update that forgets them', async () => {
    const app = await startOAuthApp()
    const jwks = { keys: [await publicJwk()] }
    await app.forHost.create({ ...tracker, jwks })
    for (const [client, path] of [
      [tracker, 'jwks'],
      [{ ...tracker, jwks: { keys: [] } }, 'jwks.keys'],
      [{ ...tracker, type: 'native', redirectUris: phone.redirectUris }, 'jwks'],
    ] as const) {
      const error = await refusalOf(app.forHost.update(client))
      expect([error.status, error.details]).toMatchObject([400, { issues: [{ path }] }])
    }
    expect(await app.forHost.find('tracker')).toMatchObject({ jwks, type: 'web' })
    expect(await statusWith(app, 'tracker', undefined)).toBe(401)
    // Other keys take the place of the former ones.
    const others = { keys: [await publicJwk()] }
    expect(await app.forHost.update({ ...tracker, jwks: others })).toMatchObject({ jwks: others })
  })

  it('may lose them where it has a secret, and stays public where it was', async () => {
    const app = await startOAuthApp()
    const jwks = { keys: [await publicJwk()] }
    const { secret } = await app.forHost.create({ ...tracker, jwks }, { withSecret: true })
    await app.forHost.update(tracker)
    expect(await statusWith(app, 'tracker', undefined)).toBe(401)
    expect(await statusWith(app, 'tracker', secret)).toBe(200)
    const page = { ...tracker, id: 'page' }
    await app.forHost.create(page, { withSecret: false })
    expect(await app.forHost.update({ ...page, name: 'Page' })).toMatchObject({ name: 'Page' })
  })
})

describe('secrets of a client', () => {
  it('follow each other without an outage: two are good at a time', async () => {
    const app = await startOAuthApp()
    const { secret: first } = await app.forHost.create(tracker)
    const { secret: second } = await app.forHost.rotateSecret('tracker')
    for (const one of [first, second]) expect(await statusWith(app, 'tracker', one)).toBe(200)
    expect((await app.forHost.find('tracker'))?.secrets).toBe(2)
    const { secret: third } = await app.forHost.rotateSecret('tracker')
    expect(await statusWith(app, 'tracker', first)).toBe(401)
    for (const one of [second, third]) expect(await statusWith(app, 'tracker', one)).toBe(200)
    expect(await app.forHost.removeSecret('tracker', 'older')).toBe(true)
    expect(await statusWith(app, 'tracker', second)).toBe(401)
    expect(await statusWith(app, 'tracker', third)).toBe(200)
    // The last one stays.
    for (const which of ['older', 'newer'] as const)
      expect(await app.forHost.removeSecret('tracker', which)).toBe(false)
    const { secret: lost } = await app.forHost.rotateSecret('tracker')
    expect(await app.forHost.removeSecret('tracker', 'newer')).toBe(true)
    expect(await statusWith(app, 'tracker', lost)).toBe(401)
    expect(await statusWith(app, 'tracker', third)).toBe(200)
    expect(JSON.stringify(app.events)).not.toMatch(/mar_cs_|sha256/)
  })

  it('are not lost by two who rotate at once: one is told to look again', async () => {
    const app = await startOAuthApp()
    const { secret: first } = await app.forHost.create(tracker)
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => app.forHost.rotateSecret('tracker')),
    )
    const made = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.secret] : []))
    expect(made).toHaveLength(1)
    for (const one of [first, ...made]) expect(await statusWith(app, 'tracker', one)).toBe(200)
    const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['temporarily-unavailable']))
    expect(changesOf(app)).toEqual(['created', 'secret-rotated'])
  })

  it('are for none that can keep none, nor for one that there is not', async () => {
    const app = await startOAuthApp()
    // With a secret, a page that is signed in to without one would be refused.
    await app.forHost.create({ ...tracker, id: 'page' }, { withSecret: false })
    for (const id of ['phone', 'page'])
      expect(await refusalOf(app.forHost.rotateSecret(id))).toMatchObject({ status: 400 })
    for (const work of [
      app.forHost.rotateSecret('nobody'),
      app.forHost.removeSecret('nobody', 'older'),
    ])
      expect(await refusalOf(work)).toMatchObject({ code: 'not-found' })
    const which = app.forHost.removeSecret('wiki', 'both' as 'older')
    expect(await refusalOf(which)).toMatchObject({ code: 'invalid-request' })
    expect(changesOf(app)).toEqual(['created'])
  })
})

describe('a client that the host disables', () => {
  it('is disabled and enabled once each, and told of once', async () => {
    const app = await startOAuthApp()
    const { session } = await app.open('wiki')
    const disabled = await Promise.all(
      Array.from({ length: 20 }, () => app.forHost.disable('wiki')),
    )
    expect(disabled.filter(Boolean)).toHaveLength(1)
    expect(await app.endOf(session)).toBe('client-disabled')
    expect(await app.forHost.find('wiki')).toMatchObject({ disabled: true })
    expect((await app.revoke('wiki', 'nothing')).status).toBe(401)
    const enabled = await Promise.all(Array.from({ length: 20 }, () => app.forHost.enable('wiki')))
    expect(enabled.filter(Boolean)).toHaveLength(1)
    expect((await app.revoke('wiki', 'nothing')).status).toBe(200)
    expect(changesOf(app)).toEqual(['disabled', 'enabled'])
    expect([await app.forHost.disable('nobody'), await app.forHost.enable('nobody')]).toEqual([
      false,
      false,
    ])
  })
})

describe('the register of clients', () => {
  it('lists all by their ids, and takes no id that is none', async () => {
    const app = await startOAuthApp()
    const ids = (await app.forHost.list()).map(({ id }) => id)
    expect(ids).toEqual(['companion', 'desktop', 'phone', 'search', 'wiki'])
    expect(await app.forHost.find('nobody')).toBeNull()
    for (const id of ['', 'no id', 7 as unknown as string, undefined as unknown as string])
      for (const work of ['find', 'rotateSecret', 'disable', 'enable'] as const)
        expect(await refusalOf(app.forHost[work](id))).toMatchObject({ code: 'invalid-request' })
  })

  it('is 503 while its store fails, and forgets also what may have been written', async () => {
    const app = await startOAuthApp()
    const { clients } = app.oauthStores
    const { update, replaceSecrets, setDisabled } = clients
    const losing =
      <Given extends unknown[]>(write: (...given: Given) => Promise<unknown>) =>
      async (...given: Given): Promise<never> => {
        await write(...given)
        throw new Error('connection lost')
      }
    await app.forHost.create(tracker)
    await app.clients.find('tracker')
    Object.assign(clients, { update: losing(update), setDisabled: losing(setDisabled) })
    const down = { code: 'temporarily-unavailable' }
    expect(await refusalOf(app.forHost.update({ ...tracker, name: 'Bugs' }))).toMatchObject(down)
    expect((await app.clients.find('tracker'))?.name).toBe('Bugs')
    expect(await refusalOf(app.forHost.disable('tracker'))).toMatchObject(down)
    expect((await app.clients.find('tracker'))?.disabled).toBe(true)
    clients.replaceSecrets = losing(replaceSecrets)
    expect(await refusalOf(app.forHost.rotateSecret('tracker'))).toMatchObject(down)
    expect((await app.clients.find('tracker'))?.secretHashes).toHaveLength(2)
    expect(changesOf(app)).toEqual(['created'])
  })
})
