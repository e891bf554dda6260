import { importJWK, type JWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type AccessTokenClaims,
  generateSigningKey,
  type JoseSignerOptions,
  joseSigner,
  type TokenSigner,
} from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'

const issuer = 'https://chat.example.com'
const wiki = 'https://wiki.example.com/api'
const key = await generateSigningKey()
const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
const start = clock().getTime() / 1000
const make = (options: Partial<JoseSignerOptions> = {}) =>
  joseSigner({ issuer, audience: 'chat', keys: [key], clock, ...options })
const signer = make()
const claims = (change: object = {}): AccessTokenClaims => ({
  sub: 'u-alice',
  sid: 'session',
  iat: start,
  exp: start + 600,
  jti: 'one',
  auth_time: start,
  amr: ['pwd'],
  scope: 'openid messages:read',
  ...change,
})
const partOf = (token: string, part: number) =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())
const unauthorized = { name: 'AuthError', code: 'Unauthorized' }
const verifyExpired = (token: string, options?: object) =>
  (signer.verifyExpired as NonNullable<TokenSigner['verifyExpired']>)(token, options)

describe('an access token of an app', () => {
  it('has every claim of RFC 9068 §2.2, its own client and its own audience', async () => {
    const token = await signer.sign(claims({ aud: wiki, client_id: 'wiki' }))
    expect(partOf(token, 0)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
    expect(partOf(token, 1)).toEqual({
      iss: issuer,
      exp: start + 600,
      aud: wiki,
      sub: 'u-alice',
      client_id: 'wiki',
      iat: start,
      jti: 'one',
      auth_time: start,
      amr: ['pwd'],
      scope: 'openid messages:read',
      sid: 'session',
    })
  })

  it('that names neither is for the host’s own API, as it was before there were apps', async () => {
    const token = await signer.sign(claims())
    expect(partOf(token, 1)).toMatchObject({ aud: 'chat', client_id: 'chat' })
    expect(await signer.verify(token)).toEqual(claims())
    expect([signer.issuer, signer.audience]).toEqual([issuer, 'chat'])
  })

  it('tells which app it was given to', async () => {
    const given = claims({ client_id: 'wiki' })
    const token = await signer.sign(given)
    expect(await signer.verify(token)).toEqual(given)
    expect(await verifyExpired(token)).toEqual(given)
  })

  it('for another API opens nothing here, expired or not', async () => {
    const token = await signer.sign(claims({ aud: wiki }))
    await expect(signer.verify(token)).rejects.toMatchObject(unauthorized)
    await expect(signer.verify(token, {})).rejects.toMatchObject(unauthorized)
    await expect(verifyExpired(token)).rejects.toMatchObject(unauthorized)
  })

  it('is known by those who ask for its audience, and by them alone', async () => {
    const given = claims({ aud: wiki, client_id: 'wiki' })
    const token = await signer.sign(given)
    for (const audiences of [[wiki], ['chat', wiki], [wiki, 'other']]) {
      expect(await signer.verify(token, { audiences })).toEqual(given)
      expect(await verifyExpired(token, { audiences })).toEqual(given)
    }
    for (const audiences of [[], ['chat'], [`${wiki}/`], ['https://wiki.example.com']]) {
      await expect(signer.verify(token, { audiences })).rejects.toMatchObject(unauthorized)
      await expect(verifyExpired(token, { audiences })).rejects.toMatchObject(unauthorized)
    }
  })

  it('of the host’s own API is not good where only others are asked for', async () => {
    const token = await signer.sign(claims())
    await expect(signer.verify(token, { audiences: [wiki] })).rejects.toMatchObject(unauthorized)
    expect(await signer.verify(token, { audiences: [wiki, 'chat'] })).toEqual(claims())
  })

  it.each<[string, object]>([
    ['a list as audience', { aud: [wiki] }],
    ['no audience', { aud: undefined }],
    ['a number as client', { client_id: 7 }],
    ['null as client', { client_id: null }],
    ['an empty client', { client_id: '' }],
  ])('with %s is refused, however well signed', async (_what, change) => {
    const whole = { ...claims({ aud: wiki, client_id: 'wiki' }), iss: issuer, ...change }
    const token = await new SignJWT(JSON.parse(JSON.stringify(whole)))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid as string })
      .sign(await importJWK(key as JWK, 'ES256'))
    for (const options of [{ audiences: [wiki, 'chat'] }, {}])
      await expect(signer.verify(token, options)).rejects.toMatchObject(unauthorized)
  })

  it('takes no audience or client from a polluted Object.prototype', async () => {
    const names = ['aud', 'client_id', 'audiences'] as const
    const foreign = await signer.sign(claims({ aud: wiki }))
    try {
      for (const name of names)
        Object.defineProperty(Object.prototype, name, {
          value: name === 'audiences' ? [wiki] : 'polluted',
          configurable: true,
        })
      const token = await signer.sign(claims())
      expect(partOf(token, 1)).toMatchObject({ aud: 'chat', client_id: 'chat' })
      await expect(signer.verify(foreign)).rejects.toMatchObject(unauthorized)
      await expect(signer.verify(foreign, {})).rejects.toMatchObject(unauthorized)
    } finally {
      for (const name of names) delete (Object.prototype as Record<string, unknown>)[name]
    }
  })

  it('is good for 5 seconds of skew past its end, whichever its audience', async () => {
    const token = await signer.sign(claims({ aud: wiki }))
    const own = await signer.sign(claims())
    const audiences = [wiki]
    const at = async (seconds: number) => {
      clock.set(new Date((start + 600 + seconds) * 1000))
      const verdicts = await Promise.allSettled([
        signer.verify(token, { audiences }),
        signer.verify(own),
      ])
      return verdicts.map(({ status }) => status)
    }
    try {
      expect(await at(4)).toEqual(['fulfilled', 'fulfilled'])
      expect(await at(5)).toEqual(['rejected', 'rejected'])
      expect(await verifyExpired(token, { audiences })).toMatchObject({ aud: wiki })
    } finally {
      clock.set(new Date(start * 1000))
    }
  })
})

describe('a signer of the host’s that knows nothing of audiences', () => {
  it('is a TokenSigner still', async () => {
    const old: TokenSigner = {
      sign: (given) => signer.sign(given),
      verify: (token) => signer.verify(token),
      verifyExpired: (token) => verifyExpired(token),
    }
    const token = await signer.sign(claims({ aud: wiki }))
    await expect(old.verify(token, { audiences: [wiki] })).rejects.toMatchObject(unauthorized)
  })
})

describe('joseSigner({ formerIssuers })', () => {
  const former = 'https://old.example.com'
  const moved = make({ formerIssuers: [former] })

  it('keeps tokens of a former issuer good, and signs none', async () => {
    const old = await make({ issuer: former }).sign(claims())
    expect(await moved.verify(old)).toEqual(claims())
    expect(await moved.verifyExpired?.(old)).toEqual(claims())
    expect(partOf(await moved.sign(claims()), 1).iss).toBe(issuer)
    expect(moved.issuer).toBe(issuer)
  })

  it('knows former issuers by their whole text', async () => {
    for (const other of [`${former}/`, 'https://old.example.co', 'https://older.example.com'])
      await expect(
        moved.verify(await make({ issuer: other }).sign(claims())),
      ).rejects.toMatchObject(unauthorized)
    await expect(
      signer.verify(await make({ issuer: former }).sign(claims())),
    ).rejects.toMatchObject(unauthorized)
  })

  it.each<[string, unknown, string]>([
    ['text', former, 'joseSigner.formerIssuers'],
    ['an empty one', [former, ''], 'joseSigner.formerIssuers[1]'],
    ['a variable that is not set', [undefined], 'joseSigner.formerIssuers[0]'],
    ['a pattern', [/example/], 'joseSigner.formerIssuers[0]'],
  ])('does not start with %s', (_what, formerIssuers, option) => {
    expect(() => make({ formerIssuers } as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option }),
    )
  })
})
