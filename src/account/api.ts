import { z } from 'zod'
import { loginBody } from '../login/login-request.js'
import { namedTokenBody } from '../named-tokens/named-tokens.js'
import {
  always,
  besides,
  count,
  flag,
  loginAnswer,
  meFields,
  moreOfMe,
  nameFields,
  oneOf,
  proof,
  reading,
  remembering,
  success,
  text,
  textOrNull,
  texts,
  time,
  tokenFields,
  tokensAsked,
} from '../openapi/fields.js'
import {
  loginRefusals,
  type Operation,
  ofBodies,
  ofFullScope,
  ofSignedIn,
} from '../openapi/operation.js'
import { codeRequest, exchangeRequest } from '../pkce/pkce.js'
import { refreshRequest } from '../refresh/refresh.js'

const logIn: Operation = {
  route: 'POST /login',
  id: 'logIn',
  tag: 'Signing in',
  summary: 'Signs in with a password, and with a code if the user has a second factor.',
  notes: [
    'A wrong password, an unknown user, a disabled user and a user without a password get the ' +
      'same bytes after the same work.',
    'The server checks a code only after a right password, and each code works once. It ignores ' +
      'the code of a user without a second factor.',
    'Credentials in the URL are ignored. None or several of the three names, an empty text or ' +
      'another type: 400.',
    "403 `forbidden`: the server's `beforeLogin` has refused; `message` is its reason.",
  ],
  who: 'anybody',
  limited: true,
  sends: z.object({
    'x-2fa-code': text('the same as `code`; if both are sent, the body wins').optional(),
  }),
  body: {
    fields: reading(loginBody, {
      password: 'as typed: not trimmed. Compared in Unicode form NFC, then as typed',
      ...nameFields,
      email:
        'exactly one of `email`, `username` and `user`; at most 320 characters, Unicode form ' +
        'NFKC, no control characters',
      code: 'six digits from the app, or a recovery code; at most 64 characters',
      passkey:
        'instead of `code`: the result of `navigator.credentials.get` for ' +
        '`details.passkeyOptions` of a 401 `totp-required`, as JSON',
      tokens: tokensAsked,
      ...remembering,
    }),
  },
  answers: loginAnswer,
  refusals: [...loginRefusals, 'password-expired'],
}

const issueCode: Operation = {
  route: 'POST /auth/pkce/authorize',
  id: 'issueAuthorizationCode',
  tag: 'Signing in',
  summary:
    "A signed-in client requests an authorization code for another of its user's devices " +
    '(RFC 7636).',
  notes: [
    'The code ends with the calling session. The session that it opens has no more rights, and ' +
      'lives no longer if the calling session has its own lifetime.',
    'The sign-in of the calling session must be recent (`pkce.maxAge` of the server, default 10 ' +
      'minutes); otherwise 403 `reauthentication-required`. With `pkce.endWithIssuer`, the new ' +
      'session ends with the calling one, and cannot request codes itself: 403 `forbidden`.',
    'A server with its own sign-in page calls `issueAuthorizationCode` instead: see ' +
      '`docs/host-api.md`.',
  ],
  who: 'full-scope',
  limited: true,
  body: {
    fields: reading(codeRequest, {
      codeChallenge: '43 characters base64url: SHA-256 of the verifier (RFC 7636 §4.2)',
      codeChallengeMethod: 'the only supported method',
    }),
  },
  answers: {
    200: {
      what: 'The code.',
      body: success({
        authorizationCode: text('works once'),
        expiresIn: count('seconds, 60'),
      }),
    },
  },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'reauthentication-required',
    'totp-required',
    'too-many-requests',
  ],
}

const exchangeCode: Operation = {
  route: 'POST /auth/pkce/token',
  id: 'exchangeCode',
  tag: 'Signing in',
  summary:
    'Exchanges an authorization code and its verifier for tokens of a new session ' +
    '(RFC 6749 §4.1.3, RFC 7636 §4.5).',
  notes: [
    'A wrong verifier uses the code up. The second use of a code is 400 `invalid_grant`; more ' +
      'than 20 s after the first use, it also ends the session that the code opened (RFC 6749 ' +
      '§4.1.2).',
  ],
  who: 'anybody',
  style: 'oauth',
  limited: true,
  body: {
    fields: reading(exchangeRequest, {
      authorizationCode: "from `POST /auth/pkce/authorize`, or from the server's own page",
      codeVerifier: '43 to 128 characters of `A-Z a-z 0-9 - . _ ~` (RFC 7636 §4.1)',
    }),
  },
  answers: { 200: { what: 'Signed in.', body: z.object(tokenFields) } },
  refusals: [...ofBodies, 'invalid_grant', 'too-many-requests', 'temporarily-unavailable'],
}

const refresh: Operation = {
  route: 'POST /auth/refresh',
  id: 'refresh',
  tag: 'Signing in',
  summary: 'Exchanges a refresh token for the next pair of tokens (RFC 6749 §6).',
  notes: [
    'The request spends the token. If the client repeats it within 30 s ' +
      '(`lifetimes.refreshGrace`), or before the new pair was used, it gets the same successor ' +
      'again: a lost answer signs nobody out.',
    'A later repetition ends the session (RFC 9700 §4.14.2). The new pair counts as used when ' +
      'its refresh token is rotated, or when a guard or a socket has seen its access token, in ' +
      'any process.',
    'Store the pair before you use it, and read your store again right before you refresh. The ' +
      'absolute end of the session never moves.',
  ],
  who: 'anybody',
  style: 'oauth',
  limited: true,
  body: {
    fields: reading(refreshRequest, {
      refreshToken: 'exactly one of the two',
      refresh_token: 'the same under its OAuth name',
    }),
  },
  answers: { 200: { what: 'The next pair.', body: z.object(tokenFields) } },
  refusals: [...ofBodies, 'invalid_grant', 'too-many-requests', 'temporarily-unavailable'],
}

/** Ways to sign in. */
export const signingIn: readonly Operation[] = [logIn, issueCode, exchangeCode, refresh]

const tag = 'The session'
const revoked = { revoked: count('how many ended') }

const logOut: Operation = {
  route: 'POST /logout',
  id: 'logOut',
  tag,
  summary: 'Ends the session of the token, and everything that was issued under it.',
  notes: ['The answer comes after the store has confirmed the end.'],
  who: 'signed-in',
  whileEnrolling: true,
  whileActing: true,
  answers: {
    200: { what: 'The session has ended.', body: success({ message: text('for people') }) },
  },
  refusals: ofSignedIn,
}

const logOutByGet: Operation = {
  ...logOut,
  route: 'GET /logout',
  id: 'logOutByGet',
  summary: 'The same as `POST /logout`, for old clients.',
  notes: ['`HEAD` is 405. The token is in a header, which pages of other origins cannot send.'],
}

const me: Operation = {
  route: 'GET /me',
  id: 'getMe',
  tag,
  summary: 'The user of the token.',
  who: 'signed-in',
  whileActing: true,
  answers: {
    200: { what: 'The user.', body: besides({ success: always(true), ...meFields }, moreOfMe) },
  },
  refusals: ofFullScope,
  notes: [
    '403 `forbidden`: the token has less than the scope `*`, and is not a named token. Apps use ' +
      '`GET /oauth/userinfo`.',
  ],
}

const session = z.object({
  id: text('not a credential'),
  current: flag('whether it is the calling session'),
  kind: oneOf(
    ['login', 'pkce', 'browser', 'token', 'oauth', 'service', 'acting'],
    'how it was opened; `acting`: a member of staff acts for the user',
  ),
  createdAt: time('ISO 8601, UTC'),
  lastSeenAt: time('updated once in a twentieth of `sessionIdle`'),
  expiresAt: time('the absolute end'),
  ip: textOrNull('the address at `lastSeenAt`'),
  userAgent: textOrNull(),
  name: textOrNull(
    'the device for people, such as `Firefox on Linux`; for a named token or an app, its name; ' +
      'for `acting`, `Support: ` and why',
  ),
  liveSockets: count('open sockets in the process that answers'),
  openedBy: textOrNull(
    'the `id` of the session that opened it, such as that of the browser in which the user ' +
      'signed in to an app; a session of kind `pkce` may be on another device',
  ),
  actor: z
    .object({ id: text('the id of that member of staff') })
    .describe('who acts in it for the user; null: nobody')
    .nullable(),
})

const listSessions: Operation = {
  route: 'GET /auth/sessions',
  id: 'listSessions',
  tag,
  summary: 'The sessions of this user.',
  notes: ['The answer contains no tokens, and nothing from which one could be made.'],
  who: 'full-scope',
  whileActing: true,
  answers: { 200: { what: 'The sessions.', body: success({ sessions: z.array(session) }) } },
  refusals: ofFullScope,
}

const endOtherSessions: Operation = {
  route: 'DELETE /auth/sessions',
  id: 'endOtherSessions',
  tag,
  summary: 'Ends all sessions of this user except the calling one.',
  who: 'full-scope',
  answers: { 200: { what: 'The sessions have ended.', body: success(revoked) } },
  refusals: ofFullScope,
}

const endSession: Operation = {
  route: 'DELETE /auth/sessions/:id',
  id: 'endSession',
  tag,
  summary: 'Ends one session of this user.',
  notes: ["Another user's session is 404, like one that does not exist."],
  who: 'full-scope',
  inPath: { id: 'the `id` of the session in the list' },
  answers: { 200: { what: 'The session has ended.', body: success({ revoked: always(1) }) } },
  refusals: [...ofFullScope, 'not-found'],
}

const issueTicket: Operation = {
  route: 'POST /auth/socket-ticket',
  id: 'issueSocketTicket',
  tag,
  summary:
    'A ticket that opens one WebSocket, for browsers: they cannot send headers with an upgrade.',
  who: 'signed-in',
  whileActing: true,
  thereWith: 'the store `tickets`',
  limited: true,
  answers: {
    200: {
      what: 'The ticket.',
      body: success({
        ticket: text('send it as a sub-protocol, after `auth.ticket`'),
        expiresIn: count('seconds, 30'),
      }),
    },
  },
  refusals: [
    ...ofSignedIn,
    'second-factor-enrolment-required',
    'action-required',
    'too-many-requests',
  ],
}

/** Requests about sessions. */
export const sessionOperations: readonly Operation[] = [
  logOut,
  logOutByGet,
  me,
  listSessions,
  endOtherSessions,
  endSession,
  issueTicket,
]

const common = {
  tag: 'Named tokens',
  who: 'full-scope',
  thereWith: 'the option `namedTokens: true`',
} as const

const namedToken = z.object({
  id: text('the id of its session; not a credential'),
  name: text('the name given at creation'),
  scope: texts('`*` means everything'),
  createdAt: time('ISO 8601, UTC'),
  lastSeenAt: time('updated at most once a minute'),
  expiresAt: time('fixed at creation'),
  ip: textOrNull('the address at `lastSeenAt`'),
})

const listNamedTokens: Operation = {
  ...common,
  route: 'GET /auth/access-tokens',
  id: 'listNamedTokens',
  summary: 'The named tokens of this user.',
  notes: ['The answer contains no secrets.'],
  answers: { 200: { what: 'The tokens.', body: success({ accessTokens: z.array(namedToken) }) } },
  refusals: ofFullScope,
}

const makeNamedToken: Operation = {
  ...common,
  route: 'POST /auth/access-tokens',
  id: 'makeNamedToken',
  summary: 'Creates a named token, for a bot or a script.',
  notes: [
    'A user may have 20. If several requests at once would exceed that number, each of them may ' +
      'be refused: try again.',
    '403 `reauthentication-required`: ask for the password and send it. 401 `totp-required`: ' +
      'also send a code, or a passkey instead of both. 401 with `details.wrong` `password` or ' +
      '`passkey`: it was wrong; the session continues.',
  ],
  limited: true,
  body: {
    fields: reading(namedTokenBody, {
      name: '1-100 characters, without control and bidirectional characters',
      scope: 'words, up to 1,000 characters in all; default: `*`',
      expiresIn: 'seconds, 60 to 31,536,000 (365 days); default: 7,776,000 (90 days)',
      ...proof,
    }),
  },
  answers: {
    200: {
      what: 'The token.',
      body: success({
        id: text('for `DELETE`'),
        token: text('`mar_pat_…`, never shown again'),
        expiresAt: time('ISO 8601, UTC'),
      }),
    },
  },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'reauthentication-required',
    'totp-required',
    'totp-invalid',
    'too-many-named-tokens',
    'too-many-requests',
  ],
}

const endNamedTokens: Operation = {
  ...common,
  route: 'DELETE /auth/access-tokens',
  id: 'endNamedTokens',
  summary: 'Ends all named tokens of this user.',
  answers: {
    200: { what: 'The tokens have ended.', body: success({ revoked: count('how many ended') }) },
  },
  refusals: ofFullScope,
}

const endNamedToken: Operation = {
  ...common,
  route: 'DELETE /auth/access-tokens/:id',
  id: 'endNamedToken',
  summary: 'Ends one named token of this user.',
  inPath: { id: 'the `id` of the token in the list' },
  answers: { 200: { what: 'The token has ended.', body: success({ revoked: always(1) }) } },
  refusals: [...ofFullScope, 'not-found'],
}

/** For bots and scripts. */
export const namedTokenOperations: readonly Operation[] = [
  listNamedTokens,
  makeNamedToken,
  endNamedTokens,
  endNamedToken,
]

const key = besides(
  {
    kty: text('kind of key'),
    kid: text('the id that tokens name').optional(),
    alg: text('such as `ES256`').optional(),
    use: always('sig').optional(),
    crv: text('the name of an elliptic curve').optional(),
    x: text().optional(),
    y: text().optional(),
    n: text('for RSA').optional(),
    e: text().optional(),
  },
  "more members of the host's own signer; never a private part",
)

const publishedKeys: Operation = {
  route: 'GET /auth/jwks.json',
  id: 'getKeys',
  tag: 'Keys',
  summary: 'The public keys that verify access tokens (RFC 7517 §5).',
  notes: [
    '`keys` is empty if the signer publishes none. Keys of the shipped signer have `kid`, `alg` ' +
      'and `use`.',
  ],
  who: 'anybody',
  answers: { 200: { what: 'The keys.', body: z.object({ keys: z.array(key) }) } },
  refusals: ['temporarily-unavailable'],
  openTo: 'every-origin',
}

/** Public keys. */
export const keyOperations: readonly Operation[] = [publishedKeys]
