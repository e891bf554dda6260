// What a provider has to be for these tests. To put another one under test:
//
// 1. `provider-<name>.ts` exports a {@link ProviderModule}. Its `start` listens on a free port of
//    127.0.0.1, and registers all of `registrations` and the user {@link alice}. One that is made
//    of this package imports its build, `../../dist/index.js`, which `run.mjs` makes.
// 2. It is added to the list in `providers.ts`. Nothing else changes: every test runs once for each
//    provider of that list, and no test knows which one it talks to.
//
// What the tests find by discovery need not be told: all endpoints come from the metadata. What
// cannot be found is which fields a sign-in page has, so that is what `answer` is for. It is a
// function of the page alone, and serves both the browser that only fetches and Chromium.

/** The path of the issuer. A provider has to work under both. */
export type IssuerPath = '' | '/api/v1'

/** The user that the provider has to know, and what it says of her. */
export const alice = {
  /** As `sub` in tokens. */
  id: 'alice',
  username: 'alice',
  password: 'a long password, for tests only',
  claims: {
    name: 'Alice Example',
    preferred_username: 'alice',
    email: 'alice@example.com',
    email_verified: true,
  },
} as const

/** A page of the provider's that waits for somebody to do something. */
export interface Page {
  readonly url: URL
  readonly html: string
}

/**
 * What alice does on a page: she fills the fields of its first form by their names and sends it, by
 * the button that the selector `press` finds (default: the first), or follows a link.
 */
export type Answer =
  | { readonly fields: Readonly<Record<string, string>>; readonly press?: string }
  | { readonly follow: string }

/** A provider that runs. */
export interface Provider {
  /** Exactly as in its tokens: `http://127.0.0.1:<port>` and the path that it was started with. */
  readonly issuer: string
  /**
   * What alice does on this page. She signs in as {@link alice}; asked whether she agrees, she does
   * what `agrees` says. Pages that forward by themselves (`meta refresh`) are followed without
   * asking. Throws for a page that it does not know, and says which.
   */
  answer(page: Page, agrees: boolean): Answer
  /** Closes everything, connections that are open included. */
  stop(): Promise<void>
}

/**
 * A kind of provider. It is started anew for each file and path, with:
 *
 * - refresh tokens for each client that asks for `offline_access`, with `prompt=consent` besides;
 * - introspection for `mayIntrospect`, UserInfo, and revocation whose answer is JSON;
 * - the claims of `profile` and `email` in the ID Token as well as at UserInfo;
 * - PKCE demanded of all clients but those with `allowNonceInsteadOfPkce`;
 * - metadata at the issuer's `/.well-known/openid-configuration`, and at
 *   `/.well-known/oauth-authorization-server` with the issuer's path behind it
 *   ([RFC 8414 §3](https://www.rfc-editor.org/rfc/rfc8414#section-3));
 * - CORS for the endpoints that a page calls.
 */
export interface ProviderModule {
  /** For titles. */
  readonly name: string
  start(path: IssuerPath): Promise<Provider>
}
