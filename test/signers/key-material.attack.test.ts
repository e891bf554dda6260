import { generateKeyPairSync } from 'node:crypto'
import { exportJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type AccessTokenClaims,
  generateSigningKey,
  type JoseSignerOptions,
  joseSigner,
  type SigningKey,
} from '../../src/index.js'

const key = await generateSigningKey()
const other = await generateSigningKey()
const make = (keys: readonly object[], options: object = {}) =>
  joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys,
    ...options,
  } as JoseSignerOptions)

function claims(): AccessTokenClaims {
  const now = Math.floor(Date.now() / 1000)
  return {
    sub: 'u',
    sid: 's',
    iat: now,
    exp: now + 600,
    jti: 'j',
    auth_time: now,
    amr: ['pwd'],
    scope: '*',
  }
}

const refusal = (option: string) => expect.objectContaining({ name: 'AuthConfigError', option })
const zeros = Buffer.alloc(128)

describe('a signing key', () => {
  it('that says what it may be used for works, if that is signing', async () => {
    for (const marked of [
      { ...key, key_ops: ['sign', 'verify'], use: 'sig', ext: true },
      { ...(await generateSigningKey('EdDSA')), key_ops: ['sign', 'verify'] },
      { ...(await generateSigningKey('HS256')), key_ops: ['sign', 'verify'] },
    ]) {
      const signer = make([marked])
      expect(await signer.verify(await signer.sign(claims()))).toMatchObject({ sub: 'u' })
    }
  })

  it.each(['sign', 'sign,verify', {}, null, [], ['verify']])(
    'with %j as key_ops is refused',
    (key_ops) => {
      expect(() => make([{ ...key, key_ops }])).toThrow(refusal('joseSigner.keys[0]'))
    },
  )

  it.each([0, 0x41, 255])('of one byte repeated is refused: %i', (byte) => {
    const k = Buffer.alloc(32, byte).toString('base64url')
    expect(() => make([{ kty: 'oct', k }])).toThrow(refusal('joseSigner.keys[0]'))
  })

  it('of RSA with 2048 bits is refused however many zeros stand before them', async () => {
    const rsa = await exportJWK(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    const n = Buffer.concat([zeros, Buffer.from(String(rsa.n), 'base64url')]).toString('base64url')
    expect(Buffer.from(n, 'base64url')).toHaveLength(384)
    for (const weak of [rsa, { ...rsa, n }, { kty: 'RSA', e: rsa.e, n }]) {
      expect(() => make([key, weak])).toThrow(refusal('joseSigner.keys[1]'))
    }
  })

  it('whose kid is the thumbprint of another is refused beside it', () => {
    const { kid: thumbprint, ...nameless } = key
    expect(() => make([nameless, { ...other, kid: thumbprint }])).toThrow(
      refusal('joseSigner.keys'),
    )
    expect(() => make([{ ...other, kid: thumbprint }, nameless])).toThrow(
      refusal('joseSigner.keys'),
    )
    expect(() => make([nameless, other])).not.toThrow()
  })
})

describe('joseSigner', () => {
  it('keeps its keys, whatever the caller does to the list and the objects afterwards', async () => {
    const mine: SigningKey = { ...key }
    const list = [mine]
    const signer = make(list)
    // Before the first use: keys are imported then.
    Object.assign(mine, { ...other, kid: 'changed', alg: 'none' })
    list.length = 0
    const token = await signer.sign(claims())
    const untouched = make([key])
    expect(await untouched.verify(token)).toMatchObject({ sub: 'u' })
    expect(await signer.verify(token)).toMatchObject({ sub: 'u' })
    list.push(mine)
    await expect(signer.verify(await make([{ ...other }]).sign(claims()))).rejects.toMatchObject({
      code: 'Unauthorized',
    })
    expect((await signer.publicKeys?.())?.keys.map(({ kid }) => kid)).toEqual([key.kid])
  })

  it('gives out copies of its public keys', async () => {
    const signer = make([key])
    const published = (await signer.publicKeys?.())?.keys[0] as Record<string, unknown>
    published['kid'] = 'changed'
    expect((await signer.publicKeys?.())?.keys[0]).toMatchObject({ kid: key.kid })
  })

  it.each([5, null, 'now', new Date()])('does not start with %j as clock', (clock) => {
    expect(() => make([key], { clock })).toThrow(refusal('joseSigner.clock'))
  })
})
