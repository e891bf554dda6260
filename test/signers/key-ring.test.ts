import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  generateSigningKey,
  joseSigner,
  type KeyRingOptions,
  type KeyStore,
  keyRing,
  type StoredSigningKey,
} from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, get, logIn } from '../support/client.js'
import { encryptionKey, startHost } from '../support/host.js'
import { keptLog } from '../support/key-stores.js'

const day = 24 * 3600
const encryptionKeys = [encryptionKey]

function memoryKeyStore(): KeyStore & { rows: Map<number, StoredSigningKey>; reads: number } {
  const rows = new Map<number, StoredSigningKey>()
  return {
    rows,
    reads: 0,
    async list() {
      this.reads += 1
      return [...rows.values()].reverse()
    },
    async insert(key) {
      if (rows.has(key.generation)) return { outcome: 'exists' }
      rows.set(key.generation, key)
      return { outcome: 'inserted' }
    },
    async remove(generation) {
      rows.delete(generation)
    },
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mar-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return join(path, 'keys')
}

const signerOf = (ring: ReturnType<typeof keyRing>, clock: () => Date) =>
  joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: ring, clock })

const claims = (now: Date) => {
  const iat = Math.floor(now.getTime() / 1000)
  return {
    sub: 'u',
    sid: 's',
    iat,
    exp: iat + 90 * day,
    jti: 'j',
    auth_time: iat,
    amr: ['pwd'],
    scope: '*',
  }
}
const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string
const published = async (signer: ReturnType<typeof joseSigner>) =>
  (await signer.publicKeys?.())?.keys.map(({ kid }) => kid) ?? []

describe.each<[string, () => KeyRingOptions]>([
  ['a store', () => ({ store: memoryKeyStore(), encryptionKeys })],
  ['files', () => ({ files: folder(), encryptionKeys })],
])('a key ring in %s', (_name, where) => {
  it('makes its first key by itself, and all processes agree on it', async () => {
    const clock = manualClock()
    const options = { ...where(), clock }
    const processes = Array.from({ length: 5 }, () => signerOf(keyRing(options as never), clock))
    const tokens = await Promise.all(processes.map((signer) => signer.sign(claims(clock()))))
    expect(new Set(tokens.map(kidOf)).size).toBe(1)
    for (const signer of processes)
      for (const token of tokens) expect(await signer.verify(token)).toMatchObject({ sub: 'u' })
  })

  it(
    'publishes the next key before it signs, and lets the old one verify until its longest ' +
      'token has ended',
    async () => {
      const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
      const options = { ...where(), clock } as never
      const [ring, elsewhere] = [keyRing(options), keyRing(options)]
      const [signer, other] = [signerOf(ring, clock), signerOf(elsewhere, clock)]
      const old = await signer.sign(claims(clock()))
      await other.verify(old)

      const states = (await ring.rotate()).map(({ state }) => state)
      expect(states).toEqual(['active', 'next'])
      expect(await published(signer)).toHaveLength(2)
      expect(kidOf(await signer.sign(claims(clock())))).toBe(kidOf(old))
      clock.advance(61)
      expect(await published(other)).toHaveLength(2)

      clock.advance(540)
      const [mine, theirs] = [await signer.sign(claims(clock())), await other.sign(claims(clock()))]
      expect(kidOf(mine)).not.toBe(kidOf(old))
      expect(kidOf(theirs)).toBe(kidOf(mine))
      expect((await ring.list()).map(({ state }) => state)).toEqual(['retired', 'active'])
      expect(await other.verify(old)).toMatchObject({ sub: 'u' })

      clock.advance(90 * day - 700)
      expect(await signer.verify(old)).toMatchObject({ sub: 'u' })
      clock.advance(800)
      await expect(signer.verify(old)).rejects.toMatchObject({ code: 'Unauthorized' })
      expect((await ring.rotate()).map(({ generation, state }) => [generation, state])).toEqual([
        [2, 'active'],
        [3, 'next'],
      ])
    },
  )

  it('makes one next key, however many processes rotate at once and however often', async () => {
    const clock = manualClock()
    const options = { ...where(), clock } as never
    const rings = Array.from({ length: 10 }, () => keyRing(options))
    await rings[0]?.list()
    await Promise.all(rings.map((ring) => ring.rotate()))
    await rings[1]?.rotate()
    expect(await rings[2]?.list()).toHaveLength(2)
  })
})

describe('a process that has not seen the newest key yet', () => {
  it('reads it when a token names it, but not once for every invented one', async () => {
    const clock = manualClock()
    const store = memoryKeyStore()
    const late = signerOf(keyRing({ store, encryptionKeys, clock }), clock)
    await late.sign(claims(clock()))
    const early = keyRing({ store, encryptionKeys, clock })
    await early.rotate()
    clock.advance(30)
    const ahead = manualClock(new Date(clock().getTime() + 600_000))
    const token = await signerOf(keyRing({ store, encryptionKeys, clock: ahead }), ahead).sign(
      claims(clock()),
    )
    expect(await late.verify(token)).toMatchObject({ sub: 'u' })

    const before = store.reads
    const forged = await signerOf(
      keyRing({ store: memoryKeyStore(), encryptionKeys, clock }),
      clock,
    ).sign(claims(clock()))
    for (let i = 0; i < 50; i += 1)
      await expect(late.verify(forged)).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(store.reads - before).toBeLessThanOrEqual(1)
  })
})

describe('rotate', () => {
  it(
    'shows the key it has made, and the signer publishes it, although an older read is still ' +
      'under way',
    async () => {
      const clock = manualClock()
      const store = memoryKeyStore()
      const ring = keyRing({ store, encryptionKeys, clock })
      const signer = signerOf(ring, clock)
      await signer.sign(claims(clock()))
      const { list } = store
      let answerLate = () => {}
      store.list = async () => {
        const old = await list.call(store)
        await new Promise<void>((resolve) => {
          answerLate = resolve
        })
        return old
      }
      clock.advance(61)
      const slow = published(signer)
      await new Promise((resolve) => setImmediate(resolve))
      store.list = list
      expect(await ring.rotate()).toHaveLength(2)
      answerLate()
      await slow
      expect(await published(signer)).toHaveLength(2)
    },
  )
})

describe('a key store in trouble', () => {
  it('is read once, however many invented kids arrive at the same moment', async () => {
    const clock = manualClock()
    const store = memoryKeyStore()
    const signer = signerOf(keyRing({ store, encryptionKeys, clock }), clock)
    await signer.sign(claims(clock()))
    clock.advance(5)
    const before = store.reads
    const token = await signer.sign(claims(clock()))
    const invented = (i: number) => {
      const header = { alg: 'ES256', typ: 'at+jwt', kid: `invented-${i}` }
      return [
        Buffer.from(JSON.stringify(header)).toString('base64url'),
        ...token.split('.').slice(1),
      ].join('.')
    }
    await Promise.allSettled(Array.from({ length: 500 }, (_, i) => signer.verify(invented(i))))
    expect(store.reads - before).toBe(1)
  })

  it('that is down leaves the known keys in force, and that has lost its keys gets no new ones', async () => {
    const clock = manualClock()
    const store = memoryKeyStore()
    const signer = signerOf(keyRing({ store, encryptionKeys, clock, logger: keptLog() }), clock)
    const token = await signer.sign(claims(clock()))
    const { list } = store
    store.list = () => Promise.reject(new Error('down'))
    clock.advance(61)
    expect(await signer.verify(token)).toMatchObject({ sub: 'u' })
    store.list = list
    store.rows.clear()
    clock.advance(61)
    expect(await signer.verify(token)).toMatchObject({ sub: 'u' })
    expect(store.rows.size).toBe(0)
    await expect(keyRing({ store, encryptionKeys, clock }).list()).resolves.toHaveLength(1)
  })

  it('makes a key when it is due, and not before, however often it is asked', async () => {
    const clock = manualClock()
    const ring = keyRing({ store: memoryKeyStore(), encryptionKeys, clock })
    for (let hour = 0; hour < 24 * 65; hour += 1) {
      await ring.rotate({ ifOlderThan: 30 * day })
      clock.advance(3600)
    }
    expect(await ring.list()).toHaveLength(3)
  })
})

describe('what is kept', () => {
  it(
    'holds no key in clear, is readable by its owner only, and opens with the encryption keys ' +
      'alone',
    async () => {
      const files = folder()
      const ring = keyRing({ files, encryptionKeys })
      await ring.list()
      const [name = ''] = readdirSync(files)
      const text = readFileSync(join(files, name), 'utf8')
      expect(statSync(join(files, name)).mode & 0o777).toBe(0o600)
      expect(statSync(files).mode & 0o777).toBe(0o700)
      expect(Object.keys(JSON.parse(text))).toEqual([
        'generation',
        'kid',
        'sealedKey',
        'createdAt',
        'activatesAt',
      ])
      const { active } = await ring.snapshot()
      expect(text).not.toContain(active?.jwk['d'] ?? 'no key')

      const another = Buffer.from('another encryption key for test.').toString('base64')
      const foreign = keyRing({ files, encryptionKeys: [another], logger: keptLog() })
      await expect(foreign.snapshot()).rejects.toThrow('cannot be opened')
    },
  )

  it('that is damaged is an outage, not a lesser key', async () => {
    const files = folder()
    await keyRing({ files, encryptionKeys }).list()
    writeFileSync(join(files, 'key-000001.json'), '{"generation":1}')
    await expect(keyRing({ files, encryptionKeys, logger: keptLog() }).snapshot()).rejects.toThrow()
  })
})

describe('a router with a key ring', () => {
  it('serves on while keys are rotated, again and again', async () => {
    const clock = manualClock()
    const ring = keyRing({ store: memoryKeyStore(), encryptionKeys, clock })
    const host = await startHost({ options: { signer: signerOf(ring, clock), clock } })
    const { authToken } = await logIn(host)
    for (let rotation = 0; rotation < 5; rotation += 1) {
      await ring.rotate()
      clock.advance(700)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      expect((await get(host, '/me', bearer((await logIn(host)).authToken))).status).toBe(200)
    }
    expect((await get(host, '/auth/jwks.json')).body.keys).toHaveLength(6)
  })
})

describe('a list of keys', () => {
  it('is a ring that the host rotates by hand', async () => {
    const keys = [await generateSigningKey(), await generateSigningKey('EdDSA')]
    const ring = keyRing({ keys })
    expect(await ring.list()).toEqual([
      { kid: keys[0]?.kid, generation: null, state: 'active', activatesAt: null },
      { kid: keys[1]?.kid, generation: null, state: 'retired', activatesAt: null },
    ])
    await expect(ring.rotate()).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'keyRing.keys',
    })
  })
})

describe('keyRing does not start with', () => {
  it.each<[string, object, string]>([
    ['no place', { encryptionKeys }, 'keyRing'],
    ['two places', { files: '/tmp/x', store: memoryKeyStore(), encryptionKeys }, 'keyRing'],
    ['an empty folder name', { files: '', encryptionKeys }, 'keyRing.files'],
    ['half a store', { store: { list: () => [] }, encryptionKeys }, 'keyRing.store'],
    ['no encryption key', { files: '/tmp/x' }, 'keyRing.encryptionKeys'],
    [
      'a missing encryption key',
      { files: '/tmp/x', encryptionKeys: [undefined] },
      'keyRing.encryptionKeys[0]',
    ],
    [
      'an algorithm that is not offered',
      { files: '/tmp/x', encryptionKeys, algorithm: 'RS384' },
      'keyRing.algorithm',
    ],
    [
      'a key that signs before all have read it',
      { files: '/tmp/x', encryptionKeys, publishAhead: 60 },
      'keyRing.publishAhead',
    ],
    [
      'tokens of no length',
      { files: '/tmp/x', encryptionKeys, longestToken: 0 },
      'keyRing.longestToken',
    ],
    [
      'an option it does not know',
      { files: '/tmp/x', encryptionKeys, rotateEvery: 1 },
      'keyRing.rotateEvery',
    ],
    ['an empty list', { keys: [] }, 'keyRing.keys'],
  ])('%s', (_name, options, option) => {
    expect(() => keyRing(options as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option }),
    )
  })
})
