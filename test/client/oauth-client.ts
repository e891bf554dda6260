// An app of a host, which signs its users in by the pages through the client.
import { onTestFinished } from 'vitest'
import { type AuthClientOptions, createAuthClient } from '../../src/client/client.js'
import { type OAuthClientOptions, oauth } from '../../src/client/oauth/oauth.js'
import { generateSigningKey, joseSigner, type OAuthClient } from '../../src/index.js'
import { type ManualClock, manualClock } from '../../src/testing/testing.js'
import type { TestHost } from '../support/host.js'
import { authorize, issuer, oauthOf, openBrowser } from '../support/oauth-apps.js'
import { startPages } from '../support/pages.js'
import type { Wiretap } from './recorded.js'

const signingKey = await generateSigningKey('ES256')

/** A page of somebody else's, which the user has to allow. */
const editor: OAuthClient = {
  id: 'editor',
  name: 'Editor',
  type: 'web',
  firstParty: true,
  redirectUris: ['https://editor.example.net/callback?from=chat'],
  scopes: ['openid', 'profile', 'offline_access', 'messages:read'],
}
/** The host's own app, which may do all that its user may. */
const desk: OAuthClient = {
  id: 'desk',
  name: 'Chat',
  type: 'native',
  firstParty: true,
  redirectUris: ['https://desk.example.com/callback'],
  scopes: ['*', 'openid', 'offline_access'],
}

/** A tool on the device, which listens on a port. */
const tool: OAuthClient = {
  id: 'tool',
  name: 'Chat tool',
  type: 'native',
  firstParty: true,
  redirectUris: ['http://127.0.0.1/callback'],
  scopes: ['*', 'openid', 'profile', 'offline_access'],
}

export interface OAuthHost {
  readonly host: TestHost
  readonly clock: ManualClock
  /** The cookie of a browser in which alice is signed in. */
  readonly cookie: string
}

/** Starts a host that serves these apps. */
export async function startOAuth(): Promise<OAuthHost> {
  const clock = manualClock(new Date())
  const signer = joseSigner({ issuer, audience: 'chat', keys: [signingKey], clock })
  const host = await startPages({
    options: { clock, signer, oauth: oauthOf({ clients: [editor, desk, tool] }) },
    before: (app, auth) => app.use(auth.wellKnown),
  })
  return { host, clock, cookie: await openBrowser(host) }
}

export const editorOptions: OAuthClientOptions = {
  clientId: 'editor',
  redirectUri: 'https://editor.example.net/callback?from=chat',
  scope: 'openid profile offline_access',
}
export const deskOptions: OAuthClientOptions = {
  clientId: 'desk',
  redirectUri: 'https://desk.example.com/callback',
  scope: '* openid offline_access',
}

/** What a client of an app is made with. */
export interface AppSettings {
  readonly options?: OAuthClientOptions
  readonly client?: Partial<AuthClientOptions>
  readonly wire?: Pick<Wiretap, 'fetch'>
}

/** A client, and the app that it is of. The names of the addresses are those of real life. */
export function appOf(
  { host, clock }: OAuthHost,
  { options = editorOptions, client: more = {}, wire }: AppSettings = {},
) {
  const send = wire?.fetch ?? fetch
  const here = new URL(host.url).origin
  const client = createAuthClient({
    baseUrl: `${issuer}/api/v1`,
    clock,
    fetch: (url, init) => send(url.replace(issuer, here), init),
    ...more,
  })
  onTestFinished(() => client.close())
  return { client, app: oauth(client, options) }
}

/** Where the browser of alice is sent back to. */
export async function back({ host, cookie }: OAuthHost, address: string): Promise<string> {
  const { searchParams } = new URL(address)
  const answer = await authorize(host, cookie, searchParams)
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`no redirect: ${answer.status}`)
  const code = new URL(location).searchParams.get('code')
  if (code !== null) host.issued.add(code)
  return location
}
