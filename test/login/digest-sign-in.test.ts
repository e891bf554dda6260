import express from 'express'
import { describe, expect, it } from 'vitest'
import {
  type AuthRouter,
  bcryptHasher,
  combinedHasher,
  preDigestedBcrypt,
} from '../../src/index.js'
import { post } from '../support/client.js'
import { cheapHasher, encryptionKey, password, startHost, workerUrl } from '../support/host.js'
import { digestOf, meteorHasher } from '../support/rocketchat.js'

const { digest } = digestOf(password)

/** A form of the host's, which asks for digests. */
const withForm = (limits: object[] = []) => ({
  after: (app: ReturnType<typeof express>, auth: AuthRouter) =>
    void app.post('/form', express.json(), (req, res) => {
      const onLimits = (headers: object) => void limits.push(headers)
      auth.signIn(req, req.body, { digest: 'sha-256', onLimits }).then(
        ({ userId }) => res.json({ userId }),
        (error) => res.status(error.status).json({ error: error.code, limit: error.limit }),
      )
    }),
})
const url = (host: { url: string }) => host.url.replace('/api/v1', '')

describe("auth.signIn with digest: 'sha-256'", () => {
  it('signs in by the digest, in either case of letters, and by nothing else', async () => {
    const limits: object[] = []
    const host = await startHost({ options: { passwords: meteorHasher }, ...withForm(limits) })
    expect(host.auth.takesDigests).toBe(true)
    host.users.change('u-alice', { passwordHash: await host.auth.hashPassword(password) })
    const at = { ...host, url: url(host) }
    for (const shown of [digest, digest.toUpperCase()])
      expect((await post(at, '/form', { username: 'alice', password: shown })).status).toBe(200)
    for (const [shown, status] of [
      [digestOf('other').digest, 401],
      [password, 400],
      [digest.slice(1), 400],
      [`${digest}0`, 400],
    ] as const)
      expect((await post(at, '/form', { user: 'alice', password: shown })).status).toBe(status)
    expect(limits).toHaveLength(3)
    expect(limits[2]).toMatchObject({ 'RateLimit-Remaining': expect.stringMatching(/^\d+$/) })
  })

  it('is a 400 where the hasher takes no digests, and counts as no guess', async () => {
    const host = await startHost(withForm())
    expect(host.auth.takesDigests).toBe(false)
    const at = { ...host, url: url(host) }
    for (let count = 0; count < 7; count += 1)
      expect((await post(at, '/form', { user: 'alice', password: digest })).status).toBe(400)
    expect((await post(host, '/login', { user: 'alice', password })).status).toBe(200)
  })

  it('says whose limit refuses', async () => {
    const host = await startHost({ options: { passwords: meteorHasher }, ...withForm() })
    const at = { ...host, url: url(host) }
    const guess = () => post(at, '/form', { user: 'alice', password: digestOf('other').digest })
    for (let count = 0; count < 5; count += 1) await guess()
    expect((await guess()).body).toEqual({ error: 'too-many-requests', limit: 'user' })
  })

  it('is 503 where verifyDigest fails, and lets nobody in by a promise of another kind', async () => {
    for (const [verifyDigest, status] of [
      [() => Promise.reject(new Error('down')), 503],
      [async () => 'yes' as never, 401],
      [async () => undefined as never, 401],
    ] as const) {
      const host = await startHost({
        options: { passwords: { ...cheapHasher, verifyDigest } },
        ...withForm(),
      })
      const at = { ...host, url: url(host) }
      expect((await post(at, '/form', { user: 'alice', password: digest })).status).toBe(status)
    }
  })
})

describe('bcryptHasher({ preDigest })', () => {
  it('reads what preDigestedBcrypt reads, and passwords of any length', async () => {
    const long = 'ä'.repeat(200)
    const hash = await meteorHasher.hash(long)
    const reader = preDigestedBcrypt('sha256-hex', { maxStoredCost: 4, threads: 1, workerUrl })
    expect(await reader.settings[0]?.verify(long, hash)).toBe(true)
    expect(await meteorHasher.verify(long, hash)).toBe(true)
    expect(await meteorHasher.verify(`${long}a`, hash)).toBe(false)
    expect(await meteorHasher.verifyDigest?.(digestOf(long).digest, hash)).toBe(true)
    for (const unfit of ['', 'x', digestOf(long).digest.toUpperCase(), `${digestOf(long).digest}0`])
      expect(await meteorHasher.verifyDigest?.(unfit, hash)).toBe(false)
    expect(await meteorHasher.verifyDigest?.(digestOf(long).digest, 'nonsense')).toBe(false)
    expect(meteorHasher.needsRehash(hash)).toBe(false)
    await reader.close?.()
  })

  it.each([
    [{ preDigest: 'sha512-hex' as never }, 'bcryptHasher.preDigest'],
    [
      { preDigest: 'sha256-hex' as const, prehash: { pepper: encryptionKey } },
      'bcryptHasher.preDigest',
    ],
  ])('refuses %j by name', (options, option) => {
    expect(() => bcryptHasher(options)).toThrow(expect.objectContaining({ option }))
  })

  it('makes combinedHasher take digests, with the work of each setting', async () => {
    const asked: string[] = []
    const reader = {
      settings: [
        {
          name: 'old',
          estimatedMs: 1,
          canRead: (stored: string) => stored.startsWith('old:'),
          async verify(_plain: string, stored: string | null) {
            asked.push(String(stored))
            return true
          },
        },
      ],
    }
    const combined = combinedHasher({ current: meteorHasher, legacy: [reader] })
    expect(await combined.verifyDigest?.(digest, await meteorHasher.hash(password))).toBe(true)
    expect(await combined.verifyDigest?.(digest, 'old:hash')).toBe(false)
    expect(await combined.verifyDigest?.(digestOf('x').digest, 'nonsense')).toBe(false)
    expect(asked).toEqual(['null', 'null', 'null'])
    expect(combinedHasher({ current: cheapHasher, legacy: [reader] }).verifyDigest).toBeUndefined()
  })
})

describe('auth.me', () => {
  it('shows what GET /me shows, and nothing of nobody or of one who is disabled', async () => {
    const host = await startHost({ options: { describeUser: () => ({ active: true }) } })
    expect(await host.auth.me('u-alice')).toEqual({
      _id: 'u-alice',
      name: 'Alice A.',
      username: 'alice',
      status: 'offline',
      active: true,
    })
    host.users.change('u-alice', { disabled: true })
    for (const id of ['u-alice', 'nobody', '', 7 as never])
      expect(await host.auth.me(id)).toBeNull()
  })
})
