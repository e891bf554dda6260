// A signing key that has leaked, and is taken out while servers run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type AccessTokenClaims,
  AuthConfigError,
  joseSigner,
  type KeyRing,
  type KeyRingOptions,
  type KeyStore,
  keyRing,
  type StoredSigningKey,
} from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { encryptionKey, password, startHost } from '../support/host.js'
import { keptLog } from '../support/key-stores.js'

const encryptionKeys = [encryptionKey]
const issuer = 'https://chat.example.com'
const signerOf = (keys: KeyRing, clock: () => Date) =>
  joseSigner({ issuer, audience: 'chat', keys, clock })

function memoryKeyStore(): KeyStore {
  const rows = new Map<number, StoredSigningKey>()
  return {
    list: async () => [...rows.values()],
    async insert(key) {
      if (rows.has(key.generation)) return { outcome: 'exists' }
      rows.set(key.generation, key)
      return { outcome: 'inserted' }
    },
    remove: async (generation) => void rows.delete(generation),
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mar-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return join(path, 'keys')
}

function claims(now: Date): AccessTokenClaims {
  const iat = Math.floor(now.getTime() / 1000)
  const times = { iat, exp: iat + 86_400, auth_time: iat }
  return { sub: 'u', sid: 's', jti: 'j', amr: ['pwd'], scope: '*', ...times }
}

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
const statesOf = async (ring: KeyRing) =>
  (await ring.list()).map(({ generation, state }) => [generation, state])
async function activeOf(ring: KeyRing): Promise<string> {
  return (await ring.list()).find(({ state }) => state === 'active')?.kid ?? ''
}

describe.each<[string, () => KeyRingOptions]>([
  ['a store', () => ({ store: memoryKeyStore(), encryptionKeys })],
  ['files', () => ({ files: folder(), encryptionKeys })],
])('a signing key in %s that has leaked', (_name, place) => {
  async function startTwo() {
    const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
    const log = keptLog()
    const options = { ...place(), clock, logger: log } as KeyRingOptions
    const [here, there] = [keyRing(options), keyRing(options)]
    const [signer, other] = [signerOf(here, clock), signerOf(there, clock)]
    await here.ready()
    await there.ready()
    return { clock, log, here, there, signer, other }
  }

  it('is taken out at once, the only one too: another signs, and both processes refuse it', async () => {
    const { clock, log, here, signer, other } = await startTwo()
    const stolen = await signer.sign(claims(clock()))
    await other.verify(stolen)
    const leaked = kidOf(stolen)
    const left = await here.retire(leaked)
    expect(left).toMatchObject([{ generation: 2, state: 'active' }])
    await expect(signer.verify(stolen)).rejects.toMatchObject({ status: 401 })
    const next = await signer.sign(claims(clock()))
    expect(kidOf(next)).not.toBe(leaked)
    expect(await other.verify(next)).toMatchObject({ sub: 'u' })
    await expect(other.verify(stolen), 'it has read the store').rejects.toMatchObject({
      status: 401,
    })
    expect(JSON.stringify(log.lines)).toContain('signing-key.retired')
  })

  it('is refused by a process that has had nothing to do since, at its first request', async () => {
    const { clock, here, signer, other } = await startTwo()
    const stolen = await signer.sign(claims(clock()))
    await here.retire(kidOf(stolen))
    clock.advance(121)
    await expect(other.verify(stolen)).rejects.toMatchObject({ status: 401 })
    expect(kidOf(await other.sign(claims(clock())))).toBe(await activeOf(here))
  })

  it('leaves the others as they are where it does not sign', async () => {
    const { clock, here } = await startTwo()
    await here.rotate()
    const [first, waiting] = await here.list()
    await here.retire(waiting?.kid ?? '')
    expect(await statesOf(here)).toEqual([[1, 'active']])
    await here.rotate()
    clock.advance(601)
    await here.retire(first?.kid ?? '')
    expect(await statesOf(here)).toEqual([[2, 'active']])
  })

  it('does not wait for a key whose time is still to come', async () => {
    const { clock, here } = await startTwo()
    await here.rotate()
    await here.retire(await activeOf(here))
    expect(await statesOf(here)).toEqual([
      [2, 'next'],
      [3, 'active'],
    ])
    clock.advance(601)
    expect((await statesOf(here)).at(-1)).toEqual([3, 'active'])
  })

  it('is replaced once by ten that do so at once', async () => {
    const { here, there } = await startTwo()
    const leaked = await activeOf(here)
    const asking = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? here : there).retire(leaked))
    const done = await Promise.allSettled(asking)
    expect(done.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const one of done)
      if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(AuthConfigError)
    expect(await statesOf(here)).toEqual([[2, 'active']])
  })

  it('has to be one of the ring', async () => {
    const { here } = await startTwo()
    await expect(here.retire('another')).rejects.toBeInstanceOf(AuthConfigError)
    expect(await statesOf(here)).toEqual([[1, 'active']])
  })
})

it('who held its authToken signs in again; a refresh token and a named token go on', async () => {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const ring = keyRing({ store: memoryKeyStore(), encryptionKeys, clock })
  const host = await startHost({
    now: clock(),
    options: { signer: signerOf(ring, clock), clock, namedTokens: true },
  })
  const { authToken } = await logIn(host)
  const asked = { username: 'alice', password, tokens: 'refreshable' }
  const { refreshToken } = (await post(host, '/login', asked)).body.data
  host.issued.add(refreshToken)
  const named = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'CI' })
  await ring.retire(await activeOf(ring))
  clock.advance(31)
  expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  const { status, body } = await post(host, '/auth/refresh', { refreshToken })
  expect(status).toBe(200)
  expect((await get(host, '/me', bearer(body.access_token))).status).toBe(200)
  expect((await get(host, '/me', bearer(named.token))).status).toBe(200)
})
