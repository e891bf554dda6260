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
    'A web app that is signed in by a token signs its browser in, so that apps find its user ' +
    'there.',
  notes: [
    '204 without a body, and the cookie (see `docs/cookies.md`) of a session of its own, which ' +
      'ends with the one that asks. It is never fresher than that one. A browser that is signed ' +
      'in by the same sign-in keeps the cookie that it has; for any other the sign-in must be ' +
      'recent, as for `POST /auth/pkce/authorize`: else 403 `reauthentication-required`.',
    'The body is `{}` as `application/json`. `Sec-Fetch-Site: same-origin`, or `Origin` equal to ' +
      '`pagesOrigin`; else 403. Neither a named token nor an app may ask.',
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
    'The session that the cookie is of ends, whoever has signed in, and so do those of the apps ' +
      'that were signed in to by it and have no refresh token. The browser forgets the cookie. ' +
      '204 as well where nobody was signed in.',
    '`Sec-Fetch-Site: same-origin`, or `Origin` equal to `pagesOrigin`; else 403. No token is ' +
      'looked at.',
  ],
  who: 'browser',
  whoElse: 'from a page of `pagesOrigin`',
  openTo: 'own-origin',
  answers: { 204: { what: 'The browser is signed out.', body: null, headers: ['Set-Cookie'] } },
  refusals: ['forbidden', 'temporarily-unavailable'],
}

const consent = z.object({
  clientId: text('for `DELETE`'),
  name: textOrNull('of the app; null when there is none any more'),
  scopes: texts('at the own API of the server'),
  resources: z.array(z.object({ resource: text('a URI'), scopes: texts() })),
  grantedAt: time('ISO 8601, UTC'),
  updatedAt: time('ISO 8601, UTC'),
})

const listConsents: Operation = {
  ...common,
  route: 'GET /auth/consents',
  id: 'listConsents',
  summary: 'What this user has allowed which app.',
  notes: [
    "Apps of the host's own are not asked about, so they are not listed; their sessions are.",
    '`resources`: what it may do at other APIs, of those that it is registered for.',
  ],
  who: 'full-scope',
  answers: { 200: { what: 'The consents.', body: success({ consents: z.array(consent) }) } },
  refusals: ofFullScope,
}

const revokeConsent: Operation = {
  ...common,
  route: 'DELETE /auth/consents/:clientId',
  id: 'revokeConsent',
  summary: 'Takes back what this user has allowed an app, and ends its sessions of this user.',
  notes: ['404 where there was neither a consent nor a session.'],
  who: 'full-scope',
  inPath: { clientId: 'of the app, as listed' },
  answers: {
    200: {
      what: 'It is taken back.',
      body: success({ revoked: count('how many sessions have ended') }),
    },
  },
  refusals: [...ofFullScope, 'not-found'],
}

const metadata: Operation = {
  ...common,
  route: 'GET /.well-known/openid-configuration',
  id: 'getServerMetadata',
  summary: 'What apps have to know of the server (RFC 8414, OpenID Connect Discovery).',
  notes: [
    'The same document is answered by `auth.wellKnown` at the root of the site: see ' +
      '`docs/oauth.md`.',
  ],
  who: 'anybody',
  thereWith: 'the option `oauth`, where the issuer is what the router is mounted at',
  openTo: 'every-origin',
  answers: {
    200: {
      what: 'The document.',
      headers: ['Kept'],
      body: besides(
        {
          issuer: text('as it stands in tokens'),
          authorization_endpoint: text(),
          token_endpoint: text(),
          jwks_uri: text(),
        },
        'what the standards have besides, of all that is switched on',
      ),
    },
  },
  refusals: [],
}

/** What users of apps, and browsers, ask; and where apps look first. */
export const usersOfApps: readonly Operation[] = [
  signBrowserIn,
  signBrowserOut,
  listConsents,
  revokeConsent,
  metadata,
]
