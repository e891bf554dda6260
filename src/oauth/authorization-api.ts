import { z } from 'zod'
import {
  always,
  besides,
  count,
  oneOf,
  success,
  text,
  textOrNull,
  texts,
  time,
} from '../openapi/fields.js'
import { type Operation, ofBodies, ofFullScope } from '../openapi/operation.js'

const parameters = z.object({
  client_id: text('the id of the app'),
  response_type: always('code'),
  redirect_uri: text(
    "exactly one of the app's; the port may differ for a native app on a loopback address",
  ),
  scope: text('requested scopes, separated by blanks; default: its `defaultScopes`').optional(),
  code_challenge: text(
    '43 characters base64url (RFC 7636 §4.2); an app with `allowNonceInsteadOfPkce` may send a ' +
      '`nonce` instead',
  ),
  code_challenge_method: always('S256'),
  state: text('returned unchanged; at most 2048 characters').optional(),
  nonce: text('copied into the ID token; at most 512 characters').optional(),
  prompt: text(
    '`none`, `login`, `consent`, `select_account`; with `none`, an error is returned instead of ' +
      'a page',
  ).optional(),
  max_age: text('maximum age of the sign-in, in seconds').optional(),
  id_token_hint: text('an ID token of this app: the user who should sign in').optional(),
  acr_values: text('required assurance: `urn:mar:2fa` for a second factor').optional(),
  resource: texts('the API that tokens are for (RFC 8707); may be repeated').optional(),
  response_mode: oneOf(
    ['query', 'form_post'],
    'default `query`; with `form_post` the browser posts the answer to a redirect URI of http(s)',
  ).optional(),
})

const pages = {
  400: 'A page: the app is unknown, or the redirect URI is not its own. The browser stays here.',
  429: 'A page: too many requests for unknown apps.',
  503: 'A page: a part of the server fails.',
}

const authorize: Operation = {
  route: 'GET /oauth/authorize',
  id: 'authorize',
  tag: 'Apps',
  summary:
    "An app sends its user's browser here and gets a code back by a redirect " +
    '(RFC 6749 §4.1, RFC 7636).',
  notes: [
    'The answer is a page or a redirect, never JSON: 303 with `code`, `state` and `iss` (RFC ' +
      '9207), or with `error`, `error_description`, `state` and `iss`.',
    'The cookie identifies the signed-in user: see `docs/cookies.md`. The query has at most ' +
      '4,096 characters. `HEAD` is 405.',
    'The code works once, within 60 s, for this app, redirect URI and challenge.',
  ],
  who: 'browser',
  thereWith: 'the option `oauth`',
  openTo: 'own-origin',
  query: parameters,
  answers: {
    200: { what: 'A page: a step is missing, such as the sign-in.', body: 'html' },
    303: { what: 'Back to the app.', body: null, headers: ['Location'] },
  },
  refusals: [],
  pages,
}

const authorizeByForm: Operation = {
  ...authorize,
  route: 'POST /oauth/authorize',
  id: 'authorizeByForm',
  summary: 'The same as `GET /oauth/authorize`, as a form (OpenID Connect Core §3.1.2.1).',
  notes: ['Redirects to the `GET` with all parameters.'],
  query: z.object({}),
  body: { fields: parameters, form: 'only' },
  answers: { 303: { what: 'Redirect to the `GET`.', body: null, headers: ['Location'] } },
  pages: {
    400: pages[400],
    413: 'A page: the form is too long.',
    415: 'A page: the body is not a form.',
  },
}

const logoutParameters = z.object({
  id_token_hint: text(
    'the last ID token of this user for this app, expired or not; with it, a user who is signed ' +
      'in by the same session is not asked',
  ).optional(),
  client_id: text('the id of the app; not needed with `id_token_hint`').optional(),
  post_logout_redirect_uri: text(
    "where the browser returns to: exactly one of the app's `postLogoutRedirectUris`; the port " +
      'may differ for a native app on a loopback address',
  ).optional(),
  state: text('returned unchanged; at most 2048 characters').optional(),
  logout_hint: text('ignored').optional(),
  ui_locales: text('languages of the page, separated by blanks').optional(),
})

const logout: Operation = {
  route: 'GET /oauth/logout',
  id: 'logoutByApp',
  tag: 'Apps',
  summary:
    "An app signs its user's browser out here, too (OpenID Connect RP-Initiated Logout 1.0).",
  notes: [
    'Ends the session of the browser, and with it the sessions of apps that depend on it. The ' +
      'page of `/oauth/sign-out` asks the user first, unless `id_token_hint` proves that the app ' +
      'has signed in this user in this very session.',
    'The browser then returns to `post_logout_redirect_uri`, with `state`. Without one, or if ' +
      'anything about the request is wrong, it stays on a page of this server. The query has at ' +
      'most 8,192 characters. `HEAD` is 405.',
  ],
  who: 'browser',
  thereWith: 'the option `oauth.logout`',
  openTo: 'own-origin',
  query: logoutParameters,
  answers: {
    303: {
      what: 'Back to the app, or to the page that asks.',
      body: null,
      headers: ['Location', 'Set-Cookie'],
    },
  },
  refusals: [],
  pages: { 429: pages[429], 503: pages[503] },
}

const logoutByForm: Operation = {
  ...logout,
  route: 'POST /oauth/logout',
  id: 'logoutByAppForm',
  summary: 'The same as `GET /oauth/logout`, as a form.',
  notes: ['Redirects to the `GET` with all parameters.'],
  query: z.object({}),
  body: { fields: logoutParameters, form: 'only' },
  answers: { 303: { what: 'Redirect to the `GET`.', body: null, headers: ['Location'] } },
  pages: {
    400: 'A page: the form cannot be read.',
    413: 'A page: the form is too long.',
    415: 'A page: the body is not a form.',
  },
}

/** Requests of browsers that an app sends here. */
export const authorizationOperations: readonly Operation[] = [
  authorize,
  authorizeByForm,
  logout,
  logoutByForm,
]

const common = { tag: 'Apps', thereWith: 'the option `oauth`' } as const

const signBrowserIn: Operation = {
  ...common,
  route: 'POST /auth/browser-session',
  id: 'signBrowserIn',
  summary:
    'A web app that is signed in by a token also signs its browser in, so that apps find its ' +
    'user.',
  notes: [
    '204 with the cookie (see `docs/cookies.md`) of a new session, which ends with the calling ' +
      'session and keeps its time of sign-in. A browser that already has a session of the same ' +
      'sign-in keeps its cookie. Otherwise the sign-in must be recent, as for `POST ' +
      '/auth/pkce/authorize`, or the answer is 403 `reauthentication-required`.',
    'The body is `{}` as `application/json`. Requires `Sec-Fetch-Site: same-origin`, or `Origin` ' +
      'equal to `pagesOrigin`; otherwise 403. Named tokens and apps are refused.',
  ],
  who: 'full-scope',
  whoElse: 'from a page of `pagesOrigin`',
  openTo: 'own-origin',
  limited: true,
  body: { fields: z.object({}) },
  answers: { 204: { what: 'The browser is signed in.', body: null, headers: ['Set-Cookie'] } },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'reauthentication-required',
    'totp-required',
    'too-many-requests',
  ],
}

const signBrowserOut: Operation = {
  ...common,
  route: 'DELETE /auth/browser-session',
  id: 'signBrowserOut',
  summary: 'A page signs its browser out, so that the next sign-in asks for the password.',
  notes: [
    'Ends the session of the cookie, and the sessions of apps that were opened by it and have no ' +
      'refresh token. Deletes the cookie. Also 204 if nobody was signed in.',
    'Requires `Sec-Fetch-Site: same-origin`, or `Origin` equal to `pagesOrigin`; otherwise 403. ' +
      'Tokens are ignored.',
  ],
  who: 'browser',
  whoElse: 'from a page of `pagesOrigin`',
  openTo: 'own-origin',
  answers: { 204: { what: 'The browser is signed out.', body: null, headers: ['Set-Cookie'] } },
  refusals: ['forbidden', 'temporarily-unavailable'],
}

const consent = z.object({
  clientId: text('for `DELETE`'),
  name: textOrNull('the name of the app; null if the app no longer exists'),
  scopes: texts("at the server's own API"),
  resources: z.array(z.object({ resource: text('a URI'), scopes: texts() })),
  grantedAt: time('ISO 8601, UTC'),
  updatedAt: time('ISO 8601, UTC'),
})

const listConsents: Operation = {
  ...common,
  route: 'GET /auth/consents',
  id: 'listConsents',
  summary: 'The apps that this user has authorised.',
  notes: [
    "The host's own apps need no consent and are not listed; their sessions are.",
    '`resources`: the scopes at other APIs, among those that the app is registered for.',
  ],
  who: 'full-scope',
  answers: { 200: { what: 'The consents.', body: success({ consents: z.array(consent) }) } },
  refusals: ofFullScope,
}

const revokeConsent: Operation = {
  ...common,
  route: 'DELETE /auth/consents/:clientId',
  id: 'revokeConsent',
  summary: "Revokes this user's consent for an app, and ends the app's sessions of this user.",
  notes: ['404 if there was neither a consent nor a session.'],
  who: 'full-scope',
  inPath: { clientId: 'the `clientId` of the app in the list' },
  answers: {
    200: {
      what: 'The consent is revoked.',
      body: success({ revoked: count('how many sessions have ended') }),
    },
  },
  refusals: [...ofFullScope, 'not-found'],
}

const metadata: Operation = {
  ...common,
  route: 'GET /.well-known/openid-configuration',
  id: 'getServerMetadata',
  summary: 'The metadata of the server for apps (RFC 8414, OpenID Connect Discovery).',
  notes: [
    '`auth.wellKnown` serves the same document at the root of the site: see `docs/oauth.md`.',
  ],
  who: 'anybody',
  thereWith: 'the option `oauth`, if the issuer is the address of the router',
  openTo: 'every-origin',
  answers: {
    200: {
      what: 'The document.',
      headers: ['Kept'],
      body: besides(
        {
          issuer: text('the `iss` of tokens'),
          authorization_endpoint: text(),
          token_endpoint: text(),
          jwks_uri: text(),
        },
        'further members of the standards, for the features that are switched on',
      ),
    },
  },
  refusals: [],
}

/** Requests of browsers and of users of apps, and the metadata. */
export const usersOfApps: readonly Operation[] = [
  signBrowserIn,
  signBrowserOut,
  listConsents,
  revokeConsent,
  metadata,
]
