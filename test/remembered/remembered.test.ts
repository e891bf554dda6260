import { describe, expect, it } from 'vitest'
import { bearer, get, pkcePair, post, remove } from '../support/client.js'
import { password, passwordHash, startHost } from '../support/host.js'
import { codeOf } from '../support/two-factor.js'
import {
  day,
  expectAsked,
  remember,
  rememberedAt,
  signIn,
  startRemembering,
  tokensIn,
} from './remembering-host.js'

const browsers = '/auth/remembered-browsers'

describe('a browser in which the user does not want to be asked again', () => {
  it('is not asked for the second factor at the next sign-ins', async () => {
    const { host, secret } = await startRemembering()
    let { rememberToken } = await rememberedAt(host, secret)
    for (let times = 0; times < 3; times += 1) {
      host.clock.advance(7 * day)
      const before = rememberToken
      rememberToken = tokensIn(host, await signIn(host, { rememberToken })).rememberToken
      expect(rememberToken).not.toBe(before)
    }
  })

  it('is asked again thirty days after the factor was shown, however often it was used', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    host.clock.advance(29 * day)
    const next = tokensIn(host, await signIn(host, { rememberToken }))
    host.clock.advance(day)
    expectAsked(await signIn(host, { rememberToken: next.rememberToken }))
  })

  it('is the only one: everywhere else the factor is due', async () => {
    const { host, secret } = await startRemembering()
    await rememberedAt(host, secret)
    expectAsked(await signIn(host))
  })

  it('is asked sooner once the host has set fewer days', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    host.clock.advance(8 * day)
    const shared = { ...host.stores, users: host.users, clock: host.clock }
    const secondFactor = { remember: { days: 7 } }
    const stricter = await startHost({ options: { ...shared, secondFactor } })
    expectAsked(await signIn(stricter, { rememberToken }))
    tokensIn(host, await signIn(host, { rememberToken }))
  })

  it('is remembered only if the user wishes it, and only with a second factor', async () => {
    const { host, secret } = await startRemembering()
    const plain = await signIn(host, { code: codeOf(host, secret) })
    expect(plain.body.data).not.toHaveProperty('rememberToken')
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: passwordHash })
    const bob = await post(host, '/login', { username: 'bob', password, remember: true })
    expect([bob.status, bob.body.data.rememberToken]).toEqual([200, undefined])
  })

  it('is not remembered by a recovery code: the factor is lost', async () => {
    const { host, recoveryCodes } = await startRemembering()
    const answer = await signIn(host, { code: recoveryCodes[0], remember: true })
    expect([answer.status, answer.body.data.rememberToken]).toEqual([200, undefined])
  })

  it('is asked every time where the policy says so, and not offered otherwise', async () => {
    let demand: 'required' | 'every-time' = 'required'
    const secondFactor = { ...remember.secondFactor, policy: () => demand }
    const { host, secret } = await startRemembering({ options: { secondFactor } })
    const { rememberToken } = await rememberedAt(host, secret)
    demand = 'every-time'
    expectAsked(await signIn(host, { rememberToken }))
    const shown = await signIn(host, { code: codeOf(host, secret), remember: true })
    expect([shown.status, shown.body.data.rememberToken]).toEqual([200, undefined])
    demand = 'required'
    tokensIn(host, await signIn(host, { rememberToken }))
  })
})

describe('a session without the second factor', () => {
  it('says so: it has shown one factor, and its browser was remembered', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const { authToken } = tokensIn(host, await signIn(host, { rememberToken }))
    const { methods } = await host.auth.authenticateToken(authToken)
    expect(methods).toEqual(['pwd', 'remembered'])
  })

  it('is refreshed like any other, and asked for the code before it opens another one', async () => {
    const secondFactor = { ...remember.secondFactor, policy: () => 'required' as const }
    const { host, secret } = await startRemembering({ options: { secondFactor } })
    const { rememberToken } = await rememberedAt(host, secret)
    const answer = await signIn(host, { rememberToken, tokens: 'refreshable' })
    const { authToken, refreshToken } = answer.body.data
    expect((await post(host, '/auth/refresh', { refreshToken })).status).toBe(200)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    const { codeChallenge } = pkcePair()
    const asked = await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))
    expect([asked.status, asked.body.error]).toEqual([403, 'reauthentication-required'])
  })
})

describe('the list of remembered browsers', () => {
  it('names each, and until when', async () => {
    const { host, token, secret } = await startRemembering()
    const since = host.clock().toISOString()
    await rememberedAt(host, secret)
    const { status, body } = await get(host, browsers, bearer(token))
    expect(status).toBe(200)
    const until = new Date(new Date(since).getTime() + 30 * day * 1000).toISOString()
    expect(body.data.browsers).toEqual([
      { id: expect.any(String), name: 'Firefox on Linux', since, expiresAt: until },
    ])
  })

  it('lets its owner have one asked again, and nobody else', async () => {
    const { host, token, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const [{ id }] = (await get(host, browsers, bearer(token))).body.data.browsers
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: passwordHash })
    const bob = await post(host, '/login', { username: 'bob', password })
    const bobs = bearer(bob.body.data.authToken)
    expect((await remove(host, `${browsers}/${id}`, bobs)).status).toBe(404)
    expect((await remove(host, `${browsers}/${id}`, bearer(token))).status).toBe(200)
    expect((await remove(host, `${browsers}/${id}`, bearer(token))).status).toBe(404)
    expectAsked(await signIn(host, { rememberToken }))
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'remembered.ended' }))
  })

  it('has at most twenty of a user: the oldest is forgotten', async () => {
    const { host, token, secret } = await startRemembering()
    const first = await rememberedAt(host, secret)
    for (let more = 0; more < 20; more += 1) await rememberedAt(host, secret)
    const { body } = await get(host, browsers, bearer(token))
    expect(body.data.browsers).toHaveLength(20)
    expectAsked(await signIn(host, { rememberToken: first.rememberToken }))
  })
})

describe('the option', () => {
  it('is off by default: no route, and a token stands for nothing', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const shared = { ...host.stores, users: host.users, clock: host.clock }
    const without = await startHost({ options: shared })
    expectAsked(await signIn(without, { rememberToken }))
    expect((await get(without, browsers)).status).toBe(404)
  })

  it('needs a store of proofs, and says so at the start', async () => {
    const starting = startHost({ options: { ...remember, proofs: undefined as never } })
    await expect(starting).rejects.toThrow('secondFactor.remember: has no store for its browsers.')
  })

  it.each([0, 91, 1.5, '30'])('refuses %j days', async (days) => {
    const secondFactor = { remember: { days: days as number } }
    await expect(startHost({ options: { secondFactor } })).rejects.toThrow('secondFactor')
  })

  it('lets the host pass the token on at its own sign-in', async () => {
    const { host, secret } = await startRemembering()
    const { rememberToken } = await rememberedAt(host, secret)
    const request = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as never
    const credentials = { username: 'alice', password, rememberToken }
    const signedIn = await host.auth.signIn(request, credentials)
    host.issued.add(String(signedIn.rememberToken))
    expect(signedIn.rememberToken).toMatch(/^mar_rb_/)
  })
})
