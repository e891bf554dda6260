// Providers as hosts use them: against oidc-provider, and strategies of passport, unmodified.

import { createRequire } from 'node:module'
import {
  gitHubProvider,
  openIdProvider,
  type Provider,
  passportProvider,
} from 'messaging-auth-router/providers'
import { allowInsecureRequests, discovery } from 'openid-client'
import { Strategy as OpenIdStrategy } from 'openid-client/passport'
import { describe, expect, it } from 'vitest'
import { gitHubApp, startGitHub } from '../providers/git-hub-double.js'
import { browser } from './support/browser.js'
import { example } from './support/doc-examples.js'
import {
  entryPoint,
  idpCert,
  idpIssuer,
  requestIdIn,
  type Statement,
  samlResponse,
  spIssuer,
} from './support/fake-saml.js'
import { client, startOidcProvider } from './support/oidc-provider.js'

const require = createRequire(import.meta.url)
const { Strategy: GitHubStrategy } = require('passport-github2')
const { samlProvider } = await example<{
  samlProvider: (settings: object) => Provider
}>('saml.ts')
const state = 'S'.repeat(43)
const callbackUrl = 'https://chat.example.com/auth/providers/corp/callback'

/** As the router keeps it. */
const stored = (keep: object): object => JSON.parse(JSON.stringify(keep))

const finish = (
  provider: Provider,
  keep: object,
  parameters: Record<string, string>,
  method: 'GET' | 'POST' = 'GET',
) => provider.finish({ state, callbackUrl, method, parameters, headers: {}, keep: stored(keep) })

/** Follows a browser until it comes back to us; what it brings. */
async function bringBack(url: string): Promise<Record<string, string>> {
  const { get } = browser()
  let at = url
  for (let hops = 0; hops < 8 && !at.startsWith(callbackUrl); hops += 1)
    at = new URL((await get(at)).location ?? '', at).href
  return Object.fromEntries(new URL(at).searchParams)
}

describe('oidc-provider', () => {
  const alice = { subject: 'alice-1', email: 'a@example.com', emailVerified: true, name: 'Alice' }

  it('signs in by openIdProvider()', async () => {
    const issuer = await startOidcProvider({ redirect_uris: [callbackUrl] })
    const { client_id: clientId, client_secret: clientSecret } = client
    const provider = openIdProvider({
      id: 'corp',
      name: 'Corp',
      issuer,
      clientId,
      clientSecret,
      clientAuth: 'client_secret_basic',
    })
    const { url, keep } = await provider.start({ state, callbackUrl })
    const back = await bringBack(url)
    expect(await finish(provider, keep, back)).toEqual({
      outcome: 'identified',
      identity: { issuer, ...alice },
    })
    // Its code is used.
    expect(await finish(provider, keep, back)).toEqual({ outcome: 'refused', reason: 'code' })
    const { iss: _iss, ...mixedUp } = back
    const reason = 'wrong-issuer'
    expect(await finish(provider, keep, mixedUp)).toEqual({ outcome: 'refused', reason })
  })

  it('signs in by the strategy of openid-client', async () => {
    const issuer = await startOidcProvider({ redirect_uris: [callbackUrl] })
    const { ClientSecretBasic } = await import('openid-client')
    const config = await discovery(
      new URL(issuer),
      client.client_id,
      client.client_secret,
      ClientSecretBasic(),
      { execute: [allowInsecureRequests] },
    )
    const strategy = new OpenIdStrategy(
      { config, callbackURL: callbackUrl, scope: 'openid email' },
      (tokens, done) => done(null, tokens.claims()),
    )
    const provider = passportProvider<{ iss: string; sub: string }>({
      id: 'corp',
      name: 'Corp',
      strategy,
      issuer,
      identity: ({ iss, sub }) => ({ issuer: iss, subject: sub }),
    })
    const { url, keep } = await provider.start({ state, callbackUrl })
    const back = await bringBack(url)
    expect(back['state']).toBe(state)
    expect(await finish(provider, keep, back)).toEqual({
      outcome: 'identified',
      identity: { issuer, subject: 'alice-1' },
    })
  })
})

describe('GitHub', () => {
  it('signs in by gitHubProvider(), and by passport-github2 with a state and PKCE of its own', async () => {
    const github = await startGitHub()
    const { clientId: clientID, clientSecret } = gitHubApp
    const strategy = new GitHubStrategy(
      {
        clientID,
        clientSecret,
        callbackURL: callbackUrl,
        scope: ['user:email'],
        state: true,
        pkce: true,
        authorizationURL: `${github.origin}/login/oauth/authorize`,
        tokenURL: `${github.origin}/login/oauth/access_token`,
        userProfileURL: `${github.origin}/api/v3/user`,
        userEmailURL: `${github.origin}/api/v3/user/emails`,
      },
      (_at: string, _rt: string, profile: object, done: (e: null, p: object) => void) =>
        done(null, profile),
    )
    const { origin: issuer } = github
    const providers = [
      gitHubProvider({ ...gitHubApp, baseUrl: issuer }),
      passportProvider<{ id: string | number }>({
        id: 'github',
        name: 'GitHub',
        strategy,
        issuer,
        identity: ({ id }) => ({ subject: String(id) }),
      }),
    ]
    for (const provider of providers) {
      const { url, keep } = await provider.start({ state, callbackUrl })
      const back = Object.fromEntries(github.authorize(url).searchParams)
      expect(back['state']).toBe(state)
      expect(await finish(provider, keep, back)).toMatchObject({
        outcome: 'identified',
        identity: { issuer, subject: '583231' },
      })
    }
    // What it has kept for another flow is not this one's.
    const [, byPassport] = providers as [Provider, Provider]
    const one = await byPassport.start({ state, callbackUrl })
    const other = await byPassport.start({ state, callbackUrl })
    const back = Object.fromEntries(github.authorize(one.url).searchParams)
    const foreign = { ...(stored(other.keep) as object) }
    await expect(finish(byPassport, foreign, back)).rejects.toThrow()
  })
})

describe('SAML by docs/passport-strategies.md', () => {
  const own = { issuer: spIssuer, callbackUrl }
  const corp = () => samlProvider({ entryPoint, idpCert, idpIssuer, ...own })

  async function signIn(provider: Provider, statement: Statement = {}) {
    const { url, keep } = await provider.start({ state, callbackUrl })
    expect(new URL(url).searchParams.get('RelayState')).toBe(state)
    const SAMLResponse = samlResponse(requestIdIn(url), statement)
    const brought = { SAMLResponse, RelayState: state }
    return { finished: await finish(provider, keep, brought, 'POST'), brought }
  }
  const password = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password'
  const identified = {
    outcome: 'identified',
    identity: { issuer: idpIssuer, subject: 'saml-alice', acr: password },
  }
  const assertionIn = (xml: string) =>
    /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? ''
  const forged = (assertion: string) =>
    assertion.replace('saml-mallory', 'saml-alice').replace(/ID="_[^"]*"/, 'ID="_forged"')

  it('signs nobody in whose assertion names another issuer than the settings', async () => {
    const other = samlProvider({
      entryPoint,
      idpCert,
      idpIssuer: 'https://accounts.google.com',
      ...own,
    })
    expect((await signIn(other)).finished).toEqual({ outcome: 'refused', reason: 'wrong-issuer' })
  })

  it('signs in: the assertion of one flow is refused in another', async () => {
    const provider = corp()
    const { finished, brought } = await signIn(provider)
    expect(finished).toEqual(identified)
    const { keep } = await provider.start({ state, callbackUrl })
    const refusal = { outcome: 'refused', reason: 'error' }
    expect(await finish(provider, keep, brought, 'POST')).toEqual(refusal)
  })

  it('refuses odd answers, and messages that are not assertions', async () => {
    const provider = corp()
    const { keep } = await provider.start({ state, callbackUrl })
    const logout = Buffer.from('<LogoutRequest ID="x"/>').toString('base64')
    for (const odd of ['x', '', 'PHg+', '<a', '\0', logout])
      for (const name of ['SAMLResponse', 'SAMLRequest']) {
        const brought = { [name]: odd, RelayState: state }
        const { outcome } = await finish(provider, keep, brought, 'POST')
        expect([name, odd, outcome]).toEqual([name, odd, 'refused'])
      }
  })

  it('reads a comment in a name as part of nothing: the whole name counts', async () => {
    const { finished } = await signIn(corp(), {
      nameId: 'saml-alice.evil',
      tamper: (xml) => xml.replace('saml-alice.evil', 'saml-alice<!-- -->.evil'),
    })
    expect(finished).toMatchObject({ identity: { subject: 'saml-alice.evil' } })
  })

  const mallory = { nameId: 'saml-mallory' }
  const refused: [string, Statement][] = [
    ['without a signature', { unsigned: true }],
    ['signed with another key', { foreignKey: true }],
    ['whose audience is another', { audience: 'https://another.example.com' }],
    ['that has expired', { ends: -1 }],
    ['that answers another request', { inResponseTo: '_another' }],
    ['that answers no request', { inResponseTo: null }],
    ['with another name in it', { ...mallory, tamper: (xml) => xml.replace('mallory', 'alice') }],
    [
      'beside a signed one',
      {
        ...mallory,
        tamper: (xml) => {
          const signed = assertionIn(xml)
          const unsigned = signed.replace(/<Signature[\s\S]*<\/Signature>/, '')
          return xml.replace(signed, forged(unsigned) + signed)
        },
      },
    ],
    [
      'with an entity in it',
      {
        ...mallory,
        tamper: (xml) =>
          `<!DOCTYPE x [<!ENTITY e "saml-alice">]>${xml.replace('saml-mallory', '&e;')}`,
      },
    ],
    [
      'around a signed one',
      {
        ...mallory,
        tamper: (xml) => {
          const signed = assertionIn(xml)
          const advice = `<saml:Advice>${signed}</saml:Advice>`
          const around = forged(signed).replace(/<Signature[\s\S]*<\/Signature>/, advice)
          return xml.replace(signed, around)
        },
      },
    ],
  ]
  it.each(refused)('refuses an assertion %s', async (_what, statement) => {
    const provider = corp()
    const { finished } = await signIn(provider, statement)
    expect(finished).toEqual({ outcome: 'refused', reason: 'error' })
    expect((await signIn(provider)).finished).toEqual(identified)
  })
})
