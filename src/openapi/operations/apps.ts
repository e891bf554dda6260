import { z } from 'zod'
import type { AuthErrorCode } from '../../errors.js'
import { grants } from '../../oauth/grants/grants.js'
import { grantTypes } from '../../stores/client-contract.js'
import { always, besides, count, flag, oneOf, text, texts } from '../fields.js'
import type { Operation } from '../operation.js'
import { ofBodies } from './shared.js'

const common = {
  tag: 'Apps',
  thereWith: 'the option `oauth`',
  style: 'oauth-endpoint',
} as const

/** What an app shows to say which one it is. */
const grantParameters = Object.fromEntries(
  Object.values(grants).flatMap(({ parameters }) =>
    Object.entries(parameters).map(([name, what]) => [name, text(what).optional()]),
  ),
)

const credentials = {
  client_id: text('of an app without `Authorization: Basic`').optional(),
  client_secret: text('of an app that sends it in the body').optional(),
  client_assertion: text(
    'of an app with keys of its own: `iss` and `sub` its id, `aud` the issuer or this endpoint, ' +
      '`exp` at most 5 minutes ahead, `jti` used once (RFC 7523 §3)',
  ).optional(),
  client_assertion_type: oneOf(
    ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
    'with it',
  ).optional(),
}
const ofApps = [
  ...ofBodies,
  'invalid_client',
  'too-many-requests',
  'temporarily-unavailable',
] as const satisfies readonly AuthErrorCode[]

const getTokens: Operation = {
  ...common,
  route: 'POST /oauth/token',
  id: 'getTokens',
  summary:
    'A code with its verifier, or a refresh token, for tokens (RFC 6749 §4.1.3, RFC 6749 §6).',
  notes: [
    'A code that is shown with another app, redirect URI or verifier is used up. Shown again ' +
      'more than 20 s after its first use, it ends the session that it opened (RFC 6749 §4.1.2).',
    'An app that authenticates itself keeps its refresh token; it is answered again. Refresh ' +
      'tokens of `POST /auth/pkce/token` are not taken here, nor those of here there.',
  ],
  who: 'app',
  openTo: 'every-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      grant_type: oneOf(grantTypes, 'what is exchanged'),
      ...grantParameters,
      resource: text('the API that the access token is to be for (RFC 8707)').optional(),
      ...credentials,
    }),
  },
  answers: {
    200: {
      what: 'The tokens.',
      body: z.object({
        access_token: text('a JWT (RFC 9068); treat it as opaque'),
        token_type: always('Bearer'),
        expires_in: count('seconds until the access token ends'),
        scope: text('what was granted, which may be less than was asked for'),
        refresh_token: text(
          'with `offline_access`, and for native apps; of a public app each replaces the one ' +
            'before',
        ).optional(),
        id_token: text('a JWT, with the scope `openid`: who has signed in').optional(),
      }),
    },
  },
  refusals: [
    ...ofApps,
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
    'invalid_target',
  ],
}

const revokeToken: Operation = {
  ...common,
  route: 'POST /oauth/revoke',
  id: 'revokeToken',
  summary: 'An app signs its user out: the session of the token ends (RFC 7009).',
  notes: ['`{}`, also for a token that is unknown, over, or of another app: nothing happens then.'],
  who: 'app',
  openTo: 'every-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      token: text('a refresh token or an access token of the app'),
      token_type_hint: text('not needed').optional(),
      ...credentials,
    }),
  },
  answers: { 200: { what: 'The token is good for nothing.', body: z.object({}) } },
  refusals: ofApps,
}

const introspected = {
  active: flag('false for every other token, whatever the reason, and nothing besides'),
  scope: text('what the token may do').optional(),
  client_id: text("the app; of a token of your own clients the API's name").optional(),
  username: text('of the user').optional(),
  sub: text("the user's id").optional(),
  iss: text('the issuer').optional(),
  exp: count('when it ends, seconds since 1970').optional(),
  sid: text('the session').optional(),
  auth_time: count('when the user signed in').optional(),
  amr: texts('how (RFC 8176)').optional(),
  aud: text('of an access token: the API').optional(),
  iat: count('of an access token').optional(),
  token_type: oneOf(['Bearer'], 'of an access token').optional(),
}

const introspect: Operation = {
  ...common,
  route: 'POST /oauth/introspect',
  id: 'introspectToken',
  summary: 'A service asks whether a token is good at this moment (RFC 7662).',
  notes: [
    'For apps that authenticate themselves and have `mayIntrospect`; there where some client has ' +
      'it, or clients are in a store.',
  ],
  who: 'app',
  openTo: 'own-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      token: text('an access token for one of its `resources`, or a refresh token of its own'),
      token_type_hint: text('not needed').optional(),
      ...credentials,
    }),
  },
  answers: { 200: { what: 'Whether it is.', body: z.object(introspected) } },
  refusals: ofApps,
}

const userinfo: Operation = {
  ...common,
  route: 'GET /oauth/userinfo',
  id: 'getUserinfo',
  summary: 'Who has signed in to an app (OpenID Connect Core §5.3).',
  notes: ['The token is read from `Authorization: Bearer` alone, never from a body.'],
  who: 'app-token',
  whoElse: 'scope `openid`',
  openTo: 'every-origin',
  answers: {
    200: {
      what: 'The user.',
      body: besides(
        {
          sub: text("the user's id"),
          name: text('with `profile`').optional(),
          preferred_username: text('with `profile`').optional(),
        },
        "what the host's `claims` answers for the scopes of the token",
      ),
    },
  },
  refusals: ['invalid-request', 'Unauthorized', 'forbidden', 'temporarily-unavailable'],
}

const userinfoByPost: Operation = {
  ...userinfo,
  route: 'POST /oauth/userinfo',
  id: 'getUserinfoByPost',
  summary: 'The same as `GET /oauth/userinfo`.',
}

/** What apps and services ask by themselves. */
export const appOperations: readonly Operation[] = [
  getTokens,
  revokeToken,
  introspect,
  userinfo,
  userinfoByPost,
]
