import { describe, expect, it, vi } from 'vitest'
import {
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  keyRing,
  type TokenSigner,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, get, logIn } from '../support/client.js'
import { encryptionKey, startHost } from '../support/host.js'
import { claimsAt, signerOf } from '../support/key-stores.js'
import { testUsers } from '../support/users.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

const encryptionKeys = [encryptionKey]
const day = 24 * 3600
const keys = [await generateSigningKey()]
const list = { issuer: 'https://chat.example.com', audience: 'chat', keys }

describe('a token', () => {
  it(
    'is signed when it is taken, and is an outage that is told in full when nobody would take ' +
      'it',
    async () => {
      const signer = joseSigner(list)
      const withScope = (length: number) => ({ ...claimsAt(new Date()), scope: 'x'.repeat(length) })
      let longest = 4000
      const signed = async (length: number) => signer.sign(withScope(length)).catch(() => null)
      while ((await signed(longest)) === null) longest -= 1
      const token = (await signed(longest)) ?? ''
      expect(token.length).toBeGreaterThan(4090)
      expect(await signer.verify(token)).toMatchObject({ scope: 'x'.repeat(longest) })
      await expect(signer.sign(withScope(longest + 2))).rejects.toMatchObject({
        name: 'UnexpectedAnswer',
        message: expect.stringMatching(/^a token of 4\d{3} characters .+ scope too long/),
      })
    },
  )

  it('that the signer cannot make is 503 and told, not a login that opens nothing', async () => {
    const clock = manualClock()
    const signer = joseSigner({ ...list, clock })
    const long: TokenSigner = {
      ...signer,
      sign: (claims) => signer.sign({ ...claims, scope: 'x'.repeat(5000) }),
    }
    const host = await startHost({ options: { signer: long, clock } })
    await expect(logIn(host)).rejects.toThrow('503')
    const failure = {
      type: 'host.failed',
      operation: 'signer.sign',
      error: expect.stringContaining('is its scope too long?'),
    }
    await vi.waitFor(() => expect(host.events).toContainEqual(expect.objectContaining(failure)))
  })
})

describe('a session that may be longer than the ring keeps its keys', () => {
  const start = (sessionAbsolute: number, signer: TokenSigner) =>
    createAuthRouter({
      users: testUsers(),
      ...memoryStores(),
      signer,
      encryptionKeys,
      lifetimes: { sessionAbsolute },
    })
  const ring = (longestToken?: number) =>
    keyRing({
      store: memoryKeyStore(),
      encryptionKeys,
      ...(longestToken !== undefined && { longestToken }),
    })
  const signed = (longestToken?: number) => joseSigner({ ...list, keys: ring(longestToken) })

  it('is refused at the start, with both ways out', () => {
    for (const [lifetime, signer] of [
      [365 * day, signed()],
      [90 * day + 1, signed()],
      [90 * day, signed(90 * day - 1)],
    ] as const) {
      expect(() => start(lifetime, signer)).toThrow(
        expect.objectContaining({
          name: 'AuthConfigError',
          option: 'lifetimes.sessionAbsolute',
          remedy: `make it shorter, or pass keyRing({ longestToken: ${lifetime} }).`,
        }),
      )
    }
  })

  it('is no concern of a list, of a ring that keeps them, or of a signer that does not say', () => {
    const { sign, verify } = joseSigner(list)
    for (const signer of [signed(365 * day), joseSigner(list), { sign, verify }]) {
      expect(() => start(365 * day, signer)).not.toThrow()
    }
    expect(() => start(90 * day, signed())).not.toThrow()
  })

  it('is good to its last day, however often keys were replaced', async () => {
    const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
    const kept = keyRing({
      store: memoryKeyStore(),
      encryptionKeys,
      clock,
      longestToken: 200 * day,
    })
    const lifetimes = { sessionIdle: 60 * day, sessionAbsolute: 200 * day }
    const host = await startHost({ options: { signer: signerOf(kept, clock), clock, lifetimes } })
    const { authToken } = await logIn(host)
    for (let month = 1; month * 25 < 200; month += 1) {
      clock.advance(25 * day)
      await kept.rotate({ ifOlderThan: 30 * day })
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    }
  })
})
