import '../support/steps.js'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { generateClientSecret } from '../../src/index.js'
import { isSecretOf } from '../../src/oauth/client-secret.js'
import { stepsOf } from '../support/steps.js'

const mine = generateClientSecret()
const next = generateClientSecret()
const hashOf = (secret: string) =>
  `sha256:${createHash('sha256').update(secret).digest('base64url')}`

describe('a secret of a client', () => {
  it('is 256 random bits that form-encoding does not change, and is new every time', () => {
    const made = Array.from({ length: 1000 }, generateClientSecret)
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1000)
    for (const { secret, hash } of made) {
      expect(secret).toMatch(/^mar_cs_[A-Za-z0-9_-]{43}$/)
      expect(new URLSearchParams({ secret }).toString()).toBe(`secret=${secret}`)
      expect(hash).toBe(hashOf(secret))
    }
  })

  it('is known by its hash, alone or beside the one that follows it', () => {
    expect(isSecretOf([mine.hash], mine.secret)).toBe(true)
    expect(isSecretOf([mine.hash, next.hash], mine.secret)).toBe(true)
    expect(isSecretOf([next.hash, mine.hash], mine.secret)).toBe(true)
    expect(isSecretOf([next.hash], mine.secret)).toBe(false)
  })

  it.each<[string, readonly string[] | undefined]>([
    ['no list', undefined],
    ['an empty list', []],
    ['an empty hash', ['']],
    ['the secret in clear', [mine.secret]],
    ['a hash without its prefix', [mine.hash.slice(7)]],
    ['a hash of another kind', [mine.hash.replace('sha256', 'sha512')]],
    ['the prefix alone', ['sha256:']],
    ['a hash with something after it', [`${mine.hash}A`]],
    ['a hash that is cut off', [mine.hash.slice(0, -1)]],
    [
      'a hash in hexadecimal',
      [`sha256:${Buffer.from(mine.hash.slice(7), 'base64url').toString('hex')}`],
    ],
    ['a third hash', [next.hash, next.hash, mine.hash]],
  ])('fits no client with %s', (_what, secretHashes) => {
    expect(isSecretOf(secretHashes, mine.secret)).toBe(false)
    expect(isSecretOf(secretHashes, '')).toBe(false)
  })

  it('does not fit when any one character of it is another, is missing or is one too many', () => {
    const { secret, hash } = mine
    for (let at = 0; at < secret.length; at += 1) {
      const other = secret[at] === 'A' ? 'B' : 'A'
      expect(isSecretOf([hash], `${secret.slice(0, at)}${other}${secret.slice(at + 1)}`)).toBe(
        false,
      )
      expect(isSecretOf([hash], secret.slice(0, at) + secret.slice(at + 1))).toBe(false)
    }
    for (const text of [`${secret} `, ` ${secret}`, `${secret}\0`, secret.toLowerCase(), hash])
      expect(isSecretOf([hash], text)).toBe(false)
  })

  it('that is longer than any is refused without being read, though its beginning fits', () => {
    const long = 'x'.repeat(512)
    expect(isSecretOf([hashOf(long)], long)).toBe(true)
    expect(isSecretOf([hashOf(long)], `${long}x`)).toBe(false)
    const huge = `${long}${'x'.repeat(10_000_000)}`
    const hashes = [hashOf(long)]
    expect(stepsOf(() => isSecretOf(hashes, long))).toBeGreaterThan(512)
    expect(stepsOf(() => isSecretOf(hashes, huge))).toBeLessThan(2000)
  })
})
