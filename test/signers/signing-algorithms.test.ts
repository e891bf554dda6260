import { createPrivateKey, createSecretKey, type JsonWebKey } from 'node:crypto'
import fc from 'fast-check'
import { CompactSign, compactVerify, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type AccessTokenClaims,
  generateSigningKey,
  joseSigner,
  type SigningAlgorithm,
} from '../../src/index.js'
import { compactJws } from '../../src/signers/read-token.js'
import { rounds } from '../support/rounds.js'

const issuer = 'https://chat.example.com'
const audience = 'chat'

// RFC 8037 Appendix A.1 and A.4.
const ed25519 = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}
const ed25519Jws =
  'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.' +
  'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'

// RFC 7515 Appendix A.1 and A.3.
const payload = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}'
const hmac = {
  kty: 'oct',
  k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
}
const encodedPayload =
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'
const hmacJws =
  `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${encodedPayload}.` +
  'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const p256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
}
const p256Jws =
  `eyJhbGciOiJFUzI1NiJ9.${encodedPayload}.` +
  'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q'

const privateKey = (key: JsonWebKey) => createPrivateKey({ key, format: 'jwk' })

describe('the examples of the RFCs', () => {
  it('RFC 7515 A.1, HS256: the same bytes', async () => {
    const key = createSecretKey(hmac.k, 'base64url')
    const header = '{"typ":"JWT",\r\n "alg":"HS256"}'
    expect(await compactJws('HS256', key, header, payload)).toBe(hmacJws)
  })

  it('RFC 8037 A.4, Ed25519: the same bytes', async () => {
    const text = 'Example of Ed25519 signing'
    const made = await compactJws('EdDSA', privateKey(ed25519), '{"alg":"EdDSA"}', text)
    expect(made).toBe(ed25519Jws)
  })

  it('RFC 7515 A.3, ES256: the same text is signed, and R and S are not wrapped', async () => {
    const made = await compactJws('ES256', privateKey(p256), '{"alg":"ES256"}', payload)
    const signed = (jws: string) => jws.slice(0, jws.lastIndexOf('.'))
    expect(signed(made)).toBe(signed(p256Jws))
    expect(made).toHaveLength(p256Jws.length)
    const publicKey = await importJWK({ ...p256, d: undefined } as never, 'ES256')
    for (const jws of [made, p256Jws])
      expect(Buffer.from((await compactVerify(jws, publicKey)).payload).toString()).toBe(payload)
  })
})

const someClaims: fc.Arbitrary<AccessTokenClaims> = fc.record({
  // Any code units, halves of surrogate pairs included.
  sub: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  sid: fc.stringMatching(/^[\w-]{22}$/),
  iat: fc.constant(1_700_000_000),
  exp: fc.integer({ min: 1_700_000_001, max: 4_000_000_000 }),
  jti: fc.stringMatching(/^[\w-]{22}(\.[\w-]{22})?$/),
  auth_time: fc.integer({ min: 1, max: 1_700_000_000 }),
  amr: fc.subarray(['pwd', 'otp', 'recovery', 'host']),
  scope: fc.string({ unit: 'grapheme', maxLength: 60 }),
})

describe('a thousand tokens', () => {
  it.each<[SigningAlgorithm, number]>([
    ['ES256', 340],
    ['EdDSA', 320],
    ['HS256', 320],
    ['PS256', 20],
  ])(
    'by %s: jose takes each, and would have signed the same text',
    async (algorithm, count) => {
      const key = await generateSigningKey(algorithm)
      const signer = joseSigner({ issuer, audience, keys: [key] })
      const own = { alg: algorithm, typ: 'at+jwt', kid: key.kid as string }
      const signingKey = await importJWK(key, algorithm)
      const { d: _private, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = key
      const verifyingKey = await importJWK(algorithm === 'HS256' ? key : (open as never), algorithm)
      const isDeterministic = algorithm === 'EdDSA' || algorithm === 'HS256'

      const samples = fc.sample(someClaims, { numRuns: rounds(count), seed: 7515 })
      for (const [i, claims] of samples.entries()) {
        const token = await signer.sign(claims)
        const taken = await jwtVerify(token, verifyingKey, { currentDate: new Date(1.7e12) })
        const whole = { iss: issuer, aud: audience, client_id: audience, ...claims }
        expect(taken.protectedHeader).toEqual(own)
        expect(JSON.stringify(taken.payload)).toBe(JSON.stringify(whole))
        if (!isDeterministic && i % 20 !== 0) continue
        const bytes = new TextEncoder().encode(JSON.stringify(whole))
        const peers = await new CompactSign(bytes).setProtectedHeader(own).sign(signingKey)
        const until = isDeterministic ? undefined : token.lastIndexOf('.')
        expect(token.slice(0, until)).toBe(peers.slice(0, until))
      }
    },
    120_000,
  )
})

it('claims of a verified token are signed with the issuer and audience of today', async () => {
  const signer = joseSigner({ issuer, audience, keys: [await generateSigningKey()] })
  const [claims] = fc.sample(someClaims, { numRuns: 1, seed: 1 }) as [AccessTokenClaims]
  const former = { ...claims, iss: 'https://former.example.com', aud: undefined }
  const payload = (await signer.sign(former as never)).split('.')[1] ?? ''
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    iss: issuer,
    aud: audience,
    client_id: audience,
  })
})

describe('a polluted Object.prototype', () => {
  it.each<SigningAlgorithm>(['ES256', 'EdDSA', 'PS256', 'HS256'])(
    'changes no %s signature',
    async (algorithm) => {
      const key = await generateSigningKey(algorithm)
      const signer = joseSigner({ issuer, audience, keys: [key] })
      await signer.publicKeys?.()
      const polluted = { padding: 1, saltLength: 0, dsaEncoding: 'der', passphrase: 'x' }
      const claims = fc.sample(someClaims, { numRuns: 1, seed: 1 })[0] as AccessTokenClaims
      let token: string
      try {
        Object.assign(Object.prototype, polluted)
        token = await signer.sign(claims)
      } finally {
        for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
      }
      expect(decodeProtectedHeader(token).alg).toBe(algorithm)
      const clock = () => new Date(1_700_000_000_000)
      const verifying = joseSigner({ issuer, audience, keys: [key], clock })
      expect(await verifying.verify(token)).toEqual(claims)
    },
  )
})
