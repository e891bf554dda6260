import type { z } from 'zod'
import type { AuthErrorCode } from '../errors.js'
import { always, besides, count, oneOf, success, text } from './fields.js'
import type { Operation } from './operation.js'

/** The members of a user. */
export const meFields: z.ZodRawShape = {
  _id: text("the user's id"),
  name: text('for display'),
  username: text(),
  status: oneOf(['online', 'away', 'busy', 'offline'], '`offline` if the server does not know'),
}

/** Further members of a user. */
export const moreOfMe = "fields of the host's `describeUser`"

/** The tokens that the host's own clients get for a code or a refresh token. */
export const tokenFields: z.ZodRawShape = {
  access_token: text('a JWT; treat it as opaque'),
  token_type: always('Bearer'),
  expires_in: count('seconds until the access token expires'),
  refresh_token: text('replaces the previous one; store both tokens before you use either'),
}

/** The kind of tokens that a sign-in requests. */
export const tokensAsked: string =
  '`refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; ' +
  'default: `session`'

/** The members of an answer with `refreshable` tokens. */
export const refreshableFields: z.ZodRawShape = {
  refreshToken: text('only with `refreshable`: for `POST /auth/refresh`').optional(),
  expiresIn: count('only with `refreshable`: lifetime of `authToken` in seconds').optional(),
}

/** Errors of every endpoint that reads a body. */
export const ofBodies: readonly AuthErrorCode[] = [
  'invalid-request',
  'payload-too-large',
  'unsupported-media-type',
]

/** The answer to a complete login. */
export const loginAnswer: Operation['answers'] = {
  200: {
    what: 'Signed in.',
    body: success({
      userId: text('for the header `X-User-Id`'),
      authToken: text(
        'for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ' +
          'ends, with `refreshable` for `expiresIn` seconds',
      ),
      me: besides(meFields, moreOfMe),
      enrolmentRequired: always(
        true,
        'the user must have a second factor but has none: the token only allows enrolment',
      ).optional(),
      ...refreshableFields,
    }),
  },
}

/** Errors of every login. */
export const loginRefusals: readonly AuthErrorCode[] = [
  ...ofBodies,
  'Unauthorized',
  'totp-required',
  'totp-invalid',
  'forbidden',
  'too-many-requests',
  'temporarily-unavailable',
]

/** Fields of a request that only names a user. */
export const nameFields: Readonly<Record<'email' | 'username' | 'user', string>> = {
  email: 'exactly one of the three',
  username: 'exactly one of the three',
  user: 'exactly one of the three: any way to name a user that the server supports',
}

/** Errors of every endpoint that requires a signed-in user. */
export const ofSignedIn: readonly AuthErrorCode[] = [
  'invalid-request',
  'Unauthorized',
  'temporarily-unavailable',
]

/** Errors of every endpoint that requires a token with full scope. */
export const ofFullScope: readonly AuthErrorCode[] = [
  ...ofSignedIn,
  'forbidden',
  'second-factor-enrolment-required',
]

/** Fields for reauthentication. */
export const proof: Readonly<Record<'password' | 'code' | 'passkey', string>> = {
  password: 'together with `code` if the user has a second factor; or send `passkey`',
  code: 'six digits, eight of a mail, or a recovery code; at most 64 characters',
  passkey:
    'the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, ' +
    'as JSON',
}

/** Errors of every endpoint with these fields. */
export const ofProof: readonly ['totp-required', 'totp-invalid', 'too-many-requests'] = [
  'totp-required',
  'totp-invalid',
  'too-many-requests',
]
