import { describe, expect, it } from 'vitest'
import { checkPasskeysOptions } from '../../src/passkeys/passkeys-options.js'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import { memoryOAuthStores, memoryPasskeyStore } from '../../src/stores/memory-stores.js'

const { once } = memoryOAuthStores()
const good = {
  rpId: 'example.com',
  origins: ['https://chat.example.com'],
  verifier: simpleWebAuthn(),
  store: memoryPasskeyStore(),
  once,
}

describe('the option passkeys', () => {
  it('has its defaults', () => {
    expect(checkPasskeysOptions(good)).toMatchObject({
      rpName: 'example.com',
      asSecondFactor: 'when-required',
    })
  })

  it.each([
    ['example.com', ['https://example.com', 'https://a.b.example.com:8443']],
    ['localhost', ['http://localhost:3000', 'http://localhost', 'https://localhost:3000']],
    ['example.com', [`android:apk-key-hash:${'A'.repeat(43)}`]],
  ])('takes %s with %j', (rpId, origins) => {
    expect(checkPasskeysOptions({ ...good, rpId, origins })).toMatchObject({ rpId, origins })
  })

  it.each([
    ['rpId', { rpId: '127.0.0.1' }],
    ['rpId', { rpId: '::1' }],
    ['rpId', { rpId: 'https://example.com' }],
    ['rpId', { rpId: 'Example.com' }],
    ['rpId', { rpId: 'example.com:443' }],
    ['rpId', { rpId: '' }],
    ['rpId', { rpId: undefined }],
    ['rpName', { rpName: ' ' }],
    ['origins', { origins: [] }],
    ['origins', { origins: undefined }],
    ['origins', { origins: 'https://example.com' }],
    ['origins', { origins: ['http://example.com'] }],
    ['origins', { origins: ['https://example.com/'] }],
    ['origins', { origins: ['https://EXAMPLE.com'] }],
    ['origins', { origins: ['https://example.com:443'] }],
    ['origins', { origins: ['http://127.0.0.1:3000'] }],
    ['origins', { origins: ['*'] }],
    ['origins', { origins: ['null'] }],
    ['origins', { origins: ['android:apk-key-hash:x'] }],
    ['origins[1]', { origins: ['https://example.com', 'https://example.org'] }],
    ['origins[0]', { origins: ['https://evilexample.com'] }],
    ['relatedOrigins', { relatedOrigins: ['http://localhost'] }],
    ['relatedOrigins', { relatedOrigins: ['https://example.de/'] }],
    ['relatedOrigins', { relatedOrigins: 'https://example.de' }],
    ['relatedOrigins', { relatedOrigins: [`android:apk-key-hash:${'A'.repeat(43)}`] }],
    ['verifier', { verifier: undefined }],
    ['verifier', { verifier: {} }],
    ['store', { store: undefined }],
    ['store', { store: { ...good.store, use: undefined } }],
    ['once', { once: undefined }],
    ['asSecondFactor', { asSecondFactor: 'never' }],
    ['allowFrames', { allowFrames: true }],
  ])('refuses, by name: %s in %j', (option, change) => {
    expect(() => checkPasskeysOptions({ ...good, ...change })).toThrow(`passkeys.${option}: `)
  })
})
