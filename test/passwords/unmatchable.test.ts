// What is compared for nobody, so that the time of an answer does not tell who has an account.
import { describe, expect, it, onTestFinished } from 'vitest'
import { bcryptHasher, combinedHasher, pbkdf2 } from '../../src/index.js'
import type { PasswordHasher } from '../../src/passwords/contract.js'
import { post } from '../support/client.js'
import { cheapHasher, password, startHost } from '../support/host.js'

const workerUrl = new URL('../../dist/bcrypt-worker.js', import.meta.url)
const cheap = { cost: 4, threads: 1, dangerouslyAllowLowCost: true, workerUrl } as const
const pepper = Buffer.alloc(32, 'pepper!').toString('base64')

/** Counts what a hasher is asked for. */
function counting(hasher: PasswordHasher) {
  const asked = { hash: 0, verify: 0 }
  const counted: PasswordHasher = {
    ...hasher,
    hash(plain) {
      asked.hash += 1
      return hasher.hash(plain)
    },
    verify(plain, hash) {
      asked.verify += 1
      return hasher.verify(plain, hash)
    },
  }
  return { asked, counted }
}

describe('a hasher that names a text to compare for nobody', () => {
  it.each(['alice', 'nobody'])(
    'is asked for one password at the first login, of %s',
    async (name) => {
      const { asked, counted } = counting(cheapHasher)
      const host = await startHost({ options: { passwords: counted } })
      for (let login = 1; login <= 2; login += 1) {
        await post(host, '/login', { username: name, password })
        expect(asked).toEqual({ hash: 0, verify: login })
      }
    },
  )

  it.each(['alice', 'nobody'])('and one that does not, for two, once, of %s', async (name) => {
    const { unmatchable: _none, ...rest } = cheapHasher
    const { asked, counted } = counting(rest)
    const host = await startHost({ options: { passwords: counted } })
    for (let login = 1; login <= 2; login += 1) {
      await post(host, '/login', { username: name, password })
      expect(asked).toEqual({ hash: 1, verify: login })
    }
  })

  it('lets nobody in by it, whatever its hasher says', async () => {
    const host = await startHost({
      options: { passwords: { ...cheapHasher, verify: async () => true } },
    })
    host.users.change('u-alice', { passwordHash: null })
    for (const username of ['alice', 'nobody'])
      expect((await post(host, '/login', { username, password })).status).toBe(401)
  })
})

describe('bcryptHasher', () => {
  it.each([
    ['plain', {}],
    ['with a pepper', { prehash: { pepper } }],
    ['of digests', { preDigest: 'sha256-hex' }],
  ] as const)(
    'names one that it can read, and that nothing matches: %s',
    async (_what, options) => {
      const hasher = bcryptHasher({ ...cheap, ...options })
      onTestFinished(() => hasher.close())
      const { unmatchable } = hasher
      expect([hasher.canRead(unmatchable), hasher.needsRehash(unmatchable)]).toEqual([true, false])
      for (const plain of [password, '', 'x', unmatchable, 'y'.repeat(100)])
        expect(await hasher.verify(plain, unmatchable)).toBe(false)
    },
  )

  it('gives it to the hasher that it is combined in', () => {
    const current = bcryptHasher(cheap)
    const combined = combinedHasher({ current, legacy: [pbkdf2({ iterations: [1000] })] })
    onTestFinished(() => combined.close())
    expect(combined.unmatchable).toBe(current.unmatchable)
  })
})
