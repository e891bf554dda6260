import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { combinedHasher, type PasswordReader, preDigestedBcrypt } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { post } from '../support/client.js'
import { cheapHasher, password, startHost, workerUrl } from '../support/host.js'
import { meteorHash } from '../support/old-hashes.js'

const meteor = preDigestedBcrypt('sha256-hex', { maxStoredCost: 4, threads: 1, workerUrl })
const passwords = combinedHasher({ current: cheapHasher, legacy: [meteor] })
// Not what it is combined with: other files use that as well.
afterAll(() => meteor.close?.())
const digest = createHash('sha256').update(password).digest('hex')

describe('whoever has seen the digest of a password', () => {
  it.each([digest, digest.toUpperCase()])('cannot sign in with it: %s', async (given) => {
    const host = await startHost({ options: { passwords } })
    host.users.change('u-alice', { passwordHash: meteorHash })
    const refused = await post(host, '/login', { username: 'alice', password: given })
    expect(refused.status).toBe(401)
    await afterAttack(host, refused, [digest])
  })

  it('nor can a digest become a password, since nobody could sign in with it', async () => {
    const host = await startHost({ options: { passwords } })
    await expect(host.auth.hashPassword(digest)).rejects.toMatchObject({ code: 'invalid-request' })
    expect(await host.auth.hashPassword(digest.slice(1))).toMatch(/^\$2b\$/)
  })
})

describe('a reader', () => {
  const reader = (verify: () => Promise<unknown>): PasswordReader => ({
    settings: [
      { name: 'odd', estimatedMs: 1, canRead: (hash) => hash === 'odd', verify: verify as never },
    ],
  })
  const startWith = async (verify: () => Promise<unknown>) => {
    const odd = combinedHasher({ current: cheapHasher, legacy: [reader(verify)] })
    const host = await startHost({ options: { passwords: odd } })
    host.users.change('u-alice', { passwordHash: 'odd' })
    return host
  }

  it('that answers something merely truthy lets nobody in', async () => {
    for (const truthy of [1, 'true', {}, [true]]) {
      const host = await startWith(async () => truthy)
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(401)
    }
  })

  it('that says yes to what it cannot read lets nobody in', async () => {
    const host = await startWith(async () => true)
    for (const username of ['niemand', 'bare', 'other']) {
      host.users.add({ id: 'u-bare', username: 'bare', passwordHash: null })
      host.users.add({ id: 'u-other', username: 'other', passwordHash: 'another' })
      expect((await post(host, '/login', { username, password })).status).toBe(401)
    }
  })

  it('that fails is an outage, for users and strangers alike', async () => {
    const host = await startWith(() => Promise.reject(new Error('no memory')))
    for (const username of ['alice', 'niemand'])
      expect((await post(host, '/login', { username, password })).status).toBe(503)
  })
})
