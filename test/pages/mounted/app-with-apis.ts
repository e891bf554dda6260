// A host with an app of somebody else's that may have tokens for several APIs, and the way of its
// user through the pages to them.
import { expect, onTestFinished } from 'vitest'
import {
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
} from '../../../src/index.js'
import { memoryOAuthStores } from '../../../src/stores/memory-oauth-stores.js'
import { databaseKinds, openDatabase } from '../../support/databases.js'
import { password } from '../../support/host.js'
import { addressOf, openSignIn } from './forms.js'
import { queryOf, startMounted } from './mounted-host.js'
import { openVisitor, type PageAnswer, wayTo } from './visitor.js'

const signingKey = await generateSigningKey('ES256')

/** The audience of the host's own tokens. */
export const own = 'https://chat.example.com/api'
export const files = 'https://files.example.com/'
export const payments = 'https://payments.example.com/'
export const more: readonly string[] = ['a', 'b', 'c'].map((name) => `https://${name}.example.com/`)

/** It keeps no secret, and its refresh tokens do not hang on a scope. */
export const office: OAuthClient = {
  id: 'office',
  name: 'Office',
  type: 'web',
  redirectUris: ['https://office.example.net/callback', 'https://office.example.net/other'],
  scopes: ['openid', 'messages:read', 'messages:write'],
  resources: [own, files, payments, ...more],
  refreshTokens: 'always',
}

/** The verifier to the challenge that every request of these tests has: RFC 7636, appendix B. */
const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

/** Where consents and clients are kept. */
export const keptIn = ['memory', 'SQLite'] as const

async function storesIn(where: (typeof keptIn)[number]) {
  if (where === 'memory') return memoryOAuthStores()
  const sqlite = databaseKinds.find(({ engine }) => engine === 'sqlite')
  if (sqlite === undefined) throw new Error('no SQLite')
  const { oauthStores, close } = await openDatabase(sqlite)
  onTestFinished(close)
  return oauthStores
}

/** What the app asks for: scopes at APIs, and what else its request says. */
export interface Asked {
  readonly scope?: string
  readonly at?: readonly string[]
  readonly client?: OAuthClient
  readonly change?: Readonly<Record<string, string>>
}

/** Starts it, with alice signed in to a browser. */
export async function startOffice(
  where: (typeof keptIn)[number] = 'memory',
  { clients: first = [office], ...oauth }: Partial<OAuthOptions> & { clients?: OAuthClient[] } = {},
) {
  const { clients, consents, once } = await storesIn(where)
  for (const client of first) await clients.create(client, new Date())
  const scopes = { 'messages:read': 'Read your messages', 'messages:write': 'Write messages' }
  const host = await startMounted({
    oauth: { clients, consents, once, scopes, ...oauth },
    optionsAt: (issuer, { clock }) => ({
      signer: joseSigner({ issuer, audience: own, keys: [signingKey], clock }),
    }),
  })
  const visitor = openVisitor(host)
  const signIn = await openSignIn(visitor, host, askedBy({ scope: 'openid' }))
  await visitor.fill(signIn, { username: 'alice', password })

  const open = (asked: Asked) => visitor.open(addressOf(host, 'authorize', askedBy(asked)))
  const said = (page: PageAnswer) => Object.fromEntries(wayTo(page)?.searchParams ?? [])

  /** Asks without a page: `code`, or the error. */
  async function silently(asked: Asked) {
    const { code, error } = said(await open({ ...asked, change: { ...asked.change, ...silent } }))
    return error ?? (code === undefined ? 'neither' : 'code')
  }

  /** Passes the page of consent, which must come, and answers what the app is told. */
  async function allow(asked: Asked) {
    const page = await open(asked)
    expect(page.heading).toBe('Allow access?')
    return said(await visitor.fill(page, { choice: 'allow' }))
  }

  async function token(form: Readonly<Record<string, string>>) {
    const body = new URLSearchParams({ client_id: office.id, ...form })
    const answer = await fetch(`${host.base}/oauth/token`, { method: 'POST', body })
    const json = (await answer.json()) as Readonly<Record<string, string>>
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      if (json[name] !== undefined) host.host().issued.add(json[name])
    return { status: answer.status, json }
  }

  const redirect_uri = office.redirectUris[0] as string
  const exchange = (code = '') =>
    token({ grant_type: 'authorization_code', code, redirect_uri, code_verifier })
  const refresh = (refresh_token = '', change: Readonly<Record<string, string>> = {}) =>
    token({ grant_type: 'refresh_token', refresh_token, ...change })
  const row = () => consents.find('u-alice', office.id)

  return { host, consents, visitor, open, silently, allow, exchange, refresh, row, said }
}

const silent = { prompt: 'none' }

function askedBy({ scope = 'messages:read', at = [], client = office, change }: Asked): string {
  const resources = at.map((resource) => `&resource=${encodeURIComponent(resource)}`)
  const query = queryOf(client, { scope, ...change })
  // Left out, and not empty, which is at fault.
  return (scope === '' ? query.replace('scope=&', '') : query) + resources.join('')
}

/** What an access token says, unverified. */
export function audienceOf(token = ''): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())['aud']
}
