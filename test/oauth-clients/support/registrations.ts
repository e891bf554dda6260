// The clients that every provider under test knows. They are what src/stores/client-contract.ts
// calls an OAuthClient, with the secrets in clear, since a client has to send them.
import { exportJWK, generateKeyPair } from 'jose'

/** A client, as a provider has to register it. */
export interface Registration {
  readonly id: string
  readonly name: string
  readonly type: 'web' | 'native'
  /** Of the provider itself: it may leave out the question whether the user agrees. */
  readonly firstParty: boolean
  readonly redirectUris: readonly string[]
  /** Where it is returned to after signing out. Default: nowhere. */
  readonly postLogoutRedirectUris?: readonly string[]
  readonly scopes: readonly string[]
  /** None: a public client, or one with a key. */
  readonly secret?: string
  /** Where it sends the secret, for a provider that has to be told. Default: the header. */
  readonly secretIn?: 'header' | 'body'
  /** For `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly object[] }
  readonly idTokenAlgorithm: 'ES256' | 'RS256'
  /** It cannot do PKCE, and sends a nonce. */
  readonly allowNonceInsteadOfPkce?: boolean
  readonly mayIntrospect?: boolean
}

/** What `reports` signs its assertions with. */
export const reportsKey = await generateKeyPair('ES256')

const scopes = ['openid', 'profile', 'email', 'offline_access']
const web = { type: 'web', firstParty: true, scopes, idTokenAlgorithm: 'ES256' } as const

/** An app on the desktop: public, any port of the loopback interface, a scheme of its own. */
export const desktop = {
  id: 'desktop',
  name: 'Desktop',
  type: 'native',
  firstParty: true,
  redirectUris: ['http://127.0.0.1/callback', 'com.example.desktop:/callback'],
  scopes,
  idTokenAlgorithm: 'ES256',
} as const satisfies Registration

/** A server with a secret, which it sends in the header. */
export const wiki = {
  ...web,
  id: 'wiki',
  name: 'Wiki',
  redirectUris: [
    'https://wiki.example.com/callback',
    'https://wiki.example.com/auth/callback/chat',
  ],
  postLogoutRedirectUris: ['https://wiki.example.com/goodbye'],
  secret: 'mar_cs_the-secret-of-the-wiki_0123456789-ABCDEFG',
  mayIntrospect: true,
} as const satisfies Registration

/** One that sends it in the body. */
export const tracker = {
  ...web,
  id: 'tracker',
  name: 'Tracker',
  redirectUris: ['https://tracker.example.com/callback'],
  secret: 'mar_cs_the-secret-of-the-tracker_0123456789-ABCD',
  secretIn: 'body',
} as const satisfies Registration

/** The same, and it knows nothing of PKCE. */
export const forum = {
  ...web,
  id: 'forum',
  name: 'Forum',
  redirectUris: ['https://forum.example.com/callback'],
  secret: 'mar_cs_the-secret-of-the-forum_0123456789-ABCDEF',
  secretIn: 'body',
  allowNonceInsteadOfPkce: true,
} as const satisfies Registration

/** One that understands ID Tokens of RS256 only. */
export const books = {
  ...web,
  id: 'books',
  name: 'Books',
  redirectUris: ['https://books.example.com/callback'],
  secret: 'mar_cs_the-secret-of-the-books_0123456789-ABCDEF',
  idTokenAlgorithm: 'RS256',
} as const satisfies Registration

/** One that signs an assertion instead of sending a secret. */
export const reports = {
  ...web,
  id: 'reports',
  name: 'Reports',
  redirectUris: [
    'https://reports.example.com/callback',
    'https://reports.example.com/auth/callback/chat',
  ],
  jwks: { keys: [{ ...(await exportJWK(reportsKey.publicKey)), alg: 'ES256', use: 'sig' }] },
} as const satisfies Registration

/** Of somebody else: the user is always asked. */
export const calendar = {
  ...web,
  id: 'calendar',
  name: 'Calendar of somebody else',
  firstParty: false,
  redirectUris: ['https://calendar.example.com/callback'],
  secret: 'mar_cs_the-secret-of-the-calendar_0123456789-ABC',
} as const satisfies Registration

/** A page of another site, on the machine of whoever writes it. It can keep no secret. */
export const page = {
  ...desktop,
  id: 'page',
  name: 'Page',
  redirectUris: ['http://localhost/callback', 'http://localhost/popup'],
  postLogoutRedirectUris: ['http://localhost/goodbye'],
} as const satisfies Registration

export const registrations: readonly Registration[] = [
  desktop,
  wiki,
  tracker,
  forum,
  books,
  reports,
  calendar,
  page,
]
