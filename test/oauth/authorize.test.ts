import express from 'express'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/secrets.js'
import { wordsFor } from '../support/consents.js'
import {
  answerOf,
  asked,
  askedByTracker,
  codeOf,
  issuer,
  pageOf,
  queryOf,
  startAuthorize,
  stepOf,
} from './authorize-host.js'
import { ownResource, tracker } from './some-clients.js'

const callback = 'https://wiki.example.com/oidc/callback'
const minute = 60

describe('the authorization endpoint', () => {
  it('sends a browser that is signed in back with a code, the state and who answers', async () => {
    const { signIn, visit, events } = await startAuthorize()
    const { Cookie, session } = await signIn()
    events.length = 0
    const response = await visit(queryOf(), { Cookie })
    expect(answerOf(response)).toEqual({
      at: callback,
      with: {
        code: expect.stringMatching(/^mar_oc_[\w-]{43}$/),
        state: asked['state'],
        iss: issuer,
      },
    })
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    })
    expect(events).toEqual([
      expect.objectContaining({ type: 'code.issued', userId: 'u-alice', sessionId: session }),
    ])
  })

  it('stores of a code its hash, and all that the client is to get for it', async () => {
    const { signIn, visit, stores, clock, codes } = await startAuthorize()
    const { Cookie, session } = await signIn()
    clock.advance(minute)
    const code = codeOf(await visit(queryOf({ nonce: 'n-0S6' }), { Cookie }))
    const record = await stores.codes.find(sha256(code))
    const now = clock()
    expect(record).toEqual({
      codeHash: sha256(code),
      userId: 'u-alice',
      issuedBySessionId: session,
      opensSessionId: expect.stringMatching(/^[\w-]{22}$/),
      codeChallenge: asked['code_challenge'],
      scope: 'openid profile',
      methods: ['host'],
      authenticatedAt: new Date(now.getTime() - minute * 1000),
      createdAt: now,
      expiresAt: new Date(now.getTime() + minute * 1000),
      retainUntil: new Date(now.getTime() + 60 * minute * 1000),
      consumedAt: null,
      clientId: 'wiki',
      redirectUri: callback,
      nonce: 'n-0S6',
      resources: ['https://chat.example.com/api'],
      acr: 'urn:mar:1fa',
    })
    expect(await codes.find(code)).toEqual(record)
    clock.advance(minute)
    expect(await codes.find(code)).toBeNull()
  })

  it('stores a code without a nonce where the client has sent none', async () => {
    const { signIn, visit, stores } = await startAuthorize()
    const { Cookie } = await signIn()
    const record = await stores.codes.find(sha256(codeOf(await visit(queryOf(), { Cookie }))))
    expect(record?.nonce).toBeUndefined()
  })

  it('says how surely the user was known', async () => {
    const secondFactor = { acceptHostMfa: true } as const
    const { signIn, visit, codes } = await startAuthorize({ options: { secondFactor } })
    const { Cookie } = await signIn('u-alice', ['host', 'mfa'])
    const code = codeOf(await visit(queryOf(), { Cookie }))
    expect(await codes.find(code)).toMatchObject({ acr: 'urn:mar:2fa' })
  })

  it('sends whom nobody is signed in to, to where to sign in', async () => {
    const { visit, events } = await startAuthorize()
    expect(stepOf(await visit(queryOf()))).toBe('sign-in')
    expect(events).toEqual([])
  })

  it('asks for a new sign-in where prompt or max_age do', async () => {
    const { signIn, visit, clock } = await startAuthorize()
    const { Cookie } = await signIn()
    clock.advance(301)
    for (const change of [{ prompt: 'login' }, { max_age: '300' }, { max_age: '0' }]) {
      const query = queryOf(change)
      expect(stepOf(await visit(query, { Cookie }), query)).toBe('sign-in')
    }
    codeOf(await visit(queryOf({ max_age: '301' }), { Cookie }))
  })

  it('shows no page where prompt is none, and says what is missing', async () => {
    const { signIn, visit } = await startAuthorize()
    const told = async (query: string, headers = {}) =>
      (answerOf(await visit(query, headers)).with as { error?: string }).error
    const prompt = 'none'
    expect(await told(queryOf({ prompt }))).toBe('login_required')
    const { Cookie } = await signIn()
    expect(await told(queryOf({ prompt, max_age: '0' }), { Cookie })).toBe('login_required')
    expect(await told(queryOf({ prompt }, askedByTracker), { Cookie })).toBe('consent_required')
    codeOf(await visit(queryOf({ prompt }), { Cookie }))
  })

  it('sends an error with description, state and who answers', async () => {
    const { visit } = await startAuthorize()
    expect(answerOf(await visit(queryOf({ response_type: 'token' })))).toEqual({
      at: callback,
      with: {
        error: 'unsupported_response_type',
        error_description: 'response_type is not code.',
        state: asked['state'],
        iss: issuer,
      },
    })
  })

  it('gives a client of others a code once the user has allowed all that it asks for', async () => {
    const { signIn, visit, consents, clock } = await startAuthorize()
    const { Cookie } = await signIn()
    const grant = (scopes: readonly string[], userId = 'u-alice') =>
      consents.grant({
        userId,
        clientId: 'tracker',
        scopes,
        grantedAt: clock(),
        updatedAt: clock(),
      })
    const query = queryOf({}, askedByTracker)
    const refused = async () =>
      expect(stepOf(await visit(query, { Cookie }), query)).toBe('consent')
    await refused()
    const page = wordsFor(tracker, ownResource, { scopes: ['openid'] })
    await grant(page)
    await grant([...page, 'messages:read'], 'u-other')
    await refused()
    await grant(['messages:read'])
    codeOf(await visit(query, { Cookie }))
  })

  it('gives no app on a device a code that nobody has asked for', async () => {
    const { signIn, visit } = await startAuthorize()
    const { Cookie } = await signIn()
    const app = { client_id: 'desktop', redirect_uri: 'http://127.0.0.1:49152/callback' }
    expect(stepOf(await visit(queryOf(app), { Cookie }), queryOf(app))).toBe('continue')
  })

  it('has a user who must have a second factor show the password before one is added', async () => {
    const required = () => 'required' as const
    const { signIn, visit } = await startAuthorize({
      options: { secondFactor: { policy: required } },
    })
    const { Cookie } = await signIn()
    expect(stepOf(await visit(queryOf(), { Cookie }))).toBe('sign-in')
  })

  it('goes by an id_token_hint, also by one that has expired', async () => {
    const { signIn, visit, signer, users, clock } = await startAuthorize()
    users.add({ id: 'u-bob' })
    const hintFor = async (sub: string) => {
      const iat = Math.floor(clock().getTime() / 1000)
      const claims = { sub, aud: 'wiki', iat, exp: iat + 600 }
      return (await signer.signIdToken?.(claims as never, { algorithm: 'ES256' })) ?? ''
    }
    const [alice, bob] = [await hintFor('u-alice'), await hintFor('u-bob')]
    clock.advance(3600)
    const { Cookie } = await signIn()
    codeOf(await visit(queryOf({ id_token_hint: alice }), { Cookie }))
    const hinted = queryOf({ id_token_hint: bob })
    expect(stepOf(await visit(hinted, { Cookie }), hinted)).toBe('sign-in')
    const silent = await visit(queryOf({ id_token_hint: bob, prompt: 'none' }), { Cookie })
    expect(answerOf(silent).with).toMatchObject({ error: 'login_required' })
  })

  it('takes the request as a form, and sends the browser to the GET with all of it', async () => {
    const { submit } = await startAuthorize()
    const body = 'zzz=1&state=a+b%26c&client_id=wiki&resource=x&unknown=&resource=y'
    const response = await submit(body, {
      'Sec-Fetch-Site': 'cross-site',
      Origin: 'https://x.test',
    })
    expect([response.status, response.headers['location'], response.text]).toEqual([
      303,
      `${issuer}/api/v1/oauth/authorize?${body}`,
      '',
    ])
  })

  it('takes a form that the parser of the host has read', async () => {
    const { submit } = await startAuthorize({
      before: (app) => void app.use(express.urlencoded({ extended: false })),
    })
    const response = await submit('zzz=1&state=a+b%26c&resource=x&client_id=wiki&resource=y')
    expect(response.headers['location']).toBe(
      `${issuer}/api/v1/oauth/authorize?zzz=1&state=a%20b%26c&resource=x&resource=y&client_id=wiki`,
    )
    const nested = await startAuthorize({
      before: (app) => void app.use(express.urlencoded({ extended: true })),
    })
    const refused = await nested.submit('client_id=wiki&a[b]=c')
    expect([refused.status, pageOf(refused)]).toEqual([400, expect.any(String)])
  })

  it('has two methods: HEAD would use codes up unseen', async () => {
    const { host } = await startAuthorize()
    const at = supertest(`${host.url}/oauth/authorize`)
    for (const method of ['head', 'put', 'delete', 'options'] as const) {
      const response = await at[method]('')
      expect([response.status, response.headers['allow']]).toEqual([405, 'GET, POST'])
    }
  })
})
