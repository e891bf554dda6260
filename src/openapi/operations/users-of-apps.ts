import { z } from 'zod'
import { besides, count, success, text, textOrNull, texts, time } from '../fields.js'
import type { Operation } from '../operation.js'
import { ofBodies, ofFullScope } from './shared.js'

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
