import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isEcdsaSignature } from '../../src/passkeys/ecdsa-signature.js'
import { assertion, newPasskey } from './authenticator.js'
import { startPasskeys } from './passkey-host.js'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const drawn = () => sign('sha256', Buffer.from(String(Math.random())), privateKey)

/** Other ways to write the same two numbers, or more than those. */
const spellings: readonly (readonly [what: string, change: (der: Buffer) => Buffer])[] = [
  ['a byte behind it', (der) => Buffer.concat([der, Buffer.from([0])])],
  ['itself behind it', (der) => Buffer.concat([der, der])],
  [
    'a byte behind its numbers',
    (der) =>
      Buffer.concat([Buffer.from([0x30, der.length - 1]), der.subarray(2), Buffer.from([0])]),
  ],
  [
    'its length in two bytes',
    (der) => Buffer.concat([Buffer.from([0x30, 0x81, der.length - 2]), der.subarray(2)]),
  ],
  [
    'a zero before its first number',
    (der) =>
      Buffer.concat([
        Buffer.from([0x30, der.length - 1, 0x02, (der[3] ?? 0) + 1, 0]),
        der.subarray(4),
      ]),
  ],
  ['another tag', (der) => Buffer.concat([Buffer.from([0x31]), der.subarray(1)])],
  ['its end missing', (der) => der.subarray(0, -1)],
  ['nothing in it', () => Buffer.alloc(0)],
]

describe('an ECDSA signature', () => {
  it('is one however its numbers fall', () => {
    for (let tries = 0; tries < 500; tries += 1) expect(isEcdsaSignature(drawn())).toBe(true)
  })

  it.each(spellings)('with %s is none, and signs nobody in', async (_what, change) => {
    for (let tries = 0; tries < 20; tries += 1)
      expect(isEcdsaSignature(change(drawn()))).toBe(false)
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn(), newPasskey())
    const response = assertion(passkey, await host.challenge())
    const der = Buffer.from(response.response.signature, 'base64url')
    response.response.signature = change(der).toString('base64url')
    const { status } = await host.post('/auth/passkey/login', { response })
    expect([400, 401]).toContain(status)
    expect(await host.sessionsOf()).toHaveLength(1)
  })
})
