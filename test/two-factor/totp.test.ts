import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeBase32, encodeBase32 } from '../../src/lib/typed-codes.js'
import { totpCode } from '../../src/testing/testing.js'
import { newRecoveryCodes, recoveryCodeHash } from '../../src/two-factor/recovery-codes.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { matchingStep, stepAt, totpAt } from '../../src/two-factor/totp.js'

const seed = Buffer.from('12345678901234567890')

/** RFC 4226 §5.3, written down a second time. */
function reference(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

describe('a TOTP code', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('is that of RFC 6238, appendix B, at %i seconds', (seconds, code) => {
    expect(totpAt(seed, stepAt(new Date(seconds * 1000)))).toBe(code)
  })

  it('is that of a second implementation for random seeds and times', () => {
    for (let i = 0; i < 2000; i += 1) {
      const key = randomBytes(16 + (i % 20))
      const step = randomBytes(4).readUInt32BE() % 2 ** 31
      expect(totpAt(key, step)).toBe(reference(key, step))
    }
  })

  it.each([0, 1, 10, 15])('is never made from a seed of %i bytes', (length) => {
    expect(() => totpAt(Buffer.alloc(length, 1), 1)).toThrow(RangeError)
  })

  it('is not changed by a polluted Object.prototype', () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>
    const pollution = {
      digest: Buffer.alloc(20),
      window: 100,
      counter: 0,
      encoding: 'hex',
      key: 'x',
      length: 8,
      algorithm: 'md5',
    }
    const before = totpAt(seed, 1)
    Object.assign(prototype, pollution)
    try {
      expect(totpAt(seed, 1)).toBe(before)
    } finally {
      for (const name of Object.keys(pollution)) delete prototype[name]
    }
  })

  it('is found one step either side of now, never further, never for other text', () => {
    const now = new Date(60_000 * 1000)
    const current = stepAt(now)
    for (const offset of [-1, 0, 1])
      expect(matchingStep(seed, totpAt(seed, current + offset), now)).toBe(current + offset)
    for (const offset of [-2, 2, 10])
      expect(matchingStep(seed, totpAt(seed, current + offset), now)).toBeNull()
    const code = totpAt(seed, current)
    for (const text of ['', code.slice(1), `${code}0`, `+${code.slice(1)}`, '１２３４５６']) {
      expect(matchingStep(seed, text, now)).toBeNull()
    }
    // Apps show it in groups, and clipboards add a line end.
    const shown = `${code.slice(0, 3)} ${code.slice(3)}\n`
    expect(matchingStep(seed, shown, now)).toBe(current)
  })

  it('is found at the beginning of time too', () => {
    expect(matchingStep(seed, totpAt(seed, 0), new Date(0))).toBe(0)
  })

  it('for a test is what the app shows, and needs a real secret', () => {
    expect(totpCode('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', new Date(59_000))).toBe('287082')
    expect(() => totpCode('not base32!', new Date())).toThrow(TypeError)
  })
})

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %j is %j, RFC 4648 §10', (plain, encoded) => {
    expect(encodeBase32(Buffer.from(plain))).toBe(encoded)
    if (encoded !== '') expect(decodeBase32(encoded)?.toString()).toBe(plain)
  })

  it('comes back from any bytes, in either case, with or without padding', () => {
    for (let length = 1; length < 64; length += 1) {
      const bytes = randomBytes(length)
      const text = encodeBase32(bytes)
      expect(decodeBase32(text)).toEqual(bytes)
      expect(decodeBase32(text.toLowerCase())).toEqual(bytes)
      expect(decodeBase32(text.padEnd(Math.ceil(text.length / 8) * 8, '='))).toEqual(bytes)
    }
  })

  it.each([
    '',
    '=',
    'A',
    'AAA',
    'AAAAAA',
    'MZXW 6YTB',
    'MZXW-6YTB',
    'MZ1W6YTB',
    'M=ZX',
    'MY=======',
    'ｍｙ',
  ])('that is none decodes to nothing, never to an empty key: %j', (text) => {
    expect(decodeBase32(text)).toBeNull()
  })
})

describe('recovery codes', () => {
  it('are ten, all different, of 120 random bits, in groups of four', () => {
    const { codes } = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/)
  })

  it('are recognised however they are typed, and nothing else is', () => {
    const {
      codes: [code = ''],
    } = newRecoveryCodes()
    const hash = recoveryCodeHash(code)
    expect(hash).toMatch(/^[\w-]{43}$/)
    for (const typed of [
      code.toLowerCase(),
      code.replaceAll('-', ''),
      ` ${code.replaceAll('-', ' ')} `,
    ]) {
      expect(recoveryCodeHash(typed)).toBe(hash)
    }
    for (const typed of ['', '123456', code.slice(1), `${code}A`, code.replace(/^./, '1')])
      expect(recoveryCodeHash(typed)).toBeNull()
  })
})

describe('the seed vault', () => {
  const [one, other] = [randomBytes(32), randomBytes(32)]

  it('opens what it sealed, and the row shows nothing of it', () => {
    const vault = createSeedVault([one])
    const sealed = vault.seal('u-alice', seed)
    expect(vault.open('u-alice', sealed)).toEqual(seed)
    expect(sealed).not.toContain(seed.toString('base64url'))
    expect(vault.seal('u-alice', seed)).not.toBe(sealed)
  })

  it('opens nothing for another user: rows that were swapped do not decrypt', () => {
    const vault = createSeedVault([one])
    expect(vault.open('u-bob', vault.seal('u-alice', seed))).toBeNull()
  })

  it('opens with every key it holds and seals with the first', () => {
    const sealed = createSeedVault([one]).seal('u-alice', seed)
    const rotated = createSeedVault([other, one])
    expect(rotated.open('u-alice', sealed)).toEqual(seed)
    expect(createSeedVault([other]).open('u-alice', sealed)).toBeNull()
    expect(createSeedVault([other]).open('u-alice', rotated.seal('u-alice', seed))).toEqual(seed)
  })

  it('opens nothing that was changed', () => {
    const vault = createSeedVault([one])
    const sealed = vault.seal('u-alice', seed)
    const parts = sealed.split('.')
    for (let i = 0; i < parts.length; i += 1) {
      const changed = parts
        .map((part, at) => (at === i ? `A${part.slice(1) === part ? 'B' : part.slice(2)}B` : part))
        .join('.')
      expect(vault.open('u-alice', changed)).toBeNull()
    }
    for (const rubbish of [
      '',
      'v1',
      'v1.a.b.c',
      sealed.slice(0, -10),
      sealed.replace('v1', 'v2'),
    ]) {
      expect(vault.open('u-alice', rubbish)).toBeNull()
    }
  })
})
