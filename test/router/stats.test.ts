import { describe, expect, it } from 'vitest'
import type { AuthEvent } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { startCrowd, until } from '../support/gated-hasher.js'
import { password, startHost } from '../support/host.js'

const wrong = { username: 'alice', password: 'wrong' }

/** Every number in there, however deep, and whatever else there is. */
function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : [value]
}

describe('auth.stats()', () => {
  it('begins with nothing, and is made of numbers alone', async () => {
    const host = await startHost()
    const stats = host.auth.stats()
    expect(stats).toMatchObject({
      passwords: {
        running: 0,
        waiting: 0,
        networks: 0,
        completed: 0,
        failed: 0,
        refused: 0,
        abandoned: 0,
      },
      sockets: { open: 0, sessions: 0 },
      limits: {},
      audit: { delivered: 0, failed: 0 },
      mail: { sent: 0, failed: 0, waiting: 0 },
      rpLogout: { sent: 0, failed: 0, waiting: 0 },
    })
    expect(leavesOf(stats).every(Number.isFinite)).toBe(true)
  })

  it('names nobody after a storm: no address, no user, no event', async () => {
    const host = await startCrowd({ throttle: { account: { points: 6, duration: 900 } } })
    await host.queueUp(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
    await host.attempt('late')
    const stats = host.auth.stats()
    expect(stats.passwords).toMatchObject({ waiting: 5, networks: 1 })
    expect(leavesOf(stats).every(Number.isFinite)).toBe(true)
    expect(JSON.stringify(stats)).not.toMatch(/192|alice|u-/)
    host.hasher.openUp()
  })

  it('counts each limit that was reached by its scope', async () => {
    const host = await startHost({
      options: { throttle: { account: { points: 1, duration: 900 } } },
    })
    for (let i = 0; i < 3; i += 1) await post(host, '/login', wrong)
    expect(host.auth.stats().limits).toEqual({ identifier: 2 })
  })

  it('counts open sockets and the sessions they belong to', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const upgrade = {
      headers: { authorization: bearer(authToken).Authorization },
      url: '/',
      method: 'GET',
    }
    const principal = await host.auth.sockets.authenticate(
      Object.assign(Object.create({ socket: {} }), upgrade) as never,
    )
    const socket = () => ({ close() {}, terminate() {}, on() {}, once() {} }) as never
    host.auth.sockets.track(socket(), principal)
    host.auth.sockets.track(socket(), principal)
    expect(host.auth.stats().sockets).toEqual({ open: 2, sessions: 1 })
  })

  it('counts the audit events that a sink has taken, and those it lost by throwing or rejecting', async () => {
    let taken = 0
    const onEvent = ({ type }: AuthEvent) => {
      if (type === 'login.failed') throw new Error('log disk full')
      if (type === 'session.started') return Promise.reject(new Error('log server down'))
      taken += 1
      return undefined
    }
    const host = await startHost({ options: { onEvent } })
    await post(host, '/login', wrong)
    await logIn(host)
    await until(() => host.auth.stats().audit.failed === 2)
    expect(taken).toBeGreaterThan(0)
    expect(host.auth.stats().audit).toEqual({ delivered: taken, failed: 2 })
  })

  it('counts nothing as delivered where there is no sink, nor what a sink has not done yet', async () => {
    const silent = await startHost({ options: { onEvent: undefined as never } })
    await logIn(silent)
    expect(silent.auth.stats().audit).toEqual({ delivered: 0, failed: 0 })
    const slow = await startHost({ options: { onEvent: () => new Promise(() => {}) } })
    const { authToken } = await logIn(slow)
    expect((await get(slow, '/me', bearer(authToken))).status).toBe(200)
    expect(slow.auth.stats().audit).toEqual({ delivered: 0, failed: 0 })
  })

  it('counts logins that the hasher failed', async () => {
    const host = await startHost({
      options: {
        passwords: {
          hash: async () => 'x',
          verify: () => Promise.reject(new Error('gone')),
          needsRehash: () => false,
        },
      },
    })
    await post(host, '/login', { username: 'alice', password })
    expect(host.auth.stats().passwords).toMatchObject({ failed: 1, completed: 1, refused: 0 })
  })
})
