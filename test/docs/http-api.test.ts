// docs/http-api.json is held against a running router: its routes, its methods, who may ask, which
// members a body needs, and which an answer has.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AuthError, type AuthErrorCode } from '../../src/index.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { codeOf, enrolled } from '../support/two-factor.js'

interface Member {
  readonly name: string
  readonly required: boolean
}
interface Described {
  readonly method: string
  readonly path: string
  readonly alsoMethods?: readonly string[]
  readonly needs?: string
  readonly needsOption?: string
  readonly errorStyle: 'plain' | 'oauth'
  readonly auth: { readonly signedIn: boolean; readonly fullScope?: boolean }
  readonly request: { readonly members: readonly Member[] }
  readonly answers: readonly {
    readonly status: number
    readonly members?: readonly Member[]
    readonly errors?: readonly string[]
  }[]
}

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const { endpoints } = JSON.parse(read('docs/http-api.json')) as { endpoints: Described[] }
const find = (method: string, path: string) =>
  endpoints.find((one) => one.method === method && one.path === path) as Described
const titled = endpoints.map((one) => [`${one.method} ${one.path}`, one] as const)
/** With every option that mounts an endpoint. */
const everything = { options: { namedTokens: true } }
const paths = [...new Set(endpoints.map(({ path }) => path))]

function mountedPaths({ auth }: TestHost): string[] {
  const layers = auth.stack as { route?: { path: string } }[]
  return layers.flatMap(({ route }) => (route === undefined ? [] : [route.path]))
}

/** Sends a request as it is described; `:id` becomes the id of nothing. */
function send(
  host: TestHost,
  { method, path }: Pick<Described, 'method' | 'path'>,
  body?: object,
  headers: Record<string, string> = {},
) {
  const url = `${host.url}${path.replace(':id', 'x')}`
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(url, { method, headers: { ...json, ...headers }, ...sent })
}

/** The names of all that is in an answer, as the list writes them. */
function namesIn(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) {
    const objects = value.filter((one) => typeof one === 'object' && one !== null)
    return objects.length === 0 ? [at] : objects.flatMap((one) => namesIn(one, `${at}[]`))
  }
  if (typeof value !== 'object' || value === null) return [at]
  return Object.entries(value).flatMap(([name, inner]) =>
    namesIn(inner, at === '' ? name : `${at}.${name}`),
  )
}

function expectMembers(endpoint: Described, body: unknown) {
  const members = endpoint.answers.find(({ status }) => status === 200)?.members ?? []
  const found = new Set(namesIn(body))
  const known = members.map(({ name }) => name)
  const wanted = members.filter(({ required }) => required).map(({ name }) => name)
  expect([...found].filter((name) => !known.includes(name))).toEqual([])
  expect(wanted.filter((name) => !found.has(name))).toEqual([])
}

async function limitedToken(host: TestHost): Promise<string> {
  const { codeVerifier, codeChallenge } = pkcePair()
  const { authorizationCode } = await host.auth.issueAuthorizationCode({
    userId: 'u-alice',
    codeChallenge,
    scope: ['rooms:read'],
  })
  const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
  return body.access_token as string
}

describe('docs/http-api.json', () => {
  it('lists every route of the router, and no other', async () => {
    expect(new Set(mountedPaths(await startHost(everything)))).toEqual(new Set(paths))
  })

  it('lists by `needs` and `needsOption` what is there only with a store or an option', async () => {
    const host = await startHost({
      options: { secondFactors: undefined, tickets: undefined } as object,
    })
    const always = endpoints
      .filter(({ needs, needsOption }) => needs === undefined && needsOption === undefined)
      .map(({ path }) => path)
    expect(new Set(mountedPaths(host))).toEqual(new Set(always))
  })

  it.each(paths)('lists every method of %s', async (path) => {
    const host = await startHost(everything)
    const { status, headers } = await send(host, { method: 'PUT', path })
    const described = endpoints.filter((one) => one.path === path)
    const methods = described.flatMap(({ method, alsoMethods = [] }) => [method, ...alsoMethods])
    const allowed = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
    expect(status).toBe(405)
    expect(new Set(allowed)).toEqual(new Set(methods))
  })

  it.each(titled)('says who may ask: %s', async (_title, endpoint) => {
    const host = await startHost(everything)
    const body = endpoint.request.members.length > 0 ? {} : undefined
    const stranger = await send(host, endpoint, body)
    expect(stranger.status === 401).toBe(endpoint.auth.signedIn)
    if (!endpoint.auth.signedIn) return
    const limited = await send(host, endpoint, body, bearer(await limitedToken(host)))
    expect(limited.status === 403).toBe(endpoint.auth.fullScope)
  })

  it.each(titled.filter(([, { request }]) => request.members.some(({ required }) => required)))(
    'says what a body needs: %s',
    async (_title, endpoint) => {
      const host = await startHost(everything)
      const { authToken } = await logIn(host)
      const headers = endpoint.auth.signedIn ? bearer(authToken) : {}
      const named = endpoint.path === '/login' ? { username: 'alice' } : {}
      const answer = await send(host, endpoint, named, headers)
      const { details } = (await answer.json()) as { details: { issues: { path: string }[] } }
      const required = endpoint.request.members.filter((member) => member.required)
      expect(details.issues.map(({ path }) => path)).toEqual(required.map(({ name }) => name))
    },
  )

  it('says what an answer holds, of every endpoint', async () => {
    const { host, token, secret, recoveryCodes } = await enrolled(everything)
    const tried = new Set<Described>()
    const ask = async (method: string, path: string, body?: object, as?: string, id = '') => {
      const endpoint = find(method, path)
      const at = { method, path: path.replace(':id', id) }
      const answer = await send(host, at, body, as === undefined ? {} : bearer(as))
      const json = await answer.json()
      expect([path, answer.status, json]).toEqual([path, 200, json])
      expectMembers(endpoint, json)
      tried.add(endpoint)
      return json as never
    }
    type Data<Shape> = { data: Shape }
    const code = codeOf(host, secret)
    const login: Data<{ authToken: string }> = await ask('POST', '/login', {
      username: 'alice',
      password,
      code,
    })
    const mine = login.data.authToken
    const { codeVerifier, codeChallenge } = pkcePair()
    const issued: Data<{ authorizationCode: string }> = await ask(
      'POST',
      '/auth/pkce/authorize',
      { codeChallenge },
      mine,
    )
    const { authorizationCode } = issued.data
    const tokens: { refresh_token: string } = await ask('POST', '/auth/pkce/token', {
      authorizationCode,
      codeVerifier,
    })
    await ask('POST', '/auth/refresh', { refreshToken: tokens.refresh_token })
    await ask('GET', '/me', undefined, mine)
    const listed: Data<{ sessions: { id: string; current: boolean }[] }> = await ask(
      'GET',
      '/auth/sessions',
      undefined,
      mine,
    )
    const other = listed.data.sessions.find(({ current }) => !current)
    await ask('DELETE', '/auth/sessions/:id', undefined, mine, other?.id)
    await ask('DELETE', '/auth/sessions', undefined, mine)
    const bot: Data<{ id: string }> = await ask('POST', '/auth/access-tokens', { name: 'x' }, mine)
    await ask('GET', '/auth/access-tokens', undefined, mine)
    await ask('DELETE', '/auth/access-tokens/:id', undefined, mine, bot.data.id)
    await ask('DELETE', '/auth/access-tokens', undefined, mine)
    await ask('POST', '/auth/socket-ticket', undefined, mine)
    await ask('GET', '/auth/totp', undefined, mine)
    const proof = (which: number) => ({ password, code: recoveryCodes[which] })
    const renewed: Data<{ recoveryCodes: string[] }> = await ask(
      'POST',
      '/auth/totp/recovery-codes',
      proof(0),
      mine,
    )
    const last = { password, code: renewed.data.recoveryCodes[0] }
    await ask('POST', '/auth/totp/disable', last, mine)
    const begun: Data<{ secret: string }> = await ask('POST', '/auth/totp', { password }, mine)
    await ask('POST', '/auth/totp/confirm', { code: codeOf(host, begun.data.secret) }, mine)
    await ask('GET', '/auth/jwks.json')
    await ask('POST', '/logout', undefined, mine)
    expect(token).not.toBe(mine)
    expect(endpoints.filter((endpoint) => !tried.has(endpoint))).toEqual([])
  })

  it('gives every error its status, and leaves none out', () => {
    const source = read('src/errors.ts')
    const [, union = ''] = /type AuthErrorCode =\n([\s\S]*?)\n\n/.exec(source) ?? []
    const codes = [...union.matchAll(/'([\w-]+)'/g)].map(([, code]) => code as AuthErrorCode)
    const listed = endpoints.flatMap(({ answers, errorStyle }) =>
      answers.flatMap(({ status, errors = [] }) =>
        errors.map((error) => {
          const code = errorStyle === 'oauth' ? error.replace('invalid_r', 'invalid-r') : error
          return [code as AuthErrorCode, status] as const
        }),
      ),
    )
    expect(codes.length).toBeGreaterThan(15)
    expect(listed.filter(([code, status]) => new AuthError(code).status !== status)).toEqual([])
    const said = new Set<string>(listed.map(([code]) => code))
    // Of endpoints that are not mounted yet.
    const ofOAuth = [
      'invalid_client',
      'unauthorized_client',
      'unsupported_grant_type',
      'invalid_scope',
      'invalid_target',
    ]
    const unsaid = codes.filter((code) => !said.has(code))
    expect(unsaid).toEqual([...ofOAuth, 'method-not-allowed', 'configuration'])
  })

  it('has a place in docs/errors.md for every error, which the error itself names', () => {
    const page = read('docs/errors.md')
    const source = read('src/errors.ts')
    const [, union = ''] = /type AuthErrorCode =\n([\s\S]*?)\n\n/.exec(source) ?? []
    for (const [, code] of union.matchAll(/'([\w-]+)'/g)) {
      const { help } = new AuthError(code as AuthErrorCode)
      const [path, anchor] = help.split('#')
      expect(path).toBe('node_modules/messaging-auth-router/docs/errors.md')
      const heading = `\n## ${anchor}\n`
      expect(page.includes(`<a id="${anchor}">`) || page.includes(heading)).toBe(true)
    }
  })
})
