import { createHmac, generateKeyPairSync } from 'node:crypto'
import { exportJWK, importJWK, type JWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type AccessTokenClaims,
  generateSigningKey,
  joseSigner,
  type SigningAlgorithm,
  type SigningKey,
} from '../../src/index.js'

const issuer = 'https://chat.example.com'
const audience = 'chat'
const now = () => Math.floor(Date.now() / 1000)
const claims = (change: object = {}): AccessTokenClaims => ({
  sub: 'u-alice',
  sid: 'session',
  iat: now(),
  exp: now() + 600,
  jti: 'one',
  auth_time: now(),
  amr: ['pwd'],
  scope: '*',
  ...change,
})

const key = await generateSigningKey()
const otherKey = await generateSigningKey()
const signer = joseSigner({ issuer, audience, keys: [key] })
const rsa2048 = await exportJWK(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const p384 = await exportJWK(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)

/**
 * Signs anything with the right key: what a bug elsewhere, or another service with the same key,
 * could produce.
 */
async function forge(
  payload: object,
  header: object = {},
  signingKey: SigningKey = key,
): Promise<string> {
  const { kid = '', alg = '' } = signingKey
  return new SignJWT({ ...payload } as never)
    .setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header })
    .sign(await importJWK(signingKey as JWK, alg))
}

const whole = () => ({ ...claims(), iss: issuer, aud: audience })

describe('joseSigner refuses', () => {
  it.each<[string, object]>([
    ['no expiry', { exp: undefined }],
    ['an expiry in the past', { exp: now() - 60 }],
    ['a beginning in the future', { nbf: now() + 60 }],
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['an issuer that merely begins alike', { iss: `${issuer}.evil.com` }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['an audience that names others besides us', { aud: [audience, 'other'] }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['an object as subject', { sub: { $ne: null } }],
    ['no session', { sid: undefined }],
    ['a number as session', { sid: 7 }],
    ['no jti', { jti: undefined }],
    ['text as iat', { iat: 'now' }],
    ['no auth_time', { auth_time: undefined }],
    ['text as amr', { amr: 'pwd' }],
    ['numbers in amr', { amr: [1] }],
    ['no scope', { scope: undefined }],
  ])('%s, however well signed, is refused', async (_name, change) => {
    const payload = JSON.parse(JSON.stringify({ ...whole(), ...change }))
    await expect(signer.verify(await forge(payload))).rejects.toMatchObject({
      name: 'AuthError',
      code: 'Unauthorized',
    })
  })

  it.each<[string, object]>([
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['an unknown kid', { kid: 'unknown' }],
    ['no kid', { kid: undefined }],
    ['a key of its own', { jwk: { kty: 'oct', k: 'AAAA' } }],
    ['a key URL', { jku: 'https://evil.example.com/jwks.json' }],
    ['a certificate URL', { x5u: 'https://evil.example.com/c.pem' }],
    ['a content type', { cty: 'JWT' }],
  ])('a header with %s', async (_name, header) => {
    await expect(signer.verify(await forge(whole(), header))).rejects.toMatchObject({
      code: 'Unauthorized',
    })
  })

  it('a critical extension', async () => {
    const token = await new SignJWT(whole())
      .setProtectedHeader({
        alg: 'ES256',
        typ: 'at+jwt',
        kid: key.kid as string,
        b64: true,
        crit: ['b64'],
      })
      .sign(await importJWK(key as JWK, 'ES256'))
    await expect(signer.verify(token)).rejects.toMatchObject({ code: 'Unauthorized' })
  })

  it('the algorithm "none", and HMAC with the public key', async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const none = `${encode({ alg: 'none', typ: 'at+jwt', kid: key.kid })}.${encode(whole())}.`
    const { keys } = (await signer.publicKeys?.()) ?? { keys: [] }
    const head = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: key.kid })}.${encode(whole())}`
    const mac = createHmac('sha256', JSON.stringify(keys[0])).update(head).digest('base64url')
    const confused = `${head}.${mac}`
    for (const token of [none, confused])
      await expect(signer.verify(token)).rejects.toMatchObject({ code: 'Unauthorized' })
  })

  it.each([
    '',
    'x',
    'a.b',
    'a.b.c',
    '.....',
    `${'a'.repeat(3000)}.${'b'.repeat(3000)}.c`,
    '{}',
    'bnVsbA.e30.AA',
    '\ud800.a.b',
  ])('rubbish: %j', async (token) => {
    await expect(signer.verify(token)).rejects.toMatchObject({ code: 'Unauthorized' })
  })

  it('a token whose payload or signature was changed in any one character', async () => {
    const token = await signer.sign(claims())
    const [head = '', body = '', signature = ''] = token.split('.')
    const flip = (text: string) =>
      text.at(10) === 'A'
        ? `${text.slice(0, 10)}B${text.slice(11)}`
        : `${text.slice(0, 10)}A${text.slice(11)}`
    for (const changed of [
      `${flip(head)}.${body}.${signature}`,
      `${head}.${flip(body)}.${signature}`,
      `${head}.${body}.${flip(signature)}`,
    ]) {
      await expect(signer.verify(changed)).rejects.toMatchObject({ code: 'Unauthorized' })
    }
  })

  it('a token that is longer than any of ours', async () => {
    await expect(
      signer.verify(await forge({ ...whole(), padding: 'x'.repeat(5000) })),
    ).rejects.toMatchObject({
      message: expect.stringContaining('4096'),
    })
  })
})

describe('joseSigner', () => {
  it.each<SigningAlgorithm>(['ES256', 'EdDSA', 'PS256', 'HS256'])(
    'signs and verifies with %s',
    async (algorithm) => {
      const own = await generateSigningKey(algorithm)
      const made = joseSigner({ issuer, audience, keys: [own] })
      const signed = claims()
      const token = await made.sign(signed)
      expect(await made.verify(token)).toEqual(signed)
      expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
        alg: algorithm,
        typ: 'at+jwt',
        kid: own.kid,
      })
      const published = JSON.stringify(await made.publicKeys?.())
      for (const secret of ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'])
        expect(JSON.parse(published).keys[0]?.[secret]).toBeUndefined()
      expect(JSON.parse(published).keys).toHaveLength(algorithm === 'HS256' ? 0 : 1)
    },
    30_000,
  )

  it('keys survive JSON, and need neither kid nor alg', async () => {
    const { kid: _kid, alg: _alg, ...bare } = JSON.parse(JSON.stringify(key))
    const made = joseSigner({ issuer, audience, keys: [bare] })
    const signed = claims()
    expect(await signer.verify(await made.sign(signed))).toEqual(signed)
  })

  it('signs with the first key and verifies with all, a public one included', async () => {
    const next = await generateSigningKey('EdDSA')
    const { d: _private, ...retired } = key
    const rotated = joseSigner({ issuer, audience, keys: [next, retired as SigningKey] })
    const signed = claims()
    const old = await signer.sign(signed)
    expect(await rotated.verify(old)).toEqual(signed)
    await expect(signer.verify(await rotated.sign(claims()))).rejects.toMatchObject({
      code: 'Unauthorized',
    })
    expect((await rotated.publicKeys?.())?.keys.map(({ kid }) => kid)).toEqual([next.kid, key.kid])
  })

  it('forgives 5 seconds of skew and no more', async () => {
    let skew = 0
    const moved = joseSigner({
      issuer,
      audience,
      keys: [key],
      clock: () => new Date(Date.now() + skew * 1000),
    })
    const token = await moved.sign(claims())
    skew = 603
    expect(await moved.verify(token)).toMatchObject({ sub: 'u-alice' })
    skew = 607
    await expect(moved.verify(token)).rejects.toMatchObject({ code: 'Unauthorized' })
  })
})

describe('joseSigner does not start with', () => {
  const { d: _d, ...publicKey } = key
  it.each<[string, object, string]>([
    ['no issuer', { issuer: undefined }, 'joseSigner.issuer'],
    ['an empty issuer', { issuer: ' ' }, 'joseSigner.issuer'],
    ['an issuer that is a name', { issuer: 'chat' }, 'joseSigner.issuer'],
    ['an issuer without a scheme', { issuer: 'chat.example.com' }, 'joseSigner.issuer'],
    ['an issuer of another scheme', { issuer: 'urn:example:chat' }, 'joseSigner.issuer'],
    ['an issuer with a query', { issuer: 'https://chat.example.com?a' }, 'joseSigner.issuer'],
    ['an issuer with a fragment', { issuer: 'https://chat.example.com#a' }, 'joseSigner.issuer'],
    ['an issuer with a user', { issuer: 'https://a@chat.example.com' }, 'joseSigner.issuer'],
    ['no audience', { audience: undefined }, 'joseSigner.audience'],
    ['no keys', { keys: [] }, 'joseSigner.keys'],
    ['keys that are no list', { keys: key }, 'joseSigner.keys'],
    ['text as a key', { keys: ['secret'] }, 'joseSigner.keys[0]'],
    ['an HMAC key of five bytes', { keys: [{ kty: 'oct', k: 'aGVsbG8' }] }, 'joseSigner.keys[0]'],
    ['an RSA key of 2048 bits', { keys: [rsa2048] }, 'joseSigner.keys[0]'],
    ['another curve', { keys: [p384] }, 'joseSigner.keys[0]'],
    ['another type of key', { keys: [{ kty: 'XYZ' }] }, 'joseSigner.keys[0]'],
    [
      'a key with another algorithm',
      { keys: [{ ...key, alg: 'ES384' }] },
      'joseSigner.keys[0].alg',
    ],
    ['RS256', { keys: [{ ...rsa2048, alg: 'RS256' }] }, 'joseSigner.keys[0].alg'],
    ['an empty kid', { keys: [{ ...key, kid: '' }] }, 'joseSigner.keys[0].kid'],
    ['a point that is not on the curve', { keys: [{ ...key, x: key['y'] }] }, 'joseSigner.keys[0]'],
    [
      'a private part of another key',
      { keys: [{ ...key, d: otherKey['d'] }] },
      'joseSigner.keys[0]',
    ],
    [
      'a key that may only verify',
      { keys: [{ ...key, key_ops: ['verify'] }] },
      'joseSigner.keys[0]',
    ],
    ['a key for encryption', { keys: [{ ...key, use: 'enc' }] }, 'joseSigner.keys[0]'],
    [
      'an HMAC key that is no base64url',
      { keys: [{ kty: 'oct', k: '+/'.repeat(40) }] },
      'joseSigner.keys[0]',
    ],
    ['a public key first', { keys: [publicKey] }, 'joseSigner.keys[0]'],
    ['one kid twice', { keys: [key, key] }, 'joseSigner.keys'],
    ['a skew of an hour', { clockTolerance: 3600 }, 'joseSigner.clockTolerance'],
    ['an option it does not know', { algorithm: 'none' }, 'joseSigner.algorithm'],
  ])('%s', (_name, change, option) => {
    expect(() => joseSigner({ issuer, audience, keys: [key], ...change } as never)).toThrow(
      expect.objectContaining({
        name: 'AuthConfigError',
        option,
        remedy: expect.stringMatching(/\w/),
      }),
    )
  })
})

describe('claims that make too long a token', () => {
  it('are not signed: what sign answers, verify takes', async () => {
    const longest = claims({ sub: 'u'.repeat(1024), scope: 's'.repeat(1000) })
    expect(await signer.verify(await signer.sign(longest))).toEqual(longest)
    await expect(signer.sign(claims({ scope: 's'.repeat(4000) }))).rejects.toThrow(
      'is refused by 4096',
    )
  })
})
