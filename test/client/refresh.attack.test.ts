// What broke the clients of others: each of these signed somebody out, or stalled everybody.
import { describe, expect, it } from 'vitest'
import { memoryStore, type TokenStore } from '../../src/client/token-store.js'
import { startHost, type TestHost } from '../support/host.js'
import { clientOf, lost, refusing, signedIn, statesOf, tap, toldOf } from './recorded.js'

const path = '/auth/refresh'
const suspicions = ['refresh.reused', 'refresh.refused', 'session.ended']
/** More than an access token lives. */
const later = 700

async function expectStillIn(host: TestHost, client: Awaited<ReturnType<typeof signedIn>>) {
  expect((await client.me()).username).toBe('alice')
  expect(client.state.status).toBe('signed-in')
  expect(toldOf(host, ...suspicions)).toEqual([])
}

/** A store that others share without a lock, as tabs do where there are no Web Locks. */
function unlocked(): TokenStore {
  const { get, set, remove } = memoryStore()
  return { get, set, remove, exclusively: (work) => work() }
}

describe('a token that is over', () => {
  it('is replaced once for 20 requests at a time', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    host.clock.advance(later)
    const all = await Promise.all(Array.from({ length: 20 }, () => client.fetch('/me')))
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(wire.to(path)).toHaveLength(1)
    await expectStillIn(host, client)
  })

  it('is replaced once for two clients over one store', async () => {
    const host = await startHost()
    const wire = tap(host)
    const storage = memoryStore()
    const one = await signedIn(host, { fetch: wire.fetch, storage })
    const other = clientOf(host, { fetch: wire.fetch, storage })
    host.clock.advance(later)
    await Promise.all([...Array(10)].flatMap(() => [one.me(), other.me()]))
    expect(wire.to(path)).toHaveLength(1)
    await expectStillIn(host, other)
  })

  it('is replaced once also where the clock of the client knows nothing of it', async () => {
    const host = await startHost()
    const wire = tap(host)
    const start = host.clock()
    const client = await signedIn(host, { fetch: wire.fetch, clock: () => start })
    host.clock.advance(later)
    await Promise.all(Array.from({ length: 20 }, () => client.me()))
    expect(wire.to(path)).toHaveLength(1)
    await expectStillIn(host, client)
  })

  it('is replaced where the clock was set back', async () => {
    const host = await startHost()
    const wire = tap(host)
    let ahead = 86_400_000
    const clock = () => new Date(host.clock().getTime() + ahead)
    const client = await signedIn(host, { fetch: wire.fetch, clock })
    ahead = 0
    await client.me()
    await client.me()
    expect(wire.to(path)).toHaveLength(1)
    await expectStillIn(host, client)
  })

  it('is replaced once where the clocks of two processes are apart', async () => {
    const host = await startHost()
    const wire = tap(host)
    const storage = memoryStore()
    const behind = () => new Date(host.clock().getTime() - 50)
    const one = await signedIn(host, { fetch: wire.fetch, storage })
    const other = clientOf(host, { fetch: wire.fetch, storage, clock: behind })
    host.clock.advance(later)
    for (const client of [one, other, one, other]) await client.me()
    expect(wire.to(path)).toHaveLength(1)
    await expectStillIn(host, other)
  })

  it('is replaced before its end, beside a request that does not wait for it', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    host.clock.advance(500)
    let answer = () => {}
    wire.next(path, (send) => new Promise((resolve) => (answer = () => resolve(send()))))
    expect((await client.me()).username).toBe('alice')
    expect(wire.to(path)).toHaveLength(1)
    answer()
    host.clock.advance(200)
    await expectStillIn(host, client)
    expect(wire.to(path)).toHaveLength(1)
  })
})

describe('an answer that is lost', () => {
  it('is asked for again with the same token, at once and after an hour', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    host.clock.advance(later)
    const heard = async (send: () => Promise<Response>) => {
      await send()
      return lost()
    }
    wire.next(path, heard)
    expect((await client.me()).username).toBe('alice')
    host.clock.advance(later)
    wire.next(path, heard)
    wire.next(path, heard)
    await expect(client.me()).rejects.toMatchObject({ code: 'unreachable' })
    expect(client.state.status).toBe('offline')
    host.clock.advance(3600)
    await expectStillIn(host, client)
  })

  it('that could not be stored is asked for again as well', async () => {
    const host = await startHost()
    const storage = memoryStore()
    let isFull = false
    const full: TokenStore = {
      ...storage,
      set: (text) => (isFull ? Promise.reject(new Error('quota')) : storage.set(text)),
    }
    const client = await signedIn(host, { storage: full })
    host.clock.advance(later)
    isFull = true
    await expect(client.me()).rejects.toMatchObject({ code: 'storage-failed' })
    expect(client.state.status).toBe('signed-in')
    isFull = false
    host.clock.advance(3600)
    await expectStillIn(host, client)
  })

  it('does not sign anybody out, whatever stands in its place', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    host.clock.advance(later)
    const answers = [
      new Response('<html>Please pay for the network</html>', { status: 200 }),
      new Response('<html>Blocked</html>', { status: 403 }),
      new Response('', { status: 401 }),
      Response.json({ error: 'invalid_token' }, { status: 401 }),
      refusing(429, 'too-many-requests', { 'Retry-After': '7' }),
      new Response('Bad gateway', { status: 502 }),
      Response.json({ access_token: 'only this one' }),
    ]
    for (const answer of answers) {
      wire.next(path, async () => answer)
      await expect(client.me()).rejects.toMatchObject({ name: 'AuthClientError' })
      expect(client.state.status, String(answer.status)).toBe('signed-in')
    }
    await expectStillIn(host, client)
  })

  it('that never ends stalls nobody for longer than its time', async () => {
    const host = await startHost()
    const wire = tap(host)
    const storage = memoryStore()
    const client = await signedIn(host, { storage })
    const hasty = clientOf(host, { fetch: wire.fetch, storage, requestTimeoutMs: 50 })
    host.clock.advance(later)
    // As the machine sleeps: nothing comes, and time-outs fire before anything else could.
    wire.next(path, () => new Promise(() => {}))
    wire.next(path, () => new Promise(() => {}))
    await expect(hasty.me()).rejects.toMatchObject({ code: 'unreachable' })
    await expectStillIn(host, client)
  })

  it('of a token that is good for a while yet is no reason to refuse a request', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch, requestTimeoutMs: 1500 })
    host.clock.advance(500)
    wire.next(path, () => new Promise(() => {}))
    wire.next(path, () => new Promise(() => {}))
    for (let i = 0; i < 10; i += 1) expect((await client.me()).username).toBe('alice')
    await expect.poll(() => wire.to(path)).toHaveLength(2)
    expect(client.state.status).not.toBe('signed-out')
  })
})

describe('503', () => {
  it('is waited out, as long as it says, by all together', async () => {
    const host = await startHost()
    const wire = tap(host)
    const waits: number[] = []
    const onBusy = (seconds: number) => void waits.push(seconds)
    const client = await signedIn(host, { fetch: wire.fetch, onBusy })
    host.clock.advance(later)
    wire.next(path, async () => refusing(503, 'temporarily-unavailable', { 'Retry-After': '0' }))
    wire.next(path, async () => refusing(503, 'a-name-of-tomorrow', { 'Retry-After': '0' }))
    await Promise.all(Array.from({ length: 5 }, () => client.me()))
    expect(wire.to(path)).toHaveLength(3)
    expect(waits).toEqual([0, 0])
    await expectStillIn(host, client)
  })

  it('is given up when it asks for too much, and nobody is signed out', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch, maxWaitMs: 5000 })
    host.clock.advance(later)
    wire.next(path, async () => refusing(503, 'temporarily-unavailable', { 'Retry-After': '6' }))
    await expect(client.me()).rejects.toMatchObject({ status: 503, retryAfter: 6 })
    await expectStillIn(host, client)
  })
})

describe('a refusal', () => {
  it('counts for nothing where another tab has stored a newer token meanwhile', async () => {
    const host = await startHost()
    const wire = tap(host)
    const storage = unlocked()
    const slow = await signedIn(host, { fetch: wire.fetch, storage })
    const sibling = clientOf(host, { storage })
    host.clock.advance(later)
    wire.next(path, async () => {
      await sibling.me()
      return refusing(400, 'invalid_grant')
    })
    await expectStillIn(host, slow)
    await expectStillIn(host, sibling)
  })

  it('is a sign-out where the store still holds what was refused, and says why', async () => {
    const host = await startHost()
    const storage = memoryStore()
    const client = await signedIn(host, { storage })
    const other = clientOf(host, { storage })
    const states = statesOf(client)
    await host.auth.sessions.revokeAllForUser('u-alice')
    host.clock.advance(6)
    await expect(client.me()).rejects.toMatchObject({ code: 'Unauthorized', status: 401 })
    await expect(other.me()).rejects.toMatchObject({ code: 'Unauthorized', status: 401 })
    const ended = { status: 'signed-out', reason: 'session-ended' }
    expect(states.at(-1)).toEqual(ended)
    expect(other.state).toEqual(ended)
    expect(await storage.get()).not.toContain('ccess')
  })
})

describe('signing out while another tab refreshes', () => {
  it('stays so', async () => {
    const host = await startHost()
    const wire = tap(host)
    const storage = unlocked()
    const slow = await signedIn(host, { fetch: wire.fetch, storage })
    const sibling = clientOf(host, { storage })
    host.clock.advance(later)
    wire.next(path, async (send) => {
      const answer = await send()
      await sibling.signOut()
      return answer
    })
    await expect(slow.me()).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(await storage.get()).toBeNull()
    expect(slow.state).toEqual({ status: 'signed-out', reason: 'signed-out' })
  })

  it('as somebody else signs in, ends nothing of theirs', async () => {
    const host = await startHost()
    host.users.add({
      id: 'u-bob',
      username: 'bob',
      passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null,
    })
    const wire = tap(host)
    const storage = unlocked()
    const alice = await signedIn(host, { fetch: wire.fetch, storage })
    const bob = clientOf(host, { storage })
    wire.next('/logout', async (send) => {
      await bob.signIn({ user: 'bob', password: 'correct horse battery staple' })
      return send()
    })
    await alice.signOut()
    expect((await bob.me()).username).toBe('bob')
  })
})
