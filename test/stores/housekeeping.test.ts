import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SessionKit } from '../../src/kits/session-kit.js'
import { startPurging } from '../../src/router/purging.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, logIn, obtainCode, post } from '../support/client.js'
import { startHost } from '../support/host.js'
import { kitOf } from '../support/kit-of.js'

const interval = 600

function fakeTimers() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('what is over', () => {
  it('is deleted now and then, in batches until one is not full, from every store', async () => {
    const stores = memoryStores()
    const left = { codes: 2300, sessions: 1000, tickets: 5, proofs: 1001 }
    const spies = (['codes', 'sessions', 'tickets', 'proofs'] as const).map((name) =>
      vi.spyOn(stores[name], 'purge').mockImplementation(async (_now, limit = 0) => {
        const count = Math.min(left[name], limit)
        left[name] -= count
        return count
      }),
    )
    fakeTimers()
    const host = await startHost({ options: stores })
    for (let second = 0; second < interval * 1.5 && left.tickets > 0; second += 1)
      await vi.advanceTimersByTimeAsync(1000)
    // Requests have their turn between two batches.
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(left).toEqual({ codes: 0, sessions: 0, tickets: 0, proofs: 0 })
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([3, 2, 1, 2])
    expect(spies[0]?.mock.calls[0]).toEqual([new Date(host.clock().getTime() - 3_600_000), 1000])
    await vi.advanceTimersByTimeAsync(interval * 1500)
    expect(spies[2]?.mock.calls.length).toBeGreaterThanOrEqual(2)
  })

  it(
    'is tried again in the next round when a store fails, which keeps none of the others from ' +
      'their turn',
    async () => {
      const stores = memoryStores()
      const failing = vi.spyOn(stores.codes, 'purge').mockRejectedValue(new Error('down'))
      const sessions = vi.spyOn(stores.sessions, 'purge')
      fakeTimers()
      const host = await startHost({ options: stores })
      await vi.advanceTimersByTimeAsync(interval * 3000)
      expect(failing.mock.calls.length).toBeGreaterThanOrEqual(2)
      expect(sessions.mock.calls.length).toBeGreaterThanOrEqual(2)
      expect(host.events.filter(({ type }) => type === 'host.failed')[0]).toMatchObject({
        operation: 'codes.purge',
      })
    },
  )

  it('is deleted of names used once, where there is a store of them', async () => {
    const purge = vi.fn(async (_now: Date, _limit?: number) => 0)
    const others = { purge: async () => 0 }
    const clock = () => new Date()
    fakeTimers()
    for (const once of [undefined, { purge }]) {
      onTestFinished(
        startPurging(
          kitOf<SessionKit>({
            codeStore: others,
            sessionStore: others,
            ticketStore: undefined,
            proofStore: undefined,
            deviceCodes: undefined,
            totp: undefined,
            clock,
            noticeTime: () => {},
            audit: () => {},
          }),
          [once, undefined],
          interval,
        ),
      )
      await vi.advanceTimersByTimeAsync(interval * 1500)
      expect(purge.mock.calls.length > 0).toBe(once !== undefined)
    }
    const [until, limit] = purge.mock.calls[0] ?? []
    expect(until?.getTime()).toBeLessThanOrEqual(Date.now() - 3_600_000)
    expect(limit).toBe(1000)
  })

  it('is deleted of proofs where there is a store, which nothing else asks for anything', async () => {
    const { proofs, ...stores } = memoryStores()
    const asked: string[] = []
    const spied = Object.entries(proofs).map(([name, method]) => [
      name,
      (...given: never[]) => {
        asked.push(name)
        return (method as (...given: never[]) => unknown)(...given)
      },
    ])
    fakeTimers()
    const host = await startHost({ options: { ...stores, proofs: Object.fromEntries(spied) } })
    const { authToken } = await logIn(host)
    const { refresh_token } = (
      await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    ).body
    await post(host, '/auth/refresh', { refresh_token })
    await host.auth.passwordChanged('u-alice')
    await post(host, '/logout', undefined, bearer(authToken))
    expect(asked).toEqual([])
    await vi.advanceTimersByTimeAsync(interval * 1500)
    expect(new Set(asked)).toEqual(new Set(['purge']))
  })

  it('is left alone after close, and where the interval is 0', async () => {
    const stores = memoryStores()
    const purge = vi.spyOn(stores.sessions, 'purge')
    fakeTimers()
    await startHost({ options: { ...stores, purgeInterval: 0 } })
    const closed = await startHost({ options: stores })
    await closed.auth.close()
    await vi.advanceTimersByTimeAsync(interval * 3000)
    expect(purge).not.toHaveBeenCalled()
  })
})
