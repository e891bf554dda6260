import { describe, expect, it, test, vi } from 'vitest'
import {
  type AuthHealth,
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
  type RevocationBus,
  type TokenSigner,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { redisBus } from '../../src/stores/redis/redis-bus.js'
import { postgresBus } from '../../src/stores/sql/postgres-bus.js'
import { post } from '../support/client.js'
import { startCrowd } from '../support/gated-hasher.js'
import { password, startHost } from '../support/host.js'
import { rsaKey } from '../support/rsa-key.js'

const down = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432 password=secret'))
const silent = () => new Promise<never>(() => {})

const keys = [await generateSigningKey()]
const rs256 = [rsaKey]

const bus = (overrides: Partial<RevocationBus> = {}): RevocationBus => ({
  publish: async () => {},
  subscribe: async () => async () => {},
  ...overrides,
})

/** The parts that are not well, by name. */
const ailing = ({ stores, bus, keys, hashing }: AuthHealth) =>
  Object.entries({ ...stores, bus, keys, hashing }).flatMap(([name, part]) =>
    part?.ok === false ? [name] : [],
  )

const leavesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]

async function healthWith(options: Partial<AuthRouterOptions>): Promise<AuthHealth> {
  const { auth } = await startHost({ options })
  // The bus is joined in the background.
  await new Promise(setImmediate)
  return auth.health()
}

describe('auth.health()', () => {
  it('says of each part that it is well, and in how many milliseconds', async () => {
    const part = { ok: true, ms: expect.any(Number) }
    expect(await healthWith({ bus: bus() })).toEqual({
      ok: true,
      stores: { sessions: part, codes: part },
      bus: part,
      keys: part,
      hashing: { ok: true, ms: 0 },
    })
  })

  it('has null for a bus that is not there', async () => {
    expect(await healthWith({})).toMatchObject({ ok: true, bus: null })
  })

  const { sessions, codes } = memoryStores()
  test.each<[string, Partial<AuthRouterOptions>, string[], boolean]>([
    ['sessions cannot be read', { sessions: { ...sessions, find: down } }, ['sessions'], false],
    ['codes cannot be read', { codes: { ...codes, find: down } }, ['codes'], true],
    [
      'a store answers what it must not',
      { sessions: { ...sessions, find: async () => undefined as never } },
      ['sessions'],
      false,
    ],
    [
      'a store says nothing',
      { sessions: { ...sessions, find: silent }, storeTimeout: 300 },
      ['sessions'],
      false,
    ],
    ['no token can be signed', { signer: { sign: down, verify: down } }, ['keys'], false],
    [
      'a signer does not know its own',
      { signer: { sign: async () => 'x', verify: async () => ({ jti: 'y' }) as never } },
      ['keys'],
      false,
    ],
    [
      'a signer throws',
      {
        signer: {
          sign: () => {
            throw new Error('boom')
          },
          verify: down,
        },
      },
      ['keys'],
      false,
    ],
    [
      'a signer says nothing',
      { signer: { sign: silent, verify: silent }, storeTimeout: 20 },
      ['keys'],
      false,
    ],
    ['the bus is not joined', { bus: bus({ subscribe: down }) }, ['bus'], true],
    ['the bus says that it is away', { bus: bus({ check: down }) }, ['bus'], true],
    ['the bus says nothing', { bus: bus({ check: silent }), storeTimeout: 300 }, ['bus'], true],
    [
      'all of them are down',
      {
        sessions: { ...sessions, find: down },
        bus: bus({ check: down }),
        signer: { sign: down, verify: down },
      },
      ['sessions', 'bus', 'keys'],
      false,
    ],
  ])('tells when %s, and never rejects', async (_what, options, parts, ok) => {
    const health = await healthWith(options)
    expect([ailing(health), health.ok]).toEqual([parts, ok])
  })

  it('says nothing but yes, no, and how long', async () => {
    const health = await healthWith({
      sessions: { ...sessions, find: down },
      bus: bus({ check: down }),
    })
    expect(
      leavesOf(health).every((leaf) => typeof leaf === 'boolean' || Number.isSafeInteger(leaf)),
    ).toBe(true)
  })

  it(
    'asks the parts once for all who ask at once and within a second, so that a stranger who ' +
      'polls cannot load them',
    async () => {
      const find = vi.fn(async () => null)
      const counting = { ...sessions, find }
      const { auth, clock } = await startHost({ options: { sessions: counting } })
      await Promise.all(Array.from({ length: 100 }, () => auth.health()))
      clock.advance(0.9)
      await auth.health()
      expect(find).toHaveBeenCalledTimes(1)
      clock.advance(0.1)
      await auth.health()
      expect(find).toHaveBeenCalledTimes(2)
      // A clock that was put back.
      clock.advance(-3600)
      await auth.health()
      expect(find).toHaveBeenCalledTimes(3)
    },
  )

  it('has nobody wait longer than storeTimeout, however many ask meanwhile', async () => {
    const find = vi.fn(silent)
    const { auth, clock } = await startHost({
      options: { sessions: { ...sessions, find }, storeTimeout: 50 },
    })
    const first = auth.health()
    clock.advance(5)
    const second = auth.health()
    expect(await Promise.all([first, second])).toMatchObject([{ ok: false }, { ok: false }])
    expect(find).toHaveBeenCalledTimes(1)
  })

  it(
    'tells a full queue of passwords and how long one would wait, and keeps the process in ' +
      'service',
    async () => {
      const host = await startCrowd()
      await host.queueUp(['a1', 'a2', 'a3', 'a4', 'a5'])
      expect((await host.auth.health()).hashing).toEqual({ ok: true, ms: 4000 })
      await host.queueUp(['a6'])
      host.clock.advance(1)
      expect(await host.auth.health()).toMatchObject({ ok: true, hashing: { ok: false, ms: 5000 } })
      host.hasher.openUp()
    },
  )

  it('tells a hasher that fails, until it succeeds again', async () => {
    let verify: () => Promise<boolean> = down
    const hasher = { hash: async () => 'x', verify: () => verify(), needsRehash: () => false }
    const host = await startHost({ options: { passwords: hasher } })
    const { auth, clock } = host
    const logIn = () => post(host, '/login', { username: 'alice', password })
    await logIn()
    expect(await auth.health()).toMatchObject({ ok: true, hashing: { ok: false } })
    verify = async () => true
    expect((await logIn()).status).toBe(200)
    clock.advance(1)
    expect(await auth.health()).toMatchObject({ ok: true, hashing: { ok: true } })
  })

  it.each<[string, Partial<TokenSigner>]>([
    ['sign', { signIdToken: down }],
    ['verify what they sign', { verifyIdToken: down }],
    ['tell their tokens from others', { verifyIdToken: async () => ({ sub: 'x' }) as never }],
    ['sign, as it lists them alone', { signIdToken: undefined as never }],
  ])(
    'tells when the keys for RS256 do not %s, and keeps the process in service',
    async (_, odd) => {
      const signer = joseSigner({
        issuer: 'https://chat.example.com',
        audience: 'chat',
        keys,
        rs256,
      })
      const well = await healthWith({ signer })
      expect([ailing(well), well.ok]).toEqual([[], true])
      const health = await healthWith({ signer: { ...signer, ...odd } })
      expect([ailing(health), health.ok]).toEqual([['keys'], true])
      // Whoever has no such keys is not asked for them.
      const { ok } = (
        await healthWith({ signer: { ...signer, ...odd, idTokenAlgorithms: ['ES256'] } })
      ).keys
      expect(ok).toBe(true)
    },
  )

  it('hands out no token that would open anything', async () => {
    const signed: string[] = []
    const host = await startHost()
    const { auth } = await startHost({
      options: {
        signer: {
          sign: async (claims) => JSON.stringify(signed.push(JSON.stringify(claims)) && claims),
          verify: async (token) => JSON.parse(token),
        },
      },
    })
    expect((await auth.health()).keys.ok).toBe(true)
    const { scope, sid } = JSON.parse(signed[0] ?? '')
    expect(scope).toBe('')
    expect(await host.stores.sessions.find(sid)).toBeNull()
  })
})

describe('the shipped buses', () => {
  it('say that they are away when they are', async () => {
    const pool = { options: { max: 2 }, query: down, connect: down }
    await expect(postgresBus(pool).check?.()).rejects.toThrow()
    const client = { evalSha: down, eval: down, publish: down, duplicate: () => client }
    await expect(redisBus(client as never).check?.()).rejects.toThrow()
  })

  it('of PostgreSQL says nothing to those who listen when it is asked', async () => {
    await postgresBus({ options: { max: 2 }, query: async () => 1, connect: down }).check?.()
  })
})

test('a bus is left as before, whether it was asked or not', async () => {
  const leave = vi.fn(async () => {})
  const { auth } = await startHost({ options: { bus: bus({ subscribe: async () => leave }) } })
  await new Promise(setImmediate)
  await auth.health()
  await auth.close()
  expect(leave).toHaveBeenCalledTimes(1)
})
