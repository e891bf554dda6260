import { z } from 'zod'
import { loginBody } from '../../login/login-request.js'
import { codeRequest, exchangeRequest } from '../../pkce/pkce.js'
import { refreshRequest } from '../../refresh/refresh.js'
import { count, reading, success, text } from '../fields.js'
import type { Operation } from '../operation.js'
import {
  loginAnswer,
  loginRefusals,
  nameFields,
  ofBodies,
  ofFullScope,
  tokenFields,
  tokensAsked,
} from './shared.js'

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
    }),
  },
  answers: loginAnswer,
  refusals: loginRefusals,
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
