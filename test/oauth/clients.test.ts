import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../src/errors.js'
import { createHostCall, type HostFailure } from '../../src/lib/host-call.js'
import {
  getsRefreshToken,
  grantsOf,
  isConfidential,
  redirectOf,
  resourcesOf,
} from '../../src/oauth/client-schema.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { manualClock } from '../../src/testing/testing.js'
import { bridge, desktop, registerOf, secretHash, tracker, wiki } from './some-clients.js'

const ec = (): object => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  alg: 'ES256',
})
const rsa = (alg: string, modulusLength = 2048): object => ({
  ...generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }),
  alg,
  kid: 'one',
})
const ed = (): object => ({
  ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
  alg: 'EdDSA',
})
const service: OAuthClient = {
  id: 'search',
  name: 'Search',
  type: 'service',
  redirectUris: [],
  scopes: [],
  mayIntrospect: true,
  jwks: { keys: [ec(), ed(), rsa('PS256'), rsa('RS256')] },
}

/** The error with which a list is refused. */
function refusalOf(clients: readonly unknown[]): AuthConfigError {
  try {
    registerOf(clients as OAuthClient[])
  } catch (error) {
    if (error instanceof AuthConfigError) return error
    throw error
  }
  throw new Error('the clients were taken')
}

describe('a list of clients', () => {
  it('answers each of them by its id, and null for any other', async () => {
    const { find } = registerOf([wiki, desktop, tracker, bridge, service])
    for (const client of [wiki, desktop, tracker, bridge, service])
      expect(await find(client.id)).toEqual(client)
    for (const id of ['WIKI', 'wiki ', '', '__proto__', 'constructor', 'x'.repeat(101)])
      expect(await find(id)).toBeNull()
  })

  it('answers a disabled client, which its caller refuses', async () => {
    expect(await registerOf([{ ...wiki, disabled: true }]).find('wiki')).toMatchObject({
      disabled: true,
    })
  })

  it('is copied: what is done to it later changes nothing', async () => {
    const mutable = { ...wiki, redirectUris: [...wiki.redirectUris] }
    const { find } = registerOf([mutable])
    mutable.redirectUris.push('https://evil.example/')
    mutable.firstParty = false
    const found = await find('wiki')
    expect(found).toEqual(wiki)
    expect(Object.isFrozen(found)).toBe(true)
    expect(Object.isFrozen(found?.redirectUris)).toBe(true)
  })

  it('takes members that are undefined for left out', async () => {
    const given = { ...wiki, grants: undefined, jwks: undefined } as unknown as OAuthClient
    const found = (await registerOf([given]).find('wiki')) as OAuthClient
    expect(grantsOf(found)).toEqual(['authorization_code', 'refresh_token'])
    expect(isConfidential(found)).toBe(true)
  })

  it.each<[string, object, string, RegExp]>([
    ['no id', { id: undefined }, 'id', /missing/],
    ['an id with a colon', { id: 'a:b' }, 'id', /1 to 100/],
    ['an id of 101 characters', { id: 'a'.repeat(101) }, 'id', /1 to 100/],
    ['an empty name', { name: ' ' }, 'name', /1 to 60/],
    ['a name of 61 characters', { name: 'a'.repeat(61) }, 'name', /1 to 60/],
    ['a name that is turned round', { name: 'moc.\u202ekiwi' }, 'name', /bidirectional/],
    ['a name with a line break', { name: 'Team\nwiki' }, 'name', /control/],
    ['a name with half a character', { name: '\ud800' }, 'name', /control/],
    ['a type that there is not', { type: 'spa' }, 'type', /none of web, native, service/],
    ['a type from a prototype', { type: 'constructor' }, 'type', /none of/],
    ['firstParty as a text', { firstParty: 'false' }, 'firstParty', /neither true nor false/],
    ['disabled as a number', { disabled: 0 }, 'disabled', /neither true nor false/],
    ['a member that there is not', { clientSecret: 'x' }, 'clientSecret', /not an option/],
    ['no redirect URI', { redirectUris: [] }, 'redirectUris', /empty/],
    ['redirect URIs as a text', { redirectUris: 'https://a.b/' }, 'redirectUris', /wrong type/],
    [
      'a redirect URI in the clear',
      { redirectUris: ['https://a.example/', 'http://a.example/'] },
      'redirectUris[1]',
      /not https/,
    ],
    [
      'a loopback address of a server',
      { redirectUris: ['http://localhost/'] },
      'redirectUris[0]',
      /not https/,
    ],
    [
      'a redirect URI twice',
      { redirectUris: ['https://a.example/', 'https://a.example/'] },
      'redirectUris',
      /twice/,
    ],
    [
      '21 redirect URIs',
      { redirectUris: Array.from({ length: 21 }, (_none, at) => `https://a.example/${at}`) },
      'redirectUris',
      /more than 20/,
    ],
    [
      'a grant that there is not',
      { grants: ['password'] },
      'grants[0]',
      /none of authorization_code/,
    ],
    [
      'a refresh_token alone',
      { grants: ['refresh_token'] },
      'grants',
      /without authorization_code/,
    ],
    [
      'refreshTokens without the grant',
      { grants: ['authorization_code'], refreshTokens: 'always' },
      'refreshTokens',
      /none of its grants/,
    ],
    ['refreshTokens as a boolean', { refreshTokens: true }, 'refreshTokens', /none of always/],
    ['scopes in one text', { scopes: ['openid profile'] }, 'scopes[0]', /one word/],
    ['a scope that there is not', { scopes: ['openid', 'opneid'] }, 'scopes[1]', /there is not/],
    ['a scope of the router', { scopes: ['openid', 'mar-at:x'] }, 'scopes[1]', /begins with mar-/],
    ['one by default', { defaultScopes: ['mar-to:x'] }, 'defaultScopes[0]', /begins with mar-/],
    ['* without firstParty', { firstParty: false, scopes: ['*'] }, 'scopes', /firstParty/],
    [
      'a default scope of others',
      { defaultScopes: ['openid', 'messages:read'] },
      'defaultScopes',
      /not among/,
    ],
    ['no API', { resources: [] }, 'resources', /empty/],
    ['a relative API', { resources: ['/api'] }, 'resources[0]', /absolute/],
    ['an API with a fragment', { resources: ['https://a.example/#b'] }, 'resources[0]', /fragment/],
    ['a secret in clear', { secretHashes: ['hunter2'] }, 'secretHashes[0]', /sha256:/],
    ['a hash that is undefined', { secretHashes: [undefined] }, 'secretHashes[0]', /missing/],
    [
      'three secrets',
      { secretHashes: ['A', 'B', 'C'].map((one) => `sha256:${one.repeat(43)}`) },
      'secretHashes',
      /more than 2/,
    ],
    ['an empty list of secrets', { secretHashes: [] }, 'secretHashes', /is empty/],
    ['an empty list of keys', { jwks: { keys: [] } }, 'jwks.keys', /is empty/],
    ['a secret of an app', { type: 'native' }, 'secretHashes', /native/],
    [
      'a key of an app',
      { type: 'native', secretHashes: undefined, jwks: { keys: [ec()] } },
      'jwks',
      /native/,
    ],
    ['keys by address', { jwks: { uri: 'https://a.example/' } }, 'jwks.uri', /not an option/],
    ['a key without alg', { jwks: { keys: [{ ...ec(), alg: undefined }] } }, 'jwks.keys[0]', /alg/],
    ['a key of another alg', { jwks: { keys: [rsa('ES256')] } }, 'jwks.keys[0]', /no public key/],
    ['an RSA key of 4104 bits', { jwks: { keys: [rsa('PS256', 4104)] } }, 'jwks.keys[0]', /long/],
    ...['', 'AQ', 'Ag', 'AQAA', 'AQAAAAAAB', 'A'.repeat(400), 'AQ+B', 'AQAB='].map(
      (e): [string, object, string, RegExp] => [
        `an RSA key with the exponent '${e}'`,
        { jwks: { keys: [{ ...rsa('RS256'), e }] } },
        'jwks.keys[0]',
        /no public key/,
      ],
    ),
    [
      'an RSA key with an even modulus',
      { jwks: { keys: [{ ...rsa('RS256'), n: `_${'A'.repeat(341)}` }] } },
      'jwks.keys[0]',
      /no public key/,
    ],
    [
      'a short RSA key behind zeros',
      { jwks: { keys: [{ ...rsa('RS256'), n: `${'A'.repeat(200)}${'_'.repeat(200)}` }] } },
      'jwks.keys[0]',
      /no public key/,
    ],
    [
      'a point of other than 256 bits',
      { jwks: { keys: [{ ...ec(), x: 'A'.repeat(44) }] } },
      'jwks.keys[0]',
      /no public key/,
    ],
    ['a short RSA key', { jwks: { keys: [rsa('PS256', 1024)] } }, 'jwks.keys[0]', /no public key/],
    [
      'a private key',
      { jwks: { keys: [{ ...ec(), d: 'A'.repeat(43) }] } },
      'jwks.keys[0]',
      /no public key/,
    ],
    [
      'a shared key',
      { jwks: { keys: [{ kty: 'oct', k: 'AAAA', alg: 'HS256' }] } },
      'jwks.keys[0]',
      /no public key/,
    ],
    [
      'an algorithm of no signature',
      { idTokenAlgorithm: 'none' },
      'idTokenAlgorithm',
      /none of ES256/,
    ],
    [
      'a nonce instead of PKCE without a secret',
      { secretHashes: undefined, allowNonceInsteadOfPkce: true },
      'allowNonceInsteadOfPkce',
      /with a secret/,
    ],
    ['another word for PKCE', { pkce: 'none' }, 'pkce', /optional/],
    [
      'optional PKCE without a secret',
      { secretHashes: undefined, pkce: 'optional' },
      'pkce',
      /with a secret/,
    ],
    [
      'a nonce instead of PKCE without openid',
      { scopes: ['profile'], allowNonceInsteadOfPkce: true },
      'allowNonceInsteadOfPkce',
      /openid/,
    ],
    [
      'introspection without a secret',
      { secretHashes: undefined, mayIntrospect: true },
      'mayIntrospect',
      /no secret/,
    ],
    [
      'an address after signing out that is no redirect URI',
      { postLogoutRedirectUris: ['https://a.example/', 'http://a.example/'] },
      'postLogoutRedirectUris[1]',
      /not https/,
    ],
    [
      'one with a state of its own',
      { postLogoutRedirectUris: ['https://a.example/?state=x'] },
      'postLogoutRedirectUris[0]',
      /every answer adds/,
    ],
    [
      'one that leads into the app of a web client',
      { postLogoutRedirectUris: ['javascript:alert(1)'] },
      'postLogoutRedirectUris[0]',
      /not https/,
    ],
    [
      'one twice',
      { postLogoutRedirectUris: ['https://a.example/', 'https://a.example/'] },
      'postLogoutRedirectUris',
      /twice/,
    ],
    [
      'too many of them',
      { postLogoutRedirectUris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) },
      'postLogoutRedirectUris',
      /more than 20/,
    ],
    ['a service with a redirect URI', { type: 'service' }, 'redirectUris[0]', /no browser/],
    [
      'a service with a grant',
      { type: 'service', redirectUris: [], grants: ['authorization_code'] },
      'grants',
      /service/,
    ],
    [
      'a service without a secret',
      { type: 'service', redirectUris: [], secretHashes: undefined },
      'secretHashes',
      /missing/,
    ],
  ])('is refused at start for %s', (_what, change, member, problem) => {
    const refusal = refusalOf([tracker, { ...wiki, ...change }])
    expect(refusal.option).toBe(`oauth.clients[1].${member}`)
    expect(refusal.problem).toMatch(problem)
    expect(refusal.remedy).not.toBe('')
    expect(refusal.message).not.toContain('hunter2')
  })

  it('may have as much in each as there may be', async () => {
    const longest = `https://a.example/${'a'.repeat(1982)}`
    const most: OAuthClient = {
      ...wiki,
      id: `${'a'.repeat(95)}._~-Z`,
      name: 'ü'.repeat(60),
      redirectUris: Array.from({ length: 20 }, (_none, at) => `https://a.example/${at}`),
      grants: ['refresh_token', 'authorization_code'],
      defaultScopes: [...wiki.scopes],
      resources: ['urn:example:api', longest],
      secretHashes: [secretHash, `sha256:${'B'.repeat(43)}`],
    }
    expect(await registerOf([most]).find(most.id)).toEqual(most)
    expect(refusalOf([{ ...most, resources: [`${longest}a`] }]).option).toBe(
      'oauth.clients[0].resources[0]',
    )
  })

  it('is refused where two have one id, and where one is no object', () => {
    expect(refusalOf([wiki, { ...tracker, id: 'wiki' }]).option).toBe('oauth.clients[1].id')
    for (const none of [null, 'wiki', 3, [wiki]])
      expect(refusalOf([none]).option).toBe('oauth.clients[0]')
    // biome-ignore lint/suspicious/noSparseArray: what is tested
    expect(refusalOf([, wiki]).option).toBe('oauth.clients[0].id')
  })

  it('is refused where its ID Tokens cannot be signed', () => {
    const signedBy =
      (...idTokenAlgorithms: ('ES256' | 'RS256')[]) =>
      () =>
        registerOf([{ ...wiki, idTokenAlgorithm: 'RS256' }], { idTokenAlgorithms })
    expect(signedBy('ES256', 'RS256')).not.toThrow()
    expect(signedBy('ES256')).toThrow(/clients\[0\]\.idTokenAlgorithm: is RS256/)
    expect(signedBy()).toThrow(/clients\[0\]\.scopes: has openid/)
    expect(() =>
      registerOf([{ ...wiki, scopes: ['profile'] }], { idTokenAlgorithms: [] }),
    ).not.toThrow()
  })

  it('is refused where the id is an audience: its ID Tokens would be access tokens', async () => {
    const id = 'chat'
    const given = { ...wiki, id }
    expect(() => registerOf([given], { ownResource: 'chat' })).toThrow(
      /clients\[0\]\.id: is the audience of access tokens/,
    )
    expect(await registerOf([given], { ownResource: 'chat2' }).find(id)).toEqual(given)
    const store = { find: async () => given }
    expect(await registerOf(store, { ownResource: 'chat' }).find(id)).toBeNull()
    // Every other API is a URI, which no id can be.
    for (const uri of tracker.resources ?? [])
      expect(refusalOf([{ ...wiki, id: uri }]).option).toBe('oauth.clients[0].id')
  })

  it('is refused where it is neither a list nor a store', () => {
    for (const neither of [null, undefined, {}, 'wiki', { find: 'wiki' }])
      expect(() => registerOf(neither as unknown as OAuthClient[])).toThrow(
        /oauth\.clients: is neither/,
      )
  })
})

/** A store with a mutable row, its calls counted, behind the router's own kind of call. */
function storeOf(row: { current: unknown }, timeoutMs = 1000) {
  const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
  const asked: string[] = []
  const notices: string[] = []
  const failures: HostFailure[] = []
  const clients = registerOf(
    {
      find: async (clientId) => {
        asked.push(clientId)
        if (row.current instanceof Error) throw row.current
        return row.current as OAuthClient
      },
    },
    {
      clock,
      call: createHostCall(timeoutMs, (failure) => failures.push(failure)),
      warnOnce: ({ message }) => {
        if (!notices.includes(message)) notices.push(message)
      },
    },
  )
  return { clients, clock, asked, notices, failures }
}

describe('a store of clients', () => {
  it('is asked once in 30 seconds, and by 50 callers at once only once', async () => {
    const { clients, clock, asked } = storeOf({ current: wiki })
    const found = await Promise.all(Array.from({ length: 50 }, () => clients.find('wiki')))
    expect(found).toEqual(Array.from({ length: 50 }, () => wiki))
    clock.advance(29)
    await clients.find('wiki')
    expect(asked).toEqual(['wiki'])
    clock.advance(1)
    await clients.find('wiki')
    expect(asked).toEqual(['wiki', 'wiki'])
  })

  it('is noticed within 30 seconds to have disabled a client, or changed it', async () => {
    const row: { current: OAuthClient } = { current: wiki }
    const { clients, clock } = storeOf(row)
    await clients.find('wiki')
    row.current = { ...wiki, disabled: true }
    clock.advance(30)
    expect(await clients.find('wiki')).toMatchObject({ disabled: true })
  })

  it('is asked anew for a client as it is now, also where a look is under way', async () => {
    const row: { current: OAuthClient } = { current: wiki }
    const { clients, asked } = storeOf(row)
    await clients.find('wiki')
    row.current = { ...wiki, disabled: true }
    expect(await clients.findFresh('wiki')).toMatchObject({ disabled: true })
    expect(await clients.find('wiki')).toMatchObject({ disabled: true })
    expect(asked).toHaveLength(2)
    clients.forget('wiki')
    await Promise.all([clients.find('wiki'), clients.findFresh('wiki')])
    expect(asked).toHaveLength(4)
    expect(await clients.findFresh('no id')).toBeNull()
    expect(asked).toHaveLength(4)
  })

  it('that knows no such client is not asked again for 30 seconds', async () => {
    for (const none of [null, undefined]) {
      const row: { current: unknown } = { current: none }
      const { clients, clock, asked } = storeOf(row)
      expect(await clients.find('wiki')).toBeNull()
      row.current = wiki
      expect(await clients.find('wiki')).toBeNull()
      expect(asked).toHaveLength(1)
      clock.advance(30)
      expect(await clients.find('wiki')).toEqual(wiki)
    }
  })

  it('that fails, hangs or answers nonsense is a 503, which is not remembered', async () => {
    for (const wrong of [new Error('down'), 'wiki', 42, true]) {
      const row: { current: unknown } = { current: wrong }
      const { clients, failures } = storeOf(row)
      await expect(clients.find('wiki')).rejects.toMatchObject({ status: 503 })
      expect(failures).toMatchObject([{ operation: 'clients.find' }])
      row.current = wiki
      expect(await clients.find('wiki')).toEqual(wiki)
    }
    const hanging = registerOf(
      { find: () => new Promise(() => {}) },
      { call: createHostCall(5, () => {}) },
    )
    await expect(hanging.find('wiki')).rejects.toMatchObject({ status: 503 })
  })

  it('that fails is a 503 also where it has answered before', async () => {
    const row: { current: unknown } = { current: wiki }
    const { clients, clock } = storeOf(row)
    await clients.find('wiki')
    row.current = new Error('down')
    clock.advance(30)
    await expect(clients.find('wiki')).rejects.toMatchObject({ status: 503 })
  })

  it('has its clients checked at every read: what will not do is unknown, and told once', async () => {
    const row: { current: unknown } = {
      current: { ...wiki, redirectUris: ['http://wiki.example.com/'] },
    }
    const { clients, clock, notices } = storeOf(row)
    for (let read = 0; read < 3; read += 1) {
      expect(await clients.find('wiki')).toBeNull()
      clock.advance(30)
    }
    expect(notices).toEqual([
      expect.stringMatching(/^clients\.find\('wiki'\)\.redirectUris\[0\]: is not https/),
    ])
    row.current = wiki
    expect(await clients.find('wiki')).toEqual(wiki)
  })

  it.each<[string, object]>([
    ['secretHashes', { secretHashes: [] }],
    ['jwks.keys', { secretHashes: undefined, jwks: { keys: [] } }],
  ])(
    'whose row has an empty list in %s has no such client, and says so',
    async (member, change) => {
      const { clients, notices } = storeOf({ current: { ...wiki, ...change } })
      expect(await clients.find('wiki')).toBeNull()
      expect(notices).toEqual([expect.stringContaining(`clients.find('wiki').${member}: is empty`)])
    },
  )

  it('that answers another client than the one that was asked for has none', async () => {
    const { clients, notices } = storeOf({ current: wiki })
    for (const id of ['WIKI', 'stranger', 'stranger2']) expect(await clients.find(id)).toBeNull()
    expect(notices).toHaveLength(1)
    expect(notices[0]).not.toContain('stranger')
  })

  it('that is an object has none by the names that every object has, and is told', async () => {
    const table: Record<string, OAuthClient> = { wiki }
    const notices: string[] = []
    const { find } = registerOf(
      { find: async (id) => table[id] ?? null },
      { warnOnce: ({ message }) => void notices.push(message) },
    )
    for (const id of ['constructor', 'toString', 'valueOf', '__proto__'])
      expect([id, await find(id)]).toEqual([id, null])
    expect(await find('wiki')).toEqual(wiki)
    // Which the process says once, as it is one text.
    expect(new Set(notices).size).toBe(1)
    expect(notices[0]).toMatch(/keep clients in a Map/)
  })

  it('may have a client with a scope that there is no more', async () => {
    const { clients } = storeOf({ current: { ...wiki, scopes: ['openid', 'gone'] } })
    expect(await clients.find('wiki')).toMatchObject({ scopes: ['openid', 'gone'] })
  })

  it('is asked for nothing that can be no id', async () => {
    const { clients, asked } = storeOf({ current: wiki })
    for (const id of ['', 'a b', "' or 1=1", 'a\0', 'x'.repeat(101), 'ü', 'https://a.example/'])
      expect(await clients.find(id)).toBeNull()
    expect(asked).toEqual([])
  })

  it('keeps its clients in memory whatever strangers ask for, and bounds what they fill', async () => {
    const asked: string[] = []
    const { find } = registerOf({
      find: async (id) => {
        asked.push(id)
        return id === 'wiki' ? wiki : null
      },
    })
    await find('wiki')
    for (let at = 0; at < 2000; at += 1) await find(`stranger-${at}`)
    await find('wiki')
    expect(asked.filter((id) => id === 'wiki')).toHaveLength(1)
    // The oldest of them have made room.
    await find('stranger-0')
    expect(asked.filter((id) => id === 'stranger-0')).toHaveLength(2)
  })

  it('is given nothing by a polluted Object.prototype', async () => {
    const polluted = Object.prototype as { firstParty?: unknown; secretHashes?: unknown }
    polluted.firstParty = true
    polluted.secretHashes = [secretHash]
    try {
      const { clients } = storeOf({ current: bridge })
      const listed = registerOf([{ ...bridge, resources: ['https://api.example.com/'] }])
      for (const found of [await clients.find('bridge'), await listed.find('bridge')]) {
        expect(found?.firstParty).toBeUndefined()
        expect(isConfidential(found as OAuthClient)).toBe(false)
      }
    } finally {
      delete polluted.firstParty
      delete polluted.secretHashes
    }
  })
})

describe('what a client leaves out', () => {
  it('is both grants, and none of a service', () => {
    expect(grantsOf(wiki)).toEqual(['authorization_code', 'refresh_token'])
    expect(grantsOf({ ...wiki, grants: ['authorization_code'] })).toEqual(['authorization_code'])
    expect(grantsOf(service)).toEqual([])
  })

  it('makes it public: it is confidential by a secret or a key', () => {
    expect([wiki, service, desktop, bridge].map(isConfidential)).toEqual([true, true, false, false])
    expect(isConfidential({ ...bridge, secretHashes: [], jwks: { keys: [] } })).toBe(false)
  })

  it('is a refresh token for apps always, and for others on request', () => {
    expect(getsRefreshToken(desktop, ['openid'])).toBe(true)
    expect(getsRefreshToken({ ...desktop, refreshTokens: 'on-request' }, ['openid'])).toBe(false)
    expect(getsRefreshToken(wiki, ['openid'])).toBe(false)
    expect(getsRefreshToken(wiki, ['openid', 'offline_access'])).toBe(true)
    expect(getsRefreshToken({ ...wiki, refreshTokens: 'always' }, ['openid'])).toBe(true)
    const withoutGrant: OAuthClient = { ...wiki, grants: ['authorization_code'] }
    expect(getsRefreshToken(withoutGrant, ['openid', 'offline_access'])).toBe(false)
  })

  it("is the host's own API", () => {
    expect(resourcesOf(wiki, 'https://own.example/')).toEqual(['https://own.example/'])
    expect(resourcesOf(tracker, 'https://own.example/')).toEqual(tracker.resources)
  })

  it('is no redirect URI: only one of its own is answered, as it was sent', () => {
    expect(redirectOf(desktop, 'http://127.0.0.1:5000/callback')).toBe(
      'http://127.0.0.1:5000/callback',
    )
    expect(redirectOf(desktop, 'com.example.chat:/callback')).toBe('com.example.chat:/callback')
    expect(redirectOf(desktop, 'https://evil.example/callback')).toBeNull()
    expect(redirectOf(desktop, '')).toBeNull()
    expect(redirectOf(service, '')).toBeNull()
  })
})
