import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/client/token-store.js'
import { password, startHost } from '../support/host.js'
import { codeOf, enrolled, wrongCode } from '../support/two-factor.js'
import { alice, clientOf, lost, refusing, signedIn, statesOf, tap } from './recorded.js'

describe('signing in', () => {
  it('keeps the tokens, and answers who it is', async () => {
    const host = await startHost()
    const storage = memoryStore()
    const client = clientOf(host, { storage })
    await expect.poll(() => client.state).toEqual({ status: 'signed-out', reason: 'signed-out' })
    const result = await client.signIn(alice)
    expect(result).toMatchObject({ status: 'signed-in', me: { _id: 'u-alice', name: 'Alice A.' } })
    expect(client.state).toMatchObject({ status: 'signed-in', userId: 'u-alice' })
    expect(await client.me()).toMatchObject({ _id: 'u-alice', username: 'alice' })
    // Another client over the same store, such as the page after a reload.
    const reloaded = clientOf(host, { storage })
    expect(reloaded.state).toEqual({ status: 'loading' })
    await expect.poll(() => reloaded.state).toEqual(client.state)
    expect((await reloaded.me()).username).toBe('alice')
  })

  it('takes a clock of dates and one of milliseconds, such as Date.now', async () => {
    const host = await startHost()
    for (const clock of [() => new Date(), Date.now]) {
      const client = clientOf(host, { clock })
      expect(await client.signIn(alice)).toMatchObject({ status: 'signed-in' })
    }
  })

  it('says a wrong password by its name, and what it says of itself is no secret', async () => {
    const host = await startHost()
    const client = clientOf(host)
    const wrong = client.signIn({ user: 'alice', password: 'wrong' })
    await expect(wrong).rejects.toMatchObject({
      name: 'AuthClientError',
      code: 'Unauthorized',
      status: 401,
    })
    const error = await wrong.catch((thrown: unknown) => thrown)
    expect(JSON.stringify({ ...(error as object), text: String(error) })).not.toContain('wrong')
    expect(client.state.status).toBe('signed-out')
  })

  it('says how long to wait after too many', async () => {
    const host = await startHost()
    const client = clientOf(host)
    const guess = () => client.signIn({ user: 'alice', password: 'wrong' }).catch((error) => error)
    for (let i = 0; i < 5; i += 1) await guess()
    const { code, retryAfter, details } = await guess()
    expect({ code, details }).toEqual({ code: 'too-many-requests', details: { retryAfter } })
    expect(retryAfter).toBeGreaterThan(0)
  })

  it('asks for a code, says that one was wrong, and takes the right one', async () => {
    const { host, secret } = await enrolled()
    const client = clientOf(host)
    const first = await client.signIn(alice)
    expect(first).toMatchObject({
      status: 'code-needed',
      methods: ['totp', 'recovery'],
      isSent: false,
      wrong: false,
    })
    if (first.status !== 'code-needed') throw new Error('no code was asked for')
    const second = await first.submit(wrongCode(host, secret))
    expect(second).toMatchObject({ status: 'code-needed', wrong: true })
    expect(client.state.status).toBe('signed-out')
    const third = await first.submit(codeOf(host, secret))
    expect(third.status).toBe('signed-in')
    expect((await client.totp.status()).enabled).toBe(true)
  })

  it('ends the sign-in that it takes the place of, and no other', async () => {
    const host = await startHost()
    const client = clientOf(host)
    const elsewhere = clientOf(host)
    await elsewhere.signIn(alice)
    await client.signIn(alice)
    const [former] = (await client.sessions.list()).filter(({ current }) => current)
    await client.signIn(alice)
    const left = await client.sessions.list()
    expect(left).toHaveLength(2)
    expect(left.map(({ id }) => id)).not.toContain(former?.id)
    expect((await elsewhere.me()).username).toBe('alice')
  })

  it('signs in also where the former sign-in cannot be ended', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    wire.next('/logout', lost)
    expect((await client.signIn(alice)).status).toBe('signed-in')
    expect(wire.to('/logout')).toHaveLength(1)
    expect((await client.me()).username).toBe('alice')
  })

  it('leads a user who must have a second factor through setting it up', async () => {
    const host = await startHost({ options: { secondFactor: () => 'required' } })
    const client = clientOf(host)
    expect((await client.signIn(alice)).status).toBe('enrolment-needed')
    expect(client.state).toMatchObject({ status: 'signed-in', enrolmentRequired: true })
    await expect(client.me()).rejects.toMatchObject({ code: 'second-factor-enrolment-required' })
    const { secret, otpauthUri } = await client.totp.begin(password)
    expect(otpauthUri).toContain(secret)
    expect(await client.totp.confirm(codeOf(host, secret))).toHaveLength(10)
    expect(client.state).toMatchObject({ status: 'signed-in', enrolmentRequired: false })
    expect((await client.me()).username).toBe('alice')
    host.clock.advance(700)
    expect((await client.me()).username).toBe('alice')
  })

  it('notices when a second factor is wanted from now on', async () => {
    let must = false
    const host = await startHost({
      options: { secondFactor: () => (must ? 'required' : 'optional') },
    })
    const client = await signedIn(host)
    must = true
    host.clock.advance(6)
    await expect(client.me()).rejects.toMatchObject({ code: 'second-factor-enrolment-required' })
    expect(client.state).toMatchObject({ status: 'signed-in', enrolmentRequired: true })
  })

  it('takes a code of another device', async () => {
    const host = await startHost()
    const phone = await signedIn(host)
    const laptop = clientOf(host)
    const verifier = 'v'.repeat(43)
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    const challenge = Buffer.from(digest).toString('base64url')
    const { authorizationCode, expiresIn } = await phone.authorizationCode(challenge)
    expect(expiresIn).toBe(60)
    const me = await laptop.exchangeCode({ authorizationCode, codeVerifier: verifier })
    expect(me.username).toBe('alice')
    host.clock.advance(700)
    expect((await laptop.sessions.list()).map(({ kind }) => kind).sort()).toEqual(['login', 'pkce'])
  })

  it('works with a server that knows of no refresh tokens', async () => {
    const host = await startHost()
    const wire = tap(host)
    wire.next('/login', async (send) => {
      const { status, data } = (await (await send()).json()) as { status: string; data: object }
      const { refreshToken: _r, expiresIn: _e, ...old } = data as Record<string, unknown>
      return Response.json({ status, data: old })
    })
    const client = clientOf(host, { fetch: wire.fetch })
    await client.signIn(alice)
    expect((await client.me()).username).toBe('alice')
    // It lives as long as its session, as far as the client knows: refused, it is over.
    host.clock.advance(700)
    await expect(client.me()).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(client.state).toEqual({ status: 'signed-out', reason: 'session-ended' })
    expect(wire.to('/auth/refresh')).toEqual([])
  })

  it('is not harmed by what a newer server says', async () => {
    const host = await startHost()
    const wire = tap(host)
    wire.next('/login', async (send) => {
      const answer = (await (await send()).json()) as { data: object }
      return Response.json({ ...answer, mood: 'good', data: { ...answer.data, colour: 'blue' } })
    })
    const client = clientOf(host, { fetch: wire.fetch })
    await client.signIn(alice)
    wire.next('/me', async () => refusing(418, 'teapot-required'))
    await expect(client.me()).rejects.toMatchObject({ code: 'unknown', status: 418 })
    wire.next('/me', async () => new Response('<html>', { status: 200 }))
    await expect(client.me()).rejects.toMatchObject({ code: 'unknown', status: 200 })
    expect((await client.me()).username).toBe('alice')
  })
})

describe('signing out', () => {
  it('ends the session, forgets the tokens, and says so', async () => {
    const host = await startHost()
    const storage = memoryStore()
    const client = await signedIn(host, { storage })
    const token = await client.accessToken()
    const states = statesOf(client)
    await client.signOut()
    expect(await storage.get()).toBeNull()
    await expect.poll(() => states).toEqual([{ status: 'signed-out', reason: 'signed-out' }])
    const headers = { Authorization: `Bearer ${token}` }
    expect((await fetch(`${host.url}/me`, { headers })).status).toBe(401)
    await expect(client.me()).rejects.toMatchObject({ code: 'Unauthorized' })
    await client.signOut()
  })

  it('works with a token that is over', async () => {
    const host = await startHost()
    const client = await signedIn(host)
    host.clock.advance(700)
    await client.signOut()
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
  })

  it('stays signed in when the server cannot be told, unless it is to forget all the same', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    const away = () => wire.next('/logout', () => Promise.reject(new TypeError('fetch failed')))
    away()
    await expect(client.signOut()).rejects.toMatchObject({ code: 'unreachable', status: 0 })
    expect(client.state.status).toBe('offline')
    away()
    await client.signOut({ evenIfUnreachable: true })
    expect(client.state).toEqual({ status: 'signed-out', reason: 'signed-out' })
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })

  it('of a session that was ended elsewhere is no error', async () => {
    const host = await startHost()
    const client = await signedIn(host)
    await host.auth.sessions.revokeAllForUser('u-alice')
    host.clock.advance(6)
    await client.signOut()
    expect(client.state).toEqual({ status: 'signed-out', reason: 'session-ended' })
  })
})
