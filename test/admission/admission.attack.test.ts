import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { gate } from '../support/gate.js'
import { type CrowdedHost, gatedHasher, startCrowd, until } from '../support/gated-hasher.js'
import { password } from '../support/host.js'

const named = (count: number, name = 'a') =>
  Array.from({ length: count }, (_none, index) => `${name}${index + 1}`)
const attacker = '203.0.113.66'

describe('an attacker who fills the queue from one network', () => {
  it('keeps nobody else out, and delays them by one password at most', async () => {
    const host = await startCrowd()
    const flood = await host.queueUp(named(6), attacker)
    expect((await host.attempt('one too many', attacker)).status).toBe(503)
    const victim = host.attempt('right', '192.0.2.1')
    // Whoever came last from the network that has the most gives way, and is told so at once.
    expect((await flood[5])?.status).toBe(503)
    await host.finishAll()
    expect((await victim).status).toBe(200)
    expect(host.hasher.begun.slice(0, 3)).toEqual(['a1', 'a2', 'right'])
  })

  it('does not get back in at the cost of those who have less waiting', async () => {
    const host = await startCrowd()
    await host.queueUp(named(6), attacker)
    const victims = ['192.0.2.1', '192.0.2.2'].map((ip) => host.attempt('right', ip))
    await until(() => host.auth.stats().passwords.networks === 3)
    for (const again of named(10, 'again'))
      expect((await host.attempt(again, attacker)).status).toBe(503)
    await host.finishAll()
    expect((await Promise.all(victims)).map(({ status }) => status)).toEqual([200, 200])
    expect(host.hasher.begun.slice(0, 4)).toEqual(['a1', 'a2', 'right', 'right'])
  })

  it('is one source with all IPv6 networks of a site, however many a line has', async () => {
    const host = await startCrowd()
    await host.queueUp(['a1'], '2001:db8:0:1::1')
    for (let i = 2; i <= 6; i += 1) await host.queueUp([`a${i}`], `2001:db8:0:${i}::1`)
    expect(host.auth.stats().passwords).toMatchObject({ waiting: 5, networks: 1 })
    const victim = host.attempt('right', '2001:db8:1:1::1')
    await until(() => host.auth.stats().passwords.networks === 2)
    await host.finishAll()
    expect((await victim).status).toBe(200)
    expect(host.hasher.begun.indexOf('right')).toBe(2)
  })

  it('delays the host’s own hashes and the first login of all no more than that', async () => {
    const host = await startCrowd()
    await host.queueUp(named(6), attacker)
    const hash = host.auth.hashPassword('new')
    await host.finishAll()
    expect(await hash).toBe('hash of new')
    expect(host.hasher.begun.indexOf('new')).toBe(2)
  })
})

describe('two networks that both have much to do', () => {
  it('take turns, each in the order in which its logins came', async () => {
    const host = await startCrowd()
    await host.queueUp(named(4), attacker)
    const [second] = await host.queueUp(['b1', 'b2'], '192.0.2.1')
    await host.finishAll()
    expect((await second)?.status).toBe(401)
    expect(host.hasher.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  })

  it('do not displace each other once they have the same share', async () => {
    const host = await startCrowd()
    const first = await host.queueUp(named(4), attacker)
    const other = await host.queueUp(['b1', 'b2'], '192.0.2.1')
    // Three of the one wait and two of the other: no exchange would be fairer.
    expect((await host.attempt('b3', '192.0.2.1')).status).toBe(503)
    expect((await host.attempt('a5', attacker)).status).toBe(503)
    await host.finishAll()
    expect((await Promise.all([...first, ...other])).map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => 401),
    )
  })
})

describe('networks that found the queue full', () => {
  const ip = (number: number) => `198.51.100.${number}`
  /**
   * One in hand and five waiting, each from a network of its own, and so many who were told to come
   * back.
   */
  async function startFull(refused: number) {
    const host = await startCrowd()
    for (let i = 1; i <= 6; i += 1) await host.queueUp([`a${i}`], ip(i))
    const answers = []
    for (let i = 0; i < refused; i += 1) answers.push(await host.attempt('too many', ip(100 + i)))
    const finish = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        const { completed } = host.auth.stats().passwords
        host.hasher.finishOne()
        await until(() => host.auth.stats().passwords.completed > completed)
      }
    }
    return { host, answers, finish }
  }

  it('are told to come when places are free for them, one after the other', async () => {
    const { host, answers } = await startFull(8)
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 503))
    // The first as soon as one is done.
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    ])
    // Too early gains nothing, and loses nothing.
    expect((await host.attempt('again', ip(105))).headers['retry-after']).toBe('6')
    host.hasher.openUp()
  })

  it('find a place then, which those who were just served did not take', async () => {
    const { host, finish } = await startFull(1)
    await finish(1)
    expect((await host.attempt('at once again', ip(1))).status).toBe(503)
    const returned = host.attempt('right', ip(100))
    await until(() => host.auth.stats().passwords.waiting === 5)
    await host.finishAll()
    expect((await returned).status).toBe(200)
  })

  it(
    'and do not come back keep nobody from a hasher that has nothing to do, and places for two ' +
      'seconds only',
    async () => {
      const { host, finish } = await startFull(6)
      await finish(2)
      expect(host.auth.stats().passwords.waiting).toBe(3)
      // Six are promised a place, the first two by now.
      expect((await host.attempt('newcomer', ip(50))).headers['retry-after']).toBe('5')
      await finish(4)
      const newcomer = host.attempt('right', ip(51))
      await until(() => host.auth.stats().passwords.running === 1)
      // Of the six two are still to come; the others are late.
      await host.queueUp(['next', 'next'], ip(52))
      await host.finishAll()
      expect((await newcomer).status).toBe(200)
    },
  )

  it('have one place each, which is used up when they come', async () => {
    const { host, finish } = await startFull(2)
    await finish(1)
    await host.queueUp(['back again'], ip(100))
    await finish(1)
    const again = await host.attempt('once more', ip(100))
    expect(again.status).toBe(503)
    host.hasher.openUp()
  })
})

describe('a client that hangs up', () => {
  const send = (host: CrowdedHost, signal: AbortSignal) =>
    fetch(`${host.url}/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' },
      body: JSON.stringify({ username: 'alice', password: 'impatient' }),
      signal,
    }).catch(() => 'hung up')
  const started = async () => {
    const host = await startCrowd({ throttle: { account: { points: 1, duration: 900 } } })
    await host.queueUp(['a1'], attacker)
    const connection = new AbortController()
    const answer = send(host, connection.signal)
    await until(() => host.auth.stats().passwords.waiting === 1)
    return { host, hangUp: () => connection.abort(), answer }
  }

  it('before its turn costs no hash, and no attempt', async () => {
    const { host, hangUp, answer } = await started()
    hangUp()
    expect(await answer).toBe('hung up')
    await until(() => host.auth.stats().passwords.waiting === 0)
    expect(host.auth.stats().passwords).toMatchObject({ abandoned: 1, refused: 0, networks: 0 })
    host.hasher.openUp()
    expect((await host.attempt('right')).status).toBe(200)
    expect(host.hasher.begun).toEqual(['a1', 'right'])
    expect(host.unforeseen).toEqual([])
  })

  it('costs no hash for any of the logins that it sent one behind the other', async () => {
    const host = await startCrowd()
    await host.queueUp(['a1'], attacker)
    const { hostname, port } = new URL(host.url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    const body = JSON.stringify({ username: 'alice', password: 'impatient' })
    const head = [
      'POST /api/v1/login HTTP/1.1',
      'Host: x',
      'X-Forwarded-For: 192.0.2.1',
      'Content-Type: application/json',
    ]
    socket.write([...head, `Content-Length: ${body.length}`, '', body].join('\r\n').repeat(4))
    await until(() => host.auth.stats().passwords.waiting === 4)
    socket.destroy()
    await until(() => host.auth.stats().passwords.waiting === 0)
    expect(host.auth.stats().passwords).toMatchObject({ abandoned: 4 })
    await host.finishAll()
    expect(host.hasher.begun).toEqual(['a1'])
  })

  it.each([
    ['while the hasher has nothing to do', 0],
    ['while the hasher is busy', 1],
  ])('before it was looked up, %s, costs no hash either', async (_when, busy) => {
    const door = gate()
    const canonicalIdentifier = async ({ value }: { value: string }) => {
      await door.pass()
      return value
    }
    const host = await startCrowd({ canonicalIdentifier })
    await host.queueUp(named(busy), attacker)
    const held = door.shut()
    let closed = false
    host.server.once('request', (_request, response) => {
      response.once('close', () => {
        closed = true
      })
    })
    const connection = new AbortController()
    const answer = send(host, connection.signal)
    await held
    connection.abort()
    expect(await answer).toBe('hung up')
    await until(() => closed)
    door.open()
    await until(() => host.auth.stats().passwords.abandoned === 1)
    expect(host.hasher.begun).toEqual(named(busy))
    host.hasher.openUp()
  })

  it('after its turn has come changes nothing', async () => {
    const { host, hangUp } = await started()
    host.hasher.finishOne()
    await until(() => host.hasher.begun.length === 2)
    hangUp()
    host.hasher.openUp()
    await until(() => host.auth.stats().passwords.running === 0)
    expect(host.auth.stats().passwords).toMatchObject({ abandoned: 0, failed: 0, completed: 3 })
    expect((await host.attempt('right')).status).toBe(429)
  })
})

describe('a hasher that becomes much slower', () => {
  it('is not left with minutes of work: those who came last are told at once', async () => {
    const host = await startCrowd()
    const answers = await host.queueUp(named(6))
    host.hasher.finishOne(60)
    expect((await answers[5])?.status).toBe(503)
    expect(host.auth.stats().passwords).toMatchObject({ running: 1, waiting: 3, refused: 1 })
    host.hasher.openUp()
  })
})

describe('a hasher that fails at once', () => {
  it('does not make the queue longer: failing is not working fast', async () => {
    const failing = { ...gatedHasher(), verify: () => Promise.reject(new Error('gone')) }
    const host = await startCrowd({}, failing)
    for (let i = 0; i < 5; i += 1) expect((await host.attempt('any')).status).toBe(503)
    expect(host.auth.stats().passwords).toMatchObject({ failed: 5, meanMs: 1000 })
  })
})

describe('the event of a refusal', () => {
  it('names neither the user nor the password', async () => {
    const host = await startCrowd()
    await host.queueUp(named(6))
    await host.attempt(password)
    const event = host.events.find(({ type }) => type === 'login.overloaded')
    expect(Object.keys(event ?? {}).sort()).toEqual([
      'at',
      'ip',
      'requestId',
      'retryAfter',
      'type',
      'waiting',
    ])
    host.hasher.openUp()
  })
})
