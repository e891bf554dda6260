// Apps that send alice's browser through the router's pages, until it comes back to them.
import { expect } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { pkcePair } from '../support/client.js'
import { password } from '../support/host.js'
import { openPageBrowser, type PageBrowser, type Rest } from './page-browser.js'
import { type Form, formOf, issuer, type RelyingParties, requestOf } from './relying-party.js'

/** What whoever sits in front of the browser does. */
export interface Person {
  readonly username?: string
  readonly agrees?: boolean
  /** What her authenticator app shows. */
  readonly code?: () => string
}

/** What a client has come to know, and what was shown on the way to it. */
export interface Passed {
  readonly params: Readonly<Record<string, string>>
  /** The pages, by the ends of their addresses. */
  readonly seen: readonly string[]
  /** The text of each. */
  readonly texts: readonly string[]
}

export function byPages(at: RelyingParties) {
  const { host, clock, local, post, verifiedIdToken } = at
  const openBrowser = () => openPageBrowser(issuer, local)

  /** Asks, does what each page asks for, and says what the client is told. */
  async function pass(query: string, browser: PageBrowser, person: Person = {}): Promise<Passed> {
    const pages: { name: string; text: string }[] = []
    let rest = await browser.open(`${issuer}/api/v1/oauth/authorize?${query}`)
    while (rest.page !== null) {
      const { status, text } = rest.page
      const name = rest.url.pathname.split('/').at(-1) ?? ''
      expect([name, status], text).toEqual([expect.any(String), 200])
      pages.push({ name, text })
      if (pages.length > 5) throw new Error(`page after page: ${pages.map((one) => one.name)}`)
      // She has read it.
      clock.advance(1)
      rest = await browser.send(rest, fieldsFor(rest, person))
    }
    const params = Object.fromEntries(rest.url.searchParams)
    if (params['code'] !== undefined) host.issued.add(params['code'])
    return { params, seen: pages.map(({ name }) => name), texts: pages.map(({ text }) => text) }
  }

  /** Signs somebody in to a client by the pages, and proves all that it was given. */
  async function flow(client: OAuthClient, change: Form, browser: PageBrowser, person?: Person) {
    const { codeVerifier, codeChallenge } = pkcePair()
    const asked = { ...requestOf(client, codeChallenge), ...change }
    const { params, ...shown } = await pass(formOf(asked), browser, person)
    const { state, redirect_uri } = asked
    expect(params).toEqual({ code: expect.any(String), iss: issuer, ...(state && { state }) })
    const form = {
      grant_type: 'authorization_code',
      code: params['code'],
      redirect_uri,
      code_verifier: codeVerifier,
    }
    const { status, body } = await post('/oauth/token', client, form)
    expect([status, body['token_type']]).toEqual([200, 'Bearer'])
    const { payload, protectedHeader } = await verifiedIdToken(body['id_token'], client)
    return { ...shown, form, tokens: body, claims: payload, header: protectedHeader }
  }

  return { openBrowser, pass, flow }
}

function fieldsFor({ url, page }: Rest, { username = 'alice', agrees = true, code }: Person) {
  if (page?.text.includes('name="password"')) return { username, password }
  if (page?.text.includes('name="code"') && code !== undefined) return { code: code() }
  const yes = ['allow', 'continue'].find((choice) => page?.text.includes(`value="${choice}"`))
  if (yes === undefined) throw new Error(`an unknown page at ${url}: ${page?.text}`)
  return { choice: agrees ? yes : 'cancel' }
}
