// openapi.json, of which docs/http-api/ is made, is held against a running router: its routes and
// methods, who may ask, and which members a body needs. Every request of it is asked here with
// success; what answers hold is compared wherever a test gets one: test/support/described.ts.
import { readFileSync } from 'node:fs'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import {
  AuthError,
  type AuthErrorCode,
  generateSigningKey,
  joseSigner,
  type Mail,
} from '../../src/index.js'
import { serviceGrants } from '../../src/oauth/client-schema.js'
import { grantTypes, type OAuthClient } from '../../src/stores/client-contract.js'
import { startLinks } from '../device-links/link-host.js'
import { assertion, creation, newPasskey } from '../passkeys/authenticator.js'
import {
  ada,
  browser,
  comeBack,
  fakeProvider,
  lead,
  returnTo,
  startProviders,
} from '../provider-sign-in/provider-host.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { isForClients, type RequestObject, requests, resolve } from '../support/described.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { acceptanceOptions, terms } from '../support/mounted-acceptance.js'
import { accountsOptions, tokenIn } from '../support/mounted-accounts.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import {
  issuer,
  oauthOptions,
  registrationOption,
  wiki,
  wikiSecret,
} from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { providersOptions } from '../support/mounted-providers.js'
import { mountedPaths } from '../support/mounted-routes.js'
import { cookieOf, ownPage, send as sendTo, startPages } from '../support/pages.js'
import { codeOf, enrolled } from '../support/two-factor.js'

interface Member {
  readonly name: string
  readonly required: boolean
}
interface Described {
  readonly method: string
  readonly path: string
  readonly who: string
  /** Whether a user must be signed in. */
  readonly signedIn: boolean
  readonly thereWith: string | undefined
  readonly tag: string
  readonly sentIn: 'query' | 'form' | 'json'
  readonly members: readonly Member[]
  readonly errors: readonly (readonly [status: number, error: string, id: string])[]
}

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const endpoints = requests.map(({ route, request }): Described => {
  const [method = '', path = ''] = route.split(' ')
  const who = request['x-who']
  return {
    method,
    path,
    who,
    signedIn: who.startsWith('signed in'),
    thereWith: request['x-there-with'],
    tag: request.tags[0] ?? '',
    ...membersOf(request),
    errors: errorsOf(request),
  }
})

/** Of a query or a body, which members there are. */
function membersOf({ parameters = [], requestBody }: RequestObject) {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length > 0)
    return {
      sentIn: 'query' as const,
      members: query.map(({ name, required = false }) => ({ name, required })),
    }
  const [type = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const { properties = {}, required = [] } = resolve(content?.schema ?? {})
  return {
    sentIn: type.includes('form') ? ('form' as const) : ('json' as const),
    members: Object.keys(properties).map((name) => ({ name, required: required.includes(name) })),
  }
}

/** The refusals, by status: what `error` is, and under which name components have it. */
function errorsOf({ responses }: RequestObject) {
  return Object.entries(responses).flatMap(([status, response]) => {
    const schema = resolve(response).content?.['application/json']?.schema ?? {}
    const each = schema.oneOf ?? [schema]
    return each
      .filter((one) => resolve(one).properties?.['error'] !== undefined)
      .map((one) => {
        const [error = ''] = resolve(one).properties?.['error']?.enum ?? []
        return [Number(status), error, one.$ref?.split('/').at(-1) ?? ''] as const
      })
  })
}

const find = (method: string, path: string) =>
  endpoints.find((one) => one.method === method && one.path === path) as Described
const titled = endpoints.map((one) => [`${one.method} ${one.path}`, one] as const)
const mails: Mail[] = []
/** With every option that mounts an endpoint. */
const ofPeople = grantTypes.filter((one) => !serviceGrants.includes(one))
const mayIntrospect: OAuthClient = { ...wiki, mayIntrospect: true, grants: ofPeople }
const everything = {
  options: {
    namedTokens: true,
    ...oauthOptions({
      clients: [mayIntrospect],
      deviceFlow: true,
      logout: true,
      ...registrationOption(),
    }),
    ...passkeyOptions(),
    ...accountsOptions(mails),
    ...providersOptions(),
    ...deviceLinksOptions(),
    ...acceptanceOptions(),
    secondFactor: { remember: { days: 30 } },
  },
}
const paths = [...new Set(endpoints.map(({ path }) => path))]

/** Sends a request as it is described; `:id` becomes the id of nothing. */
function send(
  host: TestHost,
  { method, path }: Pick<Described, 'method' | 'path'>,
  body?: object,
  headers: Record<string, string> = {},
) {
  const url = `${host.url}${path.replace(/:\w+/, 'x')}`
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(url, { method, headers: { ...json, ...headers }, ...sent })
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

const withMetadata = {
  ...everything,
  options: {
    ...everything.options,
    signer: joseSigner({
      issuer: `${issuer}/api/v1`,
      audience: 'chat',
      keys: [await generateSigningKey('ES256')],
    }),
  },
}

type Ask = (method: string, path: string, body?: object, as?: string, id?: string) => Promise<never>

/** The mail of a kind, once it is there. */
async function mailed({ auth }: TestHost, kind: Mail['kind']): Promise<Mail | undefined> {
  while (auth.stats().mail.waiting !== 0) await new Promise((resolve) => setTimeout(resolve, 2))
  return mails.filter((mail) => mail.kind === kind).at(-1)
}

/** Every request of accounts that a user makes, with success. */
async function askOfAccounts(
  host: TestHost,
  ask: Ask,
  mine: string,
  prove: () => object,
): Promise<void> {
  const unproven = { phone: '+4917012345678', phoneVerified: false, emailVerified: true }
  host.users.change('u-alice', unproven)
  await askOfAddress(host, ask, mine, { name: 'phone', wanted: '+4917087654321', prove })
  host.users.change('u-alice', { emailVerified: false })
  await askOfAddress(host, ask, mine, { name: 'email', wanted: 'a@example.org', prove })
  const newPassword = 'a phrase that nobody else types'
  await ask('POST', '/auth/password/change', { newPassword, ...prove() }, mine)
}

/** Every request of an address or a number, with success. */
async function askOfAddress(
  host: TestHost,
  ask: Ask,
  mine: string,
  { name, wanted, prove }: { name: string; wanted: string; prove: () => object },
): Promise<void> {
  type Sent = { data: { requestId: string } }
  const path = `/auth/${name}`
  const verifying: Sent = await ask('POST', `${path}/verify`, {}, mine)
  const { code } = (await mailed(host, 'verify-address')) ?? {}
  await ask('POST', `${path}/confirm`, { requestId: verifying.data.requestId, code }, mine)
  await ask('GET', path, undefined, mine)
  const given = { [name]: wanted, ...prove() }
  const changing: Sent = await ask('POST', `${path}/change`, given, mine)
  const { code: other } = (await mailed(host, 'change-address')) ?? {}
  await ask('POST', `${path}/confirm`, { requestId: changing.data.requestId, code: other }, mine)
  await ask('POST', `${path}/second-factor`, { enabled: false }, mine)
}

/** Every request by a mailed link, with success. Alice is deleted at last. */
async function askByLinks(host: TestHost, ask: Ask, secret: string): Promise<void> {
  await ask('POST', '/auth/password/forgot', { username: 'alice' })
  const token = tokenIn((await mailed(host, 'reset-password'))?.url)
  await ask('POST', '/auth/password/reset', { token, password: 'another that nobody types' })
  const undoing = tokenIn((await mailed(host, 'address-changed'))?.url)
  await ask('POST', '/auth/email/undo', { token: undoing, password: 'a third one of hers' })
  const ofNumber = tokenIn((await mailed(host, 'phone-changed'))?.url)
  const password = 'a fourth one that nobody types'
  await ask('POST', '/auth/phone/undo', { token: ofNumber, password })
  const mine = await askByCode(host, ask, secret)
  type Sent = { data: { requestId: string } }
  const deletion = '/auth/account/delete'
  const asked: Sent = await ask('POST', deletion, { password }, mine)
  const { code } = (await mailed(host, 'confirm-deletion')) ?? {}
  await ask('POST', `${deletion}/confirm`, { requestId: asked.data.requestId, code }, mine)
}

/** Every request of a new user, with success. */
async function askOfNewcomer(host: TestHost, ask: Ask): Promise<void> {
  const { token } = await host.auth.accounts.invite({ email: 'eve@example.com', note: 'Hello.' })
  await ask('GET', '/auth/registration')
  await ask('GET', '/auth/invitations/:token', undefined, undefined, token)
  const eve = { email: 'eve@example.com', username: 'eve', name: 'Eve', invitation: token }
  const asked: { data: { requestId: string } } = await ask('POST', '/auth/register', eve)
  const { code } = (await mailed(host, 'register')) ?? {}
  const body = { requestId: asked.data.requestId, code, tokens: 'refreshable' }
  const password = 'a phrase that eve alone knows'
  await ask('POST', '/auth/register/confirm', { ...body, password })
}

/** A sign-in by a mailed code. */
async function askByCode(host: TestHost, ask: Ask, secret: string): Promise<string> {
  host.clock.advance(30)
  const asked: { data: { requestId: string } } = await ask('POST', '/auth/code', { user: 'alice' })
  const { code } = (await mailed(host, 'sign-in-code')) ?? {}
  const body = { requestId: asked.data.requestId, code, secondFactor: codeOf(host, secret) }
  const login: { data: { authToken: string } } = await ask('POST', '/auth/code/login', body)
  return login.data.authToken
}

/** Every request of passkeys, with success. */
async function askOfPasskeys(ask: Ask, mine: string): Promise<void> {
  interface Options {
    data: { challenge: string; user: { id: string } }
  }
  const passkey = newPasskey()
  const creating: Options = await ask('POST', '/auth/passkeys/options', {}, mine)
  passkey.userHandle = creating.data.user.id
  const made = creation(passkey, creating.data.challenge)
  await ask('POST', '/auth/passkeys', { response: made }, mine)
  await ask('GET', '/auth/passkeys', undefined, mine)
  await ask('POST', '/auth/passkeys/:id', { name: 'Phone' }, mine, passkey.id)
  const anybody: Options = await ask('POST', '/auth/passkey/options', {})
  const response = assertion(passkey, anybody.data.challenge)
  await ask('POST', '/auth/passkey/login', { response })
  const owner: Options = await ask('POST', '/auth/passkey/options', {}, mine)
  const again = assertion(passkey, owner.data.challenge)
  await ask('POST', '/auth/reauthenticate', { passkey: again }, mine)
  await ask('DELETE', '/auth/passkeys/:id', undefined, mine, passkey.id)
}

describe('openapi.json', () => {
  it('lists every route of the router, and no other', async () => {
    const host = await startHost(withMetadata)
    expect(new Set((await mountedPaths(host.auth)).filter(isForClients))).toEqual(new Set(paths))
  })

  it('says of each route that is there only with an option or a store that it is', async () => {
    const host = await startHost({
      options: { secondFactors: undefined, tickets: undefined } as object,
    })
    const always = endpoints.filter(({ thereWith }) => thereWith === undefined)
    expect(new Set((await mountedPaths(host.auth)).filter(isForClients))).toEqual(
      new Set(always.map(({ path }) => path)),
    )
  })

  it('lists every method of each path', async () => {
    const host = await startHost(withMetadata)
    for (const path of paths) {
      const { status, headers } = await send(host, { method: 'PUT', path })
      const methods = endpoints.filter((one) => one.path === path).map(({ method }) => method)
      const allowed = (headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD')
      expect([path, status, new Set(allowed)]).toEqual([path, 405, new Set(methods)])
    }
  })

  const byUsers = titled.filter(([, { who }]) =>
    /^(anybody|signed in(, full scope)?)(;|$)/.test(who),
  )
  it.each(byUsers)('says who may ask: %s', async (_title, endpoint) => {
    const host = await startHost(withMetadata)
    const body = endpoint.members.length > 0 ? {} : undefined
    const stranger = await send(host, endpoint, body)
    expect(stranger.status === 401).toBe(endpoint.signedIn)
    if (!endpoint.signedIn) return
    const limited = await send(host, endpoint, body, bearer(await limitedToken(host)))
    expect(limited.status === 403).toBe(endpoint.who.includes('full scope'))
  })

  const wanting = titled.filter(
    // Apps are told of their metadata by the names of RFC 7591.
    ([, { members, sentIn, tag }]) =>
      sentIn === 'json' && tag !== 'Apps' && members.some(({ required }) => required),
  )
  it.each(wanting)('says what a body needs: %s', async (_title, endpoint) => {
    const host = await startHost(everything)
    const { authToken } = await logIn(host)
    const headers = endpoint.signedIn ? bearer(authToken) : {}
    const named = endpoint.path === '/login' ? { username: 'alice' } : {}
    const answer = await send(host, endpoint, named, headers)
    const { details } = (await answer.json()) as { details: { issues: { path: string }[] } }
    const required = endpoint.members.filter((member) => member.required)
    expect(details.issues.map(({ path }) => path)).toEqual(required.map(({ name }) => name))
  })

  it('is right about every answer to users', async () => {
    const { host, token, secret, recoveryCodes } = await enrolled(everything)
    const tried = new Set<Described>()
    const ask = async (method: string, path: string, body?: object, as?: string, id = '') => {
      const endpoint = find(method, path)
      const at = { method, path: path.replace(/:\w+/, id) }
      const answer = await send(host, at, body, as === undefined ? {} : bearer(as))
      const json = await answer.json()
      expect([path, answer.status, json]).toEqual([path, answer.ok ? answer.status : 200, json])
      tried.add(endpoint)
      return json as never
    }
    type Data<Shape> = { data: Shape }
    const code = codeOf(host, secret)
    const login: Data<{ authToken: string }> = await ask('POST', '/login', {
      username: 'alice',
      password,
      code,
      remember: true,
    })
    const mine = login.data.authToken
    const remembered: Data<{ browsers: { id: string }[] }> = await ask(
      'GET',
      '/auth/remembered-browsers',
      undefined,
      mine,
    )
    const [here] = remembered.data.browsers
    await ask('DELETE', '/auth/remembered-browsers/:id', undefined, mine, here?.id)
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
    await ask('GET', '/auth/acceptance', undefined, mine)
    const { id, version } = terms
    await ask('POST', '/auth/acceptance', { documents: [{ id, version }] }, mine)
    await askOfPasskeys(ask, mine)
    const prove = () => {
      // The next step of the code.
      host.clock.advance(30)
      return { password, code: codeOf(host, begun.data.secret) }
    }
    await askOfAccounts(host, ask, mine, prove)
    await ask('POST', '/logout', undefined, mine)
    await askByLinks(host, ask, begun.data.secret)
    await askOfNewcomer(host, ask)
    expect(token).not.toBe(mine)
    const plain = await startHost(everything)
    const byGet = find('GET', '/logout')
    const { authToken } = await logIn(plain)
    expect((await send(plain, byGet, undefined, bearer(authToken))).status).toBe(200)
    tried.add(byGet)
    const tested = ['Apps', 'Other accounts', 'Linked devices']
    const elsewhere = endpoints.filter(({ tag }) => tested.includes(tag))
    expect(endpoints.filter((one) => !tried.has(one))).toEqual(elsewhere)
  })

  it('is right about every answer to users of providers', async () => {
    const readLogoutToken = async () => {
      const expiresAt = new Date(Date.now() + 120_000)
      return { issuer: ada.issuer, subject: ada.subject, jti: 'one', expiresAt }
    }
    const host = await startProviders({ provider: fakeProvider({ readLogoutToken }) })
    const tried = new Set<Described>()
    const mine = bearer((await logIn(host)).authToken as string)
    const ask = async (method: string, path: string, id: string, body?: object, headers = {}) => {
      const answer = await send(host, { method, path: path.replace(':id', id) }, body, headers)
      const text = await answer.text()
      expect([path, answer.status, text]).toEqual([path, 200, text])
      tried.add(find(method, path))
      return text === '' ? null : JSON.parse(text).data
    }
    await ask('GET', '/auth/providers', '')
    const back = async (path: string, headers = {}) => {
      const { codeVerifier, codeChallenge } = pkcePair()
      const { url } = await ask('POST', path, 'fake', { returnTo, codeChallenge }, headers)
      const begun = { codeVerifier, ...(await lead(host, url, browser(host))) }
      return { codeVerifier, ticket: (await comeBack(begun)).ticket }
    }
    await ask('POST', '/auth/identities', '', await back('/auth/identities/:id', mine), mine)
    const { identities } = await ask('GET', '/auth/identities', '', undefined, mine)
    await ask('POST', '/auth/providers/finish', '', await back('/auth/providers/:id/start'))
    await ask('POST', '/auth/providers/:id/backchannel-logout', 'fake', { logout_token: 'a' })
    await ask('DELETE', '/auth/identities/:id', identities[0].id, undefined, mine)
    expect(endpoints.filter((one) => one.tag === 'Other accounts' && !tried.has(one))).toEqual([])
  })

  it('is right about every answer to devices that are linked', async () => {
    const host = await startLinks()
    const mine = bearer((await logIn(host)).authToken as string)
    const tried = new Set<Described>()
    const ask = async (step: string, body: object, headers = {}) => {
      const path = `/auth/device-links${step}`
      const answer = await send(host, { method: 'POST', path }, body, headers)
      const json = (await answer.json()) as Record<string, never>
      expect([path, answer.status, json]).toEqual([path, 200, json])
      tried.add(find('POST', path))
      return json['data'] as unknown as { linkId: string; qr: string }
    }
    const begin = async () => {
      const { codeVerifier, codeChallenge } = pkcePair()
      const { linkId, qr } = await ask('', { codeChallenge })
      await ask('/open', { link: qr.split('#')[1] }, mine)
      host.issued.add(codeVerifier)
      return { linkId, codeVerifier }
    }
    await ask('/deny', { linkId: (await begin()).linkId }, mine)
    const proof = await begin()
    const told = await post(host, '/auth/device-links/collect', proof).expect(400)
    const { checkCode } = told.body.details
    await ask('/approve', { linkId: proof.linkId, checkCode }, mine)
    host.clock.advance(2)
    await post(host, '/auth/device-links/collect', proof).expect(400)
    host.clock.advance(2)
    await ask('/collect', { ...proof, confirm: true })
    expect(endpoints.filter((one) => one.tag === 'Linked devices' && !tried.has(one))).toEqual([])
  })

  it('says what apps must send, and is right about every answer to them', async () => {
    const host = await startPages(withMetadata)
    const tried = new Set<Described>()
    const look = ({ status, body }: supertest.Response, method: string, path: string) => {
      expect([path, status, body]).toEqual([path, 200, body])
      tried.add(find(method, path))
      return body
    }
    const post = async (path: string, form: Record<string, string>) => {
      const ask = (sent: object) =>
        supertest(host.url).post(path).auth('wiki', wikiSecret.secret).type('form').send(sent)
      const { members } = find('POST', path)
      for (const { name } of members.filter(({ required }) => required)) {
        const { [name]: _left, ...rest } = form
        expect([name, (await ask(rest)).body.error]).toEqual([name, 'invalid_request'])
      }
      return look(await ask(form), 'POST', path)
    }

    const opened = await sendTo(host, 'POST', '/open', ownPage, { userId: 'u-alice' })
    const { codeVerifier, codeChallenge } = pkcePair()
    const redirect_uri = wiki.redirectUris[0] as string
    const asked: Record<string, string> = {
      client_id: 'wiki',
      response_type: 'code',
      redirect_uri,
      scope: 'openid profile offline_access',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }
    const authorize = (parameters: Record<string, string>) =>
      supertest(host.url)
        .get(`/oauth/authorize?${new URLSearchParams(parameters)}`)
        .set({ Cookie: cookieOf(opened)?.pair ?? '' })
    const described = find('GET', '/oauth/authorize')
    for (const { name } of described.members.filter(({ required }) => required)) {
      const { [name]: _left, ...rest } = asked
      const { status, headers } = await authorize(rest)
      const said = status === 400 || headers['location']?.includes('error=')
      expect([name, said]).toEqual([name, true])
    }
    const sent = await authorize(asked)
    expect(sent.status).toBe(303)
    tried.add(described)
    const posted = await supertest(host.url).post('/oauth/authorize').type('form').send(asked)
    expect(posted.status).toBe(303)
    tried.add(find('POST', '/oauth/authorize'))
    const leaving = await supertest(host.url).get('/oauth/logout?client_id=wiki')
    expect([leaving.status, leaving.text]).toEqual([303, ''])
    tried.add(find('GET', '/oauth/logout'))
    const leavingByForm = supertest(host.url).post('/oauth/logout').type('form')
    const { headers: forwarded } = await leavingByForm.send({ client_id: 'wiki' })
    expect(forwarded['location']).toMatch(/\/oauth\/logout\?client_id=wiki$/)
    tried.add(find('POST', '/oauth/logout'))
    const metadata = '/.well-known/openid-configuration'
    look(await supertest(host.url).get(metadata), 'GET', metadata)
    const code = new URL(sent.headers['location'] ?? '').searchParams.get('code') ?? ''
    const first = { grant_type: 'authorization_code', code, redirect_uri }
    const { access_token, refresh_token } = await post('/oauth/token', {
      ...first,
      code_verifier: codeVerifier,
    })
    await post('/oauth/introspect', { token: access_token })
    const userinfo = supertest(host.url).get('/oauth/userinfo')
    look(await userinfo.auth(access_token, { type: 'bearer' }), 'GET', '/oauth/userinfo')
    const byPost = supertest(host.url).post('/oauth/userinfo')
    look(await byPost.auth(access_token, { type: 'bearer' }), 'POST', '/oauth/userinfo')
    await post('/oauth/revoke', { token: refresh_token })
    await post('/oauth/device_authorization', { scope: 'openid' })
    const metadataOfApp = { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'App' }
    const registering = supertest(host.url).post('/oauth/register').send(metadataOfApp)
    expect((await registering).status).toBe(201)
    tried.add(find('POST', '/oauth/register'))

    const { consents } = everything.options.oauth ?? {}
    const now = new Date()
    const row = { userId: 'u-alice', clientId: 'wiki', scopes: ['openid'] }
    await consents?.grant({ ...row, grantedAt: now, updatedAt: now })
    const { authToken } = await logIn(host)
    const mine = (method: 'get' | 'delete', path: string) =>
      supertest(host.url)[method](path).auth(authToken, { type: 'bearer' })
    look(await mine('get', '/auth/consents'), 'GET', '/auth/consents')
    const taken = await mine('delete', '/auth/consents/wiki')
    look(taken, 'DELETE', '/auth/consents/:clientId')
    const browser = await supertest(host.url)
      .post('/auth/browser-session')
      .auth(authToken, { type: 'bearer' })
      .set(ownPage)
      .send({})
    expect([browser.status, browser.text]).toEqual([204, ''])
    tried.add(find('POST', '/auth/browser-session'))
    const left = await supertest(host.url).delete('/auth/browser-session').set(ownPage)
    expect([left.status, left.text]).toEqual([204, ''])
    tried.add(find('DELETE', '/auth/browser-session'))
    const ofApps = endpoints.filter(({ tag }) => tag === 'Apps')
    expect(ofApps.filter((one) => !tried.has(one))).toEqual([])
  })

  it('leaves no error out', () => {
    const [, union = ''] = /type AuthErrorCode =\n([\s\S]*?)\n\n/.exec(read('src/errors.ts')) ?? []
    const codes = [...union.matchAll(/'([\w-]+)'/g)].map(([, code]) => code as AuthErrorCode)
    const said = new Set(endpoints.flatMap(({ errors }) => errors.map(([, , id]) => id)))
    const idOf = (code: string) =>
      code.replaceAll(/(?:^|[-_])(\w)/g, (_all, first) => first.toUpperCase())
    const unsaid = codes.filter((code) => ![...said].some((id) => id.endsWith(idOf(code))))
    expect(codes.length).toBeGreaterThan(15)
    // The first is an answer of guards, at routes of the host.
    expect(unsaid).toEqual([
      'insufficient_user_authentication',
      'method-not-allowed',
      'configuration',
    ])
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
