import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  connected,
  type ProviderHost,
  returnTo,
  startProviders,
} from '../provider-sign-in/provider-host.js'
import { cameBack, clientAt } from './provider-client.js'
import { alice, tap } from './recorded.js'

async function started(): Promise<ProviderHost> {
  const host = await startProviders()
  await connected(host)
  return host
}

/** An answer of the server, as it came or changed. */
async function answered(change: (query: URLSearchParams) => void = () => {}) {
  const host = await started()
  const wire = tap(host)
  const own = clientAt(host, { wire })
  const url = new URL(await cameBack(host, await own.elsewhere.start('fake', { returnTo })))
  change(url.searchParams)
  wire.sent.length = 0
  return { ...own, host, wire, address: url.href }
}

describe('an answer', () => {
  it.each<[string, string, (query: URLSearchParams) => void]>([
    ['of no state', 'not-begun', (query) => query.delete('state')],
    ['of another state', 'not-begun', (query) => query.set('state', `provider.${'A'.repeat(43)}`)],
    ['of two states', 'not-begun', (query) => query.append('state', 'A'.repeat(43))],
    ['of two tickets', 'not-begun', (query) => query.append('ticket', 'A'.repeat(43))],
    ['of no issuer', 'wrong-issuer', (query) => query.delete('iss')],
    ['of another issuer', 'wrong-issuer', (query) => query.set('iss', 'https://evil.example')],
    ['of two issuers', 'wrong-issuer', (query) => query.append('iss', 'https://evil.example')],
  ])('%s is %s, and nothing is asked', async (_name, code, change) => {
    const { client, elsewhere, wire, address } = await answered(change)
    await expect(elsewhere.finish(address)).rejects.toMatchObject({ name: 'OAuthError', code })
    expect([wire.sent, client.state.status]).toEqual([[], 'signed-out'])
  })

  it('that somebody else has begun signs nobody in', async () => {
    const host = await started()
    const mallory = clientAt(host).elsewhere
    const hers = await cameBack(host, await mallory.start('fake', { returnTo }))
    const { client, elsewhere } = clientAt(host)
    await elsewhere.start('fake', { returnTo })
    await expect(elsewhere.finish(hers)).rejects.toMatchObject({ code: 'not-begun' })
    expect(client.state.status).toBe('signed-out')
  })

  it('that somebody else has begun connects nothing', async () => {
    const host = await startProviders()
    const mallory = clientAt(host)
    await mallory.client.signIn(alice)
    const { identities } = mallory.elsewhere
    const hers = await cameBack(host, await identities.start('fake', { returnTo }))
    const { client, elsewhere } = clientAt(host)
    await client.signIn(alice)
    const finished = elsewhere.identities.finish(hers)
    await expect(finished).rejects.toMatchObject({ code: 'not-begun' })
    expect(await identities.list()).toEqual([])
  })

  it('is good once, also after one that failed', async () => {
    const { elsewhere, address } = await answered((query) => query.set('ticket', 'wrong'))
    await expect(elsewhere.finish(address)).rejects.toMatchObject({ code: 'proof-refused' })
    await expect(elsewhere.finish(address)).rejects.toMatchObject({ code: 'not-begun' })
  })

  it('to a sign-in connects nothing, and the other way round', async () => {
    const host = await startProviders()
    const { client, elsewhere } = clientAt(host)
    await client.signIn(alice)
    const signIn = await cameBack(host, await elsewhere.start('fake', { returnTo }))
    const connect = await cameBack(host, await elsewhere.identities.start('fake', { returnTo }))
    const none = { code: 'not-begun' }
    await expect(elsewhere.identities.finish(signIn)).rejects.toMatchObject(none)
    await expect(elsewhere.finish(connect)).rejects.toMatchObject(none)
    expect((await elsewhere.identities.finish(connect)).identity.provider).toBe('fake')
  })

  it('to the start of a session is void in another session of the same user', async () => {
    const host = await startProviders()
    const { client, elsewhere } = clientAt(host)
    await client.signIn(alice)
    const answer = await cameBack(host, await elsewhere.identities.start('fake', { returnTo }))
    await client.signIn(alice)
    const finished = elsewhere.identities.finish(answer)
    await expect(finished).rejects.toMatchObject({ code: 'proof-refused' })
    expect(await elsewhere.identities.list()).toEqual([])
  })

  it('that comes too late signs nobody in', async () => {
    const { host, elsewhere, address } = await answered()
    host.clock.advance(121)
    await expect(elsewhere.finish(address)).rejects.toMatchObject({ code: 'proof-refused' })
  })
})

describe('a server', () => {
  it.each(['javascript:alert(1)', '/there', '', 7, null])(
    'that names %j as the address is not followed',
    async (url) => {
      const host = await started()
      const wire = tap(host)
      const { elsewhere } = clientAt(host, { wire })
      const answer = async () => Response.json({ status: 'success', data: { url } })
      wire.next('/auth/providers/fake/start', answer)
      const begun = elsewhere.start('fake', { returnTo })
      await expect(begun).rejects.toMatchObject({ name: 'AuthClientError', code: 'unknown' })
    },
  )

  it.each(['', '.', '..'])('is never asked for the provider %j', async (id) => {
    const host = await started()
    const wire = tap(host)
    const { client, elsewhere } = clientAt(host, { wire })
    const none = { code: 'invalid-request' }
    await expect(elsewhere.start(id, { returnTo })).rejects.toMatchObject(none)
    await client.signIn(alice)
    wire.sent.length = 0
    await expect(elsewhere.identities.start(id, { returnTo })).rejects.toMatchObject(none)
    await expect(elsewhere.identities.remove(id)).rejects.toMatchObject(none)
    expect(wire.sent).toEqual([])
  })
})

describe('what is kept of a sign-in', () => {
  it('is in the tab alone, never in the address, and gone when it is finished', async () => {
    const host = await started()
    const kept = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const { elsewhere } = clientAt(host)
    const address = await elsewhere.start('fake', { returnTo })
    const { codeVerifier } = JSON.parse([...kept.values()][0] ?? '{}')
    const answer = await cameBack(host, address)
    expect(codeVerifier).toMatch(/^[\w-]{43}$/)
    expect(`${address} ${answer}`).not.toContain(codeVerifier)
    await elsewhere.finish(answer)
    expect(kept.size).toBe(0)
  })
})
