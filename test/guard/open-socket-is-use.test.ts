import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SignInOptions } from '../../src/index.js'
import { bearer, get } from '../support/client.js'
import { type HostSettings, password, startHost } from '../support/host.js'

const day = 24 * 3600

/** A host with one open socket of alice. Its timers tick when the test lets the clock run. */
async function startWithSocket(settings: HostSettings = {}, own?: SignInOptions) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const host = await startHost(settings)
  const from = { headers: {}, socket: {} } as never
  const alice = { username: 'alice', password }
  const authToken = (await host.auth.signIn(from, alice, own)).token
  host.issued.add(authToken)
  const request = {
    headersDistinct: { authorization: [`Bearer ${authToken}`] },
    headers: {},
    socket: {},
  }
  const principal = await host.auth.authenticate(request as never)
  const close = vi.fn()
  const leave: (() => void)[] = []
  const open = () =>
    host.auth.sockets.track(
      { close, terminate() {}, once: (_event, left) => leave.push(left), on() {} },
      principal,
    )
  open()
  const touch = vi.spyOn(host.stores.sessions, 'touch')
  /** Seconds go by, the clock that many at each tick. */
  const run = async (ticks: number, secondsOfATick = 1) => {
    for (let tick = 0; tick < ticks; tick += 1) {
      host.clock.advance(secondsOfATick)
      await vi.advanceTimersByTimeAsync(1000)
    }
  }
  return { host, authToken, close, touch, run, open, leave }
}

describe('a session whose only traffic is an open socket', () => {
  it('is alive after 30 days of it, on the socket and for requests', async () => {
    const { host, authToken, close, run } = await startWithSocket()
    await run(30 * 24, 3600)
    expect(close).not.toHaveBeenCalled()
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('is alive when the clock jumps by days at a time, as after a suspended machine', async () => {
    const { host, authToken, close, run } = await startWithSocket()
    await run(40, day)
    expect(close).not.toHaveBeenCalled()
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('is alive after an hour of it where it was opened for less than the router’s own time', async () => {
    const lifetime = { idle: 300 }
    const { host, authToken, close, run, touch } = await startWithSocket({}, { lifetime })
    await run(3600)
    expect(close).not.toHaveBeenCalled()
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect(touch.mock.calls.length).toBeLessThanOrEqual(60)
  })

  it('is noted once in a twentieth of the idle time', async () => {
    const { run, touch } = await startWithSocket()
    await run(14 * 24 * 6, 600)
    expect(touch.mock.calls.length).toBeGreaterThanOrEqual(19)
    expect(touch.mock.calls.length).toBeLessThanOrEqual(21)
  })

  it(
    'is noted once a minute and no more where the idle time is short, however many sockets it ' +
      'has',
    async () => {
      const { run, touch, open } = await startWithSocket({
        options: { lifetimes: { sessionIdle: 1200 } },
      })
      for (let more = 0; more < 20; more += 1) open()
      await run(1200)
      expect(touch.mock.calls.length).toBeGreaterThanOrEqual(19)
      expect(touch.mock.calls.length).toBeLessThanOrEqual(21)
    },
  )

  it.each([60, 75, 80, 180])('lives on with an idle time of %d seconds', async (sessionIdle) => {
    const { run, close } = await startWithSocket({ options: { lifetimes: { sessionIdle } } })
    await run(900)
    expect(close).not.toHaveBeenCalled()
  })

  it('survives that one of its notes could not be written', async () => {
    const { host, run, close } = await startWithSocket({
      options: { lifetimes: { sessionIdle: 60 } },
    })
    const { touch } = host.stores.sessions
    for (let round = 0; round < 5; round += 1) {
      let failures = 1
      host.stores.sessions.touch = (...given) =>
        failures-- > 0 ? Promise.reject(new Error('down')) : touch(...given)
      await run(60)
    }
    expect(close).not.toHaveBeenCalled()
  })

  it('idles out when the socket is gone', async () => {
    const { host, authToken, run, leave } = await startWithSocket({
      options: { lifetimes: { sessionIdle: 60 } },
    })
    await run(120)
    for (const left of leave) left()
    await run(61)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })
})
