import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type CheckedKey,
  type IdTokenClaims,
  joseSigner,
  type KeyRing,
  type KeyRingOptions,
  keyRing,
  type SigningKey,
  type StoredSigningKey,
  type TokenSigner,
} from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { encryptionKey } from '../support/host.js'
import { claimsAt, keptLog, keyFolder } from '../support/key-stores.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

const encryptionKeys = [encryptionKey]
const day = 24 * 3600

type Place = { readonly files: string } | { readonly store: ReturnType<typeof memoryKeyStore> }

const ringAt = (place: Place, clock: () => Date, options: object = {}) =>
  keyRing({ ...place, encryptionKeys, clock, logger: keptLog(), ...options } as KeyRingOptions)
const rsaRingAt = (place: Place, clock: () => Date, options: object = {}) =>
  ringAt(place, clock, { algorithm: 'RS256', ...options })
const signerOf = (keys: KeyRing, rs256: KeyRing, clock: () => Date) =>
  joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys, rs256, clock })
const idClaims: IdTokenClaims = { sub: 'u', aud: 'wiki', iat: 1, exp: 2 }
const signId = (signer: TokenSigner) =>
  (signer.signIdToken as NonNullable<TokenSigner['signIdToken']>)(idClaims, { algorithm: 'RS256' })
const readId = (signer: TokenSigner, token: string) =>
  signer.verifyIdToken?.(token, { audience: 'wiki' })
const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string
const publishedBy = async (signer: TokenSigner) =>
  (await signer.publicKeys?.())?.keys.map(({ alg, kid }) => `${alg} ${kid}`) ?? []
const refusal = (option: string, problem: string) => ({
  name: 'AuthConfigError',
  option,
  problem: expect.stringContaining(problem),
})

describe.each<[string, () => Place, string]>([
  ['a store', () => ({ store: memoryKeyStore() }), 'keyRing.store'],
  ['a folder', () => ({ files: keyFolder() }), 'keyRing.files'],
])('a ring of RS256 keys in %s of its own', (_name, place, option) => {
  it('stands beside the ring of access tokens: each signs its own', async () => {
    const clock = manualClock()
    const [ring, rsaRing] = [ringAt(place(), clock), rsaRingAt(place(), clock)]
    const signer = signerOf(ring, rsaRing, clock)
    await signer.ready?.()
    const [access, id] = [await signer.sign(claimsAt(clock())), await signId(signer)]
    expect(await publishedBy(signer)).toEqual([`ES256 ${kidOf(access)}`, `RS256 ${kidOf(id)}`])
    expect(await signer.verify(access)).toMatchObject({ sub: 'u' })
    expect(await readId(signer, id)).toMatchObject({ sub: 'u' })
    await expect(signer.verify(id)).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(signer.idTokenAlgorithms).toEqual(['ES256', 'RS256'])
  })

  it('is rotated by itself: published before it signs, and known until it is over', async () => {
    const clock = manualClock()
    const where = place()
    const rsaRing = rsaRingAt(where, clock, { longestToken: day })
    const ring = ringAt(place(), clock)
    const signer = signerOf(ring, rsaRing, clock)
    const first = await signId(signer)
    await rsaRing.rotate()
    expect((await publishedBy(signer)).map((key) => key.slice(0, 5))).toEqual([
      'ES256',
      'RS256',
      'RS256',
    ])
    expect(kidOf(await signId(signer))).toBe(kidOf(first))
    clock.advance(600)
    const second = await signId(signer)
    expect(kidOf(second)).not.toBe(kidOf(first))
    expect(await readId(signer, first)).toMatchObject({ sub: 'u' })
    expect(await ring.list()).toHaveLength(1)

    clock.advance(day + 1)
    await rsaRing.rotate({ ifOlderThan: 30 * day })
    await expect(readId(signer, first)).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(await readId(signer, second)).toMatchObject({ sub: 'u' })
  })

  it('agrees with every other process on its first key', async () => {
    const clock = manualClock()
    const where = place()
    const rings = Array.from({ length: 2 }, () => rsaRingAt(where, clock))
    const signers = rings.map((ring) => signerOf(ringAt(place(), clock), ring, clock))
    const tokens = await Promise.all(signers.map(signId))
    expect(new Set(tokens.map(kidOf)).size).toBe(1)
  })

  it('refuses the place of a ring for access tokens, and leaves that as it was', async () => {
    const clock = manualClock()
    const where = place()
    const ring = ringAt(where, clock)
    await ring.ready()
    const before = await ring.list()
    const log = keptLog()
    const rsaRing = rsaRingAt(where, clock, { logger: log })
    const problem = refusal(option, 'holds the keys of a ring for access tokens')
    await expect(rsaRing.ready()).rejects.toMatchObject(problem)
    await expect(rsaRing.rotate()).rejects.toMatchObject(problem)
    await expect(rsaRing.snapshot()).rejects.toMatchObject(problem)
    await expect(signerOf(ringAt(where, clock), rsaRing, clock).ready?.()).rejects.toMatchObject(
      problem,
    )
    expect(await ring.list()).toEqual(before)
    expect(log.lines).toEqual([
      {
        message: 'signing-key.unreadable',
        fields: { generation: 1, problem: 'is of another ring' },
      },
    ])
  })

  it('is no place for a ring of access tokens', async () => {
    const clock = manualClock()
    const where = place()
    const rsaRing = rsaRingAt(where, clock)
    await rsaRing.ready()
    const problem = refusal(option, 'holds the keys of a ring with algorithm: RS256')
    for (const algorithm of ['ES256', 'PS256']) {
      const ring = ringAt(where, clock, { algorithm })
      await expect(ring.ready()).rejects.toMatchObject(problem)
      await expect(ring.rotate()).rejects.toMatchObject(problem)
      await expect(
        joseSigner({ issuer: 'https://chat.example.com', audience: 'a', keys: ring }).sign(
          claimsAt(clock()),
        ),
      ).rejects.toThrow()
    }
    expect(await rsaRing.list()).toHaveLength(1)
  })

  it('of two rings that come to one empty place at once, one is refused', async () => {
    const clock = manualClock()
    const where = place()
    const ready = [ringAt(where, clock), rsaRingAt(where, clock)].map((ring) => ring.ready())
    const verdicts = await Promise.allSettled(ready)
    expect(verdicts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('a key of the one kind that somebody has moved to the store of the other', () => {
  it.each<[string, typeof ringAt, typeof ringAt]>([
    ['of RS256 to that of access tokens', rsaRingAt, ringAt],
    ['of access tokens to that of RS256', ringAt, rsaRingAt],
  ])('%s is left out: it neither signs nor verifies', async (_what, from, to) => {
    const clock = manualClock()
    const [source, target] = [memoryKeyStore(), memoryKeyStore()]
    await from({ store: source }, clock).ready()
    await to({ store: target }, clock).ready()
    const [moved] = (await source.list()) as [StoredSigningKey]
    const [own] = (await target.list()) as [StoredSigningKey]
    const activatesAt = new Date(clock().getTime() + 1000)
    await target.insert({ ...moved, generation: 2, activatesAt })
    const { all } = await to({ store: target }, clock).snapshot()
    expect(all.map(({ kid }) => kid)).toEqual([own.kid])
    clock.advance(1)
    const later = await to({ store: target }, clock).snapshot()
    expect(later.active).toBeNull()
    expect(later.all.map(({ kid }) => kid)).toEqual([own.kid])
  })
})

describe('joseSigner', () => {
  const clock = manualClock()
  const places = () => ({ store: memoryKeyStore() })

  it.each<[string, () => object, string]>([
    [
      'a ring of access tokens as rs256',
      () => ({ rs256: ringAt(places(), clock) }),
      'joseSigner.rs256',
    ],
    [
      'a ring of PS256 as rs256',
      () => ({ rs256: ringAt(places(), clock, { algorithm: 'PS256' }) }),
      'joseSigner.rs256',
    ],
    ['a ring of RS256 as keys', () => ({ keys: rsaRingAt(places(), clock) }), 'joseSigner.keys'],
    [
      'a ring in the list of rs256',
      () => ({ rs256: [rsaRingAt(places(), clock)] }),
      'joseSigner.rs256[0]',
    ],
    [
      'a ring that does not say what it is for as rs256',
      () => {
        const { algorithm: _algorithm, ...ring } = rsaRingAt(places(), clock)
        return { rs256: ring }
      },
      'joseSigner.rs256',
    ],
  ])('does not start with %s', (_what, options, option) => {
    const given = {
      issuer: 'https://chat.example.com',
      audience: 'a',
      keys: ringAt(places(), clock),
      ...options(),
    }
    expect(() => joseSigner(given as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option }),
    )
  })

  it('is not ready while either ring is not, and says which', async () => {
    const folder = keyFolder()
    const ring = ringAt(places(), clock)
    const missing = rsaRingAt({ files: folder }, clock, { create: false })
    await expect(signerOf(ring, missing, clock).ready?.()).rejects.toMatchObject(
      refusal('keyRing.files', 'holds no signing key'),
    )
    expect(existsSync(folder)).toBe(false)
  })

  it('is not ready where a list hides a key that is in the other ring, too', async () => {
    const rsaRing = rsaRingAt(places(), clock)
    const [stored] = (await rsaRing.snapshot()).all
    const { alg: _alg, kid: _kid, ...jwk } = (stored as CheckedKey).jwk
    const hidden = keyRing({ keys: [jwk as SigningKey] })
    await expect(signerOf(hidden, rsaRing, clock).ready?.()).rejects.toMatchObject(
      refusal('joseSigner.rs256[0]', 'stands in joseSigner.keys, too'),
    )
  })

  it('signs access tokens on while the store of RS256 keys is out of reach', async () => {
    const down = { ...memoryKeyStore(), list: () => Promise.reject(new Error('down')) }
    const rs256 = rsaRingAt({ store: down }, clock)
    const signer = signerOf(ringAt(places(), clock), rs256, clock)
    const token = await signer.sign(claimsAt(clock()))
    expect(await signer.verify(token)).toMatchObject({ sub: 'u' })
    await expect(signId(signer)).rejects.toThrow('down')
    await expect(signer.publicKeys?.()).rejects.toThrow('down')
  })

  it('signs no ID token with a key of another algorithm, until the ring is rotated', async () => {
    const where = places()
    await ringAt(where, clock, { algorithm: 'EdDSA' }).ready()
    const changed = ringAt(where, clock)
    const signer = joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'a',
      keys: changed,
      clock,
    })
    const sign = () => signer.signIdToken?.(idClaims, { algorithm: 'ES256' })
    expect(signer.idTokenAlgorithms).toEqual(['ES256'])
    await expect(sign()).rejects.toThrow('rotate the ring')
    await changed.rotate()
    clock.advance(600)
    expect(await readId(signer, String(await sign()))).toMatchObject({ sub: 'u' })
  })
})
