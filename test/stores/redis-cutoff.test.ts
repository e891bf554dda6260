import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RedisStores, redisStores } from '../../src/stores/redis/redis-stores.js'
import { at, sessionRecord, start } from '../support/records.js'
import { libraries, redisCommand, type TestClient } from '../support/redis-clients.js'
import { redisUrl } from '../support/services.js'

const url = String(redisUrl)
const session = (id: string, change = {}) =>
  sessionRecord({ id, refresh: { hash: 'first', familyKey: 'key', spent: [] }, ...change })
const seen = { lastSeenAt: at(5), idleExpiresAt: at(605), ip: null }
const rotation = { ...seen, refresh: { hash: 'second', familyKey: 'key', spent: [] } }

/** A client that does something after each script that is about a session. */
function followed(
  client: TestClient['client'],
  id: string,
  next: () => Promise<void>,
): TestClient['client'] {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (!/^evalsha$/i.test(String(name))) return value.bind(target)
      return async (...given: unknown[]) => {
        const reply: unknown = await value.apply(target, given)
        if (JSON.stringify(given).includes(id)) await next()
        return reply
      }
    },
  })
}

describe.skipIf(redisUrl === null).each(libraries)(
  'the end of all sessions of a user whose index was lost, through %s',
  (_name, connect) => {
    let host: TestClient
    let prefix = ''
    let sessions: RedisStores['sessions']
    const everything = `cutoff-${randomUUID()}:`
    const loseIndex = () => redisCommand(url, 'DEL', `${prefix}{u:u-alice}`)
    const endAll = (exceptId?: string) =>
      sessions.endAllForUser('u-alice', 'revoked', at(1), exceptId)
    const live = async (...ids: string[]) => {
      const found = await Promise.all(ids.map((id) => sessions.find(id)))
      const living = found.flatMap((one) => (one?.endedAt === null ? [one.id] : []))
      expect(await sessions.liveAmong(ids, at(2)), 'liveAmong and find agree').toEqual(living)
      return living
    }

    beforeAll(async () => {
      host = await connect(url)
    })
    beforeEach(() => {
      prefix = `${everything}${randomUUID().slice(0, 8)}:`
      sessions = redisStores(host.client, { prefix }).sessions
    })
    afterAll(async () => {
      const left = (await redisCommand(url, 'KEYS', `${everything}*`)) as string[]
      if (left.length > 0) await redisCommand(url, 'DEL', ...(left as [string]))
      host.close()
    })

    it('names every session once, though somebody looks before it reaches them', async () => {
      for (const id of ['one', 'two', 'three', 'kept']) await sessions.create(session(id))
      const look = async () => void (await sessions.listForUser('u-alice', at(1)))
      const { client } = host
      const looked = redisStores(followed(client, 'revoked', look), { prefix }).sessions
      const ended = await looked.endAllForUser('u-alice', 'revoked', at(1), 'kept')
      expect(ended.sort()).toEqual(['one', 'three', 'two'])
      expect(await sessions.endAllForUser('u-alice', 'revoked', at(1), 'kept')).toEqual([])
      expect(await live('one', 'two', 'three', 'kept')).toEqual(['kept'])
    })

    it('shows when and why, refuses every rotation, and is not undone by use', async () => {
      await sessions.create(session('one'))
      await loseIndex()
      expect(await endAll()).toEqual([])
      expect(await sessions.find('one')).toEqual(
        session('one', { endedAt: at(1), endReason: 'revoked' }),
      )
      expect(await sessions.rotateRefresh('one', 'first', rotation, at(2))).toEqual({
        outcome: 'ended',
      })
      expect(await sessions.rotateRefresh('one', 'other', rotation, at(2))).toEqual({
        outcome: 'ended',
      })
      await sessions.touch('one', seen)
      expect(await live('one')).toEqual([])
      expect(await sessions.listForUser('u-alice', at(6))).toEqual([])
      expect(await endAll(), 'it was ended by the first that looked').toEqual([])
    })

    it.each<[string, () => Promise<unknown>]>([
      ['find', () => sessions.find('one')],
      ['rotateRefresh', () => sessions.rotateRefresh('one', 'first', rotation, at(2))],
      ['liveAmong', () => sessions.liveAmong(['one'], at(2))],
      ['listForUser', () => sessions.listForUser('u-alice', at(2))],
      ['endAllForUser, for which it is no exception', () => endAll('one')],
    ])(
      'is not undone by the loss of the cutoff as well, once %s has judged',
      async (name, judge) => {
        await sessions.create(session('one'))
        await loseIndex()
        await endAll()
        if (name === 'listForUser')
          await redisCommand(url, 'ZADD', `${prefix}{u:u-alice}`, '9e15', 'one')
        await judge()
        await redisCommand(url, 'DEL', `${prefix}{u:u-alice}:cutoff`)
        expect(await sessions.find('one')).toMatchObject({ endedAt: at(1), endReason: 'revoked' })
        expect(await live('one')).toEqual([])
        expect(await sessions.rotateRefresh('one', 'first', rotation, at(2))).toEqual({
          outcome: 'ended',
        })
      },
    )

    it(
      'spares sessions that are opened later, whatever the clock of the process that opens them ' +
        'says',
      async () => {
        await endAll()
        await sessions.create(
          session('behind', {
            createdAt: at(-600),
            authenticatedAt: at(-600),
            lastSeenAt: at(-600),
          }),
        )
        expect(await live('behind')).toEqual(['behind'])
        expect(await sessions.rotateRefresh('behind', 'first', rotation, at(2))).toEqual({
          outcome: 'rotated',
        })
      },
    )

    it('opens no session that was judged while it was opened: its sign-in is an outage', async () => {
      await sessions.create(session('first'))
      const steps = [() => endAll(), () => sessions.find('late')]
      const slow = redisStores(
        followed(host.client, 'late', async () => void (await steps.shift()?.())),
        {
          prefix,
        },
      )
      await expect(slow.sessions.create(session('late'))).rejects.toThrow(
        'ended while it was opened',
      )
      expect(await live('late')).toEqual([])
    })

    it('does not depend on the clock of the process that asks for it either', async () => {
      await sessions.create(
        session('ahead', { createdAt: at(600), authenticatedAt: at(600), lastSeenAt: at(600) }),
      )
      await loseIndex()
      await endAll()
      expect(await live('ahead')).toEqual([])
    })

    it('spares the one that is excepted, and the next end of all does not', async () => {
      await sessions.create(session('here'))
      await sessions.create(session('there'))
      await loseIndex()
      await endAll('here')
      await endAll('here')
      expect(await live('here', 'there')).toEqual(['here'])
      expect(await sessions.rotateRefresh('here', 'first', rotation, at(2))).toEqual({
        outcome: 'rotated',
      })
      await endAll()
      expect(await live('here', 'there')).toEqual([])
    })

    it('is not undone by an exception that comes too late', async () => {
      for (const id of ['one', 'two', 'three']) await sessions.create(session(id))
      await loseIndex()
      await endAll('one')
      await endAll('two')
      expect(await live('one', 'two', 'three'), 'the first has ended the second').toEqual([])
      await endAll('one')
      expect(await live('one', 'two', 'three')).toEqual([])
    })

    it('and its exceptions at once leave one session at most', async () => {
      for (let round = 0; round < 20; round += 1) {
        const ids = ['a', 'b', 'c'].map((name) => `${name}${round}`)
        for (const id of ids) await sessions.create(session(id))
        await loseIndex()
        await Promise.all([...ids.map((id) => endAll(id)), endAll(ids[0])])
        expect((await live(...ids)).length).toBeLessThanOrEqual(1)
      }
    })

    it('is kept for 400 days, and longer for sessions that last longer', async () => {
      const left = () => redisCommand(url, 'PTTL', `${prefix}{u:u-alice}:cutoff`) as Promise<number>
      const days = 24 * 3_600_000
      await endAll()
      expect((await left()) / days).toBeCloseTo(400, 0)
      await sessions.create(session('long', { expiresAt: new Date(start.getTime() + 900 * days) }))
      await endAll()
      expect((await left()) / days).toBeCloseTo(900, 0)
    })
  },
)
