import { expect, it } from 'vitest'
import { randomId, randomSecret } from '../../src/lib/secrets.js'

it('writes secrets of 256 bits and identifiers of 128', () => {
  expect(Buffer.from(randomSecret(), 'base64url')).toHaveLength(32)
  expect(Buffer.from(randomId(), 'base64url')).toHaveLength(16)
})

it('never writes the same twice', () => {
  const written = Array.from({ length: 2000 }, () => [randomSecret(), randomId()]).flat()
  expect(new Set(written).size).toBe(written.length)
})

it('uses no random byte twice, although many values come of one call of the generator', () => {
  const windows = new Set<string>()
  let count = 0
  for (let i = 0; i < 3000; i += 1) {
    const bytes = Buffer.from(i % 3 === 0 ? randomSecret() : randomId(), 'base64url')
    for (let at = 0; at + 8 <= bytes.length; at += 1, count += 1)
      windows.add(bytes.toString('hex', at, at + 8))
  }
  expect(windows.size).toBe(count)
})
