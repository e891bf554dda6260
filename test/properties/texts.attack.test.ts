// Whatever text arrives: each reader against its grammar, or against a second opinion.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import speakeasy from 'speakeasy'
import { describe, expect, it } from 'vitest'
import { deviceName } from '../../src/account/device-name.js'
import { clientAddress, networkOf } from '../../src/http/client-address.js'
import { createContexts } from '../../src/http/request-context.js'
import { AuthError } from '../../src/index.js'
import { decodeBase32, encodeBase32 } from '../../src/lib/typed-codes.js'
import {
  identifierDigests,
  lowerCaseNames,
  parseLoginRequest,
} from '../../src/login/login-request.js'
import {
  codeChallengePattern,
  codeVerifierPattern,
  verifierMatches,
} from '../../src/pkce/authorization-code.js'
import {
  classifyRefreshToken,
  newRefreshToken,
  rotateRefreshToken,
  sessionIdOf,
} from '../../src/tokens/refresh-token.js'
import { matchingStep, totpAt } from '../../src/two-factor/totp.js'
import { rounds } from '../support/rounds.js'

const contexts = createContexts({
  clientAddress: undefined,
  requestId: undefined,
  onFailure: () => {},
  warnOnce: () => {},
})
const numRuns = rounds(150)
const check = (property: fc.IProperty<unknown>) =>
  fc.assert(property as fc.IProperty<never>, { numRuns })
const anyText = fc.string({ unit: 'binary', maxLength: 400 })
const base64url = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'AZaz09-_'), minLength: length, maxLength: length })

const digests = identifierDigests([])
const digest = (value: string) => digests({ kind: 'user', value }).name
const canonical = (value: string) => lowerCaseNames({ kind: 'username', value })
const accepts = (username: unknown) => {
  try {
    parseLoginRequest({ username, password: 'p' } as never, () => '')
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(AuthError)
    return false
  }
}

describe('an identifier', () => {
  const names = fc.oneof(
    anyText,
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...'aAjJwWΣσςİıẞßΑΥ\u030A\u030C\u0342\u0313\u0308') }),
  )

  it('that is accepted has a canonical form that is accepted, is its own, and is counted with it', () => {
    check(
      fc.property(names, (name) => {
        if (!accepts(name)) return
        const form = canonical(name)
        expect(accepts(form)).toBe(true)
        expect(canonical(form)).toBe(form)
        expect(digest(form)).toBe(digest(name))
      }),
    )
  })

  it('in upper case is the one in lower case, for every letter that has both', () => {
    const isNfkc = (text: string) => text.normalize('NFKC') === text
    const points = Array.from({ length: 0x110000 }, (_nothing, point) => point)
    const letters = points
      .map((point) => String.fromCodePoint(point))
      .filter((letter) => letter.toUpperCase() !== letter)
    const apart = letters
      .map((letter) => [letter, letter.toUpperCase()] as const)
      .filter(([letter, upper]) => isNfkc(letter) && isNfkc(upper))
      .filter(([letter, upper]) => upper.toLowerCase().normalize('NFKC') === letter)
      .filter(
        ([letter, upper]) =>
          canonical(upper) !== canonical(letter) || digest(upper) !== digest(letter),
      )
    expect(apart).toEqual([])
  })

  it(
    'is refused with a control character, a lone surrogate, or what NFKC would change, wherever ' +
      'that stands',
    () => {
      const bad = fc.oneof(
        fc.integer({ min: 0, max: 0x1f }).map((point) => String.fromCodePoint(point)),
        fc.integer({ min: 0x7f, max: 0x9f }).map((point) => String.fromCodePoint(point)),
        fc.integer({ min: 0xd800, max: 0xdfff }).map((point) => `.${String.fromCharCode(point)}.`),
        fc.constantFrom('\uFF41', '\u212B', '\u00AA', '\uFB01', 'e\u0301'),
      )
      const plain = fc.string({ unit: fc.constantFrom(...'abc.@ 019') })
      check(
        fc.property(
          plain,
          bad,
          plain,
          // Between letters: blanks at the ends are taken off.
          (before, wrong, after) => void expect(accepts(`a${before}${wrong}${after}z`)).toBe(false),
        ),
      )
    },
  )
})

describe('base32', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 })

  it(
    'comes back as the bytes that went in, in upper case, without padding, and as speakeasy ' +
      'reads it',
    () => {
      check(
        fc.property(bytes, (given) => {
          const text = encodeBase32(given)
          expect(text).toMatch(/^[A-Z2-7]+$/)
          expect(decodeBase32(text)).toEqual(Buffer.from(given))
          const counter = given.length
          expect(speakeasy.hotp({ secret: text, encoding: 'base32', counter })).toBe(
            speakeasy.hotp({
              secret: Buffer.from(given).toString('hex'),
              encoding: 'hex',
              counter,
            }),
          )
        }),
      )
    },
  )

  it('is taken in either case, bare or with exactly the padding of RFC 4648, and with no other', () => {
    check(
      fc.property(bytes, fc.nat({ max: 9 }), (given, padding) => {
        const text = encodeBase32(given)
        const isWhole = padding === 0 || ((text.length + padding) % 8 === 0 && padding < 8)
        const expected = isWhole ? Buffer.from(given) : null
        expect(decodeBase32(text + '='.repeat(padding))).toEqual(expected)
        expect(decodeBase32(text.toLowerCase() + '='.repeat(padding))).toEqual(expected)
      }),
    )
  })

  it('is refused as soon as one character is another', () => {
    const other = fc.oneof(
      fc.constantFrom(...'0189 -_+/=\n\t.İıſ'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    )
    check(
      fc.property(bytes, other, fc.nat(), (given, character, at) => {
        if (/^[A-Za-z2-7]$/.test(character)) return
        const text = encodeBase32(given)
        const place = at % text.length
        expect(decodeBase32(`${text.slice(0, place)}${character}${text.slice(place)}`)).toBeNull()
      }),
    )
  })
})

describe('TOTP', () => {
  // RFC 4226 §5.3, on its own.
  function hotp(seed: Buffer, counter: number): string {
    const message = Buffer.alloc(8)
    message.writeBigUInt64BE(BigInt(counter))
    const mac = createHmac('sha1', seed).update(message).digest()
    const offset = (mac[19] as number) & 15
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
  }

  it('is what RFC 4226 and RFC 6238 say, for thousands of seeds and steps', () => {
    const pool = randomBytes(1 << 20)
    for (let turn = 0; turn < rounds(10_000); turn += 1) {
      const at = turn * 7
      const seed = pool.subarray(at, at + 16 + (turn % 49))
      const step = pool.readUInt32LE(at) >>> 1
      const [ours, theirs] = [totpAt(seed, step), hotp(seed, step)]
      if (ours !== theirs)
        expect.unreachable(`${seed.toString('hex')} at ${step}: ${ours}, not ${theirs}`)
    }
  })

  it('takes no text but the six digits of a step around now', () => {
    const seed = Buffer.alloc(20, 7)
    const now = new Date('2030-01-01T00:00:00Z')
    const near = [-30, 0, 30].map((seconds) =>
      hotp(seed, Math.floor(now.getTime() / 30_000 + seconds / 30)),
    )
    const dressed = fc
      .tuple(fc.constantFrom(...near), fc.constantFrom('+', '.0', '\u0660', '=', 'x'))
      .map(([code, junk]) => [code + junk, junk + code])
    check(
      fc.property(
        fc.oneof(anyText, fc.stringMatching(/^\d{6}$/)),
        (code) =>
          void expect(matchingStep(seed, code, now) !== null).toBe(
            near.includes(code.replaceAll(/[\s\p{Pd}]/gu, '')),
          ),
      ),
    )
    check(
      fc.property(
        dressed,
        (codes) =>
          void expect(codes.map((code) => matchingStep(seed, code, now))).toEqual([null, null]),
      ),
    )
  })
})

describe('PKCE', () => {
  it('takes a verifier of RFC 7636 and nothing else, and matches it to its own challenge alone', () => {
    const isVerifier = (text: string) =>
      text.length >= 43 &&
      text.length <= 128 &&
      [...text].every((one) => /[A-Za-z0-9\-._~]/.test(one) && one.length === 1)
    const near = fc.string({
      unit: fc.constantFrom(...'Az09-._~+/=\n é'),
      minLength: 40,
      maxLength: 130,
    })
    check(
      fc.property(
        fc.oneof(anyText, near),
        (text) => void expect(codeVerifierPattern.test(text)).toBe(isVerifier(text)),
      ),
    )
    check(
      fc.property(base64url(43), base64url(43), (verifier, other) => {
        const challenge = createHash('sha256').update(verifier).digest('base64url')
        expect(codeChallengePattern.test(challenge)).toBe(true)
        expect(verifierMatches(verifier, challenge)).toBe(true)
        expect(verifierMatches(other, challenge)).toBe(other === verifier)
        expect(verifierMatches(`${verifier}\n`, challenge)).toBe(false)
      }),
    )
  })
})

describe('a refresh token', () => {
  it('has a session only in its one form', () => {
    check(fc.property(anyText, (text) => void expect(sessionIdOf(text)).toBeNull()))
    check(
      fc.property(base64url(22), anyText, fc.nat(), (id, junk, at) => {
        const { token } = newRefreshToken(id)
        expect(sessionIdOf(token)).toBe(id)
        const place = at % (token.length + 1)
        if (junk !== '')
          expect(sessionIdOf(token.slice(0, place) + junk + token.slice(place))).toBeNull()
      }),
    )
  })

  it('of another session, or invented, is foreign; so nobody ends a session by its id', () => {
    const now = new Date('2030-01-01T00:00:00Z')
    check(
      fc.property(base64url(22), base64url(43), base64url(22), (id, secret, tag) => {
        const first = newRefreshToken(id)
        const second = rotateRefreshToken(id, first.token, first.refresh, now, 10)
        const judge = (token: string) => classifyRefreshToken(id, token, second.refresh, now, 10)
        expect(judge(`mar_rt_${id}.${secret}${tag}`)).toEqual({ is: 'foreign' })
        expect(judge(newRefreshToken(id).token)).toEqual({ is: 'foreign' })
        expect(judge(second.token)).toEqual({ is: 'current' })
        expect(judge(first.token)).toEqual({ is: 'spent-lately', successor: second.token })
      }),
    )
  })
})

describe('an address', () => {
  const groups = fc.array(
    fc.oneof(fc.constant(0), fc.constant(0xffff), fc.integer({ min: 0, max: 0xffff })),
    {
      minLength: 8,
      maxLength: 8,
    },
  )
  const addressOf = (ip: unknown) => clientAddress({ ip, socket: {} } as never)

  // One address, written as RFC 4291 §2.2 allows: any run of zeros may be left out, groups padded
  // or not, in either case, the end dotted.
  function spell(address: readonly number[], choice: number): string {
    const written = address.map((group, at) => {
      const text = group.toString(16)
      const padded = (choice >> at) % 2 === 0 ? text : text.padStart(4, '0')
      return (choice >> (at + 8)) % 2 === 0 ? padded : padded.toUpperCase()
    })
    if ((choice >> 16) % 2 === 1) {
      const [high, low] = address.slice(6) as [number, number]
      written.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join('.'))
    }
    const zeros = written.findIndex(
      (group, at) =>
        Number.parseInt(group, 16) === 0 && !group.includes('.') && at >= (choice >> 17) % 8,
    )
    if (zeros < 0) return written.join(':')
    let end = zeros + 1
    while (
      end < written.length &&
      !written[end]?.includes('.') &&
      Number.parseInt(written[end] ?? 'f', 16) === 0
    )
      end += 1
    return `${written.slice(0, zeros).join(':')}::${written.slice(end).join(':')}`
  }

  const prefixOf = (address: readonly number[]) =>
    address.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n) >> 64n
  const isMapped = (address: readonly number[]) =>
    address.slice(0, 5).every((group) => group === 0) && address[5] === 0xffff
  const networkAsked = (text: string) => networkOf(addressOf(text))

  it('of IPv6 has one network in every spelling, the one of its first 64 bits', () => {
    check(
      fc.property(
        groups,
        groups,
        fc.nat({ max: 2 ** 21 }),
        fc.nat({ max: 2 ** 21 }),
        fc.boolean(),
        (one, tail, first, second, isSibling) => {
          const other = isSibling ? [...one.slice(0, 4), ...tail.slice(4)] : tail
          if (isMapped(one) || isMapped(other)) return
          const [left, right] = [spell(one, first), spell(other, second)]
          expect([left, right]).toSatisfy((both: string[]) => both.every(isIPv6))
          expect(networkAsked(left)).toBe(networkAsked(spell(one, second)))
          expect(networkAsked(left) === networkAsked(right), `${left} and ${right}`).toBe(
            prefixOf(one) === prefixOf(other),
          )
        },
      ),
    )
  })

  it('of IPv4 is its own network, and the same one mapped into IPv6, however that is written', () => {
    check(
      fc.property(fc.ipV4(), fc.nat({ max: 2 ** 21 }), (ip, choice) => {
        const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
        expect(networkAsked(ip)).toBe(ip)
        expect(networkAsked(spell([0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d], choice))).toBe(
          ip,
        )
      }),
    )
  })

  it('is none, or one that is written in digits; never a text of the client’s', () => {
    check(
      fc.property(fc.oneof(anyText, fc.ipV6(), fc.ipV4Extended(), fc.anything()), (given) => {
        const address = addressOf(given)
        expect(
          address === null || isIPv4(address) || (isIPv6(address) && !address.includes('%')),
        ).toBe(true)
        expect(networkOf(address)).toMatch(/^(unknown|[\d.]+|[\da-f:]+\/64)$/)
      }),
    )
  })
})

describe('what a request says of itself', () => {
  it('makes a device name or none, a hundred characters at most', () => {
    const agents = fc.oneof(
      anyText,
      anyText.map((text) => `Mozilla/5.0 (${text}) ${text}`),
    )
    check(
      fc.property(agents, (agent) => {
        const name = deviceName(agent)
        expect(name === null || (name.length > 0 && name.length <= 100)).toBe(true)
      }),
    )
  })

  it('forges no line of a log: the request id and the address have no characters that could', () => {
    check(
      fc.property(fc.oneof(anyText, fc.anything()), anyText, (id, ip) => {
        const { requestId, ip: address } = contexts.of({ id, ip, headers: {}, socket: {} } as never)
        expect(requestId).toMatch(/^[\w.:-]{1,128}$/)
        expect(address ?? '').toMatch(/^[\da-f.:]*$/)
      }),
    )
  })
})
