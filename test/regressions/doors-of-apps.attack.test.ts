// Everything that anybody can hold, at every door that takes a text: each opens its own, and no
// other. A value that two doors take is a way around whatever the stricter one asks.
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { cli, deviceGrant, startDevices } from '../oauth/device/device-host.js'
import {
  desktop,
  type Form,
  formOf,
  ledger,
  requestOf,
  search,
  secret,
  service,
  tracker,
  wiki,
} from '../oauth/relying-party.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { assertionOf } from '../support/oauth-clients.js'
import { cookieName, send } from '../support/pages.js'

async function start() {
  let last = 0
  // Each from a network of its own: what is refused is counted.
  const clientAddress = () => `10.0.${Math.floor(++last / 200)}.${last % 200}`
  return startDevices({ options: { clientAddress, namedTokens: true } })
}

type Parties = Awaited<ReturnType<typeof start>>

/** Everything that alice and her apps can hold at once. */
async function holdings(at: Parties) {
  const { host, flow, codeFor, cookie } = at
  const { authToken } = await logIn(host)
  const exchanged = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  const pkce = await obtainCode(host, authToken)
  const code = await codeFor(wiki)
  const part = (await flow(desktop, { scope: 'openid messages:read' })).tokens
  const full = (await flow(desktop, { scope: '* openid' })).tokens
  const elsewhere = (await flow(desktop, { scope: 'openid messages:read', resource: search }))
    .tokens
  const offline = (await flow(wiki, { scope: 'openid offline_access' })).tokens
  const ticket = await post(host, '/auth/socket-ticket', undefined, bearer(authToken))
  const device = await at.begin(cli, { scope: 'openid' })
  await at.approve(device.user_code)
  const values = {
    'token of a login': authToken,
    'access token of PKCE': exchanged.body.access_token,
    'refresh token of PKCE': exchanged.body.refresh_token,
    'code of PKCE': pkce.authorizationCode,
    'code of a client': code.code,
    'access token of a client': part['access_token'],
    'access token of a client, for all': full['access_token'],
    'access token for another API': elsewhere['access_token'],
    'refresh token of an app': part['refresh_token'],
    'refresh token of a server': offline['refresh_token'],
    'ID token, ES256': offline['id_token'],
    'ID token, RS256': (await flow(ledger)).tokens['id_token'],
    'named token': (await makeToken(host, authToken)).token,
    cookie: cookie.slice(`${cookieName}=`.length),
    ticket: ticket.body.data.ticket,
    'secret of a client': secret.secret,
    'code of a device': device.device_code,
    'code of its user': device.user_code,
  }
  return { values: values as Record<keyof typeof values, string>, pkce, code }
}

type Holdings = Awaited<ReturnType<typeof holdings>>
type Kind = keyof Holdings['values']

/** An upgrade as a browser or a program makes it. */
const upgradeWith = (headers: Record<string, string>) =>
  ({
    headers: { host: 'x', ...headers },
    rawHeaders: [],
    socket: { remoteAddress: '127.0.0.1' },
  }) as unknown as IncomingMessage

const isGranted = (asked: Promise<unknown>) =>
  asked.then(
    () => true,
    ({ status }: { status: number }) => {
      expect(status).toBeLessThan(500)
      return false
    },
  )

type Open = (value: string) => Promise<boolean>

/** Where something is let in by a text: whether it was. */
function doorsOf(at: Parties, { pkce, code }: Holdings) {
  const { host, authorize } = at
  const opened = async (asked: PromiseLike<{ status: number }>) => {
    const { status } = await asked
    expect(status).toBeLessThan(500)
    return status < 400
  }
  const token =
    (client: typeof wiki, formWith: (value: string) => Form, headers?: object): Open =>
    async (value) => {
      const { status, body } = await at.post('/oauth/token', client, formWith(value), headers)
      expect(status).toBeLessThan(500)
      // A client that is known is told that there is no such grant.
      return status === 200 || body['error'] === 'unsupported_grant_type'
    }
  const hint =
    (client: typeof wiki): Open =>
    async (value) => {
      const asked = formOf({ ...requestOf(client), id_token_hint: value })
      return (await authorize(asked, at.cookie)).params['code'] !== undefined
    }
  const doors = {
    '/me': (value) => opened(get(host, '/me', bearer(value))),
    '/me, by X-Auth-Token': (value) =>
      opened(get(host, '/me', { 'X-User-Id': 'u-alice', 'X-Auth-Token': value })),
    'a guard': (value) => opened(send(host, 'GET', '/api', bearer(value))),
    'a guard for a scope': (value) => opened(send(host, 'GET', '/read', bearer(value))),
    'a page': (value) => opened(send(host, 'GET', '/page', { Cookie: `${cookieName}=${value}` })),
    authenticateToken: (value) => isGranted(host.auth.authenticateToken(value)),
    'a socket': (value) =>
      isGranted(host.auth.sockets.authenticate(upgradeWith({ authorization: `Bearer ${value}` }))),
    'a socket, by ticket': (value) =>
      isGranted(
        host.auth.sockets.authenticate(
          upgradeWith({ 'sec-websocket-protocol': `auth.ticket, ${value}` }),
        ),
      ),
    'a ticket': (value) => opened(post(host, '/auth/socket-ticket', undefined, bearer(value))),
    'a named token': (value) =>
      opened(post(host, '/auth/access-tokens', { name: 'bot' }, bearer(value))),
    'the sessions': (value) => opened(get(host, '/auth/sessions', bearer(value))),
    'the consents': (value) => opened(get(host, '/auth/consents', bearer(value))),
    'a code of PKCE': (value) => {
      const asked = { codeChallenge: pkce.codeChallenge }
      return opened(post(host, '/auth/pkce/authorize', asked, bearer(value)))
    },
    '/auth/pkce/token': (value) => {
      const { codeVerifier } = pkce
      return opened(post(host, '/auth/pkce/token', { authorizationCode: value, codeVerifier }))
    },
    '/auth/refresh': (value) => opened(post(host, '/auth/refresh', { refreshToken: value })),
    'a password': (value) => opened(post(host, '/login', { username: 'alice', password: value })),
    'a code of a client': async (value) => {
      const Cookie = `${cookieName}=${value}`
      return (await authorize(formOf(requestOf(wiki)), Cookie)).params['code'] !== undefined
    },
    'a hint of an ES256 client': hint(wiki),
    'a hint of an RS256 client': hint(ledger),
    '/oauth/token, by code': token(wiki, (value) => ({ ...code, code: value })),
    '/oauth/token, by the app’s refresh token': token(desktop, (refresh_token) => ({
      grant_type: 'refresh_token',
      refresh_token,
    })),
    '/oauth/token, by the server’s refresh token': token(wiki, (refresh_token) => ({
      grant_type: 'refresh_token',
      refresh_token,
    })),
    '/oauth/token, by the code of a device': token(cli, (device_code) => ({
      grant_type: deviceGrant,
      device_code,
    })),
    'a client, by secret': token(
      wiki,
      (client_secret) => ({ client_id: 'wiki', client_secret, grant_type: 'none' }),
      {},
    ),
    'a client, by assertion': token(
      wiki,
      (value) => ({ client_id: 'wiki', ...assertionOf(value), grant_type: 'none' }),
      {},
    ),
    '/oauth/userinfo': (value) => opened(get(host, '/oauth/userinfo', bearer(value))),
    '/oauth/introspect': async (value) => {
      const { status, body } = await at.post('/oauth/introspect', service, { token: value })
      expect(status).toBe(200)
      return body['active'] === true
    },
  } satisfies Record<string, Open>
  return doors as Record<keyof typeof doors, Open>
}

type Door = keyof ReturnType<typeof doorsOf>

const ofBearers: readonly Door[] = [
  '/me',
  '/me, by X-Auth-Token',
  'a guard',
  'a guard for a scope',
  'authenticateToken',
  'a socket',
  'a ticket',
]
const ofUsers: readonly Door[] = [
  ...ofBearers,
  'a named token',
  'the sessions',
  'the consents',
  'a code of PKCE',
  '/oauth/introspect',
]

/** What each opens. */
const opens: Readonly<Record<Kind, readonly Door[]>> = {
  'token of a login': ofUsers,
  'access token of PKCE': ofUsers,
  'refresh token of PKCE': ['/auth/refresh'],
  'code of PKCE': ['/auth/pkce/token'],
  'code of a client': ['/oauth/token, by code'],
  'access token of a client': [
    'a guard for a scope',
    'a ticket',
    '/oauth/userinfo',
    '/oauth/introspect',
  ],
  'access token of a client, for all': [...ofBearers, '/oauth/userinfo', '/oauth/introspect'],
  'access token for another API': [],
  'refresh token of an app': ['/oauth/token, by the app’s refresh token'],
  'refresh token of a server': ['/oauth/token, by the server’s refresh token'],
  'ID token, ES256': ['a hint of an ES256 client'],
  'ID token, RS256': ['a hint of an RS256 client'],
  'named token': ofBearers,
  cookie: ['a page', 'a code of a client'],
  ticket: ['a socket, by ticket'],
  'secret of a client': ['a client, by secret'],
  'code of a device': ['/oauth/token, by the code of a device'],
  'code of its user': [],
}

const isOwn = (kind: Kind, door: Door) => opens[kind].includes(door)
const isForeign = (kind: Kind, door: Door) => !isOwn(kind, door)

/** Tries the pairs that are asked for, and answers those that open. */
async function whatOpens(
  doors: ReturnType<typeof doorsOf>,
  { values }: Holdings,
  isTried: (kind: Kind, door: Door) => boolean,
): Promise<readonly (readonly [Kind, Door])[]> {
  const pairs = (Object.keys(opens) as Kind[]).flatMap((kind) =>
    (Object.keys(doors) as Door[]).map((door) => [kind, door] as const),
  )
  const open: (readonly [Kind, Door])[] = []
  for (const [kind, door] of pairs)
    if (isTried(kind, door) && (await doors[door](values[kind]))) open.push([kind, door])
  return open
}

describe('a value of one kind, with an app or without', () => {
  it(
    'opens its own doors and no other, and is neither used up nor ended at those ' +
      '(CVE-2025-12421, CVE-2026-4282)',
    async () => {
      const at = await start()
      const held = await holdings(at)
      const doors = doorsOf(at, held)
      expect(await whatOpens(doors, held, isForeign)).toEqual([])
      // A client that has none of them ends none of them.
      for (const token of Object.values(held.values)) {
        const { status, body } = await at.post('/oauth/revoke', tracker, { token })
        expect([status, body]).toEqual([200, {}])
      }
      const own = Object.entries(opens).flatMap(([kind, some]) => some.map((one) => [kind, one]))
      expect(await whatOpens(doors, held, isOwn)).toEqual(own)
      const { authToken } = await logIn(at.host)
      const answer = await get(at.host, '/me', bearer(authToken))
      await afterAttack(at.host, answer, [...Object.values(held.values), password])
    },
  )

  it('is never taken from the URL of an endpoint of OAuth', async () => {
    const at = await start()
    const { values, code } = await holdings(at)
    const query = formOf({
      ...code,
      client_id: 'wiki',
      client_secret: secret.secret,
      refresh_token: values['refresh token of a server'],
      access_token: values['access token of a client'],
      token: values['access token of a client'],
    })
    const paths = ['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/userinfo']
    const got = await Promise.all(paths.map((path) => get(at.host, `${path}?${query}`)))
    expect(got.map(({ status }) => status)).toEqual([405, 405, 405, 401])
    const posted = await Promise.all(paths.map((path) => post(at.host, `${path}?${query}`, {})))
    expect(posted.map(({ status }) => status)).toEqual([400, 400, 400, 401])
    expect((await at.post('/oauth/token', wiki, code)).status).toBe(200)
    const told = await at.userinfo(values['access token of a client'])
    expect(told.status).toBe(200)
    const { authToken } = await logIn(at.host)
    const answer = await get(at.host, '/me', bearer(authToken))
    await afterAttack(at.host, answer, Object.values(values))
  })
})
