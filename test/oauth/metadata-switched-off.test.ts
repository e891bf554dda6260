// What is not switched on is neither in the metadata nor there; and what the host's own API says of
// itself is so.
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { createAuthRouter, generateSigningKey } from '../../src/index.js'
import { grantTypes } from '../../src/stores/client-contract.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { cheapHasher, encryptionKey } from '../support/host.js'
import { byPages } from './by-pages.js'
import {
  clients,
  desktop,
  formOf,
  issuer,
  ledger,
  ownResource,
  type RelyingSettings,
  requestOf,
  search,
  signerOf,
  startRelyingParties,
  wiki,
} from './relying-party.js'

const edKey = await generateSigningKey('EdDSA')
const { idTokenAlgorithm: _algorithm, ...ledgerOfEs256 } = ledger
const withoutRs256 = clients.map((one) => (one.id === 'ledger' ? ledgerOfEs256 : one))
const withoutOpenId = withoutRs256.map((one) => ({
  ...one,
  scopes: one.scopes.filter((scope) => scope !== 'openid'),
  allowNonceInsteadOfPkce: false,
}))
const { secondFactors: _factors, ...withoutFactors } = memoryStores()

/** Members that are there with everything, and not with these settings; and what else differs. */
async function missing(settings: RelyingSettings) {
  const all = await (await startRelyingParties()).metadata()
  const at = await startRelyingParties(settings)
  const some = await at.metadata()
  const names = Object.keys(all)
  const changed = names.filter(
    (name) => name in some && JSON.stringify(some[name]) !== JSON.stringify(all[name]),
  )
  expect(Object.keys(some).filter((name) => !names.includes(name))).toEqual([])
  return { at, some, changed, gone: names.filter((name) => !(name in some)).toSorted() }
}

const statusOf = async (url: string) => (await supertest(url).post('')).status

describe('what is switched off is not in the metadata, and not there', () => {
  it('introspection, where no client may', async () => {
    const others = clients.filter(({ mayIntrospect }) => mayIntrospect !== true)
    const { at, gone, changed } = await missing({ oauth: { clients: others } })
    expect(changed).toEqual([])
    expect(gone).toEqual([
      'introspection_endpoint',
      'introspection_endpoint_auth_methods_supported',
      'introspection_endpoint_auth_signing_alg_values_supported',
    ])
    expect(await statusOf(`${at.host.url}/oauth/introspect`)).toBe(404)
    // A register may come to have one that may.
    const store = { find: async () => null }
    expect((await missing({ oauth: { clients: store } })).gone).toEqual([])
  })

  it.each([
    ['with neither devices nor services', {}, ['authorization_code', 'refresh_token']],
    ['with both', { clients: { find: async () => wiki }, deviceFlow: true }, grantTypes],
  ])('a grant that the token endpoint refuses: %s', async (_, oauth, on) => {
    const at = await startRelyingParties({ oauth })
    const isRefused = async (grant_type: string) =>
      (await at.post('/oauth/token', wiki, { grant_type })).body['error'] ===
      'unsupported_grant_type'
    expect((await at.metadata())['grant_types_supported']).toEqual(on)
    for (const grant of grantTypes)
      expect([grant, await isRefused(grant)]).toEqual([grant, !on.includes(grant)])
  })

  it('RS256, without a key for it', async () => {
    const settings = { signer: { rs256: null }, oauth: { clients: withoutRs256 } }
    const { at, some, gone, changed } = await missing(settings)
    expect([gone, changed]).toEqual([[], ['id_token_signing_alg_values_supported']])
    expect(some['id_token_signing_alg_values_supported']).toEqual(['ES256'])
    const { body } = await supertest(at.host.url).get('/auth/jwks.json')
    expect(body.keys.map(({ kty }: { kty: string }) => kty)).toEqual(['EC'])
    expect((await at.flow(ledgerOfEs256)).header.alg).toBe('ES256')
  })

  it('OpenID Connect, where nothing signs ID tokens', async () => {
    const settings = {
      signer: { rs256: null, keys: [edKey] },
      oauth: { clients: withoutOpenId },
    }
    const { at, some, gone, changed } = await missing(settings)
    expect([gone, changed]).toEqual([
      [
        'acr_values_supported',
        'claims_parameter_supported',
        'claims_supported',
        'id_token_signing_alg_values_supported',
        'subject_types_supported',
        'userinfo_endpoint',
      ],
      ['scopes_supported'],
    ])
    expect(some['scopes_supported']).not.toContain('openid')
    expect(await statusOf(`${at.host.url}/oauth/userinfo`)).toBe(404)
    const form = await at.codeFor(wiki, { scope: 'profile', nonce: undefined })
    const { status, body } = await at.post('/oauth/token', wiki, form)
    expect([status, body['scope'], 'id_token' in body]).toEqual([200, 'profile', false])
  })

  it('scopes of what the host says nothing of', async () => {
    const { some, gone, changed } = await missing({ oauth: { claims: undefined as never } })
    expect([gone, changed]).toEqual([[], ['scopes_supported']])
    expect(some['scopes_supported']).toEqual([
      'openid',
      'profile',
      'offline_access',
      'messages:read',
    ])
  })

  it('the class of two factors, where there are none', async () => {
    const { some, changed } = await missing({
      options: { ...withoutFactors, secondFactors: undefined as never },
    })
    expect(changed).toEqual(['acr_values_supported'])
    expect(some['acr_values_supported']).toEqual(['urn:mar:1fa'])
  })

  it('languages that the host has not added to the pages', async () => {
    const texts = { fr: { 'language.name': 'Français', 'sign-in.title': 'Se connecter' } }
    const { at, some, changed, gone } = await missing({ options: { pages: { texts } } })
    expect([gone, changed]).toEqual([[], ['ui_locales_supported']])
    expect(some['ui_locales_supported']).toEqual(['en', 'de', 'fr'])
    const { pass, openBrowser } = byPages(at)
    const asked = { ...requestOf(wiki), ui_locales: 'fr-CA' }
    const { texts: shown } = await pass(formOf(asked), openBrowser())
    expect(shown).toEqual([expect.stringContaining('<h1>Se connecter</h1>')])
  })

  it.each(['register', 'par', 'device_authorization', 'device', 'logout', 'check-session'])(
    'what there is not at all: /oauth/%s',
    async (path) => {
      const { host } = await startRelyingParties()
      const url = `${host.url}/oauth/${path}`
      expect([await statusOf(url), (await supertest(url).get('')).status]).toEqual([404, 404])
    },
  )

  it.each([
    ['openid, where nothing signs ID tokens', { rs256: null, keys: [edKey] }, wiki],
    ['RS256, without a key for it', { rs256: null }, ledger],
  ])('so no client can be listed that wants it: %s', (_what, signer, client) => {
    const { consents, once } = memoryOAuthStores()
    const make = () =>
      createAuthRouter({
        users: { findById: async () => null, findByIdentifier: async () => null },
        ...memoryStores(),
        signer: signerOf(() => new Date(), signer),
        encryptionKeys: [encryptionKey],
        passwords: cheapHasher,
        oauth: { baseUrl: `${issuer}/api/v1`, clients: [client], consents, once },
      })
    expect(make).toThrow(expect.objectContaining({ code: 'configuration' }))
  })
})

describe('what the API says of itself is so', () => {
  it('RFC 9728: its name, its server, its scopes, and where it takes a token', async () => {
    const at = await startRelyingParties()
    const own = await supertest(at.site).get('/.well-known/oauth-protected-resource/api')
    expect(own.body).toEqual({
      resource: ownResource,
      authorization_servers: [issuer],
      scopes_supported: (await at.metadata())['scopes_supported'],
      bearer_methods_supported: ['header'],
    })
    const scope = 'openid messages:read'
    const { tokens } = await at.flow(desktop, { scope, resource: own.body.resource })
    const read = () => supertest(at.site).get('/read')
    const token = String(tokens['access_token'])
    expect((await read().auth(token, { type: 'bearer' })).status).toBe(200)
    expect((await read().query({ access_token: token })).status).toBe(401)
    expect((await read().type('form').send({ access_token: token })).status).toBe(401)
    const other = await at.flow(desktop, { scope, resource: search })
    const elsewhere = String(other.tokens['access_token'])
    expect((await read().auth(elsewhere, { type: 'bearer' })).status).toBe(401)
  })
})
