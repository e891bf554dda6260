import cluster from 'node:cluster'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type {
  AuthorizationCodeRecord,
  ProofRecord,
  SessionRecord,
  SessionStore,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newCode, newPending, newProof, newSession } from '../../src/stores/new-records.js'

const start = new Date('2030-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

const code = (change: Partial<AuthorizationCodeRecord> = {}) =>
  newCode(at, { codeHash: 'hash', userId: 'u-alice', opensSessionId: 'opens', ...change })

const session = (change: Partial<SessionRecord> = {}) =>
  newSession(at, { id: 'one', userId: 'u-alice', ...change })

const proof = (change: Partial<ProofRecord> = {}) =>
  newProof(at, { idHash: 'hash', userId: 'u-alice', purpose: 'reset', ...change })

describe('codes in memory', () => {
  it.each([2, 10, 100])(
    'are consumed by one of %i callers; the others are told of the replay',
    async (callers) => {
      const { codes } = memoryStores()
      await codes.save(code())
      const results = await Promise.all(
        Array.from({ length: callers }, () => codes.consume('hash', at(1))),
      )
      expect(results.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(1)
      expect(results.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(callers - 1)
      expect(results[1]).toMatchObject({ code: { consumedAt: at(1), opensSessionId: 'opens' } })
    },
  )

  it('are good until, not at, the moment they expire', async () => {
    const { codes } = memoryStores()
    await codes.save(code())
    expect(await codes.consume('hash', at(60))).toEqual({ outcome: 'unknown' })
    expect((await codes.consume('hash', at(59.999))).outcome).toBe('consumed')
    expect((await codes.consume('hash', at(61))).outcome).toBe('replayed')
    expect(await codes.consume('other', at(1))).toEqual({ outcome: 'unknown' })
  })

  it('are not saved twice', async () => {
    const { codes } = memoryStores()
    await codes.save(code())
    await expect(codes.save(code({ userId: 'u-eve' }))).rejects.toThrow('duplicate')
  })

  it('are remembered as long as the record says, and then forgotten', async () => {
    const { codes } = memoryStores()
    await codes.save(code())
    await codes.consume('hash', at(1))
    expect(await codes.purge(at(3599))).toBe(0)
    expect((await codes.consume('hash', at(3599))).outcome).toBe('replayed')
    expect(await codes.purge(at(3600))).toBe(1)
    expect(await codes.consume('hash', at(1))).toEqual({ outcome: 'unknown' })
  })

  it('that nobody used are forgotten when they expire: they must not fill the table', async () => {
    const { codes } = memoryStores({ maxCodes: 1 })
    await codes.save(code())
    await codes.save(code({ codeHash: 'second', createdAt: at(60) }))
    expect((await codes.consume('second', at(30))).outcome).toBe('consumed')
  })
})

describe('sessions in memory', () => {
  it.each([2, 10, 100])('are ended by one of %i callers', async (callers) => {
    const { sessions } = memoryStores()
    await sessions.create(session())
    const results = await Promise.all(
      Array.from({ length: callers }, () => sessions.end('one', 'logout', at(1))),
    )
    expect(results.filter((ended) => ended)).toHaveLength(1)
    expect(await sessions.find('one')).toMatchObject({ endedAt: at(1), endReason: 'logout' })
    expect(await sessions.end('one', 'revoked', at(2))).toBe(false)
    expect(await sessions.find('one')).toMatchObject({ endReason: 'logout' })
  })

  it('are touched while they live, and never brought back or made by it', async () => {
    const { sessions } = memoryStores()
    const seen = { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.7' }
    await sessions.create(session())
    await sessions.touch('one', seen)
    expect(await sessions.find('one')).toMatchObject(seen)
    await sessions.end('one', 'logout', at(6))
    await sessions.touch('one', { ...seen, lastSeenAt: at(7) })
    await sessions.touch('none', seen)
    expect(await sessions.find('one')).toMatchObject({ endedAt: at(6), lastSeenAt: at(5) })
    expect(await sessions.find('none')).toBeNull()
    expect(await sessions.end('none', 'logout', at(8))).toBe(false)
  })

  it('are not created twice, and are copies: nobody changes the stored row', async () => {
    const { sessions } = memoryStores()
    await sessions.create(session())
    await expect(sessions.create(session({ userId: 'u-eve' }))).rejects.toThrow('duplicate')
    const found = (await sessions.find('one')) as { userId: string }
    found.userId = 'u-eve'
    expect(await sessions.find('one')).toMatchObject({ userId: 'u-alice' })
  })

  it.each([
    ['ended', { endedAt: start, endReason: 'logout' as const }],
    ['idle', { idleExpiresAt: at(10) }],
    ['expired', { expiresAt: at(10) }],
  ])('that are %s are purged, living ones are not', async (_name, change) => {
    const { sessions } = memoryStores()
    await sessions.create(session(change))
    await sessions.create(session({ id: 'living' }))
    expect(await sessions.purge(at(10))).toBe(1)
    expect(await sessions.find('living')).not.toBeNull()
  })
})

describe('proofs in memory', () => {
  it.each([
    [5, 2],
    [5, 10],
    [5, 100],
    [1, 10],
  ])(
    'with %i tries are tried as often by %i callers, and consumed by one',
    async (triesLeft, n) => {
      const { proofs } = memoryStores()
      const { idHash, purpose } = proof({ triesLeft })
      await proofs.save(proof({ triesLeft }))
      const callers = Array.from({ length: n })
      const tries = await Promise.all(callers.map(() => proofs.takeTry(idHash, purpose, at(1))))
      const taken = Math.min(triesLeft, n)
      expect(tries.filter(({ outcome }) => outcome === 'taken')).toHaveLength(taken)
      expect(await proofs.find(idHash, purpose)).toMatchObject({ triesLeft: triesLeft - taken })
      const uses = await Promise.all(callers.map(() => proofs.consume(idHash, purpose, at(2))))
      expect(uses.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(1)
      expect((await proofs.takeTry(idHash, purpose, at(3))).outcome).toBe('void')
    },
  )

  it('of a user are found and voided by that user, also after others were purged', async () => {
    const { proofs } = memoryStores()
    await proofs.save(proof({ idHash: 'short', expiresAt: at(10) }))
    await proofs.save(proof({ idHash: 'long' }))
    await proofs.save(proof({ idHash: 'nobody', userId: null }))
    expect(await proofs.purge(at(10))).toBe(1)
    expect(await proofs.voidForUser('u-alice', ['reset', 'sign-in'], at(11))).toBe(1)
    expect(await proofs.voidForUser('u-alice', ['reset'], at(12))).toBe(0)
    expect(await proofs.find('nobody', 'reset')).toMatchObject({ consumedAt: null })
  })

  it('are bounded: those of strangers cannot fill the memory', async () => {
    const { proofs } = memoryStores({ maxCodes: 2 })
    await proofs.save(proof({ idHash: 'one', expiresAt: at(10) }))
    await proofs.save(proof({ idHash: 'two' }))
    await expect(proofs.save(proof({ idHash: 'three' }))).rejects.toThrow('full')
    await proofs.save(proof({ idHash: 'three', createdAt: at(10) }))
    expect(await proofs.find('one', 'reset')).toBeNull()
  })
})

describe('second factors in memory', () => {
  const factor = { userId: 'u-alice', sealedSeed: 'sealed', lastStep: -1, createdAt: start }

  it.each([2, 10, 100])(
    'give each step and each recovery code to one of %i callers',
    async (callers) => {
      const { secondFactors } = memoryStores()
      await secondFactors.activate(factor, ['a', 'b'])
      const steps = await Promise.all(
        Array.from({ length: callers }, () => secondFactors.advanceStep('u-alice', 7)),
      )
      expect(steps.filter(({ outcome }) => outcome === 'advanced')).toHaveLength(1)
      expect((await secondFactors.advanceStep('u-alice', 6)).outcome).toBe('stale')
      expect((await secondFactors.advanceStep('u-alice', 8)).outcome).toBe('advanced')
      const used = await Promise.all(
        Array.from({ length: callers }, () => secondFactors.consumeRecoveryCode('u-alice', 'a')),
      )
      expect(used.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(1)
      expect((await secondFactors.consumeRecoveryCode('u-bob', 'b')).outcome).toBe('unknown')
    },
  )

  it('are activated once', async () => {
    const { secondFactors } = memoryStores()
    expect(await secondFactors.activate(factor, ['a'])).toEqual({ outcome: 'activated' })
    expect(await secondFactors.activate({ ...factor, sealedSeed: 'other' }, ['b'])).toEqual({
      outcome: 'already-active',
    })
    expect(await secondFactors.find('u-alice')).toEqual(factor)
    expect((await secondFactors.consumeRecoveryCode('u-alice', 'b')).outcome).toBe('unknown')
    expect(await secondFactors.find('u-bob')).toBeNull()
    expect((await secondFactors.advanceStep('u-bob', 1)).outcome).toBe('stale')
  })
})

describe('memory', () => {
  it('is bounded: a full table refuses, and takes new rows once old ones are over', async () => {
    const { sessions, codes } = memoryStores({ maxSessions: 2, maxCodes: 1 })
    await sessions.create(session({ id: 'a' }))
    await sessions.create(session({ id: 'b', idleExpiresAt: at(10) }))
    await expect(sessions.create(session({ id: 'c', createdAt: at(9) }))).rejects.toThrow('full')
    await sessions.create(session({ id: 'c', createdAt: at(10) }))
    expect(await sessions.find('b')).toBeNull()
    await codes.save(code())
    await expect(codes.save(code({ codeHash: 'second' }))).rejects.toThrow('full')
  })

  it('is swept without anybody calling purge: it holds twice the living rows at most, and some', async () => {
    const { sessions } = memoryStores()
    for (let i = 0; i < 20_000; i += 1) {
      await sessions.create(
        session({
          id: `${i}`,
          createdAt: at(i),
          idleExpiresAt: at(i + 100),
          expiresAt: at(i + 100),
        }),
      )
    }
    expect(await sessions.purge(at(20_000))).toBeLessThanOrEqual(1000)
  })
})

describe('memoryStores', () => {
  const before = process.env['NODE_ENV']
  afterEach(() => {
    process.env['NODE_ENV'] = before
    vi.restoreAllMocks()
  })

  it('warns in production, and only there', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    memoryStores()
    expect(warn).not.toHaveBeenCalled()
    process.env['NODE_ENV'] = 'production'
    memoryStores()
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.any(String), {
      code: 'MAR_MEMORY_STORES_IN_PRODUCTION',
    })
  })

  it('does not work in a cluster worker, where each process would know only its own sessions', () => {
    vi.spyOn(cluster, 'isWorker', 'get').mockReturnValue(true)
    expect(() => memoryStores()).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: 'memoryStores()' }),
    )
  })

  it.each([{ maxSessions: 0 }, { maxCodes: -1 }, { maxCodes: 1.5 }, { maxSessions: 'many' }])(
    'does not start with %j',
    (options) => {
      expect(() => memoryStores(options as never)).toThrow(
        expect.objectContaining({ name: 'AuthConfigError' }),
      )
    },
  )
})

/** A moment that tells of each comparison with it. */
function counted(moment: Date, onLook: () => void): Date {
  return new Proxy(moment, {
    get(date, name) {
      if (name === Symbol.toPrimitive || name === 'getTime') onLook()
      const value = Reflect.get(date, name)
      return typeof value === 'function' ? value.bind(date) : value
    },
  })
}

describe('purging memory', () => {
  it('goes on where it stopped: batches do not look at the same living rows again and again', async () => {
    const { sessions } = memoryStores()
    let looks = 0
    for (let i = 0; i < 3000; i += 1) await sessions.create(session({ id: `living ${i}` }))
    for (let i = 0; i < 3000; i += 1)
      await sessions.create(session({ id: `over ${i}`, idleExpiresAt: at(1) }))
    const counting = counted(at(10), () => {
      looks += 1
    })
    let deleted = 0
    for (let batch = 0; batch < 31; batch += 1) deleted += await sessions.purge(counting, 100)
    expect(deleted).toBe(3000)
    // Each living row is looked at once or twice in all, and not once for each of thirty batches.
    expect(looks).toBeGreaterThanOrEqual(6000)
    expect(looks).toBeLessThan(20_000)
  })

  it('lets other work run after 5,000 rows at most, and so does an insert that finds no room', async () => {
    const maxSessions = 12_000
    const { sessions } = memoryStores({ maxSessions })
    for (let i = 0; i < maxSessions; i += 1) await sessions.create(session({ id: `${i}` }))
    let looks = 0
    const counting = counted(at(1), () => {
      looks += 1
    })

    await expect(sessions.create(session({ id: 'more', createdAt: counting }))).rejects.toThrow(
      'full',
    )
    // One look for each row that lives, one for the copy, and one for the moment before which the
    // table rests.
    expect(looks).toBeLessThanOrEqual(5002 + 2)

    const inTurns = await looksByTurn(sessions)
    expect(inTurns.length).toBeGreaterThan(2)
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(5000)
    expect(inTurns.reduce((sum, one) => sum + one)).toBe(maxSessions)
  })

  it('lets other work run after 5,000 enrolments that wait for their code', async () => {
    const { secondFactors } = memoryStores()
    for (let i = 0; i < 12_000; i += 1) await secondFactors.savePending(newPending(at))

    const inTurns = await looksByTurn(secondFactors)
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(5000)
    expect(inTurns.reduce((sum, one) => sum + one)).toBe(12_000)
  })
})

/** How often a purge that finds nothing compares the moment, in each turn of the event loop. */
async function looksByTurn(store: Pick<SessionStore, 'purge'>): Promise<number[]> {
  const inTurns: number[] = []
  let looks = 0
  let isPurging = true
  const counting = counted(at(1), () => {
    looks += 1
  })
  const purging = store.purge(counting).finally(() => {
    isPurging = false
  })
  while (isPurging) {
    inTurns.push(looks)
    looks = 0
    await new Promise(setImmediate)
  }
  inTurns.push(looks)
  expect(await purging).toBe(0)
  return inTurns
}
