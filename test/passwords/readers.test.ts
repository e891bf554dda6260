import { createHash, pbkdf2Sync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pbkdf2 } from '../../src/index.js'
import type { PasswordReader } from '../../src/passwords/contract.js'
import { argon2 } from '../../src/passwords/readers/argon2.js'
import { oldHashes } from '../support/old-hashes.js'

async function verify(reader: PasswordReader, plain: string, stored: string): Promise<boolean> {
  const setting = reader.settings.find(({ canRead }) => canRead(stored))
  return (await setting?.verify(plain, stored)) ?? false
}

describe('a hash of another system', () => {
  it.each(oldHashes)(
    'verifies its password, and no other: %s',
    async (_name, reader, plain, stored) => {
      expect(reader.settings.filter(({ canRead }) => canRead(stored))).toHaveLength(1)
      expect(await verify(reader, plain, stored)).toBe(true)
      expect(await verify(reader, `${plain}x`, stored)).toBe(false)
      expect(await verify(reader, '', stored)).toBe(false)
      expect(await verify(reader, `${plain}\ud800`, stored)).toBe(false)
    },
  )

  it.each(oldHashes)('is read whole or not at all: %s', (_name, reader, _plain, stored) => {
    for (const damaged of [stored.slice(0, -3), `${stored}$x`, ` ${stored}`, stored.slice(1), ''])
      expect(reader.settings.some(({ canRead }) => canRead(damaged))).toBe(false)
  })

  it.each(oldHashes)('costs the same work for nobody: %s', async (_name, reader, plain) => {
    for (const setting of reader.settings) expect(await setting.verify(plain, null)).toBe(false)
  })

  it('of Keycloak is read where its parts are joined, padding or not', async () => {
    const salt = createHash('md5').update('salt').digest()
    const hash = pbkdf2Sync('secret words', salt, 27_500, 64, 'sha256').toString('base64')
    const stored = `$pbkdf2-sha256$27500$${salt.toString('base64')}$${hash}`
    const reader = pbkdf2({ iterations: [27_500], keyLength: 64 })
    expect(await verify(reader, 'secret words', stored)).toBe(true)
    expect(await verify(reader, 'secret words', stored.replaceAll('=', ''))).toBe(true)
  })
})

describe('argon2', () => {
  it('writes argon2id at its cost, and reads it', async () => {
    const one = argon2({ memoryCost: 7168, timeCost: 5 })
    const hash = await one.hash('secret words')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/)
    expect(await one.verify('secret words', hash)).toBe(true)
    expect(await one.verify('secret word', hash)).toBe(false)
    expect(one.needsRehash(hash)).toBe(false)
    expect(
      argon2({ params: [{ memoryCost: 7168, timeCost: 5, parallelism: 1 }] }).needsRehash(hash),
    ).toBe(true)
  })

  it('refuses to hash what is no password', async () => {
    for (const plain of ['', 'x'.repeat(8193), '\ud800'])
      await expect(argon2().hash(plain)).rejects.toMatchObject({ code: 'invalid-request' })
  })
})
