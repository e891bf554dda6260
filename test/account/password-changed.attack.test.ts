// What `auth.passwordChanged` ends, and where: with nothing but the stores, and over a bus.
import { describe, expect, it, vi } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { cheapHasher, password, startHost, type TestHost } from '../support/host.js'
import { memoryBus } from '../support/memory-bus.js'

const newPassword = 'another horse, another battery'
const newHash = await cheapHasher.hash(newPassword)

const statusOf = async (host: TestHost, token: string) =>
  (await get(host, '/me', bearer(token))).status
const redeem = async (host: TestHost, code: object) =>
  (await post(host, '/auth/pkce/token', code)).status

/** Another process over the same stores and users. */
const beside = (host: TestHost, options: Partial<AuthRouterOptions> = {}) =>
  startHost({ options: { ...host.stores, users: host.users, ...options } })

/** A session of alice at a host, with two codes and a pair of tokens that can be refreshed. */
async function signInWithAll(host: TestHost) {
  const { authToken } = await logIn(host)
  const { sessionId } = await host.auth.authenticateToken(authToken)
  const { codeChallenge, codeVerifier } = pkcePair()
  const issued = await host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge })
  const pair = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  return {
    authToken,
    sessionId,
    code: await obtainCode(host, authToken),
    codeOfHost: { ...issued, codeVerifier },
    refreshToken: pair.body.refresh_token as string,
  }
}

/** A socket of whoever has the token. */
async function openSocket(host: TestHost, token: string) {
  const close = vi.fn()
  const principal = await host.auth.authenticateToken(token)
  host.auth.sockets.track({ close, terminate() {}, once() {}, on() {} }, principal)
  // The check of a new socket is over.
  await new Promise(setImmediate)
  return close
}

async function changePassword(host: TestHost, except?: string): Promise<number> {
  host.users.change('u-alice', { passwordHash: newHash })
  return host.auth.passwordChanged('u-alice', except === undefined ? {} : { except })
}

describe('auth.passwordChanged with no bus and no sockets', () => {
  it('ends everything in its own process at once, and in another one within 5 s', async () => {
    const here = await startHost()
    const there = await beside(here)
    const { authToken, code, codeOfHost, refreshToken } = await signInWithAll(here)
    for (const host of [here, there]) expect(await statusOf(host, authToken)).toBe(200)

    expect(await changePassword(here)).toBe(2)
    expect(await statusOf(here, authToken)).toBe(401)
    // What is remembered there is good for another moment; what is written is not.
    there.clock.advance(4)
    expect(await statusOf(there, authToken)).toBe(200)
    expect([await redeem(there, code), await redeem(there, codeOfHost)]).toEqual([400, 400])
    const refresh = await post(there, '/auth/refresh', { refreshToken })
    expect(refresh.status).toBe(400)
    there.clock.advance(1)
    expect(await statusOf(there, authToken)).toBe(401)

    const login = await post(there, '/login', { username: 'alice', password })
    expect(login.status).toBe(401)
    await logIn(there, { username: 'alice', password: newPassword })
    await afterAttack(here, [refresh, login])
  })

  it('keeps the session that is excepted, and no session that names another user', async () => {
    const host = await startHost()
    const { authToken, sessionId } = await signInWithAll(host)
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: newHash })
    const bob = (await logIn(host, { username: 'bob', password: newPassword })).authToken
    const bobs = (await host.auth.authenticateToken(bob)).sessionId
    expect(await changePassword(host, sessionId)).toBe(1)
    expect([await statusOf(host, authToken), await statusOf(host, bob)]).toEqual([200, 200])
    expect(await host.auth.passwordChanged('u-alice', { except: bobs })).toBe(1)
    expect([await statusOf(host, authToken), await statusOf(host, bob)]).toEqual([401, 200])
    await afterAttack(host, [])
  })

  it('ends a session that is opened with the old password at that moment, 50 at once', async () => {
    const host = await startHost({ options: { maxPasswordWait: 30 } })
    const logins = Array.from({ length: 50 }, () =>
      post(host, '/login', { username: 'alice', password }).then((answer) => answer),
    )
    await Promise.race(logins)
    await changePassword(host)
    const tokens = (await Promise.all(logins)).flatMap(({ status, body }) =>
      status === 200 ? [body.data.authToken as string] : [],
    )
    for (const token of tokens) expect(await statusOf(host, token)).toBe(401)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    await afterAttack(host, [])
  })
})

describe('auth.passwordChanged over a bus', () => {
  it('ends requests, sockets and codes of another process at once', async () => {
    const bus = memoryBus()
    const here = await startHost({ options: { bus } })
    const there = await beside(here, { bus })
    const { authToken, code, codeOfHost } = await signInWithAll(here)
    const kept = await signInWithAll(there)
    const closed = [await openSocket(here, authToken), await openSocket(there, authToken)]
    const stays = await openSocket(there, kept.authToken)
    expect(await statusOf(there, authToken)).toBe(200)

    expect(await changePassword(here, kept.sessionId)).toBe(3)
    for (const close of closed)
      expect(close).toHaveBeenCalledExactlyOnceWith(4401, 'session ended: password-changed')
    expect(stays).not.toHaveBeenCalled()
    expect([await statusOf(there, authToken), await statusOf(there, kept.authToken)]).toEqual([
      401, 200,
    ])
    expect([await redeem(there, code), await redeem(there, codeOfHost)]).toEqual([400, 400])
    expect([await redeem(there, kept.code), await redeem(there, kept.codeOfHost)]).toEqual([
      200, 400,
    ])
    await afterAttack(here, [])
  })
})

describe('auth.passwordChanged beside watchPasswordHash', () => {
  const options = { watchPasswordHash: true }

  it('keeps the session that is excepted under the new password, on both processes', async () => {
    const here = await startHost({ options })
    const there = await beside(here, options)
    const kept = await signInWithAll(here)
    const { authToken } = await signInWithAll(here)
    await changePassword(here, kept.sessionId)
    for (const host of [here, there]) {
      host.clock.advance(5)
      expect([await statusOf(host, kept.authToken), await statusOf(host, authToken)]).toEqual([
        200, 401,
      ])
    }
    // And not beyond: the next change ends it, whoever makes it.
    here.users.change('u-alice', { passwordHash: await cheapHasher.hash('a third one') })
    here.clock.advance(5)
    expect(await statusOf(here, kept.authToken)).toBe(401)
    await afterAttack(here, [])
  })

  it('keeps it also where it is asked for between the two, and ends no other by mistake', async () => {
    const host = await startHost({ options })
    const kept = await signInWithAll(host)
    const { authToken } = await signInWithAll(host)
    host.users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(5)
    const asked = [statusOf(host, kept.authToken), statusOf(host, authToken)]
    await new Promise((resolve) => setTimeout(resolve, 100))
    await host.auth.passwordChanged('u-alice', { except: kept.sessionId })
    expect(await Promise.all(asked)).toEqual([200, 401])
    await afterAttack(host, [])
  })
})
