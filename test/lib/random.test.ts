import { expect, it } from 'vitest'
import { randomId, randomSecret } from '../../src/lib/random.js'

it('writes secrets of 256 bits and identifiers of 128', () => {
  expect(Buffer.from(randomSecret(), 'base64url')).toHaveLength(32)
  expect(Buffer.from(randomId(), 'base64url')).toHaveLength(16)
})

it('never writes the same twice', () => {
  const written = Array.from({ length: 2000 }, () => [randomSecret(), randomId()]).flat()
  expect(new Set(written).size).toBe(written.length)
})
