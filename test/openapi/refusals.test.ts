// What every request refuses alike, asked of every request that the description has: no answer
// stands in it that nobody has got.
import { describe, expect, it } from 'vitest'
import { type AuthRouterOptions, generateSigningKey, joseSigner } from '../../src/index.js'
import { bearer, logIn } from '../support/client.js'
import { type RequestObject, requests, resolve } from '../support/described.js'
import { startHost, type TestHost } from '../support/host.js'
import { acceptanceOptions } from '../support/mounted-acceptance.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { issuer, oauthOptions, registrationOption, wiki } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { providersOptions } from '../support/mounted-providers.js'
import { ownPage, pagesOrigin } from '../support/pages.js'

const everything: Partial<AuthRouterOptions> = {
  ...oauthOptions({
    clients: [{ ...wiki, mayIntrospect: true }],
    deviceFlow: true,
    ...registrationOption(),
  }),
  ...passkeyOptions(),
  ...accountsOptions(),
  ...providersOptions(),
  ...deviceLinksOptions(),
  ...acceptanceOptions(),
  namedTokens: true,
  secondFactor: { remember: { days: 30 } },
  pagesOrigin,
  signer: joseSigner({
    issuer: `${issuer}/api/v1`,
    audience: 'chat',
    keys: [await generateSigningKey('ES256')],
  }),
}

/** Whether a request may be refused with a status and a name. */
function refuses({ responses }: RequestObject, status: number, error: string): boolean {
  const schema = resolve(responses[status] ?? {}).content?.['application/json']?.schema
  const each = schema === undefined ? [] : (schema.oneOf ?? [schema])
  return each.some((one) => resolve(one).properties?.['error']?.enum?.[0] === error)
}

const refusing = (status: number, ...errors: string[]) =>
  requests
    .filter(({ request }) => errors.some((error) => refuses(request, status, error)))
    .map((one) => [one.route, one.request] as const)
const ofUsers = ([, request]: readonly [string, RequestObject]) =>
  request['x-who'].startsWith('signed in')

async function ask(
  { url }: TestHost,
  route: string,
  headers: Record<string, string>,
  body?: string,
): Promise<readonly [status: number, error: string]> {
  const [method = '', path = ''] = route.split(' ')
  const answer = await fetch(`${url}${path.replace(/:\w+/, 'x')}`, {
    method,
    headers: { ...ownPage, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const { error } = (await answer.json()) as { error: string }
  return [answer.status, error]
}

const json = { 'Content-Type': 'application/json' }

describe('a request that the description has', () => {
  it('is 400 with two tokens at once, where it says so', async () => {
    const host = await startHost({ options: everything })
    const { authToken } = await logIn(host)
    const twice = { ...bearer(authToken), 'X-Auth-Token': authToken, 'X-User-Id': 'u-alice' }
    const asked = refusing(400, 'invalid-request').filter(ofUsers)
    for (const [route] of asked)
      expect([route, ...(await ask(host, route, twice))]).toEqual([route, 400, 'invalid-request'])
    expect(asked.length).toBeGreaterThan(15)
  })

  it('is 401 without a token, where it says so', async () => {
    const host = await startHost({ options: everything })
    const asked = refusing(401, 'Unauthorized').filter(ofUsers)
    for (const [route] of asked)
      expect([route, ...(await ask(host, route, {}))]).toEqual([route, 401, 'Unauthorized'])
    expect(asked.length).toBeGreaterThan(15)
  })

  it('is 403 while a second factor is missing, where it says so', async () => {
    const secondFactor = { ...everything.secondFactor, policy: () => 'required' as const }
    const options = { ...everything, secondFactor }
    const host = await startHost({ options })
    const { authToken } = await logIn(host)
    const name = 'second-factor-enrolment-required'
    const asked = refusing(403, name)
    for (const [route] of asked)
      expect([route, ...(await ask(host, route, bearer(authToken)))]).toEqual([route, 403, name])
    expect(asked.length).toBeGreaterThan(10)
  })

  it.each([
    ['change-password', ['POST /auth/password/change']],
    ['accept', ['GET /auth/acceptance', 'POST /auth/acceptance']],
  ] as const)('is 403 while a user must first %s, but for %j', async (action, doing) => {
    const { acceptance } = acceptanceOptions()
    const due = acceptance && { ...acceptance, current: () => [] }
    const host = await startHost({ options: { ...everything, ...(due && { acceptance: due }) } })
    if (action === 'change-password') host.users.change('u-alice', { mustChangePassword: true })
    const { authToken } = await logIn(host)
    const name = 'action-required'
    const asked = refusing(403, name)
    const does: readonly string[] = doing
    for (const [route] of asked.filter(([one]) => !does.includes(one)))
      expect([route, ...(await ask(host, route, bearer(authToken)))]).toEqual([route, 403, name])
    for (const route of does) expect((await ask(host, route, bearer(authToken)))[1]).not.toBe(name)
    expect(asked.length).toBeGreaterThan(10)
  })

  it('is 413 with a body that is too large, and 415 with a type that is no JSON', async () => {
    const host = await startHost({ options: everything })
    const { authToken } = await logIn(host)
    const headersOf = (request: RequestObject) =>
      request['x-who'].startsWith('signed in') ? bearer(authToken) : {}
    for (const [route, request] of refusing(413, 'payload-too-large', 'invalid_request')) {
      const large = await ask(host, route, { ...headersOf(request), ...json }, ' '.repeat(9000))
      expect([route, large[0]]).toEqual([route, 413])
      const other = { ...headersOf(request), 'Content-Type': 'text/plain' }
      expect([route, (await ask(host, route, other, '{}'))[0]]).toEqual([route, 415])
    }
  })

  it('is 503 while sessions are away, where it wants somebody signed in', async () => {
    const host = await startHost({ options: everything })
    const { authToken } = await logIn(host)
    host.clock.advance(60)
    host.stores.sessions.find = () => Promise.reject(new Error('away'))
    const asked = refusing(503, 'temporarily-unavailable').filter(ofUsers)
    for (const [route] of asked)
      expect([route, (await ask(host, route, bearer(authToken)))[0]]).toEqual([route, 503])
    expect(asked.length).toBeGreaterThan(15)
  })

  it('is 429 beyond its limit: of passwords, of apps that are refused, of browsers', async () => {
    const host = await startHost({ options: everything })
    const { authToken } = await logIn(host)
    const mine = { ...bearer(authToken), ...json }
    const last = async (times: number, ...[route, headers, body]: [string, object, string]) => {
      for (let left = times; left > 0; left -= 1) await ask(host, route, { ...headers }, body)
      return ask(host, route, { ...headers }, body)
    }
    const named = JSON.stringify({ name: 'bot', password: 'wrong' })
    const limited = [429, 'too-many-requests']
    expect(await last(5, 'POST /auth/access-tokens', mine, named)).toEqual(limited)
    const client = JSON.stringify({ client_id: 'wiki', client_secret: 'x'.repeat(43), token: 'x' })
    expect(await last(20, 'POST /oauth/token', json, client)).toEqual(limited)
    expect(await last(0, 'POST /oauth/revoke', json, client)).toEqual(limited)
    for (let left = 60; left > 0; left -= 1)
      await fetch(`${host.url}/auth/browser-session`, {
        method: 'POST',
        headers: { ...ownPage, ...mine },
        body: '{}',
      })
    expect(await ask(host, 'POST /auth/browser-session', mine, '{}')).toEqual(limited)
  })

  it('is 403 to a page of somebody else, and to a token that is no app’s', async () => {
    const host = await startHost({ options: everything })
    const { authToken } = await logIn(host)
    const foreign = { ...bearer(authToken), 'Sec-Fetch-Site': 'cross-site' }
    const signIn = 'POST /auth/browser-session'
    expect(await ask(host, signIn, foreign)).toEqual([403, 'forbidden'])
    const userinfo = 'POST /oauth/userinfo'
    expect(await ask(host, userinfo, bearer(authToken))).toEqual([403, 'insufficient_scope'])
    const twice = { ...bearer(authToken), 'X-Auth-Token': authToken }
    expect(await ask(host, userinfo, twice)).toEqual([400, 'invalid_request'])
    host.clock.advance(60)
    host.stores.sessions.find = () => Promise.reject(new Error('away'))
    const away = [503, 'temporarily_unavailable']
    expect(await ask(host, userinfo, bearer(authToken))).toEqual(away)
  })
})
