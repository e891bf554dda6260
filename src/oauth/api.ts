import { z } from 'zod'
import type { AuthErrorCode } from '../errors.js'
import { always, besides, count, flag, oneOf, text, texts } from '../openapi/fields.js'
import { type Operation, ofBodies, ofFullScope } from '../openapi/operation.js'
import { grantTypes } from '../stores/client-contract.js'
import { grants } from './token.endpoint.js'

const common = {
  tag: 'Apps',
  thereWith: 'the option `oauth`',
  style: 'oauth-endpoint',
} as const

const grantParameters = Object.fromEntries(
  Object.values(grants).flatMap(({ parameters }) =>
    Object.entries(parameters).map(([name, what]) => [name, text(what).optional()]),
  ),
)

/** Client authentication. */
const credentials = {
  client_id: text('for apps without `Authorization: Basic`').optional(),
  client_secret: text('for apps that send it in the body').optional(),
  client_assertion: text(
    'for apps with their own keys: `iss` and `sub` are the id of the app, `aud` is the issuer or ' +
      'this endpoint, `exp` is at most 5 minutes ahead, `jti` is used once (RFC 7523 §3)',
  ).optional(),
  client_assertion_type: oneOf(
    ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
    'required with `client_assertion`',
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
    'Exchanges a code and its verifier, a refresh token, the code of a device, or the ' +
    'credentials of a service, for tokens (RFC 6749 §4.1.3, RFC 6749 §6, RFC 8628 §3.4, ' +
    'RFC 6749 §4.4).',
  notes: [
    'A request with a wrong app, redirect URI or verifier uses the code up. A second use of the ' +
      'code, more than 20 s after the first, ends the session that it opened (RFC 6749 §4.1.2).',
    'An app that authenticates itself keeps its refresh token: the answer repeats it. This ' +
      'endpoint refuses refresh tokens of `POST /auth/pkce/token`, and that one refuses those of ' +
      'this endpoint.',
    'With `device_code`, `authorization_pending` means: ask again after `interval` seconds. ' +
      '`slow_down`: the same, with 5 seconds more from now on. All other errors are final.',
    '`interaction_required`: the user must do something first, such as change a temporary ' +
      'password. Nothing is spent: keep the refresh token, send the user to `/oauth/authorize`.',
    'A service gets a new access token of one session for each request, and no refresh token.',
  ],
  who: 'app',
  openTo: 'every-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      grant_type: oneOf(grantTypes, 'the kind of grant'),
      ...grantParameters,
      resource: text('the API that the access token is for (RFC 8707)').optional(),
      ...credentials,
    }),
  },
  answers: {
    200: {
      what: 'The tokens.',
      body: z.object({
        access_token: text('a JWT (RFC 9068); treat it as opaque'),
        token_type: always('Bearer'),
        expires_in: count('seconds until the access token expires'),
        scope: text('the granted scope, perhaps less than requested'),
        refresh_token: text(
          'with `offline_access`, and for native apps; for a public app it replaces the previous ' +
            'one',
        ).optional(),
        id_token: text('with the scope `openid`: a JWT that identifies the user').optional(),
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
    'authorization_pending',
    'slow_down',
    'access_denied',
    'expired_token',
    'interaction_required',
  ],
}

const authorizeDevice: Operation = {
  ...common,
  thereWith: 'the option `oauth.deviceFlow`',
  route: 'POST /oauth/device_authorization',
  id: 'authorizeDevice',
  summary: 'A device without a browser asks for a code that its user types elsewhere (RFC 8628).',
  notes: [
    'Show the user `user_code` and `verification_uri`, then ask `POST /oauth/token` with ' +
      '`device_code` every `interval` seconds. 20 codes for each network and app in 15 minutes.',
    'A page of another site is 403: it would ask from its visitor’s own network.',
  ],
  who: 'app',
  openTo: 'own-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      scope: text('what it wants to do; default: the default scopes of the app').optional(),
      resource: text('an API that tokens are to be for (RFC 8707)').optional(),
      ...credentials,
    }),
  },
  answers: {
    200: {
      what: 'The code.',
      body: z.object({
        device_code: text('a secret of the device'),
        user_code: text('for the user to type, such as `BCDF-GHJK`'),
        verification_uri: text('the page on which the user types it'),
        verification_uri_complete: text(
          'with the option `completeUri`: the same with the code in it',
        ).optional(),
        expires_in: count('seconds until the code is void'),
        interval: count('seconds between two questions'),
      }),
    },
  },
  refusals: [...ofApps, 'unauthorized_client', 'invalid_scope', 'invalid_target', 'forbidden'],
}

const registered = {
  client_name: text(
    'what the app calls itself: 1 to 60 characters on one line, with a letter or digit, and none ' +
      'of them invisible',
  ).optional(),
  redirect_uris: texts(
    '1 to 20: of the device, such as `http://127.0.0.1/callback`, with any port later, or ' +
      'of a host that the server lists',
  ),
}
const method = oneOf(['none'], 'there are no secrets')

const registerClient: Operation = {
  ...common,
  thereWith: 'the option `oauth.registration`',
  route: 'POST /oauth/register',
  id: 'registerClient',
  summary: 'An app registers itself, if it has no other way to be known (RFC 7591).',
  notes: [
    'An app with a document of its own need not register where the metadata have ' +
      '`client_id_metadata_document_supported`. 20 apps for each network in an hour. An ' +
      'app that no user allows anything within a day is gone.',
    'A page of another site is 403, unless it is of the device itself, or of a listed host.',
    'All other metadata is ignored: `scope` of the answer is what the app may ask for.',
  ],
  who: 'app',
  limited: true,
  body: {
    fields: z.object({
      ...registered,
      token_endpoint_auth_method: method.optional(),
      grant_types: texts('with `authorization_code`; default: that one').optional(),
      response_types: texts('`code`, which is the default').optional(),
    }),
  },
  answers: {
    201: {
      what: 'The app.',
      body: z.object({
        client_id: text('the id of the app from now on'),
        client_id_issued_at: count('when, in seconds since 1970'),
        ...registered,
        grant_types: texts('what it may exchange for tokens'),
        response_types: texts('`code`'),
        token_endpoint_auth_method: method,
        scope: text('all that it may ask for'),
      }),
    },
  },
  refusals: [
    ...ofBodies,
    'invalid_redirect_uri',
    'invalid_client_metadata',
    'forbidden',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

const revokeToken: Operation = {
  ...common,
  route: 'POST /oauth/revoke',
  id: 'revokeToken',
  summary: 'An app signs its user out: ends the session of the token (RFC 7009).',
  notes: [
    'The answer is `{}` also for a token that is unknown, has expired or belongs to another app; ' +
      'nothing happens then.',
  ],
  who: 'app',
  openTo: 'every-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      token: text('a refresh token or an access token of the app'),
      token_type_hint: text('ignored').optional(),
      ...credentials,
    }),
  },
  answers: { 200: { what: 'The token is not valid any more.', body: z.object({}) } },
  refusals: ofApps,
}

const introspected = {
  active: flag('false, and no other member, for every token that is not valid'),
  scope: text('the scope of the token').optional(),
  client_id: text("the app; for a token of your own clients, the API's name").optional(),
  username: text("the user's name").optional(),
  sub: text("the user's id").optional(),
  iss: text('the issuer').optional(),
  exp: count('when it expires, in seconds since 1970').optional(),
  sid: text('the session').optional(),
  auth_time: count('when the user signed in').optional(),
  amr: texts('methods of that sign-in (RFC 8176)').optional(),
  aud: text('for an access token: the API').optional(),
  iat: count('for an access token: the time of issue').optional(),
  token_type: oneOf(['Bearer'], 'for an access token').optional(),
  act: z
    .object({ sub: text("the actor's id") })
    .describe('who of your staff acts for the user (RFC 8693)')
    .optional(),
}

const introspect: Operation = {
  ...common,
  route: 'POST /oauth/introspect',
  id: 'introspectToken',
  summary: 'A service asks whether a token is valid now (RFC 7662).',
  notes: [
    'For apps that authenticate themselves and have `mayIntrospect`. The endpoint exists if some ' +
      'client has it, or if clients are in a store.',
  ],
  who: 'app',
  openTo: 'own-origin',
  limited: true,
  body: {
    form: 'too',
    fields: z.object({
      token: text("an access token for one of the app's `resources`, or its own refresh token"),
      token_type_hint: text('ignored').optional(),
      ...credentials,
    }),
  },
  answers: { 200: { what: 'The state of the token.', body: z.object(introspected) } },
  refusals: ofApps,
}

const userinfo: Operation = {
  ...common,
  route: 'GET /oauth/userinfo',
  id: 'getUserinfo',
  summary: 'The user of an app (OpenID Connect Core §5.3).',
  notes: ['The token must be in `Authorization: Bearer`, not in a body.'],
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
        "claims that the host's `claims` returns for the scopes of the token",
      ),
    },
  },
  refusals: ofFullScope,
}

const userinfoByPost: Operation = {
  ...userinfo,
  route: 'POST /oauth/userinfo',
  id: 'getUserinfoByPost',
  summary: 'The same as `GET /oauth/userinfo`.',
}

/** Requests of apps and services. */
export const appOperations: readonly Operation[] = [
  getTokens,
  revokeToken,
  introspect,
  authorizeDevice,
  registerClient,
  userinfo,
  userinfoByPost,
]
