// Providers in hosts of Express 4 and 5, behind the host's own parsers, and called by other pages.
import express from 'express'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import {
  ada,
  begin,
  comeBack,
  connected,
  fakeProvider,
  finish,
  type ProviderHost,
  type ProviderSettings,
  returnTo,
  signIn,
  startProviders,
} from './provider-host.js'

const parsers = {
  'no parser': [],
  'express.json and express.urlencoded': [express.json(), express.urlencoded({ extended: true })],
  'express.urlencoded without nesting': [express.urlencoded({ extended: false })],
  'a parser of texts': [express.text({ type: 'text/plain' }), express.json()],
}
const hosts = ([4, 5] as const).flatMap((own) =>
  Object.entries(parsers).map(([title, used]) => [own, title, used] as const),
)

const sid = 'session 1'
const logoutPath = '/auth/providers/fake/backchannel-logout'

describe.each(hosts)('In an Express %i host behind %s', (own, _title, used) => {
  async function start(settings: ProviderSettings = {}): Promise<ProviderHost> {
    const provider = fakeProvider({
      responseMode: 'form_post',
      readLogoutToken: async (token) =>
        token === 'right'
          ? { issuer: ada.issuer, jti: 'j', sid, expiresAt: new Date(Date.now() + 60_000) }
          : null,
    })
    provider.answer = { outcome: 'identified', identity: { ...ada, sid } }
    const before = (app: express.Express) => used.forEach((one) => void app.use(one))
    const host = await startProviders({ express: own, before, provider, ...settings })
    await connected(host)
    return host
  }

  const form = 'application/x-www-form-urlencoded'
  const sendForm = (
    { url }: ProviderHost,
    path: string,
    body: string,
    { cookie = '', type = form } = {},
  ) => supertest(url).post(path).set({ Cookie: cookie, 'Content-Type': type }).send(body)
  const callback = '/auth/providers/fake/callback'

  it('somebody signs in, and the provider ends the session', async () => {
    const host = await start()
    const session = bearer((await signIn(host)).body.data.authToken)
    expect((await get(host, '/me', session)).status).toBe(200)
    await sendForm(host, logoutPath, 'logout_token=wrong').expect(400)
    await sendForm(host, logoutPath, 'logout_token=right&logout_token=right').expect(400)
    await sendForm(host, logoutPath, 'logout_token[a]=right').expect(400)
    expect((await get(host, '/me', session)).status).toBe(200)
    await sendForm(host, logoutPath, 'logout_token=right').expect(200)
    expect((await get(host, '/me', session)).status).toBe(401)
  })

  it('an answer by form_post is read as it was sent, from the browser that began', async () => {
    const host = await start()
    const { state, browser, codeVerifier } = await begin(host)
    const body = `state=${state}&code=c%20%26%2B1&id_token=`
    expect((await sendForm(host, callback, body)).status).toBe(400)
    const { status, headers } = await sendForm(host, callback, body, browser)
    expect(status).toBe(303)
    expect(host.provider.asked.finish).toMatchObject([
      { method: 'POST', parameters: { state, code: 'c &+1', id_token: '' } },
    ])
    const ticket = new URL(headers['location'] ?? '').searchParams.get('ticket')
    await finish(host, { ticket, codeVerifier }).expect(200)
    await sendForm(host, callback, body, browser).expect(400)
  })

  it.each<[string, (state: string) => string, number]>([
    ['with two states', (state) => `state=${state}&state=${state}`, 400],
    ['with a state in a state', (state) => `state[state]=${state}`, 400],
    ['with __proto__', (state) => `__proto__[state]=${state}&constructor[state]=${state}`, 400],
    ['with two codes', (state) => `state=${state}&code=a&code=b`, 400],
    ['of 300 KB', (state) => `state=${state}&x=${'x'.repeat(300 * 1024)}`, 413],
  ])('an answer %s signs nobody in, and uses nothing up', async (_what, bodyOf, expected) => {
    const host = await start({ isBeyond: () => true })
    const begun = await begin(host)
    const refused = await sendForm(host, callback, bodyOf(begun.state), begun.browser)
    // What is too long for the host's own parser, the host answers.
    const isOurs = refused.body.host === undefined
    expect(isOurs ? refused.status : expected).toBe(expected)
    expect(host.provider.asked.finish).toEqual([])
    const { ticket } = await comeBack(begun)
    await finish(host, { ticket, codeVerifier: begun.codeVerifier }).expect(200)
  })

  it('an answer that is no form is refused, and uses nothing up', async () => {
    const host = await start()
    const begun = await begin(host)
    const { state, browser } = begun
    for (const type of ['application/json', 'text/plain', 'application/xml']) {
      const sent = { cookie: browser.cookie, type }
      const refused = await sendForm(host, callback, JSON.stringify({ state }), sent)
      expect([type, refused.status]).toEqual([type, 415])
    }
    expect((await comeBack(begun)).ticket).toMatch(/^mar_vt_/)
  })
})

describe('Pages of other origins', () => {
  const app = 'https://app.example.com'
  const evil = 'https://evil.example.com'
  const allowed = (headers: Record<string, string>) => headers['access-control-allow-origin']

  it.each([4, 5] as const)(
    'read what is for clients only where the option cors names them (Express %i)',
    async (own) => {
      const host = await startProviders({ express: own, options: { cors: { origins: [app] } } })
      await connected(host)
      const token = bearer((await logIn(host)).authToken as string)
      const asked: [string, 'get' | 'post', object?][] = [
        ['/auth/providers', 'get'],
        ['/auth/providers/fake/start', 'post', { returnTo, codeChallenge: 'c'.repeat(43) }],
        ['/auth/providers/finish', 'post', { ticket: 'x', codeVerifier: 'v'.repeat(43) }],
        ['/auth/identities', 'get'],
        ['/auth/identities/fake', 'post', { returnTo, codeChallenge: 'c'.repeat(43) }],
      ]
      for (const [path, method, body] of asked)
        for (const [Origin, told] of [
          [app, app],
          [evil, undefined],
          ['null', undefined],
        ] as const) {
          const headers = { ...token, Origin }
          const answer =
            method === 'get'
              ? await get(host, path, headers)
              : await post(host, path, body, headers)
          expect([path, Origin, allowed(answer.headers)]).toEqual([path, Origin, told])
          const preflight = await supertest(host.url)
            .options(path)
            .set({ Origin, 'Access-Control-Request-Method': method.toUpperCase() })
          expect([path, Origin, allowed(preflight.headers)]).toEqual([path, Origin, told])
        }
    },
  )

  it('read no answer that a browser is led by', async () => {
    const host = await startProviders({ options: { cors: { origins: [app] } } })
    await connected(host)
    const { callback, browser } = await begin(host)
    const led = await supertest(host.url)
      .get(callback)
      .set({ Cookie: browser.cookie, Origin: evil })
    expect([led.status, allowed(led.headers)]).toEqual([303, undefined])
    expect(led.headers['access-control-allow-credentials']).toBeUndefined()
    const body = 'logout_token=x'
    const logout = await post(host, logoutPath, undefined, { Origin: evil }).type('form').send(body)
    expect(allowed(logout.headers)).toBeUndefined()
  })
})
