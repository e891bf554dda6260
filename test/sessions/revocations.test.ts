// How this process stays in touch with the others, over a bus that is slow, away or closed.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHostCall, type HostCall } from '../../src/lib/host-call.js'
import { createRevocations } from '../../src/sessions/revocations.js'
import type { BusMessage, RevocationBus, SessionEnded } from '../../src/stores/revocation-bus.js'

const timeoutMs = 2000
const end: SessionEnded = { sessionId: 's', userId: 'u', reason: 'logout', at: new Date(0) }

/** As the router's calls of the host, as far as a bus that answers or rejects is concerned. */
function start(bus: Partial<RevocationBus>) {
  const asked: string[] = []
  const call: HostCall = async (operation, work, _accept, given) => {
    asked.push(operation)
    return (await work(given as never)) as never
  }
  const complete: RevocationBus = {
    publish: async () => {},
    subscribe: async () => async () => {},
    ...bus,
  }
  return { asked, revocations: createRevocations(complete, call, timeoutMs) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('the ends of 45 sessions', () => {
  it('are published twenty at a time, all of them and each once', async () => {
    const published: BusMessage[] = []
    let underWay = 0
    let most = 0
    const { asked, revocations } = start({
      async publish(message) {
        underWay += 1
        most = Math.max(most, underWay)
        await new Promise((resolve) => setTimeout(resolve, 10))
        underWay -= 1
        published.push(message)
      },
    })
    const ends = Array.from({ length: 45 }, (_, at) => ({ ...end, sessionId: `s-${at}` }))
    const announcing = revocations.announce(ends)
    await passed(1000)
    await announcing
    expect(published).toEqual(ends)
    expect(most).toBe(20)
    expect(asked.filter((operation) => operation === 'bus.publish')).toHaveLength(45)
  })

  it('are known here, and the promise is kept, though the bus hangs', async () => {
    const heard: string[] = []
    const { revocations } = start({ publish: () => new Promise(() => {}) })
    revocations.onEnded(({ sessionId }) => void heard.push(sessionId))
    const announcing = revocations.announce([end])
    expect(heard).toEqual(['s'])
    await passed(timeoutMs)
    await announcing
  })
})

describe('a bus that is away', () => {
  it('is asked again after 1, 2, 4 … and at most 30 seconds, until the router is closed', async () => {
    const at: number[] = []
    const began = Date.now()
    const { revocations } = start({
      subscribe() {
        at.push((Date.now() - began) / 1000)
        return Promise.reject(new Error('away'))
      },
    })
    await passed(100_000)
    expect(at).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
    await expect(revocations.check?.()).rejects.toThrow('not joined')
    await revocations.close()
    await passed(100_000)
    expect(at).toHaveLength(8)
  })

  it('is not asked again where its refusal comes after the router is closed', async () => {
    let asked = 0
    const { revocations } = start({
      subscribe() {
        asked += 1
        return new Promise((_resolve, reject) => setTimeout(reject, 500, new Error('away')))
      },
    })
    await revocations.close()
    await passed(100_000)
    expect(asked).toBe(1)
  })
})

describe('a subscription', () => {
  it('that is answered after the router is closed is left at once', async () => {
    let left = 0
    const leave = async () => {
      left += 1
    }
    const { revocations } = start({
      subscribe: () => new Promise((resolve) => setTimeout(resolve, 500, leave)),
    })
    await revocations.close()
    expect(left).toBe(0)
    await passed(500)
    expect(left).toBe(1)
  })

  it('that is answered after its time was up is left where another stands', async () => {
    const left: number[] = []
    let asked = 0
    const bus: RevocationBus = {
      publish: async () => {},
      subscribe() {
        asked += 1
        const name = asked
        const leave = async () => void left.push(name)
        return new Promise((resolve) => setTimeout(resolve, name === 1 ? 5000 : 10, leave))
      },
    }
    const inTime = createHostCall(timeoutMs, () => {})
    const revocations = createRevocations(bus, inTime, timeoutMs)
    await passed(4000)
    await expect(revocations.check?.()).resolves.toBeUndefined()
    await passed(4000)
    expect(left).toEqual([1])
    await revocations.close()
    expect(left).toEqual([1, 2])
  })

  it('is checked by the check of the bus, where it has one', async () => {
    let checked = 0
    const { asked, revocations } = start({
      async check() {
        checked += 1
        if (checked === 2) throw new Error('nothing comes back')
      },
    })
    await passed(0)
    await revocations.check?.()
    await expect(revocations.check?.()).rejects.toThrow('nothing comes back')
    expect(asked).toEqual(['bus.subscribe', 'bus.check', 'bus.check'])
  })

  it('is nothing that a message of another shape gets through', async () => {
    let tell: (message: BusMessage) => void = () => {}
    const heard: unknown[] = []
    const { revocations } = start({
      async subscribe(listener) {
        tell = listener
        return async () => {}
      },
    })
    revocations.onEnded((event) => void heard.push(event))
    revocations.onClientChanged((clientId) => void heard.push(clientId))
    await passed(0)
    const ofNewerRelease = { userId: 'u', locked: true }
    for (const message of [null, undefined, {}, { sessionId: 1 }, { clientId: 1 }, 'text', end])
      tell(message as SessionEnded)
    for (const message of [ofNewerRelease, { clientId: 'wiki' }]) tell(message as never)
    expect(heard).toEqual([end, 'wiki'])
  })
})

it('without a bus there is nothing to check, and closing is nothing', async () => {
  const revocations = createRevocations(undefined, () => Promise.reject(new Error()), timeoutMs)
  expect(revocations.check).toBeNull()
  await revocations.announce([end])
  await revocations.close()
})
