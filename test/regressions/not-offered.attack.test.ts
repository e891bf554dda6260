// What is not offered is not there, where somebody would look for it: no authorization server, no
// cookie, no other origin.
import express from 'express'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { type Answered, afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'

const evil = 'https://evil.example'

/** A host that says which requests were left to it. */
const startListening = () =>
  startHost({
    after: (app) =>
      app.use(
        (_request: express.Request, response: express.Response) =>
          void response.status(418).end('the host'),
      ),
  })

async function expectLeftToTheHost(
  host: TestHost,
  method: 'get' | 'post' | 'options',
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const { status, text } = await supertest(host.url)[method](path)
    expect([path, status, text]).toEqual([path, 418, 'the host'])
  }
}

describe('an authorization server for third parties', () => {
  it(
    'is not there: nothing redirects, asks for consent, registers a client or describes one ' +
      '(RFC 6749, 7591, 8414, 9207)',
    async () => {
      const host = await startListening()
      const client = `response_type=code&client_id=x&redirect_uri=${evil}`
      const query = `?${client}&state=s&code_challenge=${pkcePair().codeChallenge}`
      const names = [
        '/oauth/authorize',
        '/authorize',
        '/auth/authorize',
        '/oauth/consent',
        '/oauth/token',
        '/oauth/register',
        '/auth/clients',
      ]
      const wellKnown = [
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        '/oauth/userinfo',
      ]
      await expectLeftToTheHost(host, 'get', [...names.map((name) => name + query), ...wellKnown])
      await expectLeftToTheHost(host, 'post', names)
      expect((await get(host, `/auth/pkce/authorize${query}`)).status).toBe(405)
      await afterAttack(host, [])
    },
  )

  it(
    'answers nobody about tokens: introspection and revocation are the host’s (RFC 7662, RFC ' +
      '7009)',
    async () => {
      const host = await startListening()
      const paths = [
        '/auth/introspect',
        '/oauth/introspect',
        '/auth/revoke',
        '/oauth/revoke',
        '/auth/pkce/introspect',
        '/auth/pkce/revoke',
      ]
      await expectLeftToTheHost(host, 'post', paths)
      await afterAttack(host, [])
    },
  )

  it(
    'has no redirect to abuse: a redirect_uri is neither read nor remembered (CVE-2023-6291, ' +
      'CVE-2024-8883, CVE-2020-15234, CVE-2024-52289)',
    async () => {
      const host = await startHost()
      const saved: unknown[] = []
      const { save } = host.stores.codes
      host.stores.codes.save = (record) => {
        saved.push(record)
        return save(record)
      }
      const { authToken } = await logIn(host)
      const { codeChallenge, codeVerifier } = pkcePair()
      const wishes = {
        redirect_uri: evil,
        redirectUri: evil,
        returnTo: evil,
        next: evil,
        state: evil,
        client_id: 'evil',
        scope: 'admin',
      }
      const issued = await post(
        host,
        `/auth/pkce/authorize?redirect_uri=${evil}`,
        { ...wishes, codeChallenge },
        bearer(authToken),
      )
      const { authorizationCode } = issued.body.data
      const redeemed = await post(host, '/auth/pkce/token', {
        ...wishes,
        authorizationCode,
        codeVerifier,
      })
      expect([issued.status, redeemed.status]).toEqual([200, 200])
      expect(JSON.stringify([saved, issued.body, redeemed.body])).not.toContain('evil')
      expect(JSON.stringify(saved)).not.toContain('admin')
      await afterAttack(host, [issued, redeemed])
    },
  )

  it(
    'grants no token for a password, for client credentials or without a code (RFC 9700 §2.4, ' +
      'ASVS V10.4.4)',
    async () => {
      const host = await startHost()
      const grants = [
        { grant_type: 'password', username: 'alice', password },
        { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' },
        { grant_type: 'implicit', response_type: 'token' },
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: (await logIn(host)).authToken,
        },
        { grant_type: 'refresh_token', refresh_token: 'x' },
      ]
      const answers: Answered[] = []
      for (const grant of grants) answers.push(await post(host, '/auth/pkce/token', grant))
      expect(answers.map(({ status }) => status)).toEqual(grants.map(() => 400))
      await afterAttack(host, answers)
    },
  )
})

describe('a page of another origin', () => {
  const preflight = {
    Origin: evil,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type',
  }

  it.each([evil, 'null', 'https://chat.example.com.evil.example', ''])(
    'from %j is told nothing by a preflight (ASVS V3.4.2)',
    async (origin) => {
      const host = await startHost()
      const answers: Answered[] = []
      for (const path of [
        '/login',
        '/auth/pkce/token',
        '/auth/refresh',
        '/me',
        '/logout',
        '/auth/sessions',
      ]) {
        answers.push(await supertest(host.url).options(path).set(preflight).set('Origin', origin))
      }
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 405))
      await afterAttack(host, answers)
    },
  )

  it('cannot post without one: forms and plain text are 415, whatever they hold (ASVS V3.5.2)', async () => {
    const host = await startHost()
    const body = JSON.stringify({ username: 'alice', password })
    const answers: Answered[] = []
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      for (const path of ['/login', '/auth/pkce/token', '/auth/refresh']) {
        answers.push(
          await supertest(host.url)
            .post(path)
            .set({ Origin: evil, 'Content-Type': type })
            .send(body),
        )
      }
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 415))
    await afterAttack(host, answers)
  })

  it('reads no answer either: none names an origin, with the right credentials or without', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const answers = [
      await get(host, '/me', { ...bearer(authToken), Origin: evil }),
      await get(host, '/me', { Origin: evil }),
      await post(host, '/login', { username: 'alice', password }, { Origin: evil }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200])
    await afterAttack(host, answers)
  })

  it('reads the public keys alone, which are nobody’s secret', async () => {
    const host = await startHost()
    const { status, headers } = await get(host, '/auth/jwks.json', { Origin: evil })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*'])
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })
})

describe('a cookie', () => {
  it(
    'is neither set nor read by any answer of a whole sign-in, so that nothing can be forged ' +
      'through one (ASVS V3.3)',
    async () => {
      const host = await startHost()
      const login = await post(host, '/login', { username: 'alice', password })
      const { authToken } = login.body.data
      const issued = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
      const refreshed = await post(host, '/auth/refresh', {
        refreshToken: issued.body.refresh_token,
      })
      const names = [
        'authToken',
        'access_token',
        'token',
        'session',
        'connect.sid',
        'jwt',
        'rc_token',
        '__Host-session',
      ]
      const cookie = { Cookie: names.map((name) => `${name}=${authToken}`).join('; ') }
      const byCookie = [
        await get(host, '/me', cookie),
        await post(host, '/logout', undefined, cookie),
      ]
      expect(byCookie.map(({ status }) => status)).toEqual([401, 401])
      await afterAttack(host, [login, issued, refreshed, ...byCookie])
    },
  )
})

describe('a proof of possession', () => {
  it(
    'is not taken for a credential while it is not offered: a DPoP header adds nothing, the ' +
      'DPoP scheme is none (RFC 9449)',
    async () => {
      const host = await startHost()
      const { authToken } = await logIn(host)
      const answers = [
        await get(host, '/me', { Authorization: `DPoP ${authToken}`, DPoP: authToken }),
        await get(host, '/me', { DPoP: authToken }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([401, 401])
      const exchanged = await post(host, '/auth/pkce/token', await obtainCode(host, authToken), {
        DPoP: 'x.y.z',
      })
      expect(exchanged.body.token_type).toBe('Bearer')
      await afterAttack(host, [...answers, exchanged])
    },
  )
})

describe('a host’s own parser', () => {
  it(
    'that makes objects of a query or a form opens nothing: what is read is the JSON body alone ' +
      '(RFC 6749 §3.1)',
    async () => {
      const host = await startHost({
        before: (app) =>
          app
            .set('query parser', 'extended')
            .use(express.urlencoded({ extended: true }), express.json()),
      })
      const answers = [
        await post(host, '/login?username=alice&password[$ne]=x', { username: 'alice' }),
        await post(host, '/login?username[]=alice', { username: ['alice', 'bob'], password }),
        await supertest(host.url)
          .post('/login')
          .type('form')
          .send(`username[]=alice&username[]=bob&password=${password}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 415])
      await afterAttack(host, answers)
    },
  )
})
