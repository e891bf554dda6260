import { expect, it } from 'vitest'
import { randomBuffer, randomId, randomSecret } from '../../src/lib/random.js'

it('never gives the same bytes twice, nor bytes that were wiped', () => {
  const given = Array.from({ length: 2000 }, (_, i) => randomBuffer(16 + (i % 33)).toString('hex'))
  const pieces = new Set(given.flatMap((hex) => hex.match(/.{16}/g) ?? []))
  expect(pieces.size).toBe(given.reduce((sum, hex) => sum + Math.floor(hex.length / 16), 0))
  expect(pieces).not.toContain('0'.repeat(16))
})

it('gives a buffer to its caller alone', () => {
  const mine = randomBuffer(32)
  const before = Buffer.from(mine)
  for (let i = 0; i < 100; i += 1) randomBuffer(32).fill(7)
  expect(mine).toEqual(before)
})

it('gives as much as there is to give, the whole of it random, and no more', () => {
  expect(() => randomBuffer(513)).toThrow(RangeError)
  const bytes = randomBuffer(512)
  expect(bytes).toHaveLength(512)
  // Of 512 random bytes each value is there twice; fewer than 150 different ones do not happen.
  expect(new Set(bytes).size).toBeGreaterThan(150)
})

it('writes secrets of 256 bits and identifiers of 128', () => {
  expect(Buffer.from(randomSecret(), 'base64url')).toHaveLength(32)
  expect(Buffer.from(randomId(), 'base64url')).toHaveLength(16)
})
