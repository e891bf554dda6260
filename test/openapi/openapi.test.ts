import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  AuthConfigError,
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
  type OpenApiDocument,
} from '../../src/index.js'
import { isForClients } from '../support/described.js'
import { startHost, type TestHost } from '../support/host.js'
import { acceptanceOptions } from '../support/mounted-acceptance.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { issuer, oauthOptions, registrationOption, wiki } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { providersOptions } from '../support/mounted-providers.js'
import { mountedPaths } from '../support/mounted-routes.js'

const root = new URL('../../', import.meta.url)
const mounted: Partial<AuthRouterOptions> = {
  ...oauthOptions({
    clients: [{ ...wiki, mayIntrospect: true }],
    deviceFlow: true,
    logout: true,
    ...registrationOption(),
  }),
  ...passkeyOptions(),
  ...accountsOptions(),
  ...providersOptions(),
  ...deviceLinksOptions(),
  ...acceptanceOptions(),
  namedTokens: true,
  secondFactor: { remember: { days: 30 } },
}
// The issuer is what the router is mounted at: only then has it a document of its own.
const everything: Partial<AuthRouterOptions> = {
  ...mounted,
  signer: joseSigner({
    issuer: `${issuer}/api/v1`,
    audience: 'chat',
    keys: [await generateSigningKey('ES256')],
  }),
}

function routesOf({ paths }: OpenApiDocument): string[] {
  return Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.keys(item).map(
        (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/, ':$1')}`,
      ),
    )
    .toSorted()
}

/** What is there, as the router itself says it when a method is refused. */
async function answeredRoutes({ auth, url }: TestHost): Promise<string[]> {
  const paths = (await mountedPaths(auth)).filter(isForClients)
  const routes = paths.map(async (path) => {
    const { headers } = await fetch(`${url}${path}`, { method: 'PATCH' })
    const methods = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
    return methods.map((method) => `${method} ${path}`)
  })
  return (await Promise.all(routes)).flat().toSorted()
}

/** Every reference in a document that leads nowhere. */
function looseEnds(document: OpenApiDocument): string[] {
  const references = JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)
  return [...references]
    .filter(([, kind = '', id = '']) => document.components[kind]?.[id] === undefined)
    .map(([reference]) => reference)
}

describe('auth.openapi', () => {
  const sets: Readonly<Record<string, Partial<AuthRouterOptions>>> = {
    'every option': everything,
    'OAuth, with an issuer of another path': mounted,
    'OAuth, where nobody may introspect': oauthOptions(),
    'named tokens': { namedTokens: true },
    'no second factors and no tickets': {
      secondFactors: undefined,
      tickets: undefined,
    } as unknown as Partial<AuthRouterOptions>,
  }
  it.each(Object.entries(sets))('lists what this router answers: %s', async (_name, options) => {
    const host = await startHost({ options })
    const document = await host.auth.openapi()
    expect(routesOf(document)).toEqual(await answeredRoutes(host))
    expect(looseEnds(document)).toEqual([])
  })

  it('is openapi.json where every option is on', async () => {
    const { auth } = await startHost({ options: everything })
    const shipped = JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8'))
    const document = await auth.openapi({ baseUrl: '/api/v1' })
    expect(JSON.parse(JSON.stringify(document))).toEqual(shipped)
  })

  it('says where the router is: as asked, else as apps are told, else /api/v1', async () => {
    const plain = await startHost()
    const withApps = await startHost({ options: mounted })
    const asked = { baseUrl: 'https://chat.example.org/auth/' }
    const told = [plain.auth.openapi(asked), withApps.auth.openapi(), plain.auth.openapi()]
    expect((await Promise.all(told)).map(({ servers }) => servers)).toEqual([
      [{ url: 'https://chat.example.org/auth' }],
      [{ url: `${issuer}/api/v1` }],
      [{ url: '/api/v1' }],
    ])
  })

  it.each(['', 'api/v1', '//host/api', 'ftp://host/', 7, null, `/${'x'.repeat(3000)}`])(
    'refuses %j, which is neither a URL nor a path',
    async (baseUrl) => {
      const { auth } = await startHost()
      const refused = auth.openapi({ baseUrl } as object)
      await expect(refused).rejects.toThrow(AuthConfigError)
      await expect(refused).rejects.toMatchObject({ option: 'openapi.baseUrl' })
    },
  )

  it('refuses an option that it does not know, by its name', async () => {
    const { auth } = await startHost()
    const refused = auth.openapi({ baseURL: '/x' } as object)
    await expect(refused).rejects.toMatchObject({ option: 'openapi.baseURL' })
  })

  it('is made once, and nobody who was handed it can change it for others', async () => {
    const { auth } = await startHost()
    const [one, other] = await Promise.all([auth.openapi(), auth.openapi({ baseUrl: '/x' })])
    expect(one?.paths).toBe(other?.paths)
    const login = one?.paths['/login']?.['post'] as { summary: string }
    expect(() => {
      login.summary = 'mine'
    }).toThrow(TypeError)
  })

  it('is loaded by nothing before it is asked for', () => {
    const files = readdirSync(new URL('src/', root), { recursive: true }).map(String)
    const describing = /^openapi\/|\/(?:[\w-]+-)?api\.ts$|^router\/operations\.ts$/
    const outside = files.filter((name) => name.endsWith('.ts') && !describing.test(name))
    const described = /^(?:[./]+|[\w-]+\/)*(?:openapi\/[\w-]+|(?:[\w-]+-)?api|operations)\.js$/
    const importing = outside.filter((name) =>
      [
        ...readFileSync(new URL(`src/${name}`, root), 'utf8').matchAll(
          /^(?:import|export) (?!type )[^']*? from '(\.[^']+)'/gm,
        ),
      ].some(([, path = '']) => described.test(path)),
    )
    expect(outside.length).toBeGreaterThan(200)
    expect(importing).toEqual([])
  })
})
