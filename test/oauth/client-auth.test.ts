import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/secrets.js'
import {
  assertionOf,
  bare,
  basic,
  client,
  ecKeys,
  edKeys,
  issuer,
  nextSecret,
  rsaKeys,
  secret,
  startClients,
  tokenEndpoint,
} from '../support/oauth-clients.js'

const wiki = client('wiki', { secretHashes: [secret.hash] })
const desktop = client('desktop', { type: 'native' })

describe('a client', () => {
  it('is authenticated by its secret, in the header or in the body', async () => {
    const { show, events } = await startClients([wiki])
    const byHeader = await show({}, basic('wiki', secret.secret))
    const byBody = await show({ client_id: 'wiki', client_secret: secret.secret })
    expect([byHeader.json, byBody.json]).toEqual([
      { id: 'wiki', method: 'client_secret_basic' },
      { id: 'wiki', method: 'client_secret_post' },
    ])
    expect(events).toEqual([])
  })

  it('may say its id in the body as well', async () => {
    const { show } = await startClients([wiki])
    expect((await show({ client_id: 'wiki' }, basic('wiki', secret.secret))).status).toBe(200)
  })

  it('is authenticated by either of two secrets, so that one can follow the other', async () => {
    const both = client('wiki', { secretHashes: [secret.hash, nextSecret.hash] })
    const { show } = await startClients([both])
    for (const one of [secret, nextSecret])
      expect((await show({}, basic('wiki', one.secret))).status).toBe(200)
  })

  it('sends the same bytes whether it form-encodes for Basic or not', async () => {
    const id = 'a-b.c_d~e'
    const { show } = await startClients([client(id, { secretHashes: [secret.hash] })])
    // URLSearchParams encodes the tilde, encodeURIComponent does not, and some encode nothing.
    for (const headers of [
      basic(id, secret.secret),
      bare(`${encodeURIComponent(id)}:${encodeURIComponent(secret.secret)}`),
      bare(`${id}:${secret.secret}`),
    ])
      expect((await show({}, headers)).json).toEqual({ id, method: 'client_secret_basic' })
  })

  it('may have a secret of the host’s, which is decoded as RFC 6749 Appendix B has it', async () => {
    const given = ' %&+£€:ü'
    const { show } = await startClients([
      client('own', { secretHashes: [`sha256:${sha256(given)}`] }),
    ])
    expect((await show({}, bare('own:+%25%26%2B%C2%A3%E2%82%AC%3A%C3%BC'))).status).toBe(200)
    expect((await show({}, basic('own', given))).status).toBe(200)
    expect((await show({ client_id: 'own', client_secret: given })).status).toBe(200)
  })

  it('may write the scheme as it likes', async () => {
    const { show } = await startClients([wiki])
    const { Authorization } = basic('wiki', secret.secret)
    for (const scheme of ['basic ', 'BASIC   ', 'Basic '])
      expect(
        (await show({}, { Authorization: Authorization.replace('Basic ', scheme) })).status,
      ).toBe(200)
  })

  it('that is public says its id alone, and an empty secret is none', async () => {
    const { show } = await startClients([desktop])
    const expected = { id: 'desktop', method: 'none' }
    expect((await show({ client_id: 'desktop' })).json).toEqual(expected)
    expect((await show({ client_id: 'desktop', client_secret: '' })).json).toEqual(expected)
  })

  it('may send JSON', async () => {
    const { url } = await startClients([wiki])
    const answer = await fetch(`${url}/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: 'wiki', client_secret: secret.secret }),
    })
    expect(answer.status).toBe(200)
  })
})

describe('a client with keys', () => {
  it.each([
    ['ES256', ecKeys()],
    ['EdDSA', edKeys()],
    ['RS256', rsaKeys()],
    ['PS256', rsaKeys({ alg: 'PS256' })],
  ])('is authenticated by an assertion of %s', async (alg, keys) => {
    const { show, sign, claimsOf } = await startClients([
      client('tool', { jwks: { keys: [keys.jwk] } }),
    ])
    const assertion = await sign(keys, alg, claimsOf('tool'))
    expect((await show(assertionOf(assertion))).json).toEqual({
      id: 'tool',
      method: 'private_key_jwt',
    })
    const another = await sign(keys, alg, claimsOf('tool'))
    expect((await show({ ...assertionOf(another), client_id: 'tool' })).status).toBe(200)
  })

  it.each([
    [issuer],
    [tokenEndpoint],
    [[issuer]],
    [[tokenEndpoint]],
    // @auth/core 0.41.3.
    [[issuer, tokenEndpoint]],
  ])('may address it to %j', async (aud) => {
    const keys = ecKeys()
    const { show, sign, claimsOf } = await startClients([
      client('tool', { jwks: { keys: [keys.jwk] } }),
    ])
    const assertion = await sign(keys, 'ES256', { ...claimsOf('tool'), aud })
    expect((await show(assertionOf(assertion))).status).toBe(200)
  })

  it.each(['JWT', 'client-authentication+jwt', undefined])('may type it %s', async (typ) => {
    const keys = ecKeys()
    const { show, sign, claimsOf } = await startClients([
      client('tool', { jwks: { keys: [keys.jwk] } }),
    ])
    const header = typ === undefined ? {} : { typ }
    const assertion = await sign(keys, 'ES256', claimsOf('tool'), header)
    expect((await show(assertionOf(assertion))).status).toBe(200)
  })

  it('may have several, with names or without', async () => {
    const named = [ecKeys({ kid: 'first' }), ecKeys({ kid: 'second', use: 'sig' })]
    const nameless = [ecKeys(), ecKeys(), edKeys()]
    const { show, sign, claimsOf } = await startClients([
      client('named', { jwks: { keys: named.map(({ jwk }) => jwk) } }),
      client('nameless', { jwks: { keys: nameless.map(({ jwk }) => jwk) } }),
    ])
    for (const keys of named) {
      const header = { kid: keys.jwk['kid'] }
      const assertion = await sign(keys, 'ES256', claimsOf('named'), header)
      expect((await show(assertionOf(assertion))).status).toBe(200)
    }
    for (const keys of nameless) {
      const alg = keys === nameless[2] ? 'EdDSA' : 'ES256'
      const assertion = await sign(keys, alg, claimsOf('nameless'))
      expect((await show(assertionOf(assertion))).status).toBe(200)
    }
  })

  it('may have one that is broken, beside another', async () => {
    const keys = ecKeys()
    const broken = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }
    const { show, sign, claimsOf } = await startClients([
      client('tool', { jwks: { keys: [broken, keys.jwk] } }),
    ])
    const assertion = await sign(keys, 'ES256', claimsOf('tool'))
    expect((await show(assertionOf(assertion))).status).toBe(200)
  })

  it('may have a secret besides, while it moves from one to the other', async () => {
    const keys = ecKeys()
    const { show, sign, claimsOf } = await startClients([
      client('tool', { secretHashes: [secret.hash], jwks: { keys: [keys.jwk] } }),
    ])
    expect((await show({}, basic('tool', secret.secret))).status).toBe(200)
    const assertion = await sign(keys, 'ES256', claimsOf('tool'))
    expect((await show(assertionOf(assertion))).status).toBe(200)
  })

  it('may have a clock that is off by 20 seconds, to either side', async () => {
    const keys = ecKeys()
    const { show, sign, claimsOf, seconds } = await startClients([
      client('tool', { jwks: { keys: [keys.jwk] } }),
    ])
    for (const times of [
      { exp: seconds() + 320 },
      { exp: seconds() - 19 },
      { nbf: seconds() + 20 },
    ]) {
      const assertion = await sign(keys, 'ES256', { ...claimsOf('tool'), ...times })
      expect((await show(assertionOf(assertion))).status).toBe(200)
    }
  })
})
