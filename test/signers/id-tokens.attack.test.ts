import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type AccessTokenClaims,
  generateSigningKey,
  type IdTokenAlgorithm,
  type IdTokenClaims,
  type JoseSignerOptions,
  joseSigner,
  type SigningKey,
  type TokenSigner,
} from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn } from '../support/client.js'
import { startHost } from '../support/host.js'
import { rsaKey } from '../support/rsa-key.js'

const issuer = 'https://chat.example.com'
const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
const start = clock().getTime() / 1000
const [key, otherRsa, edwards, secret] = (await Promise.all(
  (['ES256', 'RS256', 'EdDSA', 'HS256'] as const).map(generateSigningKey),
)) as [SigningKey, SigningKey, SigningKey, SigningKey]
const make = (options: Partial<JoseSignerOptions> = {}) =>
  joseSigner({ issuer, audience: 'chat', keys: [key], rs256: [rsaKey], clock, ...options })
const signer = make()
const both = ['ES256', 'RS256'] as const
const keyOf = { ES256: key, RS256: rsaKey }
const idClaims: IdTokenClaims = {
  sub: 'u-alice',
  aud: 'wiki',
  iat: start,
  exp: start + 600,
  auth_time: start - 60,
  nonce: 'n-0S6_WzA2Mj',
  acr: 'urn:mar:1fa',
  amr: ['pwd'],
  sid: 'browser',
  at_hash: '77QmUPtjPfzWtF2AnpK9RQ',
  email: 'alice@example.com',
}
const accessClaims: AccessTokenClaims = {
  sub: 'u-alice',
  sid: 'session',
  iat: start,
  exp: start + 600,
  jti: 'one',
  auth_time: start,
  amr: ['pwd'],
  scope: '*',
}
const unauthorized = { name: 'AuthError', code: 'Unauthorized' }
const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
const signId = (algorithm: IdTokenAlgorithm, claims = idClaims, by: TokenSigner = signer) =>
  (by.signIdToken as NonNullable<TokenSigner['signIdToken']>)(claims, { algorithm })
const readId = (token: string, audience = 'wiki', by: TokenSigner = signer) =>
  (by.verifyIdToken as NonNullable<TokenSigner['verifyIdToken']>)(token, { audience })

/** Signs anything with a key of ours, as a bug elsewhere could. */
async function forge(payload: object, header: object, signingKey: SigningKey): Promise<string> {
  const { alg = '', kid = '' } = signingKey
  return new SignJWT({ ...payload } as never)
    .setProtectedHeader({ alg, kid, ...header } as never)
    .sign(await importJWK(signingKey as JWK, alg))
}

describe.each(both)('an ID token of %s', (algorithm) => {
  it('is what a client expects that knows nothing but the published keys', async () => {
    const token = await signId(algorithm)
    expect(headerOf(token)).toEqual({ alg: algorithm, typ: 'JWT', kid: keyOf[algorithm].kid })
    const keySet = createLocalJWKSet((await signer.publicKeys?.()) as never)
    const { payload } = await jwtVerify(token, keySet, {
      issuer,
      audience: 'wiki',
      algorithms: [algorithm],
      currentDate: clock(),
    })
    expect(payload).toEqual({ ...idClaims, iss: issuer })
  })

  it('is never an access token, be it asked for its own audience', async () => {
    const whole = { ...idClaims, ...accessClaims, aud: 'chat', client_id: 'chat', scope: '*' }
    const token = await signId(algorithm, whole)
    for (const options of [{}, { audiences: ['chat', 'wiki'] }]) {
      await expect(signer.verify(token, options)).rejects.toMatchObject(unauthorized)
      await expect(signer.verifyExpired?.(token, options)).rejects.toMatchObject(unauthorized)
    }
  })

  it('names the signer as its issuer, whatever the claims say', async () => {
    const token = await signId(algorithm, { ...idClaims, iss: 'https://evil.example.com' })
    expect((await readId(token))['iss']).toBe(issuer)
  })

  it('is known again, expired or not, by the client that it was for', async () => {
    const token = await signId(algorithm, { ...idClaims, iat: 1, exp: 2 })
    expect(await readId(token)).toMatchObject({ sub: 'u-alice', sid: 'browser', exp: 2 })
    for (const audience of ['chat', 'wik', 'wiki2', ''])
      await expect(readId(token, audience)).rejects.toMatchObject(unauthorized)
  })

  it('of a former issuer is known again, of any other not', async () => {
    const former = 'https://old.example.com'
    const old = await signId(algorithm, idClaims, make({ issuer: former }))
    const moved = make({ formerIssuers: [former] })
    expect(await readId(old, 'wiki', moved)).toMatchObject({ sub: 'u-alice', iss: former })
    await expect(readId(old)).rejects.toMatchObject(unauthorized)
  })

  it.each<[string, object, object]>([
    ['the type of an access token', {}, { typ: 'at+jwt' }],
    ['the type of a logout token', {}, { typ: 'logout+jwt' }],
    ['no type', {}, {}],
    ['a key of its own', {}, { typ: 'JWT', jwk: { kty: 'oct', k: 'AAAA' } }],
    ['a key URL', {}, { typ: 'JWT', jku: 'https://evil.example.com/jwks.json' }],
    ['an unknown kid', {}, { typ: 'JWT', kid: 'unknown' }],
    ['the kid of the other key', {}, { typ: 'JWT', kid: keyOf[other(algorithm)].kid }],
    ['no kid', {}, { typ: 'JWT', kid: undefined }],
    ['another issuer', { iss: 'https://evil.example.com' }, { typ: 'JWT' }],
    ['no subject', { sub: undefined }, { typ: 'JWT' }],
    ['an empty subject', { sub: '' }, { typ: 'JWT' }],
    ['a number as subject', { sub: 7 }, { typ: 'JWT' }],
    ['a list of clients', { aud: ['wiki'] }, { typ: 'JWT' }],
    ['text as its end', { exp: 'never' }, { typ: 'JWT' }],
    ['no beginning', { iat: undefined }, { typ: 'JWT' }],
    ['a fraction as its beginning', { iat: 1.5 }, { typ: 'JWT' }],
    ['a fraction as its end', { exp: 1.5 }, { typ: 'JWT' }],
  ])('with %s is not known again, however well signed', async (_what, change, header) => {
    const payload = JSON.parse(JSON.stringify({ ...idClaims, iss: issuer, ...change }))
    await expect(readId(await forge(payload, header, keyOf[algorithm]))).rejects.toMatchObject(
      unauthorized,
    )
  })

  it('whose payload or signature was changed is not known again', async () => {
    const [head = '', body = '', signature = ''] = (await signId(algorithm)).split('.')
    const flip = (text: string) =>
      `${text.slice(0, 10)}${text[10] === 'A' ? 'B' : 'A'}${text.slice(11)}`
    for (const changed of [
      `${head}.${flip(body)}.${signature}`,
      `${head}.${body}.${flip(signature)}`,
      `${head}.${body}.`,
    ])
      await expect(readId(changed)).rejects.toMatchObject(unauthorized)
  })
})

function other(algorithm: IdTokenAlgorithm): IdTokenAlgorithm {
  return algorithm === 'ES256' ? 'RS256' : 'ES256'
}

describe('the key for RS256', () => {
  it('signs no access token that anybody takes, however whole', async () => {
    const payload = { ...accessClaims, iss: issuer, aud: 'chat', client_id: 'chat' }
    for (const [alg, kid] of [
      ['RS256', rsaKey.kid],
      ['RS256', key.kid],
      ['PS256', rsaKey.kid],
      ['PS256', key.kid],
    ]) {
      const token = await forge(payload, { typ: 'at+jwt', kid }, { ...rsaKey, alg: alg as string })
      await expect(signer.verify(token)).rejects.toMatchObject(unauthorized)
      await expect(signer.verifyExpired?.(token)).rejects.toMatchObject(unauthorized)
    }
  })

  it('signs access tokens of no ring of RSA either, beside which it stands', async () => {
    const pss = await generateSigningKey('PS256')
    const made = make({ keys: [pss] })
    expect(made.idTokenAlgorithms).toEqual(['RS256'])
    const payload = { ...accessClaims, iss: issuer, aud: 'chat', client_id: 'chat' }
    for (const signingKey of [
      rsaKey,
      { ...rsaKey, kid: pss.kid as string },
      { ...pss, alg: 'RS256' },
    ])
      await expect(
        made.verify(await forge(payload, { typ: 'at+jwt' }, signingKey)),
      ).rejects.toMatchObject(unauthorized)
    expect(await made.verify(await made.sign(accessClaims))).toEqual(accessClaims)
  })

  it('is not taken for an ID token of ES256, nor HMAC with what is published', async () => {
    const payload = { ...idClaims, iss: issuer }
    const published = (await signer.publicKeys?.())?.keys[1]
    const k = Buffer.from(JSON.stringify(published)).toString('base64url')
    const confused: SigningKey = { kty: 'oct', k, alg: 'HS256', kid: rsaKey.kid as string }
    const pss = { ...rsaKey, alg: 'PS256' }
    for (const token of [
      await forge(payload, { typ: 'JWT' }, confused),
      await forge(payload, { typ: 'JWT' }, pss),
      await forge(payload, { typ: 'JWT', kid: rsaKey.kid }, otherRsa),
    ])
      await expect(readId(token)).rejects.toMatchObject(unauthorized)
  })

  it('is published beside the others, by name and algorithm, without private parts', async () => {
    const keys = (await signer.publicKeys?.())?.keys ?? []
    expect(keys).toEqual([
      { kty: 'EC', crv: 'P-256', x: key['x'], y: key['y'], kid: key.kid, alg: 'ES256', use: 'sig' },
      { kty: 'RSA', n: rsaKey['n'], e: 'AQAB', kid: rsaKey.kid, alg: 'RS256', use: 'sig' },
    ])
    expect(Buffer.from(String(rsaKey['n']), 'base64url')).toHaveLength(384)
  })

  it('is published, and taken, as long as it stands in the list; the first signs', async () => {
    const old = await signId('RS256')
    const { kty, n, e, kid, alg } = rsaKey as unknown as Record<string, string>
    const rotated = make({ rs256: [otherRsa, { kty, n, e, kid, alg } as SigningKey] })
    expect((await rotated.publicKeys?.())?.keys.map((one) => one['kid'])).toEqual([
      key.kid,
      otherRsa.kid,
      rsaKey.kid,
    ])
    expect(await readId(old, 'wiki', rotated)).toMatchObject({ sub: 'u-alice' })
    expect(headerOf(await signId('RS256', idClaims, rotated)).kid).toBe(otherRsa.kid)
  })
})

describe('a signer', () => {
  it.each<[string, Partial<JoseSignerOptions>, readonly string[]]>([
    ['of ES256 and RS256', {}, ['ES256', 'RS256']],
    ['of EdDSA and RS256', { keys: [edwards] }, ['RS256']],
    ['of HS256 and RS256', { keys: [secret] }, ['RS256']],
  ])(
    '%s says with what it signs ID tokens, and signs them with nothing else',
    async (_what, options, algorithms) => {
      const made = make(options)
      expect(made.idTokenAlgorithms).toEqual(algorithms)
      for (const algorithm of both) {
        if (algorithms.includes(algorithm))
          expect(await readId(await signId(algorithm, idClaims, made), 'wiki', made)).toMatchObject(
            {
              sub: 'u-alice',
            },
          )
        else
          await expect(signId(algorithm, idClaims, made)).rejects.toThrow(
            `this signer signs no ID tokens with ${algorithm}`,
          )
      }
      for (const algorithm of ['none', 'HS256', 'EdDSA', '__proto__', undefined] as never[])
        await expect(signId(algorithm, idClaims, made)).rejects.toThrow('signs no ID tokens')
    },
  )

  it('without rs256 signs with ES256 alone', () => {
    expect(joseSigner({ issuer, audience: 'chat', keys: [key] }).idTokenAlgorithms).toEqual([
      'ES256',
    ])
  })

  it.each<[string, object, string]>([
    ['an EC key as rs256', { rs256: [key] }, 'joseSigner.rs256[0]'],
    ['a symmetric key as rs256', { rs256: [secret] }, 'joseSigner.rs256[0]'],
    [
      'an RSA key of PS256 as rs256',
      { rs256: [{ ...rsaKey, alg: 'PS256' }] },
      'joseSigner.rs256[0].alg',
    ],
    [
      'an RS256 key among its keys',
      { keys: [key, rsaKey], rs256: undefined },
      'joseSigner.keys[1].alg',
    ],
    ['no key in rs256', { rs256: [] }, 'joseSigner.rs256'],
    ['a variable that is not set as rs256', { rs256: [undefined] }, 'joseSigner.rs256[0]'],
    ['true as rs256', { rs256: true }, 'joseSigner.rs256'],
    ['a public key first in rs256', { rs256: [publicOf(rsaKey)] }, 'joseSigner.rs256[0]'],
    ['one RSA key for both', { keys: [bare(rsaKey)] }, 'joseSigner.rs256[0]'],
    [
      'one RSA key for both, by two names',
      { keys: [{ ...bare(rsaKey), kid: 'a' }] },
      'joseSigner.rs256[0]',
    ],
    ['one kid for two keys', { keys: [{ ...key, kid: rsaKey.kid }] }, 'joseSigner.rs256[0]'],
  ])('does not start with %s', (_what, options, option) => {
    const given = Object.fromEntries(
      Object.entries({ rs256: [rsaKey], ...options }).filter(([, value]) => value !== undefined),
    )
    expect(() => make(given as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option }),
    )
  })

  it('does not advise to leave out the alg of an RS256 key, which would make it PS256', () => {
    expect(() => joseSigner({ issuer, audience: 'chat', keys: [rsaKey] })).toThrow(
      expect.objectContaining({ remedy: 'pass the key as joseSigner.rs256.' }),
    )
  })

  it('does not start with 2048 bits for RS256', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const weak = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      format: 'jwk',
    })
    expect(() => make({ rs256: [weak as SigningKey] })).toThrow('has 2048 bits; RSA needs 3072')
  })
})

function bare({ alg: _alg, kid: _kid, ...jwk }: SigningKey): SigningKey {
  return jwk as SigningKey
}

function publicOf({ kty, ...members }: SigningKey): object {
  return { kty, n: members['n'], e: members['e'] }
}

describe('a router with a key for RS256', () => {
  it('signs nobody in with an ID token, nor with an access token for another API', async () => {
    const host = await startHost({ options: { signer: make({ clock }), clock } })
    const { authToken } = await logIn(host)
    const { sid } = await signer.verify(authToken)
    const whole = { ...accessClaims, sid }
    const good = await signer.sign({ ...whole, client_id: 'wiki' })
    expect((await get(host, '/me', bearer(good))).status).toBe(200)
    const tokens = [
      await signId('ES256', { ...whole, aud: 'chat' }),
      await signId('RS256', { ...whole, aud: 'chat' }),
      await signer.sign({ ...whole, aud: 'https://wiki.example.com/api' }),
      await forge({ ...whole, iss: issuer, aud: 'chat' }, { typ: 'at+jwt' }, rsaKey),
    ]
    const answers = []
    for (const token of tokens) answers.push(await get(host, '/me', bearer(token)))
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401])
    const { body } = await get(host, '/auth/jwks.json')
    expect(body.keys.map(({ alg }: { alg: string }) => alg)).toEqual(['ES256', 'RS256'])
    expect(await host.auth.health()).toMatchObject({ ok: true })
    await afterAttack(host, answers, tokens)
  })
})

describe('the name of a key', () => {
  it('is its thumbprint of RFC 7638, of RSA, EC and Ed25519', async () => {
    const made = await Promise.all(
      (['RS256', 'PS256', 'ES256', 'EdDSA'] as const).map(generateSigningKey),
    )
    for (const one of made) expect(one.kid).toBe(await calculateJwkThumbprint(one as JWK))
  })

  it('is that of the example of RFC 8037 A.3', async () => {
    const example: SigningKey = {
      kty: 'OKP',
      crv: 'Ed25519',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    }
    expect((await make({ keys: [example] }).publicKeys?.())?.keys[0]?.['kid']).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    )
  })
})
