// A server with a secret that can do neither PKCE nor a nonce: what still protects its codes.
import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { legacy, startRelyingParties, wiki } from './relying-party.js'

const old: OAuthClient = {
  ...wiki,
  id: 'old',
  name: 'Old',
  redirectUris: ['https://old.example.com/callback'],
  pkce: 'optional',
}
const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

const startWith = () => startRelyingParties({ oauth: { clients: [wiki, legacy, old] } })

describe('a client with optional PKCE', () => {
  it('signs users in without, and with its challenge, which then counts', async () => {
    const at = await startWith()
    await at.flow(old, withoutPkce)
    await at.flow(old)
    const form = await at.codeFor(old)
    for (const code_verifier of [undefined, 'v'.repeat(43)]) {
      const sent = await at.post('/oauth/token', old, { ...form, code_verifier })
      expect(sent.body['error']).toBe('invalid_grant')
    }
  })

  it('is refused a verifier for a code whose challenge somebody has taken out', async () => {
    const at = await startWith()
    const form = await at.codeFor(old, withoutPkce)
    const sent = await at.post('/oauth/token', old, { ...form, code_verifier: 'v'.repeat(43) })
    expect(sent.body['error']).toBe('invalid_grant')
  })

  it('is the only one: another client needs the challenge, and gets no code of this one', async () => {
    const at = await startWith()
    const form = await at.codeFor(old, withoutPkce)
    expect((await at.post('/oauth/token', wiki, form)).body['error']).toBe('invalid_grant')
    await expect(at.codeFor(wiki, withoutPkce)).rejects.toThrow()
    await expect(at.codeFor(legacy, { ...withoutPkce, nonce: undefined })).rejects.toThrow()
    await expect(at.codeFor(old, { code_challenge_method: undefined })).rejects.toThrow()
  })
})
