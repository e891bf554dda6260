import { z } from 'zod'
import { loginBody } from '../../login/login-request.js'
import { codeRequest } from '../../pkce/authorize.endpoint.js'
import { exchangeRequest } from '../../pkce/token.endpoint.js'
import { refreshRequest } from '../../refresh/refresh.js'
import { always, besides, count, reading, success, text } from '../fields.js'
import type { Operation } from '../operation.js'
import {
  meFields,
  moreOfMe,
  ofBodies,
  ofFullScope,
  refreshableFields,
  tokenFields,
  tokensAsked,
} from './shared.js'

const logIn: Operation = {
  route: 'POST /login',
  id: 'logIn',
  tag: 'Signing in',
  summary: 'A password, and a second-factor code where the user has one, for a session of its own.',
  notes: [
    'A wrong password, an unknown user, a disabled user and a user without a password get the ' +
      'same bytes after the same work.',
    'A code is judged only after a right password, and works once. A code for a user without a ' +
      'second factor is ignored.',
    'Credentials in the URL are never read. None or several of the three names, an empty text or ' +
      'another type: 400.',
    "403 `forbidden` is the veto of the server's `beforeLogin`; `message` is its reason.",
  ],
  who: 'anybody',
  limited: true,
  sends: z.object({
    'x-2fa-code': text('the same as `code`; where both are sent the body wins').optional(),
  }),
  body: {
    fields: reading(loginBody, {
      password: 'as typed: not trimmed, not normalised',
      email:
        'exactly one of `email`, `username` and `user`; at most 320 characters, Unicode form ' +
        'NFKC, no control characters',
      username: 'exactly one of the three',
      user: 'exactly one of the three: names the account in any way that the server allows',
      code: 'six digits of the app, or a recovery code; at most 64 characters',
      passkey:
        'instead of `code`: what `navigator.credentials.get` has answered to ' +
        '`details.passkeyOptions` of a 401 `totp-required`, as JSON',
      tokens: tokensAsked,
    }),
  },
  answers: {
    200: {
      what: 'Signed in.',
      body: success({
        userId: text('to be sent as `X-User-Id`'),
        authToken: text(
          'to be sent as `X-Auth-Token` or `Authorization: Bearer`; lives until the session ' +
            'ends, with `refreshable` for `expiresIn` seconds',
        ),
        me: besides(meFields, moreOfMe),
        enrolmentRequired: always(
          true,
          'this user must have a second factor and has none: nothing but enrolment is open',
        ).optional(),
        ...refreshableFields,
      }),
    },
  },
  refusals: [
    ...ofBodies,
    'Unauthorized',
    'totp-required',
    'totp-invalid',
    'forbidden',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

const issueCode: Operation = {
  route: 'POST /auth/pkce/authorize',
  id: 'issueAuthorizationCode',
  tag: 'Signing in',
  summary:
    "A signed-in client obtains an authorization code for another of its user's devices " +
    '(RFC 7636).',
  notes: [
    'The code dies with the session that asked for it, and opens no more than that session may, ' +
      'nor for longer where that has a lifetime of its own.',
    'The sign-in of that session must be recent (`pkce.maxAge` of the server, by default 10 ' +
      'minutes): else 403 `reauthentication-required`. With `pkce.endWithIssuer`, what the code ' +
      'opens ends with the session that asked, and a session that was opened so is 403 ' +
      '`forbidden` here.',
    'A server with a sign-in page of its own calls `issueAuthorizationCode` instead: see ' +
      '`docs/host-api.md`.',
  ],
  who: 'full-scope',
  limited: true,
  body: {
    fields: reading(codeRequest, {
      codeChallenge: '43 characters base64url: SHA-256 of the verifier (RFC 7636 §4.2)',
      codeChallengeMethod: 'the only one there is',
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
    'An authorization code and its verifier for tokens and a session of their own ' +
    '(RFC 6749 §4.1.3, RFC 7636 §4.5).',
  notes: [
    'A wrong verifier uses the code up. A code that is used twice is 400 `invalid_grant`; later ' +
      'than 20 s after its first use, the session that it opened ends, too (RFC 6749 §4.1.2).',
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
  summary: 'A refresh token for the next pair of tokens (RFC 6749 §6).',
  notes: [
    'The token that was sent is spent. Sent again while nothing of the new pair was used, or ' +
      'within 30 s (`lifetimes.refreshGrace`), it gets the same successor: a lost answer is no ' +
      'sign-out.',
    'Sent later, it ends the session (RFC 9700 §4.14.2). The new pair is used once its refresh ' +
      'token is rotated, or its access token is seen by a guard or on a socket, in whichever ' +
      'process.',
    'A client stores the pair before it uses any of it, and reads its store again right before ' +
      'it refreshes. The absolute end of the session never moves.',
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

/** Ways in. */
export const signingIn: readonly Operation[] = [logIn, issueCode, exchangeCode, refresh]
