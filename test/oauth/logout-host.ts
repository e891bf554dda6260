// A host at which apps sign their users out, with browsers in which users are signed in to apps.
import supertest, { type Response } from 'supertest'
import { expect } from 'vitest'
import {
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
  type TokenSigner,
} from '../../src/index.js'
import type { HostSettings } from '../support/host.js'
import {
  type AppTokens,
  authorize,
  authorizeQuery,
  codeIn,
  issuer,
  oauthOf,
  openBrowser,
  sendAs,
  phone as somePhone,
  wiki as someWiki,
} from '../support/oauth-apps.js'
import { cookieName, cookieOf, ownPage, send, startPages } from '../support/pages.js'

export const base = `${issuer}/api/v1`
export const signingKey = await generateSigningKey('ES256')
export const signer: TokenSigner = joseSigner({ issuer, audience: 'chat', keys: [signingKey] })

/** Where the wiki is returned to. */
export const goodbye = 'https://wiki.example.com/goodbye'
export const wiki: OAuthClient = {
  ...someWiki,
  postLogoutRedirectUris: [goodbye, 'https://wiki.example.com/bye?tenant=a'],
}
/** Of the same makers, with the same secret, and an address of its own. */
export const board: OAuthClient = {
  ...someWiki,
  id: 'board',
  name: 'Board',
  redirectUris: ['https://board.example.com/callback'],
  postLogoutRedirectUris: ['https://board.example.com/goodbye'],
}
export const phone: OAuthClient = {
  ...somePhone,
  postLogoutRedirectUris: ['http://127.0.0.1/bye', 'com.example.chat:/bye'],
}
/** It has nowhere to return to. */
export const plain: OAuthClient = {
  ...someWiki,
  id: 'plain',
  redirectUris: ['https://plain.example.com/callback'],
}
export const disabled: OAuthClient = {
  ...wiki,
  id: 'disabled',
  disabled: true,
}
const clients = [wiki, board, phone, plain, disabled]

/** What a browser says of a link on a page of somebody else. */
export const byLink = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
}

export type Parameters = Readonly<Record<string, string | undefined>>

export interface LogoutSettings extends Pick<HostSettings, 'server' | 'now'> {
  readonly options?: Partial<AuthRouterOptions>
  readonly oauth?: Partial<OAuthOptions>
}

/** A browser in which somebody is signed in. */
export interface SignedInBrowser {
  readonly Cookie: string
  readonly userId: string
}

export function queryOf(parameters: Parameters): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return new URLSearchParams(given as [string, string][]).toString()
}

export async function startLogout(settings: LogoutSettings = {}) {
  const { options, oauth, ...others } = settings
  const host = await startPages({
    ...others,
    options: { signer, oauth: oauthOf({ clients, logout: true, ...oauth }), ...options },
  })
  host.users.add({ id: 'u-bob', username: 'bob', name: 'Bob B.' })

  async function signIn(userId = 'u-alice'): Promise<SignedInBrowser> {
    return { Cookie: await openBrowser(host, userId), userId }
  }

  /** Signs a browser's user in to an app. Without `offline_access` it depends on the browser. */
  async function signInTo(
    app: OAuthClient,
    { Cookie }: SignedInBrowser,
    scope = 'openid profile',
  ): Promise<AppTokens> {
    const { query, codeVerifier } = authorizeQuery(app, { scope })
    const code = codeIn((await authorize(host, Cookie, query)).headers.get('location'))
    const answer = await sendAs(host, app, '/oauth/token', {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: app.redirectUris[0] as string,
      code_verifier: codeVerifier,
    })
    const tokens = (await answer.json()) as AppTokens
    expect([answer.status, tokens.id_token]).toEqual([200, expect.any(String)])
    for (const token of [code, ...Object.values(tokens)])
      if (token !== null && String(token).length > 40) host.issued.add(token)
    return tokens
  }

  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    Promise.resolve(
      supertest(host.url)
        .get(path)
        .redirects(0)
        .set({ ...byLink, ...headers }),
    )

  /** An app sends a browser to sign its user out. */
  function logout(
    parameters: Parameters | string,
    browser?: SignedInBrowser,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const query = typeof parameters === 'string' ? parameters : queryOf(parameters)
    const sent = browser === undefined ? {} : { Cookie: browser.Cookie }
    return ask(`/oauth/logout?${query}`, { ...sent, ...headers })
  }

  /** Whether somebody is signed in to a browser. */
  async function isSignedIn({ Cookie, userId }: SignedInBrowser): Promise<boolean> {
    const { status, body } = await send(host, 'GET', '/page', { ...ownPage, Cookie })
    if (status === 200) expect(body.userId).toBe(userId)
    return status === 200
  }

  /** Opens the page that asks, and returns what sends its form. */
  async function openPage(address: string, browser: SignedInBrowser) {
    const page = await ask(pathOf(address), { Cookie: browser.Cookie })
    const pre = cookieOf(page, '__Host-Http-mar_pre')?.pair ?? ''
    const Cookie = `${browser.Cookie}; ${pre}`
    const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.text) ?? []
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.text) ?? []
    return {
      page,
      csrf,
      Cookie,
      submit: (fields: Parameters = {}, headers: Record<string, string> = {}): Promise<Response> =>
        Promise.resolve(
          supertest(host.url)
            .post(pathOf(action.replaceAll('&amp;', '&')))
            .redirects(0)
            .set({ ...ownPage, Cookie, ...headers })
            .type('form')
            .send(queryOf({ csrf, ...fields })),
        ),
    }
  }

  const requested = () => host.events.filter(({ type }) => type === 'logout.requested')

  return { host, signIn, signInTo, ask, logout, isSignedIn, openPage, requested }
}

export type LogoutHost = Awaited<ReturnType<typeof startLogout>>

/** The path of an address of the router, without where that is mounted. */
export function pathOf(address: string): string {
  expect(address.startsWith(`${base}/`)).toBe(true)
  return address.slice(base.length)
}

/** Where an answer leads, and whether the browser forgets its session. */
export function ledTo(response: Response) {
  expect([response.status, response.text]).toEqual([303, ''])
  const cookie = cookieOf(response, cookieName)
  return { to: response.headers['location'] as string, forgets: cookie?.value === '' }
}

/** The page that asks, with what counts of a request. */
export function askingAt(parameters: Parameters = {}): string {
  const query = queryOf(parameters).replaceAll('+', '%20')
  return `${base}/oauth/sign-out${query === '' ? '' : `?${query}`}`
}

/** Where a page leads by itself. */
export function leadsOnTo(response: Response): string | null {
  const [, to] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(response.text) ?? []
  return to === undefined ? null : to.replaceAll('&amp;', '&')
}
