import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { gatedHasher, startCrowd, until } from '../support/gated-hasher.js'
import { cheapHasher, password, startHost } from '../support/host.js'

const statuses = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)
const named = (count: number, name = 'a') =>
  Array.from({ length: count }, (_none, index) => `${name}${index + 1}`)
const idle = { running: 0, waiting: 0, networks: 0 }

describe('a storm of logins', () => {
  it(
    'is answered for as long as the bound, and beyond it refused at once with the time to come ' +
      'back',
    async () => {
      const host = await startCrowd()
      const accepted = await host.queueUp(named(6))
      for (const late of ['late', 'later']) {
        const refused = await host.attempt(late)
        expect(refused.status).toBe(503)
        // One second for the one in hand, five for those who wait.
        expect(refused.headers['retry-after']).toBe('6')
      }
      expect(host.auth.stats().passwords).toMatchObject({
        running: 1,
        waiting: 5,
        networks: 1,
        refused: 2,
        meanMs: 1000,
      })
      expect(host.events.filter(({ type }) => type === 'login.overloaded')).toEqual([
        expect.objectContaining({ waiting: 5, retryAfter: 6, ip: '192.0.2.1' }),
        expect.objectContaining({ waiting: 5, retryAfter: 6, ip: '192.0.2.1' }),
      ])
      await host.finishAll()
      expect(await statuses(accepted)).toEqual(Array.from({ length: 6 }, () => 401))
      expect(host.hasher.begun).toEqual(named(6))
      expect(host.unforeseen).toEqual([])
    },
  )

  it('leaves nothing behind, and the numbers tell of it', async () => {
    const host = await startCrowd()
    const accepted = await host.queueUp(named(5))
    await host.finishAll()
    await Promise.all(accepted)
    const { passwords } = host.auth.stats()
    // Five comparisons, and the hash that unknown names are compared with.
    expect(passwords).toMatchObject({ ...idle, completed: 6, failed: 0, refused: 0, abandoned: 0 })
    // The last waited for four others, to about one part in a hundred.
    expect(passwords.waitMs.max).toBeGreaterThan(3900)
    expect(passwords.waitMs.max).toBeLessThan(4100)
    expect(passwords.waitMs.p50).toBeLessThan(passwords.waitMs.p99)
  })

  it('is forgotten by the waiting times two minutes later', async () => {
    const host = await startCrowd()
    const accepted = await host.queueUp(named(5))
    await host.finishAll()
    await Promise.all(accepted)
    const [last] = await host.queueUp(['b'])
    host.hasher.finishOne(121)
    await last
    expect(host.auth.stats().passwords.waitMs.max).toBeLessThanOrEqual(1)
  })

  it('does not hold up requests of users who are signed in', async () => {
    const host = await startCrowd()
    const signingIn = host.attempt('right')
    await until(() => host.hasher.begun.length === 1)
    host.hasher.finishOne()
    const { authToken } = (
      (await signingIn) as unknown as { body: { data: { authToken: string } } }
    ).body.data
    await host.queueUp(named(6))
    expect((await host.attempt('late')).status).toBe(503)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect(host.auth.stats().passwords).toMatchObject({ running: 1, waiting: 5 })
    await host.finishAll()
  })

  it('makes nobody’s wrong passwords of what was refused', async () => {
    const host = await startCrowd({ throttle: { account: { points: 2, duration: 900 } } })
    host.users.add({ id: 'u-bob', passwordHash: 'hash of another' })
    await host.queueUp(named(2), '192.0.2.1')
    await host.queueUp(named(2), '192.0.2.2')
    await host.queueUp(named(2), '192.0.2.3')
    for (let i = 0; i < 5; i += 1) {
      const refused = await post(
        host,
        '/login',
        { username: 'u-bob', password: 'wrong' },
        { 'X-Forwarded-For': '192.0.2.3' },
      )
      expect(refused.status).toBe(503)
    }
    host.hasher.openUp()
    const bob = () =>
      post(
        host,
        '/login',
        { username: 'u-bob', password: 'wrong' },
        { 'X-Forwarded-For': '192.0.2.3' },
      )
    expect([(await bob()).status, (await bob()).status, (await bob()).status]).toEqual([
      401, 401, 429,
    ])
  })
})

describe('maxPasswordWait', () => {
  it('is the seconds of work that may wait', async () => {
    const host = await startCrowd({ maxPasswordWait: 2 })
    await host.queueUp(named(3))
    const refused = await host.attempt('late')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '3'])
    host.hasher.openUp()
  })

  it('follows how long the work really takes', async () => {
    const host = await startCrowd()
    const [first] = await host.queueUp(['slow'])
    // Five seconds on average, so that the two that may always wait are all.
    host.hasher.finishOne(13)
    await first
    expect(host.auth.stats().passwords.meanMs).toBe(5000)
    await host.queueUp(named(3))
    const refused = await host.attempt('late')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '15'])
    host.hasher.openUp()
  })
})

describe('a hasher', () => {
  it('is given as much at once as it says it can do', async () => {
    const host = await startCrowd({}, gatedHasher(3))
    await host.queueUp(named(5))
    expect(host.hasher.begun).toEqual(named(3))
    expect(host.auth.stats().passwords).toMatchObject({ concurrency: 3, running: 3, waiting: 2 })
    host.hasher.openUp()
  })

  it('that does not say how much it can do gets one for each core', async () => {
    const host = await startCrowd({}, gatedHasher(null))
    expect(host.auth.stats().passwords.concurrency).toBe(availableParallelism())
  })

  it('that is bcryptHasher gets one for each of its threads', () => {
    expect(cheapHasher.concurrency).toBe(1000)
  })
})

describe('hashPassword', () => {
  it('waits with the logins, within the same bound, and takes turns with their networks', async () => {
    const host = await startCrowd()
    const logins = await host.queueUp(named(6))
    const hashes = named(2, 'new').map((plain) => host.auth.hashPassword(plain))
    // It has its share now; the two logins that came last have given way.
    await expect(host.auth.hashPassword('new3')).rejects.toMatchObject({
      code: 'temporarily-unavailable',
      retryAfter: 5,
    })
    await host.finishAll()
    expect(await Promise.all(hashes)).toEqual(['hash of new1', 'hash of new2'])
    expect(await statuses(logins)).toEqual([401, 401, 401, 401, 503, 503])
    expect(host.hasher.begun).toEqual(['a1', 'a2', 'new1', 'a3', 'new2', 'a4'])
  })
})

describe('close', () => {
  it('lets the work in hand finish, and refuses what waits and what comes', async () => {
    const host = await startCrowd()
    const [inHand, waiting] = await host.queueUp(named(2))
    await host.auth.close()
    expect((await waiting)?.status).toBe(503)
    expect((await host.attempt('late')).status).toBe(503)
    host.hasher.finishOne()
    expect((await inHand)?.status).toBe(401)
    expect(host.auth.stats().passwords).toMatchObject(idle)
  })
})

describe('a login', () => {
  it('that upgrades its hash costs one comparison and one hash', async () => {
    const host = await startHost({
      options: {
        passwords: {
          ...cheapHasher,
          needsRehash: () => true,
          hash: (plain) => cheapHasher.hash(plain),
        },
      },
    })
    await logIn(host)
    const before = host.auth.stats().passwords.completed
    await logIn(host)
    expect(host.auth.stats().passwords.completed - before).toBe(2)
  })

  it('that upgrades its hash does so after one other login of its network, not after all', async () => {
    const hasher = { ...gatedHasher(), needsRehash: () => true }
    const host = await startCrowd({}, hasher)
    host.users.change('u-alice', { passwordHash: 'hash of new and right' })
    const [upgrading] = await host.queueUp(['new and right', ...named(4)])
    host.hasher.finishOne()
    await until(() => host.auth.stats().passwords.waiting === 4)
    await host.finishAll()
    expect((await upgrading)?.status).toBe(200)
    expect(hasher.begun).toEqual(['new and right', 'a1', 'a2', 'new and right', 'a3', 'a4'])
  })

  it('whose last check cannot be made leaves no session behind', async () => {
    let comparisons = 0
    const verify = async (plain: string, hash: string) => {
      comparisons += 1
      if (comparisons === 2) throw new Error('gone')
      return cheapHasher.verify(plain, hash)
    }
    const host = await startHost({
      options: {
        passwords: { ...cheapHasher, verify },
        // Another login has upgraded the hash meanwhile, so the password is compared with the new
        // one.
        describeUser: async () =>
          host.users.change('u-alice', {
            passwordHash: await cheapHasher.hash(password),
          }) as undefined,
      },
    })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect(comparisons).toBe(2)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })
})
