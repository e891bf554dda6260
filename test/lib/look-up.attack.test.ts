// Names that somebody else has chosen, and whose name server does what it likes.
import { promises as dns } from 'node:dns'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLookUp } from '../../src/lib/outgoing.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const { signal } = new AbortController()
const address = { address: '8.8.8.8', family: 4 }

/** A name server that answers when it is told to, and what it was asked. */
function nameServer() {
  const asked: string[] = []
  let settle: { answer: () => void; fail: (cause: Error) => void }
  const lookUp = createLookUp((hostname) => {
    asked.push(hostname)
    return new Promise((resolve, fail) => {
      settle = { answer: () => resolve([address]), fail }
    })
  })
  return {
    lookUp,
    asked,
    answer: () => settle.answer(),
    fail: (cause: Error) => settle.fail(cause),
  }
}

describe('the name of a host that somebody else has chosen', () => {
  it('is looked up on no thread that other look-ups need, and given up', async () => {
    const threads = vi.spyOn(dns, 'lookup')
    const { prototype } = dns.Resolver
    const cancelled: dns.Resolver[] = []
    vi.spyOn(prototype, 'cancel').mockImplementation(function (this: dns.Resolver) {
      cancelled.push(this)
    })
    const asked: string[] = []
    const unanswered = (family: string) => (name: string) => {
      asked.push(`${name} ${family}`)
      return new Promise<never>(() => {})
    }
    vi.spyOn(prototype, 'resolve4').mockImplementation(unanswered('A') as never)
    vi.spyOn(prototype, 'resolve6').mockImplementation(unanswered('AAAA') as never)
    const abort = new AbortController()
    void createLookUp()('slow.example.com', abort.signal)
    expect(asked).toEqual(['slow.example.com A', 'slow.example.com AAAA'])
    abort.abort()
    expect([cancelled.length, threads.mock.calls]).toEqual([1, []])
  })

  it.each([
    [['8.8.8.8'], ['2a00::1'], ['8.8.8.8', '2a00::1']],
    [['8.8.8.8'], null, ['8.8.8.8']],
    [null, ['2a00::1'], ['2a00::1']],
    [null, null, 'ENOTFOUND'],
  ])('has the addresses of either family: %j and %j', async (four, six, addresses) => {
    const { prototype } = dns.Resolver
    const missing = Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    const answering = (found: readonly string[] | null) =>
      (async () => {
        if (found === null) throw missing
        return found
      }) as never
    vi.spyOn(prototype, 'resolve4').mockImplementation(answering(four))
    vi.spyOn(prototype, 'resolve6').mockImplementation(answering(six))
    const found = await createLookUp()('wiki.example.com', signal).then(
      (all) => all.map((one) => one.address),
      ({ code }) => code,
    )
    expect(found).toEqual(addresses)
  })

  it('is looked up once at a time, however many wait for it', async () => {
    const { lookUp, asked, answer } = nameServer()
    const waiting = Array.from({ length: 8 }, () => lookUp('wiki.example.com', signal))
    answer()
    expect(await Promise.all(waiting)).toEqual(Array(8).fill([address]))
    expect(asked).toEqual(['wiki.example.com'])
    // What was found is kept for nobody: the next one asks again.
    void lookUp('wiki.example.com', signal)
    expect(asked).toHaveLength(2)
  })

  it('is not asked for again within five seconds of a failure', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { lookUp, asked, fail } = nameServer()
    const refused = expect(lookUp('gone.example.com', signal)).rejects.toThrow('ETIMEOUT')
    fail(new Error('ETIMEOUT'))
    await refused
    vi.setSystemTime(Date.now() + 4999)
    await expect(lookUp('gone.example.com', signal)).rejects.toThrow('ETIMEOUT')
    expect(asked).toHaveLength(1)
    void lookUp('other.example.com', signal)
    vi.setSystemTime(Date.now() + 1)
    void lookUp('gone.example.com', signal)
    expect(asked).toEqual(['gone.example.com', 'other.example.com', 'gone.example.com'])
  })

  it('is this machine if it says so, and nobody is asked', async () => {
    const { lookUp, asked } = nameServer()
    for (const name of ['localhost', 'wiki.localhost', 'localhost.'])
      expect((await lookUp(name, signal)).map((one) => one.address)).toEqual(['127.0.0.1', '::1'])
    expect(asked).toEqual([])
  })
})
