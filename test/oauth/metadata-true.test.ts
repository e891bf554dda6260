// What the server says of itself is so: each member of the served metadata has a row here that
// tries it out, what is listed and what is not.
import { SignJWT } from 'jose'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { grantTypes } from '../../src/stores/client-contract.js'
import { totpCode } from '../../src/testing/testing.js'
import { totpSecret } from '../support/host.js'
import { assertionOf, ecKeys, edKeys, type KeyPair, rsaKeys } from '../support/oauth-clients.js'
import { signInByPage } from '../support/pages.js'
import { byPages } from './by-pages.js'
import {
  clients,
  desktop,
  type Form,
  formOf,
  issuer,
  ledger,
  partOf,
  type RelyingParties,
  requestOf,
  secret,
  service,
  startRelyingParties,
  tracker,
  wiki,
} from './relying-party.js'

/** A service with a key of each algorithm. */
const keys: Readonly<Record<string, KeyPair>> = {
  ES256: ecKeys({ alg: 'ES256', kid: 'a' }),
  EdDSA: edKeys({ alg: 'EdDSA', kid: 'b' }),
  RS256: rsaKeys({ alg: 'RS256', kid: 'c' }),
  PS256: rsaKeys({ alg: 'PS256', kid: 'd' }),
}
const { secretHashes: _none, ...withoutSecret } = wiki
const robot: OAuthClient = {
  ...withoutSecret,
  id: 'robot',
  name: 'Robot',
  jwks: { keys: Object.values(keys).map(({ jwk }) => jwk) },
  mayIntrospect: true,
}
const secretly = { ...service, id: 'secretly' }

const start = () => startRelyingParties({ oauth: { clients: [...clients, robot, secretly] } })

type Try = (at: RelyingParties, value: unknown) => Promise<void>

const without = (all: readonly string[], listed: unknown) =>
  all.filter((one) => !(listed as string[]).includes(one))

let jti = 0
async function assertionBy(at: RelyingParties, alg: string, key: Parameters<SignJWT['sign']>[0]) {
  const now = Math.floor(at.clock().getTime() / 1000)
  jti += 1
  const claims = { iss: 'robot', sub: 'robot', aud: issuer, jti: `${jti}`, exp: now + 60 }
  const header = { alg, kid: keys[alg]?.jwk['kid'] as string | undefined }
  return assertionOf(await new SignJWT(claims).setProtectedHeader(header as never).sign(key))
}

/** How a client proves who it is, by each method that there is, with what to send. */
const proofs: Record<string, (at: RelyingParties) => Promise<[OAuthClient, Form, object]>> = {
  none: async () => [desktop, { client_id: 'desktop' }, {}],
  client_secret_basic: async () => [
    secretly,
    {},
    { Authorization: `Basic ${btoa(`secretly:${secret.secret}`)}` },
  ],
  client_secret_post: async () => [
    secretly,
    { client_id: 'secretly', client_secret: secret.secret },
    {},
  ],
  private_key_jwt: async (at) => [
    robot,
    await assertionBy(at, 'ES256', keys['ES256']?.privateKey as KeyPair['privateKey']),
    {},
  ],
  client_secret_jwt: async (at) => [
    robot,
    await assertionBy(at, 'HS256', Buffer.from(secret.secret)),
    {},
  ],
}

const endpoints = {
  token: ['/oauth/token', { grant_type: 'none' }],
  revocation: ['/oauth/revoke', { token: 'none' }],
  introspection: ['/oauth/introspect', { token: 'none' }],
} as const

/** Only the methods that are listed are taken. */
function methodsAt(endpoint: keyof typeof endpoints): Try {
  const [path, form] = endpoints[endpoint]
  return async (at, listed) => {
    for (const [method, prove] of Object.entries(proofs)) {
      const [client, proof, headers] = await prove(at)
      const { body } = await at.post(path, client, { ...form, ...proof }, headers)
      const isListed = (listed as string[]).includes(method)
      expect([method, body['error'] === 'invalid_client']).toEqual([method, !isListed])
    }
    expect(without(listed as string[], Object.keys(proofs))).toEqual([])
  }
}

/** Only assertions of the algorithms that are listed are taken. */
function algorithmsAt(endpoint: keyof typeof endpoints): Try {
  const [path, form] = endpoints[endpoint]
  return async (at, listed) => {
    const isTaken = async (proof: Form) =>
      (await at.post(path, robot, { ...form, ...proof }, {})).body['error'] !== 'invalid_client'
    for (const alg of listed as string[]) {
      const { privateKey } = keys[alg] as KeyPair
      expect([alg, await isTaken(await assertionBy(at, alg, privateKey))]).toEqual([alg, true])
    }
    const { privateKey } = keys['RS256'] as KeyPair
    for (const alg of ['RS384', 'RS512', 'PS384', 'PS512'])
      expect([alg, await isTaken(await assertionBy(at, alg, privateKey))]).toEqual([alg, false])
  }
}

/** The endpoint is where the member says, and nowhere else. */
const isAt = ({ local, host }: RelyingParties, value: unknown, path: string) => {
  expect(value).toBe(`${issuer}/api/v1${path}`)
  expect(local(String(value))).toBe(`${host.url}${path}`)
}

const answerTo = async ({ authorize, cookie }: RelyingParties, change: Form, client = wiki) =>
  (await authorize(formOf({ ...requestOf(client), ...change }), cookie)).params

const rejectsAsked = (parameter: string, error: string): Try => {
  return async (at, value) => {
    expect(value).toBe(false)
    expect(await answerTo(at, { [parameter]: 'x' })).toMatchObject({ error })
  }
}

const rows: Readonly<Record<string, Try>> = {
  async issuer(at, value) {
    const { tokens, claims } = await at.flow(wiki)
    const told = [
      claims.iss,
      partOf(tokens['access_token'], 1)['iss'],
      (await answerTo(at, {}))['iss'],
    ]
    expect(told).toEqual([value, value, value])
  },
  async authorization_endpoint(at, value) {
    isAt(at, value, '/oauth/authorize')
    expect(await answerTo(at, {})).toHaveProperty('code')
  },
  async token_endpoint(at, value) {
    isAt(at, value, '/oauth/token')
    const form = await at.codeFor(wiki)
    expect((await at.post(at.local(String(value)), wiki, form)).status).toBe(200)
  },
  async jwks_uri(at, value) {
    const { body } = await supertest(at.local(String(value))).get('')
    const { tokens } = await at.flow(ledger)
    const kids = [tokens['id_token'], tokens['access_token']].map(
      (token) => partOf(token, 0)['kid'],
    )
    expect(body.keys.map(({ kid }: { kid: string }) => kid).toSorted()).toEqual(kids.toSorted())
    const members = body.keys.flatMap((key: object) => Object.keys(key))
    for (const secretly of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])
      expect(members).not.toContain(secretly)
  },
  async response_types_supported(at, listed) {
    for (const response_type of listed as string[])
      expect(await answerTo(at, { response_type })).toHaveProperty('code')
    const all = ['token', 'id_token', 'code token', 'code id_token', 'id_token token', 'none']
    for (const response_type of without(all, listed))
      expect((await answerTo(at, { response_type }))['error']).toBe('unsupported_response_type')
  },
  async response_modes_supported(at, listed) {
    for (const response_mode of listed as string[])
      expect(await answerTo(at, { response_mode })).toHaveProperty('code')
    const all = ['query', 'fragment', 'form_post', 'query.jwt', 'jwt', 'web_message']
    for (const response_mode of without(all, listed))
      expect((await answerTo(at, { response_mode }))['error']).toBe('invalid_request')
  },
  async grant_types_supported(at, listed) {
    const urn = 'urn:ietf:params:oauth:grant-type:'
    const errorOf = async (grant_type: string) =>
      (await at.post('/oauth/token', wiki, { grant_type })).body['error']
    for (const grant of listed as string[])
      expect(await errorOf(grant)).not.toBe('unsupported_grant_type')
    const others = ['device_code', 'jwt-bearer', 'saml2-bearer', 'token-exchange']
    const all = ['implicit', 'password', ...grantTypes, ...others.map((one) => urn + one)]
    for (const grant of without(all, listed))
      expect(await errorOf(grant)).toBe('unsupported_grant_type')
    expect((await at.flow(wiki)).tokens).toHaveProperty('access_token')
    const { tokens } = await at.flow(desktop)
    const refreshing = { grant_type: 'refresh_token', refresh_token: `${tokens['refresh_token']}` }
    expect((await at.post('/oauth/token', desktop, refreshing)).status).toBe(200)
  },
  async code_challenge_methods_supported(at, listed) {
    for (const code_challenge_method of listed as string[])
      expect(await answerTo(at, { code_challenge_method })).toHaveProperty('code')
    for (const code_challenge_method of without(['plain', 's256', 'S512', 'none'], listed))
      expect((await answerTo(at, { code_challenge_method }))['error']).toBe('invalid_request')
    // Without a word it would be `plain`.
    expect((await answerTo(at, { code_challenge_method: undefined }))['error']).toBe(
      'invalid_request',
    )
  },
  async authorization_response_iss_parameter_supported(at, value) {
    expect(value).toBe(true)
    for (const change of [{}, { scope: '*' }, { prompt: 'none' }, { response_type: 'x' }])
      expect(await answerTo(at, change)).toMatchObject({ iss: issuer })
  },
  token_endpoint_auth_methods_supported: methodsAt('token'),
  token_endpoint_auth_signing_alg_values_supported: algorithmsAt('token'),
  async revocation_endpoint(at, value) {
    isAt(at, value, '/oauth/revoke')
    const { tokens } = await at.flow(wiki)
    const token = String(tokens['access_token'])
    const { status, body } = await at.post(at.local(String(value)), wiki, { token })
    expect([status, body, (await at.userinfo(token)).status]).toEqual([200, {}, 401])
  },
  revocation_endpoint_auth_methods_supported: methodsAt('revocation'),
  revocation_endpoint_auth_signing_alg_values_supported: algorithmsAt('revocation'),
  async introspection_endpoint(at, value) {
    isAt(at, value, '/oauth/introspect')
    const token = String((await at.flow(wiki)).tokens['access_token'])
    const { body } = await at.post(at.local(String(value)), service, { token })
    expect(body).toMatchObject({ active: true, sub: 'u-alice', client_id: 'wiki' })
  },
  introspection_endpoint_auth_methods_supported: methodsAt('introspection'),
  introspection_endpoint_auth_signing_alg_values_supported: algorithmsAt('introspection'),
  async scopes_supported(at, listed) {
    for (const scope of listed as string[]) {
      const { scope: granted } = (await at.flow(wiki, { scope: `openid ${scope}` })).tokens
      expect(new Set(String(granted).split(' '))).toEqual(new Set(['openid', scope]))
    }
    // No client but one of the host's own may have `*`, and none needs to be told.
    expect(listed).not.toContain('*')
    const { scope } = (await at.flow(wiki, { scope: 'openid unlisted' })).tokens
    expect(scope).toBe('openid')
  },
  async prompt_values_supported(at, listed) {
    const pages: Record<string, string[]> = {
      none: [],
      login: ['sign-in'],
      consent: ['consent'],
      select_account: ['continue'],
    }
    const { flow, openBrowser } = byPages(at)
    const browser = openBrowser()
    expect((await flow(tracker, {}, browser)).seen).toEqual(['sign-in', 'consent'])
    for (const prompt of listed as string[])
      expect([prompt, (await flow(tracker, { prompt }, browser)).seen]).toEqual([
        prompt,
        pages[prompt],
      ])
    for (const prompt of ['page', 'login none', 'None'])
      expect((await answerTo(at, { prompt }))['error']).toBe('invalid_request')
  },
  async ui_locales_supported(at, listed) {
    const { pass, openBrowser } = byPages(at)
    const shownIn = async (ui_locales: string) => {
      const { texts } = await pass(formOf({ ...requestOf(wiki), ui_locales }), openBrowser())
      return /<html lang="([^"]*)"/.exec(texts[0] ?? '')?.[1]
    }
    for (const tag of listed as string[]) expect(await shownIn(tag)).toBe(tag)
    for (const tag of without(['fr', 'es', 'ja', 'de-AT'], listed))
      expect(listed).toContain(await shownIn(tag))
  },
  async acr_values_supported(at, listed) {
    const once = (await at.flow(wiki, { acr_values: String(listed) })).claims['acr']
    await at.host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const code = totpCode(totpSecret, at.clock())
    const { Cookie } = await signInByPage(at.host, { code })
    const twice = (await at.flow(wiki, {}, Cookie)).claims['acr']
    expect([once, twice]).toEqual(listed)
  },
  async userinfo_endpoint(at, value) {
    isAt(at, value, '/oauth/userinfo')
    const { tokens } = await at.flow(wiki)
    const asked = supertest(at.local(String(value))).get('')
    const { body } = await asked.auth(String(tokens['access_token']), { type: 'bearer' })
    expect(body).toEqual({ sub: 'u-alice' })
  },
  async subject_types_supported(at, listed) {
    expect(listed).toEqual(['public'])
    for (const client of [wiki, ledger, desktop])
      expect((await at.flow(client)).claims.sub).toBe('u-alice')
  },
  async id_token_signing_alg_values_supported(at, listed) {
    const used = [await at.flow(wiki), await at.flow(ledger)].map(({ header }) => header.alg)
    expect(used).toEqual(listed)
  },
  async claims_supported(at, listed) {
    const { claims } = await at.flow(wiki, { scope: 'openid profile' })
    expect(Object.keys(claims)).toEqual(expect.arrayContaining(listed as string[]))
  },
  async claims_parameter_supported(at, value) {
    expect(value).toBe(false)
    const { claims } = await at.flow(wiki, { claims: '{"id_token":{"email":null}}' })
    expect(claims).not.toHaveProperty('email')
  },
  request_parameter_supported: rejectsAsked('request', 'request_not_supported'),
  request_uri_parameter_supported: rejectsAsked('request_uri', 'request_uri_not_supported'),
  async require_pushed_authorization_requests(at, value) {
    expect(value).toBe(false)
    expect(await answerTo(at, {})).toHaveProperty('code')
  },
  async client_id_metadata_document_supported(at, value) {
    expect(value).toBe(false)
    const asked = { ...requestOf(wiki), client_id: 'https://wiki.example.com/client.json' }
    const { status, text } = await at.authorize(formOf(asked), at.cookie)
    expect([status, text]).toEqual([400, expect.stringContaining('is not known here')])
  },
}

describe('a member of the metadata that is served is so', () => {
  it.each(Object.keys(rows))('%s', async (name) => {
    const at = await start()
    await rows[name]?.(at, (await at.metadata())[name])
  })

  it('and there is none but these', async () => {
    const at = await start()
    expect(Object.keys(await at.metadata()).toSorted()).toEqual(Object.keys(rows).toSorted())
  })
})
