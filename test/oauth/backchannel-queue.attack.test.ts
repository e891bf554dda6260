// Messages to apps: tries, turns, and what becomes of the rest.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RpLogoutFault } from '../../src/index.js'
import { createLogoutQueue } from '../../src/oauth/backchannel-logout.js'

afterEach(() => void vi.useRealTimers())

type Outcome = [string, RpLogoutFault | null]

/** A queue, what is sent by it, and what became of each message. */
function start(send: (message: string) => Promise<RpLogoutFault | null>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tried: string[] = []
  const outcomes: Outcome[] = []
  const queue = createLogoutQueue<string>({
    send: (message) => {
      tried.push(message)
      return send(message)
    },
    conclude: (message, fault) => void outcomes.push([message, fault]),
  })
  return { queue, tried, outcomes }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const hang = () => new Promise<never>(() => {})

describe('a message to an app', () => {
  it('is tried at once, 5 s after that and 30 s after that, and no fourth time', async () => {
    const { queue, tried, outcomes } = start(async () => 'rejected')
    queue.add('wiki', 'a')
    await turn()
    const times = []
    for (const seconds of [0, 4.999, 0.001, 29.999, 0.001, 600]) {
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      times.push(tried.length)
    }
    expect(times).toEqual([1, 1, 2, 2, 3, 3])
    expect(outcomes).toEqual([['a', 'rejected']])
    expect(queue.stats()).toEqual({ sent: 0, failed: 1, waiting: 0 })
  })

  it.each([1, 2])('is sent where try %i after the first is taken', async (taken) => {
    let tries = 0
    const { queue, outcomes } = start(async () => (tries++ === taken ? null : 'timeout'))
    queue.add('wiki', 'a')
    await vi.advanceTimersByTimeAsync(60_000)
    expect([tries, outcomes]).toEqual([taken + 1, [['a', null]]])
    expect(queue.stats()).toEqual({ sent: 1, failed: 0, waiting: 0 })
  })

  it('is one of eight at once, and apps take turns', async () => {
    const done: (() => void)[] = []
    const { queue, tried } = start(() => new Promise((resolve) => done.push(() => resolve(null))))
    for (let count = 0; count < 20; count += 1) queue.add('many', `many-${count}`)
    queue.add('few', 'few-0')
    await turn()
    expect(tried).toHaveLength(8)
    done[0]?.()
    done[1]?.()
    await turn()
    expect(tried.slice(8)).toContain('few-0')
    expect(tried).toHaveLength(10)
  })

  it('is one of a thousand that wait; one more is not sent', async () => {
    const { queue, outcomes } = start(hang)
    for (let count = 0; count < 1500; count += 1) queue.add('wiki', `${count}`)
    expect(queue.stats()).toEqual({ sent: 0, failed: 500, waiting: 1000 })
    expect(outcomes[0]).toEqual(['1000', 'overflow'])
  })

  it('takes the place of one of the app with the most', async () => {
    const { queue, outcomes } = start(hang)
    for (let count = 0; count < 1000; count += 1) queue.add('many', `many-${count}`)
    queue.add('few', 'few-0')
    queue.add('many', 'many-1000')
    expect(outcomes).toEqual([
      ['many-999', 'overflow'],
      ['many-1000', 'overflow'],
    ])
  })

  it('takes the place of one that has failed before', async () => {
    const { queue, tried, outcomes } = start(async (message) =>
      message.startsWith('bad') ? 'timeout' : null,
    )
    for (let count = 0; count < 1000; count += 1) queue.add('bad', `bad-${count}`)
    for (let left = 0; left < 1000; left += 1) await turn()
    expect([tried.length, queue.stats().waiting]).toEqual([1000, 1000])
    queue.add('good', 'good-0')
    await turn()
    expect(outcomes).toEqual([
      ['bad-0', 'overflow'],
      ['good-0', null],
    ])
    // Its timer went with it.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(tried.filter((one) => one === 'bad-0')).toHaveLength(1)
  })

  it('that has failed once is tried again, whatever another app floods', async () => {
    let isDown = true
    const { queue, outcomes } = start(async (message) => {
      if (message.startsWith('flood')) return hang()
      return isDown ? 'rejected' : null
    })
    queue.add('wiki', 'wiki-0')
    await turn()
    isDown = false
    for (let count = 0; count < 3000; count += 1) queue.add('flood', `flood-${count}`)
    expect(queue.stats().waiting).toBe(1000)
    await vi.advanceTimersByTimeAsync(5000)
    // Its turn comes once one of the eight is over; until then it has its place.
    expect(outcomes.filter(([message]) => message === 'wiki-0')).toEqual([])
    expect(outcomes).toHaveLength(2001)
  })

  it('keeps no process alive while it waits for its next try', async () => {
    vi.useRealTimers()
    const timers: NodeJS.Timeout[] = []
    const real = globalThis.setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((...given: Parameters<typeof real>) => {
      const timer = real(...given)
      timers.push(timer)
      return timer
    }) as typeof real)
    const queue = createLogoutQueue<string>({ send: async () => 'timeout', conclude() {} })
    queue.add('wiki', 'a')
    await turn()
    vi.restoreAllMocks()
    expect(timers.map((timer) => timer.hasRef())).toEqual([false])
    await queue.close(100)
  })
})

describe('closing', () => {
  it('waits for what is under way and for its turn, and for no further try', async () => {
    let tries = 0
    const { queue, outcomes, tried } = start(async (message) => {
      await turn()
      tries += 1
      return message === 'failed' ? 'rejected' : null
    })
    queue.add('wiki', 'failed')
    while (tries < 1) await turn()
    await turn()
    for (let count = 0; count < 20; count += 1) queue.add('wiki', `${count}`)
    await queue.close(1000)
    expect(tried).toHaveLength(21)
    expect(outcomes.filter(([, fault]) => fault !== null)).toEqual([['failed', 'closed']])
    expect(queue.stats()).toEqual({ sent: 20, failed: 1, waiting: 0 })
    queue.add('wiki', 'late')
    expect(outcomes.at(-1)).toEqual(['late', 'closed'])
  })

  it('waits no longer than it is told', async () => {
    const { queue, outcomes } = start(hang)
    for (let count = 0; count < 20; count += 1) queue.add('wiki', `${count}`)
    let isClosed = false
    void queue.close(700).then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(699)
    expect([isClosed, outcomes]).toEqual([false, []])
    await vi.advanceTimersByTimeAsync(1)
    expect(isClosed).toBe(true)
    expect(outcomes).toEqual(Array.from({ length: 12 }, (_none, n) => [`${n + 8}`, 'closed']))
  })
})
