// A host with pages, the authorization endpoint beside its router, and a browser to send there.
import express from 'express'
import supertest, { type Response } from 'supertest'
import { expect, onTestFinished } from 'vitest'
import { ownSessions } from '../../src/account/own-sessions.js'
import { createSecondFactorManagement } from '../../src/account/second-factors.js'
import { createBrowserPages } from '../../src/browser/browser-pages.js'
import { mountAll } from '../../src/http/endpoint.js'
import { type AuthEvent, generateSigningKey, joseSigner } from '../../src/index.js'
import { unwatched } from '../../src/lib/watch.js'
import { createLogin } from '../../src/login/login.js'
import { findOAuthCode, type OAuthCodeRecord } from '../../src/oauth/authorization-codes.js'
import type { OAuthServer } from '../../src/oauth/oauth-server.js'
import { createPageSite } from '../../src/pages/page-site.js'
import { createFormsKit } from '../../src/pages/pages-kit.js'
import { createKit } from '../../src/router/kit.js'
import type { AuthRouterOptions } from '../../src/router/options.js'
import { resolveOptions } from '../../src/router/resolve-options.js'
import type { TokenSigner } from '../../src/signers/contract.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { ConsumeResult } from '../../src/stores/one-time-contract.js'
import { manualClock } from '../../src/testing/testing.js'
import { expectNothingTold } from '../support/after-attack.js'
import { faultsIn, type Noted, watched } from '../support/described.js'
import { cheapHasher, encryptionKey, type TestHost } from '../support/host.js'
import { cookieOf, ownPage, pagesOrigin, send, startPages } from '../support/pages.js'
import { testUsers } from '../support/users.js'
import {
  bridge,
  desktop,
  knownScopes,
  ownResource,
  registerOf,
  tracker,
  wiki,
} from './some-clients.js'

const service = 'Example Chat'
export const issuer = 'https://chat.example.com'
const signingKey = await generateSigningKey('ES256')

/** What a browser says of a link on a page of somebody else that its user has pressed. */
export const byLink = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** What the wiki asks for, in which nothing is wrong. */
export const asked: Query = {
  client_id: 'wiki',
  redirect_uri: 'https://wiki.example.com/oidc/callback',
  response_type: 'code',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'openid profile',
  state: 'af0ifjsldkj',
}

/** What the tracker asks for, of whom nobody has heard. */
export const askedByTracker: Query = {
  ...asked,
  client_id: 'tracker',
  redirect_uri: 'https://tracker.example.net/callback',
  scope: 'openid messages:read',
}

export function queryOf(change: Query = {}, base: Query = asked): string {
  return Object.entries({ ...base, ...change })
    .flatMap(([name, values]) => [values ?? []].flat().map((value) => [name, value]))
    .map((pair) => pair.map((text) => encodeURIComponent(text as string)).join('='))
    .join('&')
}

export interface AuthorizeSettings {
  readonly options?: Partial<AuthRouterOptions>
  readonly clients?: readonly OAuthClient[]
  readonly find?: (clientId: string) => Promise<OAuthClient | null>
  /** Changes the signer that reads hints. */
  readonly signer?: (signer: TokenSigner) => Pick<TokenSigner, 'verifyIdToken'>
  readonly before?: (app: express.Express) => void
}

export interface AuthorizeHost {
  readonly host: TestHost
  readonly clock: ReturnType<typeof manualClock>
  readonly users: ReturnType<typeof testUsers>
  readonly events: AuthEvent[]
  readonly stores: ReturnType<typeof memoryStores>
  readonly consents: ReturnType<typeof memoryOAuthStores>['consents']
  readonly signer: TokenSigner
  readonly codes: {
    find(code: string): Promise<OAuthCodeRecord | null>
    burn(code: OAuthCodeRecord): Promise<ConsumeResult>
  }
  /** Signs somebody in to a browser, and answers its cookie and session. */
  signIn(
    userId?: string,
    methods?: readonly string[],
  ): Promise<{ readonly Cookie: string; readonly session: string }>
  /** Follows a link to the endpoint. */
  visit(query: string, headers?: Record<string, string>): Promise<Response>
  /** Sends a form there. */
  submit(body: string, headers?: Record<string, string>): Promise<Response>
}

/** Starts it, until the test is over. */
export async function startAuthorize(settings: AuthorizeSettings = {}): Promise<AuthorizeHost> {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const users = testUsers()
  users.add({ id: 'u-alice', username: 'alice' })
  const stores = memoryStores()
  const { consents, once } = memoryOAuthStores()
  const events: AuthEvent[] = []
  const signer = joseSigner({ issuer, audience: ownResource, keys: [signingKey], clock })
  const options: AuthRouterOptions = {
    users,
    ...stores,
    signer,
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    clock,
    pagesOrigin,
    onEvent: (event) => void events.push(event),
    ...settings.options,
  }
  const resolved = resolveOptions(options)
  const kit = createKit(resolved)
  const { contexts, warnOnce, pages } = kit
  const codes: AuthorizeHost['codes'] = {
    find: (code) => findOAuthCode(kit, code),
    burn: ({ codeHash }) => kit.codeStore.consume(codeHash, clock()),
  }
  if (pages === undefined) throw new Error('no pages')
  const listed = registerOf(settings.clients ?? [wiki, desktop, tracker, bridge])
  const baseUrl = new URL(`${issuer}/api/v1`)
  const server = {
    issuer,
    baseUrl,
    ownResource,
    ownAddress: baseUrl.href,
    clients:
      settings.find === undefined
        ? listed
        : { ...listed, find: settings.find, isFamiliar: () => false },
    consents,
    once,
    scopes: { known: knownScopes, published: [], describe: (scope: string) => `to ${scope}` },
    nameResource: (resource: string) => resource,
  } as unknown as OAuthServer
  const forms = createFormsKit({
    ...kit,
    ...server,
    pages,
    pageSite: createPageSite({ brand: { name: service } }, baseUrl),
    acrValues: [],
    locales: [],
    deviceFlow: undefined,
    providerIds: [],
    directoryNames: [],
    isRegistrationOpen: false,
    hasAccountPage: false,
    signer: { ...signer, ...settings.signer?.(signer) },
  })
  const { routes } = createBrowserPages({
    ...forms,
    logInSteps: createLogin(kit).logInSteps,
    ownSessions: ownSessions(kit),
    totpKit: createSecondFactorManagement(kit).kit,
    passkeysKit: undefined,
    offered: undefined,
    emailSignInKit: undefined,
    hasDeletion: false,
    providersKit: undefined,
    providerLogos: new Map(),
    hasLinks: false,
  })
  const answers: Noted[] = []
  onTestFinished(() => expect(faultsIn(answers), 'answers that are not as described').toEqual([]))
  const host = await startPages({
    options: { ...options, ...settings.options },
    before: (app) => {
      settings.before?.(app)
      app.use(
        '/api/v1',
        watched(
          mountAll(express.Router(), routes, {
            contexts,
            answerCors: null,
            warnOnce,
            trace: unwatched,
          }),
          answers,
        ),
      )
    },
  })
  onTestFinished(() => {
    expect(host.unforeseen).toEqual([])
    expectNothingTold({ log: host.log, events }, host.issued)
  })
  const at = `${host.url}/oauth/authorize`
  return {
    host,
    clock,
    users,
    events,
    stores,
    consents,
    signer,
    codes,
    async signIn(userId = 'u-alice', methods = ['host']) {
      const response = await send(host, 'POST', '/open', ownPage, { userId, methods })
      expect([response.status, response.text]).toEqual([200, expect.any(String)])
      const { pair: Cookie, value } = cookieOf(response) ?? { pair: '', value: '' }
      host.issued.add(value)
      return { Cookie, session: response.body.session.id }
    },
    async visit(query, headers = {}) {
      const link = supertest(`${at}?${query}`).get('').redirects(0)
      const response = await link.set({ ...byLink, ...headers })
      const code = /\bmar_oc_[\w-]+/.exec(response.headers['location'] ?? '')?.[0]
      if (code !== undefined) host.issued.add(code)
      return response
    },
    submit: (body, headers = {}) =>
      Promise.resolve(
        supertest(at)
          .post('')
          .redirects(0)
          .set({ 'Content-Type': 'application/x-www-form-urlencoded', ...headers })
          .send(body),
      ),
  }
}

/** Where a client is sent to, and with what. */
export function answerOf(response: Response): { readonly at: string; readonly with: object } {
  expect([response.status, response.text]).toEqual([303, ''])
  const location = new URL(response.headers['location'] as string)
  const given = Object.fromEntries(location.searchParams)
  location.search = ''
  return { at: location.href, with: given }
}

/** The code that a client is sent. */
export function codeOf(response: Response): string {
  const { code } = answerOf(response).with as { code?: string }
  expect(code).toMatch(/^mar_oc_[\w-]{43}$/)
  return code as string
}

/** The page that a browser is sent to, with all that was asked for, and nothing else. */
export function stepOf(response: Response, query: string = queryOf()): string {
  const { location } = response.headers
  expect([response.status, response.text]).toEqual([303, ''])
  const [, page, rest] = /^https:\/\/chat\.example\.com\/api\/v1\/oauth\/([a-z-]+)\?(.*)$/.exec(
    location as string,
  ) as RegExpExecArray
  expect(rest).toBe(query)
  return page as string
}

/** The text of an error page, after a look at what goes with every page. */
export function pageOf(response: Response): string {
  expect(response.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'none'; img-src 'self'; " +
      "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'",
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  })
  const names = Object.keys(response.headers)
  expect(names.filter((name) => /^(location|set-cookie|access-control-.*)$/.test(name))).toEqual([])
  // No way out of a page that a stranger could have laid, but for what dresses it.
  const assets = String.raw`https://chat\.example\.com/api/v1/oauth/assets`
  const ours = new RegExp(`<link rel="(?:stylesheet|icon)" href="${assets}/[\\w.-]+">`, 'g')
  const bare = response.text.replace(ours, '')
  expect(bare).not.toMatch(/href|src=|http-equiv|<a|<form|<script/i)
  return response.text
}
