import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { log } from '../../example-app/log.js'
import { tellOfOutages } from '../../example-app/outages.js'

let lines: string[]

beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
})

afterEach(async () => {
  // What a test has counted is told, and the next one begins with nothing.
  await vi.advanceTimersByTimeAsync(2000)
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the log', () => {
  test(
    'has one line a second for each kind of event, however many come, and then says how many ' +
      'they were',
    async () => {
      for (let n = 0; n < 710; n += 1)
        log('login.overloaded', {
          waiting: 40,
          retryAfter: 6,
          requestId: String(n),
          ip: `10.0.0.${n}`,
        })
      expect(lines).toEqual([
        'login.overloaded: {"waiting":40,"retryAfter":6,"requestId":"0","ip":"10.0.0.0"}\n',
      ])
      await vi.advanceTimersByTimeAsync(1000)
      expect(lines.slice(1)).toEqual(['login.overloaded x 709 more in the last second\n'])
      log('login.overloaded', { waiting: 1 })
      expect(lines[2]).toBe('login.overloaded: {"waiting":1}\n')
    },
  )

  test('keeps apart what an operator would do different things about', () => {
    for (const scope of ['account', 'network', 'account'])
      log('login.throttled', { scope, ip: '10.0.0.1' })
    for (const operation of ['sessions.find', 'throttle.take'])
      log('host.failed', { operation, error: 'Error' })
    expect(lines.map((line) => /"(?:scope|operation)":"([^"]+)"/.exec(line)?.[1])).toEqual([
      'account',
      'network',
      'sessions.find',
      'throttle.take',
    ])
  })

  test('loses nothing of what comes alone', async () => {
    log('a')
    await vi.advanceTimersByTimeAsync(1000)
    log('a', 'b')
    expect(lines).toEqual(['a\n', 'a: "b"\n'])
  })
})

describe('an outage', () => {
  test('is told once, and so is its end', async () => {
    let answer: () => Promise<unknown> = async () => 1
    const end = tellOfOutages('the database', () => answer())
    await vi.advanceTimersByTimeAsync(20_000)
    expect(lines).toEqual([])
    answer = () => Promise.reject(new Error('refused'))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(lines).toEqual(['the database is away\n'])
    answer = async () => 1
    await vi.advanceTimersByTimeAsync(20_000)
    expect(lines).toEqual(['the database is away\n', 'the database is back\n'])
    answer = () => new Promise(() => {})
    await vi.advanceTimersByTimeAsync(20_000)
    expect(lines.slice(2)).toEqual(['the database is away\n'])
    end()
  })
})
