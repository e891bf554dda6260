import supertest, { type Response } from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import type { AuthRouter } from '../../src/index.js'
import { bearer, pkcePair, post } from '../support/client.js'
import { type HostSettings, passwordHash, startHost, type TestHost } from '../support/host.js'

type App = Parameters<NonNullable<HostSettings['before']>>[0]
type Headers = Record<string, string>

const routes = (app: App, auth: AuthRouter) => {
  const guards = {
    any: auth.requireAuth(),
    optional: auth.requireAuth({ optional: true }),
    scoped: auth.requireAuth({ scope: 'rooms:write' }),
    fresh: auth.requireAuth({ maxAge: 20 }),
  }
  for (const [name, guard] of Object.entries(guards))
    app.get(`/${name}`, guard, (request, response) => response.json(request.auth ?? 'stranger'))
}

const lifetimes = { accessToken: 30 }
let demanded = false
const secondFactor = () => (demanded ? ('required' as const) : ('optional' as const))
const options = { lifetimes, secondFactor }

const ask = (host: TestHost, route: string, headers: Headers): Promise<Response> =>
  Promise.resolve(supertest(host.url.replace('/api/v1', '')).get(`/${route}`).set(headers))

/** Alice is signed in and has a token for the scope `rooms:read`, which her guard has let in. */
async function startSignedIn() {
  demanded = false
  const host = await startHost({ options, after: routes })
  host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
  const { codeChallenge, codeVerifier } = pkcePair()
  const { authorizationCode } = await host.auth.issueAuthorizationCode({
    userId: 'u-alice',
    codeChallenge,
    scope: ['rooms:read'],
  })
  const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
  const token: string = body.access_token
  // The second finds that nothing is left to be noted.
  for (const _time of [1, 2]) expect((await ask(host, 'any', bearer(token))).status).toBe(200)
  return { host, token }
}

/**
 * What answers from now on: the process that has let the token in a moment ago, or one that has
 * just started, on the same stores, and knows nothing.
 */
const processes = {
  warm: async (host: TestHost) => host,
  cold: (host: TestHost) =>
    startHost({
      now: host.clock(),
      options: { ...options, ...host.stores, users: host.users },
      after: routes,
    }),
}

const own = (token: string): Headers => ({ 'X-Auth-Token': token, 'X-User-Id': 'u-alice' })
const forged = (token: string) =>
  bearer(token.replace(/.{20}$/, (end) => [...end].reverse().join('')))
const nothing = () => {}
const endInStore = ({ stores, clock }: TestHost) =>
  stores.sessions.endAllForUser('u-alice', 'revoked', clock())

/** What happens in between, what is then asked with which headers, and the one right answer. */
const cases: readonly {
  readonly name: string
  readonly meanwhile?: (host: TestHost, token: string) => unknown
  /** Of which warm memory may be so old. */
  readonly seconds?: number
  readonly route?: string
  readonly headers?: (token: string) => Headers
  readonly status: number
  readonly error?: string
}[] = [
  { name: 'the token', status: 200 },
  { name: 'the token and whose it is', headers: own, status: 200 },
  { name: 'the token where none is needed', route: 'optional', status: 200 },
  { name: 'a token that is young enough', route: 'fresh', seconds: 20, status: 200 },
  {
    name: 'a sign-in that is too old',
    route: 'fresh',
    seconds: 21,
    status: 403,
    error: 'reauthentication-required',
  },
  { name: 'a token of another scope', route: 'scoped', status: 403, error: 'forbidden' },
  {
    name: 'the token under another name',
    headers: (token) => ({ ...own(token), 'X-User-Id': 'u-bob' }),
    status: 401,
    error: 'Unauthorized',
  },
  {
    name: 'the token twice',
    headers: (token) => ({ ...own(token), ...bearer(token) }),
    status: 400,
    error: 'invalid-request',
  },
  { name: 'a forged signature', headers: forged, status: 401, error: 'Unauthorized' },
  {
    name: 'a forged signature where none is needed',
    route: 'optional',
    headers: forged,
    status: 401,
    error: 'Unauthorized',
  },
  { name: 'a token past its end', seconds: 36, status: 401, error: 'Unauthorized' },
  {
    name: 'the token of a session that was logged out',
    meanwhile: (host, token) => post(host, '/logout', undefined, bearer(token)),
    status: 401,
    error: 'Unauthorized',
  },
  {
    name: 'the token of a session that ended elsewhere',
    meanwhile: endInStore,
    seconds: 5,
    status: 401,
    error: 'Unauthorized',
  },
  {
    name: 'the token of a disabled user',
    meanwhile: ({ users }) => users.change('u-alice', { disabled: true }),
    seconds: 5,
    status: 401,
    error: 'Unauthorized',
  },
  {
    name: 'the token of a user who must enrol now',
    meanwhile: () => {
      demanded = true
    },
    seconds: 5,
    status: 403,
    error: 'second-factor-enrolment-required',
  },
]

describe.each(['warm', 'cold'] as const)('the guard of a %s process', (kind) => {
  it.each(cases)('answers $name with $status', async (one) => {
    const { meanwhile = nothing, seconds = 0, route = 'any', headers = bearer, status } = one
    const { host, token } = await startSignedIn()
    await meanwhile(host, token)
    host.clock.advance(seconds)
    const process = await processes[kind](host)
    const finds = vi.spyOn(host.stores.sessions, 'find')
    const answer = await ask(process, route, headers(token))
    expect([answer.status, answer.body.error]).toEqual([status, one.error])
    // Or the table would ask one process twice.
    if (status === 200 && seconds === 0) expect(finds.mock.calls.length > 0).toBe(kind === 'cold')
    if (status !== 200) return
    expect(answer.body).toEqual({
      userId: 'u-alice',
      sessionId: expect.any(String),
      kind: 'pkce',
      scope: ['rooms:read'],
      methods: ['host'],
      authenticatedAt: expect.any(String),
      expiresAt: expect.any(String),
      actor: null,
    })
    expect(
      Date.parse(answer.body.expiresAt) - Date.parse(answer.body.authenticatedAt),
    ).toBeLessThan((lifetimes.accessToken + 1) * 1000)
  })
})
