import { createHmac } from 'node:crypto'
import speakeasy from 'speakeasy'
import { describe, expect, it } from 'vitest'
import { matchingStep, stepAt, totpAt } from '../../src/two-factor/totp.js'
import { rounds } from '../support/rounds.js'

const seeds = {
  sha1: Buffer.from('12345678901234567890'),
  sha256: Buffer.from('12345678901234567890123456789012'),
  sha512: Buffer.from('1234567890123456789012345678901234567890123456789012345678901234'),
}

const vectors = [
  [59, '94287082', '46119246', '90693936'],
  [1_111_111_109, '07081804', '68084774', '25091201'],
  [1_111_111_111, '14050471', '67062674', '99943326'],
  [1_234_567_890, '89005924', '91819424', '93441116'],
  [2_000_000_000, '69279037', '90698825', '38618901'],
  [20_000_000_000, '65353130', '77737706', '47863826'],
] as const

describe('the vectors of RFC 6238, appendix B', () => {
  it.each(vectors)(
    'hold at %d seconds, by the library for all three digests, by us for ours',
    (seconds, sha1, sha256, sha512) => {
      const counter = stepAt(new Date(seconds * 1000))
      const expected = { sha1, sha256, sha512 }
      for (const algorithm of ['sha1', 'sha256', 'sha512'] as const) {
        const secret = seeds[algorithm] as unknown as string
        expect(speakeasy.hotp({ secret, counter, digits: 8, algorithm, encoding: 'ascii' })).toBe(
          expected[algorithm],
        )
      }
      expect(totpAt(seeds.sha1, counter)).toBe(sha1.slice(-6))
      expect(matchingStep(seeds.sha1, sha1.slice(-6), new Date(seconds * 1000))).toBe(counter)
    },
  )
})

/** A small generator with a seed, so that a failure can be had again: mulberry32. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** RFC 4226 §5.3 with node:crypto, written down a second time. */
function reference(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

describe('10,000 random seeds and steps', () => {
  it('give the codes that node:crypto gives, and no code passes that is not one of three', () => {
    const seed = Number(process.env['SEED'] ?? 6238)
    const random = generator(seed)
    const differing: string[] = []
    for (let i = 0; i < rounds(10_000); i += 1) {
      const key = Buffer.alloc(16 + (random() % 49))
      for (let at = 0; at < key.length; at += 1) key[at] = random()
      // Up to the year 4011, after which the library counts wrongly.
      const step = random() % 2 ** 31
      if (totpAt(key, step) !== reference(key, step))
        differing.push(`SEED=${seed}, round ${i}, step ${step}, ${key.toString('hex')}`)
    }
    expect(differing).toEqual([])
  }, 10_000)

  it('match exactly where one of three neighbouring codes is equal', () => {
    const seed = Number(process.env['SEED'] ?? 6238)
    const random = generator(seed)
    for (let i = 0; i < rounds(300); i += 1) {
      const key = Buffer.alloc(20)
      for (let at = 0; at < key.length; at += 1) key[at] = random()
      const step = 2 + (random() % 2 ** 26)
      const now = new Date((step * 30 + (random() % 30)) * 1000 + (random() % 1000))
      const shown = reference(key, step + (random() % 7) - 3)
      const near = [step + 1, step, step - 1].find((one) => reference(key, one) === shown) ?? null
      expect({ seed, i, found: matchingStep(key, shown, now) }).toEqual({ seed, i, found: near })
    }
  })
})
