import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../src/errors.js'
import { checkBaseUrl, checkIssuer } from '../../src/oauth/base-url.js'
import { type MetadataSettings, serverMetadata } from '../../src/oauth/metadata.js'
import { createWellKnown } from '../../src/oauth/oauth.js'
import type { OAuthOptions } from '../../src/oauth/oauth-options.js'
import { createApis } from '../../src/oauth/oauth-server.js'
import { type BareAppSettings, startBareApp } from '../support/bare-app.js'

const site = 'https://chat.example.com'
const everything: MetadataSettings = {
  issuer: site,
  baseUrl: new URL(`${site}/api/v1`),
  scopes: ['openid', 'profile', 'email', 'offline_access', 'messages:read'],
  claims: ['name', 'preferred_username', 'email', 'email_verified', 'picture', 'locale'],
  idTokenAlgorithms: ['ES256', 'RS256'],
  acrValues: ['urn:mar:1fa', 'urn:mar:2fa'],
  locales: ['en', 'de'],
  introspection: true,
  isRegistrationOpen: true,
  grants: ['authorization_code', 'refresh_token'],
  hasDeviceFlow: true,
  offersLogout: true,
  acceptsClientDocuments: true,
  acceptsRegistrations: true,
}
const nothing: MetadataSettings = {
  ...everything,
  scopes: [],
  claims: [],
  idTokenAlgorithms: [],
  acrValues: [],
  locales: [],
  introspection: false,
  hasDeviceFlow: false,
  offersLogout: false,
  acceptsClientDocuments: false,
  acceptsRegistrations: false,
}

interface Started extends BareAppSettings {
  readonly issuer?: string
  readonly baseUrl?: string
  readonly resource?: string
  readonly resources?: OAuthOptions['resources']
}

async function start({
  issuer = site,
  baseUrl = `${site}/api/v1`,
  resource = 'chat',
  resources,
  ...app
}: Started = {}) {
  const issuerUrl = checkIssuer(issuer)
  const checkedUrl = checkBaseUrl(baseUrl, issuerUrl)
  const settings = { ...everything, issuer, baseUrl: checkedUrl }
  const server = serverMetadata(settings)
  const scopes = { published: settings.scopes, known: new Set(settings.scopes), describe: String }
  const facts = { issuer, baseUrl: checkedUrl, ownResource: resource, scopes }
  const { apiDocuments } = createApis(resources, facts)
  const { handler, routes } = createWellKnown(issuerUrl, checkedUrl, server, apiDocuments)
  const { url } = await startBareApp({ ...app, before: (own) => own.use(handler) })
  const statusOf = async (path: string) => (await supertest(url).get(path)).status
  return { url, server, routes, handler, statusOf }
}

/** Every place where clients look for one of the documents. */
const places = (path: string) => [
  `/.well-known/oauth-authorization-server${path}`,
  `/.well-known/openid-configuration${path}`,
  `${path}/.well-known/openid-configuration`,
  `${path}/.well-known/oauth-authorization-server`,
  `/.well-known/oauth-protected-resource${path}`,
]

describe('the metadata of the server', () => {
  it('is the one document of both standards', () => {
    const base = `${site}/api/v1`
    const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']
    const algorithms = ['ES256', 'EdDSA', 'RS256', 'PS256']
    expect(serverMetadata(everything)).toEqual({
      issuer: site,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      jwks_uri: `${base}/auth/jwks.json`,
      revocation_endpoint: `${base}/oauth/revoke`,
      introspection_endpoint: `${base}/oauth/introspect`,
      end_session_endpoint: `${base}/oauth/logout`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      grant_types_supported: everything.grants,
      device_authorization_endpoint: `${base}/oauth/device_authorization`,
      registration_endpoint: `${base}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_methods_supported: methods.slice(1),
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
      scopes_supported: everything.scopes,
      claims_supported: [
        ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid'],
        ...everything.claims,
      ],
      acr_values_supported: ['urn:mar:1fa', 'urn:mar:2fa'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
      ui_locales_supported: ['en', 'de'],
      claims_parameter_supported: false,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      require_pushed_authorization_requests: false,
      client_id_metadata_document_supported: true,
    })
  })

  it('says nothing of what is not switched on', () => {
    const names = Object.keys(serverMetadata(nothing))
    const some = ['userinfo', 'introspection', 'id_token', 'subject', 'claims', 'acr', 'ui_locales']
    const more = ['device_authorization', 'registration', 'backchannel', 'end_session']
    const switched = new RegExp(`^(${[...some, ...more].join('|')})_`)
    expect(names.filter((name) => switched.test(name))).toEqual([])
    const later = /^pushed_/
    const most = Object.keys(serverMetadata(everything))
    expect(most.filter((name) => later.test(name))).toEqual([])
    expect(names).toContain('token_endpoint')
  })

  it('has the members that RFC 8414 and OpenID Connect Discovery require', () => {
    expect(Object.keys(serverMetadata(everything))).toEqual(
      expect.arrayContaining([
        ...['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
        ...['response_types_supported', 'subject_types_supported'],
        'id_token_signing_alg_values_supported',
      ]),
    )
  })

  it('lists nothing twice', () => {
    const twice = serverMetadata({
      ...everything,
      scopes: ['openid', 'openid'],
      claims: ['sub', 'name'],
    })
    expect(twice['scopes_supported']).toEqual(['openid'])
    const claims = twice['claims_supported'] as string[]
    expect(claims.filter((claim) => claim === 'sub')).toHaveLength(1)
  })
})

describe('the well-known documents', () => {
  it.each([4, 5] as const)(
    'stand at the root for an issuer without a path, in Express %i',
    async (express) => {
      const { url, server, statusOf } = await start({ express })
      for (const path of places('').slice(0, 2)) {
        const { status, headers, body } = await supertest(url).get(path)
        expect([status, body]).toEqual([200, server])
        expect(headers).toMatchObject({
          'content-type': 'application/json',
          'cache-control': 'public, max-age=300',
          'x-content-type-options': 'nosniff',
          'access-control-allow-origin': '*',
        })
        expect(headers['set-cookie']).toBeUndefined()
      }
      for (const path of places('/api/v1').slice(0, -1))
        expect([path, await statusOf(path)]).toEqual([path, 404])
    },
  )

  // RFC 8414 §3.1 and §5, OpenID Connect Discovery §4.
  it.each(['/api/v1', '/issuer1', '/a/b/c'])(
    'stand with the path of the issuer behind and before them: %s',
    async (path) => {
      const { url, server, statusOf } = await start({ issuer: `${site}${path}` })
      for (const place of places(path).slice(0, 3)) {
        const { status, body } = await supertest(url).get(place)
        expect([place, status, body]).toEqual([place, 200, server])
      }
      expect(await statusOf(`${path}/.well-known/oauth-authorization-server`)).toBe(404)
      for (const place of places('').slice(0, 2)) expect(await statusOf(place)).toBe(404)
    },
  )

  it('are those of the issuer, byte for byte', async () => {
    for (const issuer of [site, `${site}/api/v1`]) {
      const { url } = await start({ issuer })
      const path = issuer.slice(site.length)
      const { text } = await supertest(url).get(`/.well-known/oauth-authorization-server${path}`)
      expect(text).toContain(`"issuer":"${issuer}"`)
    }
  })

  it('are served by the router itself where the issuer is what it is mounted at', async () => {
    const issuer = `${site}/api/v1`
    const { routes, server } = await start({ issuer })
    const { url } = await startBareApp({ routes })
    const { status, body, headers } = await supertest(url).get('/.well-known/openid-configuration')
    expect([status, body]).toEqual([200, server])
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
    expect((await start()).routes).toEqual([])
    expect((await start({ baseUrl: site })).routes).toHaveLength(1)
    expect((await start({ issuer: `${site}/elsewhere` })).routes).toEqual([])
  })

  // RFC 9728 §3.1.
  it.each([
    [site, '/.well-known/oauth-protected-resource'],
    [`${site}/`, '/.well-known/oauth-protected-resource'],
    [`${site}/api/v1`, '/.well-known/oauth-protected-resource/api/v1'],
  ])('tell of the API %s', async (resource, path) => {
    const { url } = await start({ resource })
    const { status, body } = await supertest(url).get(path)
    expect([status, body]).toEqual([
      200,
      {
        resource,
        authorization_servers: [site],
        scopes_supported: everything.scopes,
        bearer_methods_supported: ['header'],
      },
    ])
  })

  it.each(['chat', 'urn:chat', 'https://api.example.org/', `${site}/api/v1?a=b`, `${site}/#a`])(
    'tell of an API that is no URL of this site by the address of the router: %s',
    async (resource) => {
      const { url, statusOf } = await start({ resource })
      for (const path of ['', '/'])
        expect(await statusOf(`/.well-known/oauth-protected-resource${path}`)).toBe(404)
      const { body } = await supertest(url).get('/.well-known/oauth-protected-resource/api/v1')
      expect(body).toMatchObject({ resource: `${site}/api/v1`, authorization_servers: [site] })
    },
  )

  // RFC 9728 §2.1.
  it('tell of further APIs of this server, each at its own path', async () => {
    const name = { de: 'Werkzeuge', en: 'Tools' }
    const resources = {
      [`${site}/mcp`]: { scopes: ['messages:read'], name },
      [`${site}/`]: { scopes: [], name: 'Everything' },
      [`${site}/a/b/`]: { scopes: ['openid'] },
      'https://files.example.com/': 'Files',
      [`${site}/files`]: { de: 'Dateien' },
    }
    const { url, statusOf } = await start({ resources })
    const at = async (path: string) =>
      (await supertest(url).get(`/.well-known/oauth-protected-resource${path}`)).body
    expect(await at('/mcp')).toEqual({
      resource: `${site}/mcp`,
      authorization_servers: [site],
      scopes_supported: ['messages:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Tools',
      'resource_name#de': 'Werkzeuge',
      'resource_name#en': 'Tools',
    })
    expect(await at('')).toMatchObject({ resource: `${site}/`, resource_name: 'Everything' })
    expect(await at('/a/b/')).toMatchObject({ resource: `${site}/a/b/` })
    for (const path of ['/files', '/mcp/', '/a/b', '/MCP', '/'])
      expect([path, await statusOf(`/.well-known/oauth-protected-resource${path}`)]).toEqual([
        path,
        404,
      ])
  })

  it('hand on everything else', async () => {
    const { url, statusOf } = await start({
      after: (app) => {
        app.get('/.well-known/security.txt', (_request, response) => void response.send('theirs'))
        app.post('/rooms', (_request, response) => void response.send('theirs'))
      },
    })
    expect((await supertest(url).get('/.well-known/security.txt')).text).toBe('theirs')
    expect((await supertest(url).post('/rooms')).text).toBe('theirs')
    for (const path of [
      '/',
      '/.well-known',
      '/.well-known/',
      '/.well-known/openid-configuration/',
      '/.well-known//openid-configuration',
      '/.well-known/OpenID-configuration',
      '/.well-known/openid%2Dconfiguration',
      '/x/.well-known/openid-configuration',
      '/.well-known/__proto__',
      '/.well-known/change-password',
      '/.well-known/webauthn',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  it('answer HEAD, and refuse other methods by name', async () => {
    const { url } = await start()
    const path = '/.well-known/openid-configuration'
    const head = await supertest(url).head(path)
    expect([head.status, head.text]).toEqual([200, undefined])
    expect(Number(head.headers['content-length'])).toBeGreaterThan(1000)
    for (const method of ['post', 'put', 'delete', 'options'] as const) {
      const { status, headers, body } = await supertest(url)[method](path)
      expect([status, headers['allow'], body.error]).toEqual([
        405,
        'GET, HEAD',
        'method-not-allowed',
      ])
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  it('may be asked for by pages, with headers of their own', async () => {
    const { url } = await start()
    const { status, headers } = await supertest(url)
      .options('/.well-known/oauth-authorization-server')
      .set({
        Origin: 'https://inspector.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'mcp-protocol-version',
      })
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': '*',
    })
  })

  it('are the same whatever the query and the Host say', async () => {
    const { url, server } = await start()
    const { body } = await supertest(url)
      .get('/.well-known/openid-configuration?issuer=https://evil.example')
      .set({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' })
    expect(body).toEqual(server)
  })
})

describe('the URLs that the documents are made of', () => {
  it.each([
    site,
    `${site}/api/v1`,
    'http://localhost:3000',
    'http://127.0.0.1/a',
    'http://[::1]:8',
  ])('may be %s', (url) => {
    expect(checkIssuer(url).href.startsWith(url)).toBe(true)
    expect(checkBaseUrl(url, checkIssuer(url)).href.startsWith(url)).toBe(true)
  })

  it.each([
    ['chat', 'is not an absolute URL.'],
    ['', 'is not an absolute URL.'],
    ['/api/v1', 'is not an absolute URL.'],
    ['http://chat.example.com', 'is neither https nor http on the machine itself.'],
    ['http://localhost.evil.example', 'is neither https nor http on the machine itself.'],
    ['ftp://chat.example.com', 'is neither https nor http on the machine itself.'],
    ['urn:chat', 'is neither https nor http on the machine itself.'],
    [`${site}?a=b`, 'has a query or a fragment.'],
    [`${site}?`, 'has a query or a fragment.'],
    [`${site}#a`, 'has a query or a fragment.'],
    [`${site}/api/v1#`, 'has a query or a fragment.'],
    ['https://user:secret@chat.example.com', 'holds credentials.'],
    [`${site}/`, 'has a slash at its end.'],
    [`${site}/api/v1/`, 'has a slash at its end.'],
    ['https://Chat.example.com', `is not written as URLs are, which is ${site}.`],
    ['HTTPS://chat.example.com', `is not written as URLs are, which is ${site}.`],
    [`${site}:443`, `is not written as URLs are, which is ${site}.`],
    [`${site}/a/../b`, `is not written as URLs are, which is ${site}/b.`],
    [` ${site}`, `is not written as URLs are, which is ${site}.`],
  ])('may not be %s', (url, problem) => {
    const own = checkIssuer(site)
    for (const [option, check] of [
      ['joseSigner.issuer', () => checkIssuer(url)],
      ['oauth.baseUrl', () => checkBaseUrl(url, own)],
    ] as const) {
      const error = thrownBy(check)
      expect([error.option, error.problem]).toEqual([option, problem])
      expect(error.remedy).toMatch(/^set it to the URL .*\.$/)
    }
  })

  it.each(['https://api.example.com/v1', `${site}:8443/api`, 'http://localhost'])(
    'are of one origin, which %s is not',
    (baseUrl) => {
      const error = thrownBy(() => checkBaseUrl(baseUrl, checkIssuer(site)))
      expect(error.option).toBe('oauth.baseUrl')
      expect(error.problem).toBe('is of another origin than the issuer.')
      expect(error.remedy).toContain(`${site}/api/v1`)
    },
  )
})

function thrownBy(work: () => unknown): AuthConfigError {
  try {
    work()
  } catch (error) {
    if (error instanceof AuthConfigError) return error
    throw error
  }
  throw new Error('it did not throw')
}
