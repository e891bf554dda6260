import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type {
  AuthorizationCodeRecord,
  DeviceCodeRecord,
  ProofRecord,
  SessionRecord,
  SocketTicketRecord,
} from '../../src/index.js'
import {
  newCode,
  newDeviceCode,
  newProof,
  newSession,
  newTicket,
} from '../../src/stores/new-records.js'
import { type RedisStores, redisStores } from '../../src/stores/redis/redis-stores.js'
import {
  libraries,
  redisCommand,
  resending,
  slotOf,
  type TestClient,
  watching,
} from '../support/redis-clients.js'
import { redisUrl } from '../support/services.js'

const url = String(redisUrl)
// Not the time of Redis: what is decided must not depend on its clock.
const start = new Date('2030-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

const code = (change: Partial<AuthorizationCodeRecord> = {}) =>
  newCode(at, {
    codeHash: 'hash',
    userId: 'u-alice',
    issuedBySessionId: 'issuer',
    opensSessionId: 'opens',
    codeChallenge: 'challenge',
    retainUntil: at(7200),
    ...change,
  })

const session = (change: Partial<SessionRecord> = {}) =>
  newSession(at, { id: 'one', userId: 'u-alice', methods: ['pwd'], ...change })

const refresh = (hash: string) => ({
  hash,
  familyKey: 'family',
  spent: [{ hash: 'spent', salt: 'salt', spentAt: at(2) }],
})
const rotation = (hash: string) => ({
  refresh: refresh(hash),
  lastSeenAt: at(5),
  idleExpiresAt: at(605),
  ip: '203.0.113.7',
})

const ticket = (change: Partial<SocketTicketRecord> = {}) =>
  newTicket(at, {
    ticketHash: 'ticket',
    sessionId: 'one',
    userId: 'u-alice',
    tokenExpiresAt: at(900),
    ...change,
  })

const deviceCode = (change: Partial<DeviceCodeRecord> = {}) =>
  newDeviceCode(at, { userCodeHash: 'typed', deviceCodeHash: 'device', triesLeft: 2, ...change })

/** Every change of a device code, each with the answer that it has if it is made once. */
async function useDeviceCode({ deviceCodes }: RedisStores): Promise<void> {
  await deviceCodes.save(deviceCode())
  await expect(deviceCodes.save(deviceCode())).rejects.toThrow('duplicate')
  expect((await deviceCodes.poll('typed', 'device', at(1))).outcome).toBe('polled')
  const soon = await deviceCodes.poll('typed', 'device', at(2))
  expect(soon).toMatchObject({ outcome: 'too-soon', code: { interval: 10, nextPollAt: at(12) } })
  expect((await deviceCodes.claim('typed', 'u-alice', at(1))).outcome).toBe('claimed')
  for (const outcome of ['taken', 'taken', 'void'])
    expect((await deviceCodes.takeTry('typed', 'u-alice', at(1))).outcome).toBe(outcome)
  const verdict = { state: 'approved', authorizationCodeHash: 'code' } as const
  for (const outcome of ['decided', 'unknown'])
    expect((await deviceCodes.decide('typed', 'u-alice', verdict, at(1))).outcome).toBe(outcome)
}

const proof = (change: Partial<ProofRecord> = {}) =>
  newProof(at, {
    idHash: 'proof',
    purpose: 'reset',
    userId: 'u-alice',
    codeTag: 'tag',
    mark: 'mark',
    sealed: 'sealed',
    ...change,
  })

const awkward = [
  '',
  '{',
  '}',
  '{s:one}',
  'one}',
  'a b\n\t"\\',
  '%7B',
  'ünïcödé 🔑 名前',
  '__proto__',
  'x'.repeat(1000),
  '名'.repeat(333),
]
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

it.each([[null], [undefined], ['redis://127.0.0.1'], [{}], [{ evalsha: () => {} }], [new Map()]])(
  'redisStores refuses what is no client (%#)',
  (client) => {
    const expected = {
      name: 'AuthConfigError',
      option: 'redisStores.client',
      remedy: expect.stringContaining('createClient'),
    }
    expect(() => redisStores(client as never)).toThrow(expect.objectContaining(expected))
  },
)

it.each([['{mar}:'], [''], ['x'.repeat(65)], ['a b'], [7]])(
  'redisStores refuses the prefix %j',
  (prefix) => {
    const client = { evalSha() {}, eval() {}, publish() {}, duplicate() {} }
    const expected = { name: 'AuthConfigError', option: 'redisStores.prefix' }
    expect(() => redisStores(client as never, { prefix: prefix as never })).toThrow(
      expect.objectContaining(expected),
    )
  },
)

describe.skipIf(redisUrl === null)('in Redis', () => {
  describe.each(libraries)('through %s', (_library, connect) => {
    let host: TestClient
    let prefix = ''
    let stores: RedisStores
    const everything = `test-${randomUUID()}:`
    const keys = async (pattern = `${prefix}*`) =>
      (await redisCommand(url, 'KEYS', pattern)) as string[]
    const remaining = async (key: string) =>
      (await redisCommand(url, 'PTTL', `${prefix}${key}`)) as number

    beforeAll(async () => {
      host = await connect(url)
    })
    beforeEach(() => {
      prefix = `${everything}${randomUUID().slice(0, 8)}:`
      stores = redisStores(host.client, { prefix })
    })
    afterAll(async () => {
      const left = await keys(`${everything}*`)
      const lifetimes = await Promise.all(
        left.map((key) => redisCommand(url, 'PTTL', key) as Promise<number>),
      )
      if (left.length > 0) await redisCommand(url, 'DEL', ...(left as [string]))
      host.close()
      // No test leaves a key that Redis would keep for ever. Their times are years away: what
      // counts are durations.
      expect(left.filter((_key, index) => !((lifetimes[index] ?? 0) > 0))).toEqual([])
      const shortLived = lifetimes.filter((_lifetime, index) => !left[index]?.endsWith(':cutoff'))
      expect(Math.max(...shortLived)).toBeLessThan(4 * 3_600_000)
    })

    describe('codes', () => {
      it.each([2, 10, 100])(
        'are consumed by one of %i callers; the others are told of the replay',
        async (callers) => {
          await stores.codes.save(code())
          const results = await times(callers, () => stores.codes.consume('hash', at(1)))
          const consumed = { ...code(), consumedAt: at(1) }
          expect(results.filter(({ outcome }) => outcome === 'consumed')).toEqual([
            { outcome: 'consumed', code: consumed },
          ])
          const losers = Array.from({ length: callers - 1 }, () => ({
            outcome: 'replayed',
            code: consumed,
          }))
          expect(results.filter(({ outcome }) => outcome === 'replayed')).toEqual(losers)
          expect(await stores.codes.find('hash')).toEqual(consumed)
        },
      )

      it('are good until, not at, the moment they expire', async () => {
        await stores.codes.save(code({ issuedBySessionId: 'by' }))
        expect(await stores.codes.consume('hash', at(60))).toEqual({ outcome: 'unknown' })
        expect(await stores.codes.find('hash')).toEqual(code({ issuedBySessionId: 'by' }))
        expect((await stores.codes.consume('hash', at(59.999))).outcome).toBe('consumed')
        expect((await stores.codes.consume('hash', at(61))).outcome).toBe('replayed')
        expect(await stores.codes.consume('other', at(1))).toEqual({ outcome: 'unknown' })
        expect(await stores.codes.find('other')).toBeNull()
      })

      it('are not saved twice', async () => {
        await stores.codes.save(code())
        await expect(stores.codes.save(code({ userId: 'u-eve' }))).rejects.toThrow('duplicate')
        expect(await stores.codes.find('hash')).toEqual(code())
      })

      it('are kept for an hour more than they are needed, used ones longer', async () => {
        await stores.codes.save(code())
        expect(await remaining('{c:hash}')).toBeGreaterThan(3_600_000)
        expect(await remaining('{c:hash}')).toBeLessThanOrEqual(3_660_000)
        await stores.codes.consume('hash', at(1))
        expect(await remaining('{c:hash}')).toBeGreaterThan(7_199_000)
        expect(await remaining('{c:hash}')).toBeLessThanOrEqual(7_199_000 + 3_600_000)
        expect(await stores.codes.purge(at(1e9))).toBe(0)
      })

      it(
        'that were used long after their end are given the shortest life that Redis has, not an ' +
          'eternal one',
        async () => {
          await stores.codes.save(code({ retainUntil: new Date(0) }))
          expect((await stores.codes.consume('hash', at(1))).outcome).toBe('consumed')
          await expect.poll(() => keys()).toEqual([])
          await stores.codes.save(code({ expiresAt: new Date(0) }))
          await expect.poll(() => keys()).toEqual([])
        },
      )
    })

    describe('tickets', () => {
      it.each([2, 10, 100])('are consumed by one of %i callers', async (callers) => {
        await stores.tickets.save(ticket())
        const results = await times(callers, () => stores.tickets.consume('ticket', at(1)))
        expect(results.filter(({ outcome }) => outcome === 'consumed')).toEqual([
          { outcome: 'consumed', ticket: ticket() },
        ])
        expect(await keys()).toEqual([])
      })

      it('are good until, not at, the moment they expire, and not saved twice', async () => {
        await stores.tickets.save(ticket())
        await expect(stores.tickets.save(ticket({ userId: 'u-eve' }))).rejects.toThrow('duplicate')
        expect(await remaining('{t:ticket}')).toBeGreaterThan(3_600_000)
        expect(await stores.tickets.consume('ticket', at(30))).toEqual({ outcome: 'unknown' })
        expect((await stores.tickets.consume('ticket', at(29.999))).outcome).toBe('consumed')
        expect(await stores.tickets.consume('none', at(1))).toEqual({ outcome: 'unknown' })
        expect(await stores.tickets.purge(at(1e9))).toBe(0)
      })
    })

    describe('proofs', () => {
      it.each([2, 10, 100])(
        'are tried five times by %i callers, and consumed by one of them',
        async (callers) => {
          await stores.proofs.save(proof())
          const tries = await times(callers, () => stores.proofs.takeTry('proof', 'reset', at(1)))
          const left = 5 - Math.min(5, callers)
          expect(tries.filter(({ outcome }) => outcome === 'taken')).toHaveLength(5 - left)
          const uses = await times(callers, () => stores.proofs.consume('proof', 'reset', at(2)))
          const consumed = proof({ triesLeft: left, consumedAt: at(2) })
          expect(uses.filter(({ outcome }) => outcome === 'consumed')).toEqual([
            { outcome: 'consumed', proof: consumed },
          ])
          expect(await stores.proofs.find('proof', 'reset')).toEqual(consumed)
        },
      )

      it('are kept for an hour more than they are needed, and so is what leads to them', async () => {
        await stores.proofs.save(proof({ expiresAt: at(7200) }))
        await stores.proofs.save(proof({ idHash: 'short', expiresAt: at(60) }))
        for (const key of ['{v:proof}', '{w:u-alice}']) {
          expect(await remaining(key)).toBeGreaterThan(10_700_000)
          expect(await remaining(key)).toBeLessThanOrEqual(10_800_000)
        }
        expect(await remaining('{v:short}')).toBeLessThanOrEqual(3_660_000)
        expect(await stores.proofs.purge(at(1e9))).toBe(0)
      })

      it('of nobody are in the index of their purpose, and of a user with an empty id in that user’s', async () => {
        await stores.proofs.save(proof({ idHash: 'of nobody', userId: null }))
        expect((await keys()).toSorted()).toEqual([
          `${prefix}{n:reset}`,
          `${prefix}{v:of%20nobody}`,
        ])
        await stores.proofs.save(proof({ userId: '' }))
        expect(await stores.proofs.voidForUser('', ['reset'], at(1))).toBe(1)
        expect(await stores.proofs.find('of nobody', 'reset')).toMatchObject({ consumedAt: null })
      })

      it('are not voided by another user who tried to save one of the same hash', async () => {
        await stores.proofs.save(proof())
        await expect(stores.proofs.save(proof({ userId: 'u-eve' }))).rejects.toThrow('duplicate')
        expect(await stores.proofs.voidForUser('u-eve', ['reset'], at(1))).toBe(0)
        expect(await stores.proofs.find('proof', 'reset')).toEqual(proof())
      })

      it('come back as used where they were saved so', async () => {
        await stores.proofs.save(proof({ consumedAt: at(1) }))
        expect(await stores.proofs.find('proof', 'reset')).toEqual(proof({ consumedAt: at(1) }))
        expect((await stores.proofs.consume('proof', 'reset', at(2))).outcome).toBe('void')
        expect(await stores.proofs.voidForUser('u-alice', ['reset'], at(2))).toBe(0)
      })
    })

    describe('sessions', () => {
      it('come back as they were stored', async () => {
        const full = session({
          kind: 'pkce',
          methods: ['pwd', 'recovery'],
          ip: '2001:db8::1',
          userAgent: 'Täst "agent" \ud800',
          refresh: refresh('current'),
        })
        await stores.sessions.create(full)
        await stores.sessions.create(session({ id: 'two', methods: [] }))
        expect(await stores.sessions.find('one')).toEqual(full)
        expect(await stores.sessions.find('two')).toEqual(session({ id: 'two', methods: [] }))
        expect(await stores.sessions.find('none')).toBeNull()
        const over = session({ id: 'over', endedAt: at(1), endReason: 'revoked' })
        await stores.sessions.create(over)
        expect(await stores.sessions.find('over')).toEqual(over)
      })

      it.each([2, 10, 100])(
        'are ended by one of %i callers, for the first reason',
        async (callers) => {
          await stores.sessions.create(session())
          const results = await times(callers, () => stores.sessions.end('one', 'logout', at(1)))
          expect(results.filter((ended) => ended)).toHaveLength(1)
          expect(await stores.sessions.end('one', 'revoked', at(2))).toBe(false)
          expect(await stores.sessions.find('one')).toEqual(
            session({ endedAt: at(1), endReason: 'logout' }),
          )
          expect(await remaining('{s:one}')).toBeLessThanOrEqual(3_600_000)
          expect(await keys(`${prefix}{u:*`)).toEqual([])
        },
      )

      it.each([2, 10, 100])('are created by one of %i callers', async (callers) => {
        const results = await Promise.allSettled(
          Array.from({ length: callers }, () => stores.sessions.create(session())),
        )
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      })

      it.each([2, 10, 100])('give one of %i callers a new refresh token', async (callers) => {
        await stores.sessions.create(session({ refresh: refresh('first') }))
        const results = await times(callers, (i) =>
          stores.sessions.rotateRefresh('one', 'first', rotation(`next-${i}`), at(5)),
        )
        const winner = results.findIndex(({ outcome }) => outcome === 'rotated')
        expect(results.filter(({ outcome }) => outcome === 'superseded')).toHaveLength(callers - 1)
        expect(await stores.sessions.find('one')).toEqual(session(rotation(`next-${winner}`)))
      })

      it('rotate only for the current token of a session that lives', async () => {
        await stores.sessions.create(session())
        expect(await stores.sessions.rotateRefresh('one', '', rotation('next'), at(5))).toEqual({
          outcome: 'superseded',
        })
        expect(
          await stores.sessions.rotateRefresh('none', 'first', rotation('next'), at(5)),
        ).toEqual({ outcome: 'ended' })
        await stores.sessions.create(session({ id: 'two', refresh: refresh('first') }))
        await stores.sessions.end('two', 'logout', at(1))
        expect(
          await stores.sessions.rotateRefresh('two', 'first', rotation('next'), at(5)),
        ).toEqual({ outcome: 'ended' })
        expect(await stores.sessions.find('two')).toMatchObject({
          refresh: refresh('first'),
          lastSeenAt: start,
        })
        expect(await stores.sessions.find('none')).toBeNull()
      })

      it('that end while they are touched and rotated stay ended, whatever the order', async () => {
        for (let round = 0; round < 40; round += 1) {
          const id = `race-${round}`
          await stores.sessions.create(session({ id, refresh: refresh('first') }))
          const work = [
            () => stores.sessions.end(id, 'logout', at(3)),
            () => stores.sessions.rotateRefresh(id, 'first', rotation('second'), at(5)),
            () => stores.sessions.rotateRefresh(id, 'second', rotation('third'), at(5)),
            () => stores.sessions.touch(id, rotation('none')),
          ].sort(() => Math.random() - 0.5)
          await Promise.all(work.map((step) => step()))
          expect(await stores.sessions.find(id)).toMatchObject({
            endedAt: at(3),
            endReason: 'logout',
          })
          expect(
            (await stores.sessions.rotateRefresh(id, 'third', rotation('fourth'), at(6))).outcome,
          ).toBe('ended')
        }
        expect(await stores.sessions.listForUser('u-alice', at(4))).toEqual([])
      })

      it('are touched while they live, and never brought back or made by it', async () => {
        const seen = { lastSeenAt: at(5), idleExpiresAt: at(2000), ip: '203.0.113.7' }
        await stores.sessions.create(session())
        expect(await remaining('{s:one}')).toBeLessThanOrEqual(4_200_000)
        await stores.sessions.touch('one', seen)
        expect(await stores.sessions.find('one')).toEqual(session(seen))
        expect(await remaining('{s:one}')).toBeGreaterThan(5_000_000)
        await stores.sessions.touch('one', { ...seen, idleExpiresAt: at(1e6) })
        expect(await remaining('{s:one}')).toBeLessThanOrEqual(3_595_000 + 3_600_000)
        await stores.sessions.end('one', 'logout', at(6))
        await stores.sessions.touch('one', { ...seen, lastSeenAt: at(7) })
        await stores.sessions.touch('none', seen)
        expect(await stores.sessions.find('one')).toMatchObject({
          endedAt: at(6),
          lastSeenAt: at(5),
        })
        expect(await stores.sessions.find('none')).toBeNull()
        expect(await stores.sessions.end('none', 'logout', at(8))).toBe(false)
      })

      it('are listed oldest first, without those that are over or somebody else’s', async () => {
        await stores.sessions.create(session({ id: 'a', createdAt: at(3) }))
        await stores.sessions.create(session({ id: 'b', createdAt: at(1), expiresAt: at(9000) }))
        await stores.sessions.create(session({ id: 'c', createdAt: at(2) }))
        await stores.sessions.create(session({ id: 'idle', idleExpiresAt: at(10) }))
        await stores.sessions.create(session({ id: 'expired', expiresAt: at(10) }))
        await stores.sessions.create(session({ id: 'ended', endedAt: at(1), endReason: 'evicted' }))
        await stores.sessions.create(session({ id: 'bobs', userId: 'u-bob' }))
        const ids = async (now: Date) =>
          (await stores.sessions.listForUser('u-alice', now)).map(({ id }) => id)
        expect(await ids(at(10))).toEqual(['b', 'c', 'a'])
        expect(await ids(at(9.999))).toEqual(expect.arrayContaining(['idle', 'expired']))
        expect(await stores.sessions.listForUser('u-nobody', at(1))).toEqual([])
        const asked = ['a', 'idle', 'expired', 'ended', 'bobs', 'none']
        expect(await stores.sessions.liveAmong(asked, at(10))).toEqual(['a', 'bobs'])
        expect(await stores.sessions.liveAmong(asked, at(9.999))).toEqual([
          'a',
          'idle',
          'expired',
          'bobs',
        ])
        expect(await stores.sessions.liveAmong([], at(1))).toEqual([])
        expect(await stores.sessions.purge(at(1e9))).toBe(0)
      })

      it('end all at once, each for one of 10 callers, but the one that is excepted', async () => {
        await times(250, (i) => stores.sessions.create(session({ id: `s${i}` })))
        await stores.sessions.create(session({ id: 'bobs', userId: 'u-bob' }))
        const ended = await times(10, () =>
          stores.sessions.endAllForUser('u-alice', 'revoked', at(1), 's7'),
        )
        expect(ended.flat().sort()).toEqual(
          Array.from({ length: 250 }, (_, i) => `s${i}`)
            .filter((id) => id !== 's7')
            .sort(),
        )
        expect(await stores.sessions.listForUser('u-alice', at(2))).toMatchObject([{ id: 's7' }])
        const all = [...ended.flat(), 's7', 'bobs']
        expect(await stores.sessions.liveAmong(all, at(2))).toEqual(['s7', 'bobs'])
        expect(await redisCommand(url, 'ZCARD', `${prefix}{u:u-alice}`)).toBe(1)
        expect(await stores.sessions.endAllForUser('u-nobody', 'revoked', at(1))).toEqual([])
      })

      it('are not created twice, and a refused one gives nobody power over the other', async () => {
        await stores.sessions.create(session())
        await expect(stores.sessions.create(session({ userId: 'u-eve' }))).rejects.toThrow(
          'duplicate',
        )
        expect(await stores.sessions.endAllForUser('u-eve', 'revoked', at(1))).toEqual([])
        expect(await stores.sessions.listForUser('u-eve', at(1))).toEqual([])
        expect(await stores.sessions.find('one')).toEqual(session())
        await stores.sessions.end('one', 'logout', at(2))
        await expect(stores.sessions.create(session())).rejects.toThrow('duplicate')
      })

      it(
        'stay in the index until their end, which neither a duplicate nor a wrong clock brings ' +
          'forward',
        async () => {
          await stores.sessions.create(session({ expiresAt: at(7200) }))
          const before = await remaining('{u:u-alice}')
          expect(before).toBeGreaterThan(7_200_000)
          await expect(stores.sessions.create(session({ expiresAt: at(60) }))).rejects.toThrow(
            'duplicate',
          )
          const ahead = {
            createdAt: at(3000),
            lastSeenAt: at(3000),
            expiresAt: at(3100),
            idleExpiresAt: at(3100),
          }
          await stores.sessions.create(session({ id: 'ahead', ...ahead }))
          expect(await remaining('{u:u-alice}')).toBeGreaterThan(before - 5000)
          expect(await redisCommand(url, 'ZSCORE', `${prefix}{u:u-alice}`, 'one')).toBe(
            String(at(7200).getTime()),
          )
          const later = {
            createdAt: at(10_800),
            lastSeenAt: at(10_800),
            expiresAt: at(10_900),
            idleExpiresAt: at(10_900),
          }
          await stores.sessions.create(session({ id: 'later', ...later }))
          expect(await redisCommand(url, 'ZRANGE', `${prefix}{u:u-alice}`, 0, -1)).toEqual([
            'ahead',
            'one',
            'later',
          ])
          expect(
            (await stores.sessions.endAllForUser('u-alice', 'revoked', at(60))).sort(),
          ).toEqual(['ahead', 'later', 'one'])
          await stores.sessions.create(
            session({ id: 'past', userId: 'u-past', lastSeenAt: at(9000) }),
          )
          await expect.poll(() => keys(`${prefix}{u:u-past}`)).toEqual([])
        },
      )

      it(
        'leave the index an hour after their end by the clock of Redis, and not before, though ' +
          'the caller be years behind',
        async () => {
          const index = `${prefix}{u:u-alice}`
          const hourAgo = Date.now() - 3_600_000
          await redisCommand(
            url,
            'ZADD',
            index,
            hourAgo - 10_000,
            'over',
            hourAgo + 10_000,
            'only just',
          )
          const behind = {
            createdAt: new Date(0),
            lastSeenAt: new Date(0),
            idleExpiresAt: new Date(60_000),
            expiresAt: new Date(60_000),
          }
          await stores.sessions.create(session({ id: 'behind', ...behind }))
          await stores.sessions.create(session({ id: 'later' }))
          expect(await redisCommand(url, 'ZRANGE', index, 0, -1)).toEqual([
            'only just',
            'behind',
            'later',
          ])
        },
      )
    })

    it('takes any id for what it is: none collides with another', async () => {
      await Promise.all(awkward.map((id) => stores.sessions.create(session({ id, userId: id }))))
      await Promise.all(awkward.map((id) => stores.codes.save(code({ codeHash: id, userId: id }))))
      await Promise.all(
        awkward.map((id) => stores.tickets.save(ticket({ ticketHash: id, userId: id }))),
      )
      await Promise.all(
        awkward.map((id) => stores.proofs.save(proof({ idHash: id, purpose: id, userId: id }))),
      )
      for (const id of awkward) {
        expect((await stores.proofs.takeTry(id, id, at(1))).outcome).toBe('taken')
        expect(await stores.proofs.voidForUser(id, [id], at(1))).toBe(1)
        expect(await stores.sessions.listForUser(id, at(1))).toEqual([session({ id, userId: id })])
        expect((await stores.codes.consume(id, at(1))).outcome).toBe('consumed')
        expect((await stores.tickets.consume(id, at(1))).outcome).toBe('consumed')
        expect(await stores.sessions.endAllForUser(id, 'revoked', at(1))).toEqual([id])
      }
    })

    it.each([['x'.repeat(1025)], ['\ud800'], [7], [undefined], [{ toString: () => 'one' }]])(
      'refuses what is no id, without repeating it (%#)',
      async (value) => {
        const id = value as string
        const message = 'redisStores: an id or hash is not well-formed text of at most 1024 bytes'
        await expect(stores.sessions.find(id)).rejects.toThrow(message)
        await expect(stores.sessions.create(session({ id }))).rejects.toThrow()
        await expect(stores.sessions.create(session({ userId: id }))).rejects.toThrow(message)
        await expect(stores.sessions.end(id, 'logout', at(1))).rejects.toThrow(message)
        await expect(
          stores.sessions.rotateRefresh('one', id, rotation('next'), at(1)),
        ).rejects.toThrow(message)
        await expect(stores.codes.consume(id, at(1))).rejects.toThrow(message)
        await expect(stores.codes.save(code({ opensSessionId: id }))).rejects.toThrow(message)
        await expect(stores.tickets.consume(id, at(1))).rejects.toThrow(message)
        await expect(stores.proofs.find(id, 'reset')).rejects.toThrow(message)
        await expect(stores.proofs.takeTry('proof', id, at(1))).rejects.toThrow(message)
        await expect(stores.proofs.save(proof({ purpose: id }))).rejects.toThrow(message)
        await expect(stores.proofs.voidForUser(id, ['reset'], at(1))).rejects.toThrow(message)
        await expect(stores.proofs.voidForUser('u', [id], at(1))).rejects.toThrow(message)
        expect(await keys()).toEqual([])
      },
    )

    it('refuses what could not be read again', async () => {
      const never = new Date(Number.NaN)
      await expect(stores.sessions.create(session({ expiresAt: never }))).rejects.toThrow()
      await expect(stores.sessions.create(session({ createdAt: never }))).rejects.toThrow(
        'look at createdAt',
      )
      await expect(stores.sessions.create(session({ kind: 7 as never }))).rejects.toThrow(
        'look at kind',
      )
      await expect(stores.sessions.create(session({ endedAt: at(1) }))).rejects.toThrow(
        'reason is not in the form',
      )
      await expect(stores.sessions.end('one', 7 as never, at(1))).rejects.toThrow(
        'reason is not in the form',
      )
      await expect(stores.sessions.endAllForUser('u-alice', 7 as never, at(1))).rejects.toThrow(
        'reason is not in the form',
      )
      await expect(stores.codes.save(code({ scope: 7 as never }))).rejects.toThrow('look at scope')
      await expect(stores.codes.consume('hash', never)).rejects.toThrow(
        'neither text nor a whole number',
      )
      await expect(stores.tickets.save(ticket({ expiresAt: never }))).rejects.toThrow(
        'look at expiresAt',
      )
      for (const [name, value] of Object.entries({ expiresAt: never, triesLeft: 1.5, mark: 7 }))
        await expect(stores.proofs.save(proof({ [name]: value }))).rejects.toThrow(
          `look at ${name}`,
        )
      await expect(stores.proofs.takeTry('proof', 'reset', never)).rejects.toThrow(
        'neither text nor a whole number',
      )
      expect(await keys()).toEqual([])
    })

    it.each([
      ['record', '{"id":"one"'],
      ['record', '{"id":"one"}'],
      ['record', ''],
      ['expires', 'soon'],
      ['seen', '{}'],
      ['refresh', '{"hash":"x"}'],
      ['endedAt', '1'],
      ['endReason', 'logout'],
    ])('rejects a session whose %s is %j, never answers half of it', async (field, value) => {
      await stores.sessions.create(session())
      await redisCommand(url, 'HSET', `${prefix}{s:one}`, field, value)
      await expect(stores.sessions.find('one')).rejects.toThrow('session is not in the form')
      await expect(stores.sessions.listForUser('u-alice', at(1))).rejects.toThrow(
        'session is not in the form',
      )
    })

    it('rejects damaged codes and tickets, and keys that are something else', async () => {
      await stores.codes.save(code())
      await redisCommand(url, 'HSET', `${prefix}{c:hash}`, 'record', 'null')
      await expect(stores.codes.consume('hash', at(1))).rejects.toThrow(
        'authorization code is not in the form',
      )
      await redisCommand(url, 'HDEL', `${prefix}{c:hash}`, 'expires', 'retain')
      await expect(stores.codes.find('hash')).rejects.toThrow(
        'authorization code is not in the form',
      )
      await stores.tickets.save(ticket())
      await redisCommand(url, 'HSET', `${prefix}{t:ticket}`, 'record', '[]')
      await expect(stores.tickets.consume('ticket', at(1))).rejects.toThrow(
        'socket ticket is not in the form',
      )
      await stores.proofs.save(proof())
      await redisCommand(url, 'HSET', `${prefix}{v:proof}`, 'tries', 'many')
      await expect(stores.proofs.find('proof', 'reset')).rejects.toThrow('proof is not in the form')
      await stores.deviceCodes.save(deviceCode())
      await redisCommand(url, 'HSET', `${prefix}{d:typed}`, 'interval', 'long')
      const damaged = 'device code is not in the form'
      await expect(stores.deviceCodes.find('typed')).rejects.toThrow(damaged)
      await expect(stores.deviceCodes.claim('typed', 'u', at(1))).rejects.toThrow(damaged)
      await redisCommand(url, 'SET', `${prefix}{s:text}`, 'text', 'PX', 60_000)
      await expect(stores.sessions.find('text')).rejects.toThrow('WRONGTYPE')
      await expect(stores.sessions.end('text', 'logout', at(1))).rejects.toThrow('WRONGTYPE')
    })

    it('answers a script that the driver sent twice like the first time', async () => {
      const twice = redisStores(resending(host.client), { prefix })
      await twice.codes.save(code())
      await expect(twice.codes.save(code())).rejects.toThrow('duplicate')
      await twice.tickets.save(ticket())
      await expect(twice.tickets.save(ticket())).rejects.toThrow('duplicate')
      await twice.proofs.save(proof({ triesLeft: 2 }))
      await expect(twice.proofs.save(proof())).rejects.toThrow('duplicate')
      for (const outcome of ['taken', 'taken', 'void'])
        expect((await twice.proofs.takeTry('proof', 'reset', at(1))).outcome).toBe(outcome)
      expect((await twice.proofs.consume('proof', 'reset', at(1))).outcome).toBe('consumed')
      expect((await twice.proofs.consume('proof', 'reset', at(1))).outcome).toBe('void')
      await twice.proofs.save(proof({ idHash: 'another' }))
      expect(await twice.proofs.voidForUser('u-alice', ['reset'], at(1))).toBe(1)
      expect(await twice.proofs.voidForUser('u-alice', ['reset'], at(1))).toBe(0)
      await useDeviceCode(twice)
      expect((await twice.codes.consume('hash', at(1))).outcome).toBe('consumed')
      expect((await twice.codes.consume('hash', at(1))).outcome).toBe('replayed')
      await twice.sessions.create(session({ refresh: refresh('first') }))
      await expect(twice.sessions.create(session({ refresh: refresh('first') }))).rejects.toThrow(
        'duplicate',
      )
      expect(
        (await twice.sessions.rotateRefresh('one', 'first', rotation('second'), at(2))).outcome,
      ).toBe('rotated')
      expect(
        (await twice.sessions.rotateRefresh('one', 'first', rotation('third'), at(2))).outcome,
      ).toBe('superseded')
      expect(await stores.sessions.find('one')).toMatchObject({ refresh: { hash: 'second' } })
      expect(await twice.sessions.endAllForUser('u-alice', 'revoked', at(3))).toEqual(['one'])
      expect(await twice.sessions.end('one', 'logout', at(4))).toBe(false)
    })

    it('keeps what a script touches in one slot of a cluster, whatever the ids', async () => {
      const scripts: string[][] = []
      const spied = redisStores(
        watching(host.client, (keys) => scripts.push(keys)),
        { prefix },
      )
      for (const id of awkward) {
        await spied.sessions.create(session({ id, userId: id, refresh: refresh('first') }))
        await spied.sessions.rotateRefresh(id, 'first', rotation('second'), at(1))
        await spied.sessions.touch(id, rotation(''))
        await spied.sessions.listForUser(id, at(1))
        await spied.sessions.liveAmong([id], at(1))
        await spied.sessions.endAllForUser(id, 'revoked', at(1))
        await spied.codes.save(code({ codeHash: id }))
        await spied.codes.consume(id, at(1))
        await spied.tickets.save(ticket({ ticketHash: id }))
        await spied.tickets.consume(id, at(1))
        await spied.proofs.save(proof({ idHash: id, userId: id }))
        await spied.proofs.find(id, 'reset')
        await spied.proofs.takeTry(id, 'reset', at(1))
        await spied.proofs.consume(id, 'reset', at(1))
        await spied.proofs.voidForUser(id, ['reset'], at(1))
        await spied.deviceCodes.save(deviceCode({ userCodeHash: id, deviceCodeHash: id }))
        await spied.deviceCodes.claim(id, id, at(1))
        await spied.deviceCodes.takeTry(id, id, at(1))
        await spied.deviceCodes.poll(id, id, at(1))
        await spied.deviceCodes.decide(id, id, { state: 'denied' }, at(1))
      }
      expect(scripts.length).toBeGreaterThan(100)
      for (const keys of scripts) expect(new Set(keys.map(slotOf)).size).toBe(1)
      // Each key is hashed by one entity: what follows the prefix is one pair of braces, and
      // nothing that any id could change.
      for (const key of scripts.flat())
        expect(key.slice(prefix.length)).toMatch(/^\{([cdstvw]:[^{}]*\}|u:[^{}]*\}(:cutoff)?)$/)
    })

    it('goes on when Redis has forgotten all scripts', async () => {
      await stores.sessions.create(session())
      await redisCommand(url, 'SCRIPT', 'FLUSH')
      expect(await stores.sessions.find('one')).toEqual(session())
      await redisCommand(url, 'SCRIPT', 'FLUSH')
      const results = await times(10, () => stores.sessions.end('one', 'logout', at(1)))
      expect(results.filter((ended) => ended)).toHaveLength(1)
    })

    it('leaves its time to live on every key', async () => {
      await stores.sessions.create(session({ refresh: refresh('first') }))
      await stores.sessions.rotateRefresh('one', 'first', rotation('second'), at(5))
      await stores.sessions.create(session({ id: 'two' }))
      await stores.sessions.end('two', 'logout', at(1))
      await stores.codes.save(code())
      await stores.codes.consume('hash', at(1))
      await stores.codes.save(code({ codeHash: 'unused' }))
      await stores.tickets.save(ticket())
      await stores.sessions.endAllForUser('u-bob', 'revoked', at(1))
      await stores.proofs.save(proof())
      await stores.proofs.takeTry('proof', 'reset', at(1))
      await stores.proofs.consume('proof', 'reset', at(1))
      await stores.proofs.save(proof({ idHash: 'voided' }))
      await stores.proofs.voidForUser('u-alice', ['reset'], at(1))
      await useDeviceCode(stores)
      const found = await keys()
      expect(found.map((key) => key.slice(prefix.length)).sort()).toEqual(
        [
          '{c:hash}',
          '{c:unused}',
          '{d:typed}',
          '{s:one}',
          '{s:two}',
          '{t:ticket}',
          '{u:u-alice}',
          '{u:u-bob}:cutoff',
          '{v:proof}',
          '{v:voided}',
          '{w:u-alice}',
        ].sort(),
      )
      for (const key of found) expect(await redisCommand(url, 'PTTL', key)).toBeGreaterThan(0)
    })

    it('rejects once the client is closed', async () => {
      const gone = await connect(url)
      gone.close()
      await expect(redisStores(gone.client, { prefix }).sessions.find('one')).rejects.toThrow()
    })
  })
})
