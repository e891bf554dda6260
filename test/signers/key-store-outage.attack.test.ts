import { describe, expect, it, vi } from 'vitest'
import { keyRing } from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, get, logIn } from '../support/client.js'
import { encryptionKey, startHost } from '../support/host.js'
import {
  claimsAt,
  keptLog,
  type Mood,
  moodyStore,
  signerOf,
  worthOf,
} from '../support/key-stores.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

const encryptionKeys = [encryptionKey]
const moods: Mood[] = ['hangs', 'rejects', 'throws', 'answers late', 'answers rubbish']

/** A host whose key store can be put out of order, and another process that has the same keys. */
async function startPair() {
  const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
  const store = memoryKeyStore()
  const view = moodyStore(store)
  const log = keptLog()
  const ring = keyRing({ store: view, encryptionKeys, clock, storeTimeout: 50, logger: log })
  const host = await startHost({ options: { signer: signerOf(ring, clock), clock } })
  const otherRing = keyRing({ store, encryptionKeys, clock })
  const other = signerOf(otherRing, clock)
  const { authToken } = await logIn(host)
  const claims = await other.verify(authToken)
  const status = async (token: string) => (await get(host, '/me', bearer(token))).status
  return { clock, view, log, host, otherRing, other, authToken, claims, status, ring }
}

describe.each(moods)('a key store that %s', (mood) => {
  it(
    'stops nobody whose key is known, signs nobody out whose key is not, and is forgotten when ' +
      'it is well again',
    async () => {
      const { clock, view, host, otherRing, other, authToken, claims, status } = await startPair()
      await otherRing.rotate()
      view.mood = mood
      clock.advance(601)
      const fresh = await other.sign(claims)

      for (let round = 0; round < 8; round += 1) {
        expect(await status(authToken)).toBe(200)
        expect(await status(fresh)).toBe(503)
        expect(await status((await logIn(host)).authToken)).toBe(200)
        clock.advance(round < 4 ? 0.3 : 40)
      }

      view.mood = 'well'
      view.answerLate()
      await vi.waitFor(async () => {
        clock.advance(1)
        expect(await status(fresh)).toBe(200)
      })
      expect(await status(authToken)).toBe(200)
      expect((await logIn(host)).authToken).toBeTruthy()
    },
  )

  it('at the start is a 503 for all, and is forgotten when it is well', async () => {
    const clock = manualClock()
    const view = moodyStore()
    view.mood = mood
    const ring = keyRing({
      store: view,
      encryptionKeys,
      clock,
      storeTimeout: 50,
      logger: keptLog(),
    })
    const host = await startHost({ options: { signer: signerOf(ring, clock), clock } })
    await expect(ring.ready()).rejects.toThrow()
    await expect(logIn(host)).rejects.toThrow('503')
    view.mood = 'well'
    await vi.waitFor(async () => {
      clock.advance(1)
      expect((await logIn(host)).authToken).toBeTruthy()
    })
    await expect(ring.ready()).resolves.toBeUndefined()
  })

  it('is told of once, without a word of the driver', async () => {
    const { clock, view, log, authToken, status } = await startPair()
    view.mood = mood
    for (let minute = 0; minute < 3; minute += 1) {
      clock.advance(61)
      await status(authToken)
    }
    await vi.waitFor(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatchObject({
      message: 'key-store.failed',
      fields: { operation: 'keys.list' },
    })
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })
})

describe('a token whose key is known', () => {
  it('never waits for the key store, however old the news', async () => {
    const clock = manualClock()
    const view = moodyStore()
    // Whoever waited for it would wait beyond the end of this test.
    const signer = signerOf(
      keyRing({ store: view, encryptionKeys, clock, storeTimeout: 60_000 }),
      clock,
    )
    const token = await signer.sign(claimsAt(clock()))
    view.mood = 'hangs'
    for (const seconds of [61, 3600, 24 * 3600]) {
      clock.advance(seconds)
      expect(await worthOf(signer, token)).toBe('good')
      expect(await worthOf(signer, await signer.sign(claimsAt(clock())))).toBe('good')
    }
    view.mood = 'well'
    view.answerLate()
  })

  it('is refused once a read has shown that its key was taken out', async () => {
    const clock = manualClock()
    const store = memoryKeyStore()
    const signer = signerOf(keyRing({ store, encryptionKeys, clock }), clock)
    const token = await signer.sign(claimsAt(clock()))
    const elsewhere = keyRing({ store, encryptionKeys, clock })
    await elsewhere.rotate()
    clock.advance(700)
    await store.remove(1)
    await vi.waitFor(async () => {
      clock.advance(2)
      expect(await worthOf(signer, token)).toBe('refused')
    })
  })
})

describe('a key store that did not answer in time', () => {
  it('does not bring old news when it answers at last', async () => {
    const clock = manualClock()
    const store = memoryKeyStore()
    const view = moodyStore(store)
    const ring = keyRing({
      store: view,
      encryptionKeys,
      clock,
      storeTimeout: 50,
      logger: keptLog(),
    })
    const signer = signerOf(ring, clock)
    const token = await signer.sign(claimsAt(clock()))
    view.mood = 'hangs'
    clock.advance(61)
    await expect(ring.list()).rejects.toThrow('no answer within 50 ms')
    view.mood = 'well'
    await ring.rotate()
    view.answerLate()
    expect((await signer.publicKeys?.())?.keys).toHaveLength(2)
    expect(await worthOf(signer, token)).toBe('good')
  })

  it('leaves nobody waiting who rotates', async () => {
    const clock = manualClock()
    const view = moodyStore()
    const ring = keyRing({
      store: view,
      encryptionKeys,
      clock,
      storeTimeout: 50,
      logger: keptLog(),
    })
    await ring.ready()
    view.mood = 'hangs'
    await expect(ring.rotate()).rejects.toThrow('no answer within 50 ms')
    view.mood = 'well'
    expect(await ring.rotate()).toHaveLength(2)
  })

  it('is asked once a second at most, however many invented kids arrive', async () => {
    const clock = manualClock()
    const view = moodyStore()
    const signer = signerOf(
      keyRing({ store: view, encryptionKeys, clock, storeTimeout: 50, logger: keptLog() }),
      clock,
    )
    const stranger = signerOf(keyRing({ store: memoryKeyStore(), encryptionKeys, clock }), clock)
    await signer.sign(claimsAt(clock()))
    const forged = await stranger.sign(claimsAt(clock()))
    view.mood = 'rejects'
    clock.advance(2)
    const before = view.reads
    for (let i = 0; i < 50; i += 1) expect(await worthOf(signer, forged)).toBe('outage')
    expect(view.reads - before).toBe(1)
  })
})
