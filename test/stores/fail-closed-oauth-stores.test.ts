import { describe, expect, it } from 'vitest'
import { createHostCall, type HostFailure } from '../../src/lib/host-call.js'
import {
  failClosedConsents,
  failClosedManagedClients,
  failClosedOnce,
  failClosedOpenClients,
} from '../../src/stores/fail-closed-stores.js'
import { memoryOAuthStores } from '../../src/stores/memory-stores.js'
import { newClient, newConsent } from '../../src/stores/new-records.js'
import { at, randomKey, start } from '../support/records.js'

const consent = newConsent(at, { userId: 'u-alice', clientId: 'wiki' })
const client = newClient({ id: 'wiki' })

/** A store whose methods all answer this. */
const answering = (answer: unknown) =>
  new Proxy({} as never, { get: () => async () => answer }) as never

function wrapped(store: unknown) {
  const failures: HostFailure[] = []
  const call = createHostCall(50, (failure) => void failures.push(failure))
  return {
    failures,
    consents: failClosedConsents(store as never, call),
    once: failClosedOnce(store as never, call),
    managed: failClosedManagedClients(store as never, call),
    open: failClosedOpenClients(store as never, call),
  }
}

type Calls = Readonly<Record<string, (all: ReturnType<typeof wrapped>) => Promise<unknown>>>
const calls: Calls = {
  'consents.find': ({ consents }) => consents.find('u-alice', 'wiki'),
  'consents.grant': ({ consents }) => consents.grant(consent),
  'consents.revoke': ({ consents }) => consents.revoke('u-alice', 'wiki'),
  'consents.listForUser': ({ consents }) => consents.listForUser('u-alice'),
  'once.claim': ({ once }) => once.claim('jti', at(60), start),
  'once.purge': ({ once }) => once.purge(start, 10),
  'clients.find': ({ managed }) => managed.find('wiki'),
  'clients.create': ({ managed }) => managed.create(client, start),
  'clients.update': ({ managed }) => managed.update(client, start),
  'clients.replaceSecrets': ({ managed }) => managed.replaceSecrets('wiki', [], [], start),
  'clients.setDisabled': ({ managed }) => managed.setDisabled('wiki', true, start),
  'clients.list': ({ managed }) => managed.list(),
  'clients.register': ({ open }) => open.register(client, { most: 1, unusedUntil: at(60) }, start),
  'clients.use': ({ open }) => open.use('wiki', start),
  'clients.purge': ({ open }) => open.purge(start, 10),
}

const unavailable = { code: 'temporarily-unavailable', status: 503, retryAfter: 2 }

describe('stores of consents, names used once and clients', () => {
  it.each(Object.entries(calls))('that fail in %s are a 503, told of once', async (name, ask) => {
    const failure = () => Promise.reject(new Error('connection refused'))
    const all = wrapped(new Proxy({}, { get: () => failure }))
    await expect(ask(all)).rejects.toMatchObject(unavailable)
    expect(all.failures).toMatchObject([{ operation: name }])
  })

  it.each(Object.entries(calls))('that hang in %s are a 503', async (_name, ask) => {
    const silent = new Proxy({}, { get: () => () => new Promise(() => {}) })
    await expect(ask(wrapped(silent))).rejects.toMatchObject(unavailable)
  })

  it.each(Object.entries(calls).filter(([name]) => name !== 'consents.grant'))(
    'that answer what %s does not know are a 503',
    async (_name, ask) => {
      for (const answer of [undefined, 'yes', true, -1, {}, { outcome: 'ok' }, [null], [{}]])
        await expect(ask(wrapped(answering(answer)))).rejects.toMatchObject(unavailable)
    },
  )

  it.each([
    ['of another user', { ...consent, userId: 'u-bob' }],
    ['to another client', { ...consent, clientId: 'mail' }],
    ['with one scope for a list', { ...consent, scopes: 'openid' }],
    ['with a scope that is none', { ...consent, scopes: ['openid', null] }],
    ['with dates as texts', { ...consent, grantedAt: consent.grantedAt.toISOString() }],
  ])('that answer a consent %s are a 503', async (_what, answer) => {
    await expect(wrapped(answering(answer)).consents.find('u-alice', 'wiki')).rejects.toMatchObject(
      unavailable,
    )
  })

  it("that answer another's consents in a list are a 503", async () => {
    const { consents } = wrapped(answering([consent, { ...consent, userId: 'u-bob' }]))
    await expect(consents.listForUser('u-alice')).rejects.toMatchObject(unavailable)
  })

  it('that answer another client than the one asked for are a 503', async () => {
    const { managed } = wrapped(answering({ ...client, id: 'mail' }))
    await expect(managed.find('wiki')).rejects.toMatchObject(unavailable)
  })

  it('that keep their contract are passed through', async () => {
    const stores = memoryOAuthStores()
    const { consents } = wrapped(stores.consents)
    await consents.grant(consent)
    expect(await consents.find('u-alice', 'wiki')).toEqual(consent)
    expect(await consents.find('u-alice', 'mail')).toBeNull()
    expect(await consents.listForUser('u-alice')).toEqual([consent])
    expect(await consents.revoke('u-alice', 'wiki')).toEqual({ outcome: 'revoked' })
    const { once } = wrapped(stores.once)
    expect(await once.claim('jti', at(60), start)).toEqual({ outcome: 'claimed' })
    expect(await once.purge(at(60), 10)).toBe(1)
    const { managed } = wrapped(stores.clients)
    expect(await managed.create(client, start)).toEqual({ outcome: 'created' })
    expect(await managed.find('wiki')).toEqual(client)
    expect(await managed.find('mail')).toBeNull()
    expect(await managed.list()).toEqual([client])
  })
})

describe('memoryOAuthStores', () => {
  it('refuses one more name than it has room for, rather than forget one that is noted', async () => {
    const { once } = memoryOAuthStores({ maxOnce: 2 })
    for (const key of ['a', 'b']) await once.claim(key, at(60), start)
    await expect(once.claim('c', at(60), start)).rejects.toThrow('full')
    expect(await once.claim('a', at(60), start)).toEqual({ outcome: 'known' })
    expect(await once.claim('c', at(120), at(60))).toEqual({ outcome: 'claimed' })
  })

  it.each([0, 1.5, '7'])('refuses room for %j names', (maxOnce) => {
    expect(() => memoryOAuthStores({ maxOnce: maxOnce as number })).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: 'memoryOAuthStores.maxOnce' }),
    )
  })

  it('refuses what no consent and no client may have', async () => {
    const { consents, clients } = memoryOAuthStores()
    for (const scope of ['', 'a b', 'a"b', 'a\\b', 'é', 'a\0'])
      await expect(consents.grant({ ...consent, scopes: [scope] })).rejects.toThrow('scope-token')
    const hash = `sha256:${randomKey().padEnd(43, 'A')}`
    for (const secretHashes of [['secret'], [hash, hash, hash], [`${hash} `]])
      await expect(clients.create({ ...client, secretHashes }, start)).rejects.toThrow(
        'secretHashes',
      )
  })
})
