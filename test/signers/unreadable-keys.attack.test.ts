import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type KeyRingOptions, keyRing, type StoredSigningKey } from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { encryptionKey, password, startHost } from '../support/host.js'
import { claimsAt, keptLog, keyFolder, signerOf, worthOf } from '../support/key-stores.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

const encryptionKeys = [encryptionKey]
const newKey = randomBytes(32).toString('base64')
const wrongKeys = [randomBytes(32).toString('base64')]

describe('a next key that was sealed with an encryption key which is not known here yet', () => {
  async function halfRotated() {
    const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
    const store = memoryKeyStore()
    const log = keptLog()
    const late = keyRing({ store, encryptionKeys, clock, logger: log })
    const host = await startHost({ options: { signer: signerOf(late, clock), clock } })
    const { authToken } = await logIn(host)
    const early = keyRing({ store, encryptionKeys: [newKey, encryptionKey], clock })
    await early.rotate()
    const me = async (token: string) => (await get(host, '/me', bearer(token))).status
    return { clock, store, log, late, early, host, authToken, me }
  }

  it('stops neither the keys that sign nor those that verify, and is told of once', async () => {
    const { clock, log, late, host, authToken, me } = await halfRotated()
    for (let round = 0; round < 3; round += 1) {
      clock.advance(61)
      expect(await me(authToken)).toBe(200)
      expect(await me((await logIn(host)).authToken)).toBe(200)
    }
    await late.list()
    expect((await get(host, '/auth/jwks.json')).body.keys).toHaveLength(1)
    const fields = { generation: 2, problem: 'cannot be opened with these encryption keys' }
    expect(log.lines).toEqual([{ message: 'signing-key.unreadable', fields }])
  })

  it(
    'that is active by now: nothing is signed, which is told in full, and tokens are no less ' +
      'good than before',
    async () => {
      const { clock, late, early, host, authToken, me } = await halfRotated()
      clock.advance(601)
      const claims = await signerOf(early, clock).verify(authToken)
      const fresh = await signerOf(early, clock).sign(claims)
      await late.list()
      expect(await me(authToken)).toBe(200)
      // Not 401: the token is good, and only this process cannot tell.
      expect(await me(fresh)).toBe(503)
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
      const failure = {
        type: 'host.failed',
        operation: 'signer.sign',
        error: expect.stringContaining('encryption key'),
      }
      await vi.waitFor(() => expect(host.events).toContainEqual(expect.objectContaining(failure)))
      const sentence = 'signing key 2 cannot be opened with these encryption keys'
      await expect(late.ready()).rejects.toMatchObject({
        name: 'AuthConfigError',
        message: expect.stringContaining(sentence),
      })
      await expect(late.rotate()).rejects.toThrow(sentence)
    },
  )
})

describe('a key ring with a wrong encryption key', () => {
  const places: [string, () => KeyRingOptions][] = [
    ['a store', () => ({ store: memoryKeyStore(), encryptionKeys })],
    ['files', () => ({ files: keyFolder(), encryptionKeys })],
  ]

  it.each(places)(
    'over keys in %s is not ready, and says why and what to do',
    async (_name, where) => {
      const options = where()
      await keyRing(options).ready()
      const wrong = keyRing({ ...options, encryptionKeys: wrongKeys, logger: keptLog() } as never)
      await expect(wrong.ready()).rejects.toMatchObject({
        name: 'AuthConfigError',
        option: 'keyRing.encryptionKeys',
        problem: 'signing key 1 cannot be opened with these encryption keys.',
        remedy: expect.stringContaining('[new, old]'),
      })
    },
  )

  it('is told by the router at its start, before anybody signs in, and with each failure', async () => {
    const store = memoryKeyStore()
    await keyRing({ store, encryptionKeys }).ready()
    const clock = manualClock()
    const wrong = keyRing({ store, encryptionKeys: wrongKeys, clock, logger: keptLog() })
    const host = await startHost({ options: { signer: signerOf(wrong, clock), clock } })
    const sentence =
      'keyRing.encryptionKeys: signing key 1 cannot be opened with these encryption keys.'
    const told = (operation: string) =>
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ operation, error: expect.stringContaining(sentence) }),
      })
    await vi.waitFor(() => expect(host.log).toContainEqual(told('signer.ready')))
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    await vi.waitFor(() => expect(host.log).toContainEqual(told('signer.sign')))
  })

  it('adds no key that others could not open', async () => {
    const store = memoryKeyStore()
    await keyRing({ store, encryptionKeys }).ready()
    const wrong = keyRing({ store, encryptionKeys: wrongKeys, logger: keptLog() })
    await expect(wrong.rotate()).rejects.toThrow('cannot be opened')
    expect(await store.list()).toHaveLength(1)
  })
})

describe('a damaged entry', () => {
  const file = (folder: string, generation: number) => join(folder, `key-00000${generation}.json`)

  it.each<[string, (folder: string) => void]>([
    ['an empty file', (folder) => writeFileSync(file(folder, 2), '')],
    [
      'a file that was cut off',
      (folder) => writeFileSync(file(folder, 2), '{"generation":2,"kid":"a'),
    ],
    ['a file of somebody else', (folder) => writeFileSync(file(folder, 2), '{"name":"not a key"}')],
    [
      'a key under the name of another',
      (folder) => writeFileSync(file(folder, 2), '{"generation":3}'),
    ],
    ['a folder', (folder) => mkdirSync(file(folder, 2))],
    ['files of other names', (folder) => writeFileSync(join(folder, 'key-2.json.bak'), 'x')],
  ])('%s stops no other key, and no rotation', async (_name, damage) => {
    const clock = manualClock()
    const files = keyFolder()
    const first = signerOf(keyRing({ files, encryptionKeys, clock }), clock)
    const token = await first.sign(claimsAt(clock()))
    damage(files)
    const log = keptLog()
    const ring = keyRing({ files, encryptionKeys, clock, logger: log })
    const signer = signerOf(ring, clock)
    await ring.ready()
    expect(await worthOf(signer, token)).toBe('good')
    expect(await worthOf(first, await signer.sign(claimsAt(clock())))).toBe('good')

    const states = await ring.rotate()
    expect(states.map(({ state }) => state)).toEqual(['active', 'next'])
    clock.advance(601)
    expect(await worthOf(signer, await signer.sign(claimsAt(clock())))).toBe('good')
    const damaged = readdirSync(files).includes('key-000003.json')
    expect(log.lines).toEqual(
      damaged
        ? [{ message: 'signing-key.unreadable', fields: { generation: 2, problem: 'is damaged' } }]
        : [],
    )
  })

  it('of a store of the host’s is left out as well', async () => {
    const clock = manualClock()
    const store = memoryKeyStore()
    const ring = keyRing({ store, encryptionKeys, clock })
    const token = await signerOf(ring, clock).sign(claimsAt(clock()))
    const [whole] = await store.list()
    const damaged: unknown[] = [
      { ...whole, generation: 2, kid: 7 },
      { ...whole, generation: 3, activatesAt: 'soon' },
      null,
      'x',
    ]
    const { list } = store
    store.list = async () => [...(await list()), ...(damaged as StoredSigningKey[])]
    const log = keptLog()
    const again = keyRing({ store, encryptionKeys, clock, logger: log })
    expect(await worthOf(signerOf(again, clock), token)).toBe('good')
    expect((await again.rotate()).map(({ generation }) => generation)).toEqual([1, 4])
    expect(log.lines.map(({ fields }) => (fields as { generation: number }).generation)).toEqual([
      2, 3, 0,
    ])
  })

  it('that is the only one is an error, and no reason to make a new key', async () => {
    const files = keyFolder()
    await keyRing({ files, encryptionKeys }).ready()
    truncateSync(file(files, 1))
    const ring = keyRing({ files, encryptionKeys, logger: keptLog() })
    await expect(ring.ready()).rejects.toThrow('generation 1 is damaged')
    await expect(ring.rotate()).rejects.toThrow('generation 1 is damaged')
    expect(readdirSync(files)).toEqual(['key-000001.json'])
  })

  it('is a warning of the process where the ring has no logger', async () => {
    const files = keyFolder()
    await keyRing({ files, encryptionKeys }).ready()
    writeFileSync(file(files, 2), '')
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    const ring = keyRing({ files, encryptionKeys })
    await ring.ready()
    await ring.list()
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('"generation":2'), { code: 'MAR_SIGNING_KEY_UNREADABLE' }],
    ])
  })
})
