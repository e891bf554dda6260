import { describe, expect, it } from 'vitest'
import { type AccessTokenClaims, AuthError } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, startHost, type TestHost, totpSecret } from '../support/host.js'

interface Ready {
  readonly host: TestHost
  readonly token: string
  readonly code: { authorizationCode: string; codeVerifier: string }
}

type Ask = (
  ready: Ready,
) => PromiseLike<{ status: number; text: string; headers: Record<string, string> }>

const logInAgain: Ask = ({ host }) => post(host, '/login', { username: 'alice', password })
const showToken: Ask = ({ host, token }) => get(host, '/me', bearer(token))
const exchange: Ask = ({ host, code }) => post(host, '/auth/pkce/token', code)
const askForCode: Ask = ({ host, token }) =>
  post(host, '/auth/pkce/authorize', { codeChallenge: 'a'.repeat(43) }, bearer(token))

/**
 * What the host supplied, and requests on whose way it is called: as many as npm run test:mutation
 * can ask for each mutant. every-call-1 and -2, beside this file, ask it of every call.
 */
const callSites: [string, Ask][] = [
  ['users.findByIdentifier', logInAgain],
  ['users.findById', showToken],
  ['users.findById', exchange],
  ['sessions.find', showToken],
  ['sessions.find', exchange],
  ['sessions.create', logInAgain],
  ['codes.save', askForCode],
  ['codes.consume', exchange],
  ['secondFactors.find', logInAgain],
  ['signer.sign', logInAgain],
  ['hooks.beforeLogin', logInAgain],
  ['hooks.beforeLogin', exchange],
  ['hooks.describeUser', showToken],
]

/**
 * A host that is signed in to and has forgotten what it read, so that every part is asked again.
 */
async function start() {
  const signer = {
    sign: async (claims: AccessTokenClaims) =>
      Buffer.from(JSON.stringify(claims)).toString('base64url'),
    verify: async (token: string) =>
      JSON.parse(Buffer.from(token, 'base64url').toString()) as AccessTokenClaims,
  }
  const hooks = { beforeLogin: () => undefined, describeUser: () => undefined }
  const host = await startHost({
    options: {
      signer,
      beforeLogin: () => hooks.beforeLogin(),
      describeUser: () => hooks.describeUser(),
    },
  })
  const { authToken: token } = await logIn(host)
  const code = await obtainCode(host, token)
  host.clock.advance(31)
  const parts = { ...host.stores, users: host.users, signer, hooks } as unknown as Record<
    string,
    Record<string, unknown>
  >
  const replace = (place: string, by: () => unknown) => {
    const [part = '', method = ''] = place.split('.')
    Object.assign(parts[part] ?? {}, { [method]: by })
  }
  return { ready: { host, token, code }, replace }
}

async function expectOutage(place: string, ask: Ask, error: AuthError) {
  const { ready, replace } = await start()
  replace(place, () => Promise.reject(error))
  const response = await ask(ready)
  expect(response.status).toBe(503)
  expect(JSON.parse(response.text)).toMatchObject({ error: 'temporarily-unavailable' })
  expect(response.headers['www-authenticate']).toBeUndefined()
  expect(ready.host.unforeseen).toEqual([])
  return { ready, response }
}

describe('a part of the host that throws an AuthError of ours', () => {
  it.each(callSites)(
    '%s: is an outage, not a 401; no text of it reaches a client or the log, but when to come back',
    async (place, ask) => {
      const error = new AuthError('Unauthorized', {
        clientMessage: 'pg: password=hunter2',
        details: { query: 'hunter2' },
        headers: { 'X-Query': 'hunter2' },
        retryAfter: 7,
      })
      const { ready, response } = await expectOutage(place, ask, error)
      expect(response.headers['retry-after']).toBe('7')
      const told = [response.text, response.headers, ready.host.events, ready.host.log]
      expect(JSON.stringify(told)).not.toContain('hunter2')
    },
  )

  it('is told to come back by us where it does not say when', async () => {
    const error = new AuthError('temporarily-unavailable')
    const { response } = await expectOutage('users.findById', showToken, error)
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a signer', () => {
  it.each([
    'forbidden',
    'invalid-request',
    'totp-required',
    'too-many-requests',
    'configuration',
  ] as const)(
    'whose verify throws “%s” is an outage: only “Unauthorized” is a verdict',
    async (code) => {
      await expectOutage('signer.verify', showToken, new AuthError(code))
    },
  )

  it('whose verify throws “Unauthorized” refuses the token', async () => {
    const { ready, replace } = await start()
    replace('signer.verify', () => Promise.reject(new AuthError('Unauthorized')))
    expect((await showToken(ready)).status).toBe(401)
  })
})

describe('a second-factor store', () => {
  it('that answers another user’s row is an outage, with and without a code', async () => {
    const host = await startHost()
    await host.auth.secondFactors.importTotp({ userId: 'u-bob', secret: totpSecret })
    const { find } = host.stores.secondFactors
    host.stores.secondFactors.find = () => find('u-bob')
    for (const code of [{}, { code: '000000' }]) {
      expect((await post(host, '/login', { username: 'alice', password, ...code })).status).toBe(
        503,
      )
    }
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'secondFactors.find' }),
    )
  })
})
