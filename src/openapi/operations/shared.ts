import type { z } from 'zod'
import type { AuthErrorCode } from '../../errors.js'
import { always, count, oneOf, text } from '../fields.js'

/** What is said of a user. */
export const meFields: z.ZodRawShape = {
  _id: text("the user's id"),
  name: text('for display'),
  username: text(),
  status: oneOf(['online', 'away', 'busy', 'offline'], '`offline` when the server does not say'),
}

/** What the host's `describeUser` adds to it. */
export const moreOfMe = "what the host's `describeUser` adds"

/** What a client of the host's own gets for a code or a refresh token. */
export const tokenFields: z.ZodRawShape = {
  access_token: text('a JWT; treat it as opaque'),
  token_type: always('Bearer'),
  expires_in: count('seconds until the access token ends'),
  refresh_token: text('replaces the one before; store the pair before you use any of it'),
}

/** What a sign-in of the host's own may ask for. */
export const tokensAsked: string =
  '`refreshable`: a short `authToken` and a `refreshToken`, for `POST /auth/refresh`; ' +
  'left out: `session`'

/** What it then gets. */
export const refreshableFields: z.ZodRawShape = {
  refreshToken: text('with `refreshable` only: for `POST /auth/refresh`').optional(),
  expiresIn: count('with `refreshable` only: seconds that `authToken` lives').optional(),
}

/** Of every endpoint that reads a body. */
export const ofBodies: readonly AuthErrorCode[] = [
  'invalid-request',
  'payload-too-large',
  'unsupported-media-type',
]

/** Of every endpoint that wants somebody signed in. */
export const ofSignedIn: readonly AuthErrorCode[] = [
  'invalid-request',
  'Unauthorized',
  'temporarily-unavailable',
]

/** Of those that want a token which may do everything. */
export const ofFullScope: readonly AuthErrorCode[] = [
  ...ofSignedIn,
  'forbidden',
  'second-factor-enrolment-required',
]

/** What shows anew who a signed-in user is. */
export const proof: Readonly<Record<'password' | 'code' | 'passkey', string>> = {
  password: 'with `code`, where the user has a second factor; or `passkey`',
  code: 'six digits, or a recovery code; at most 64 characters',
  passkey:
    'what `navigator.credentials.get` has answered to the options of `POST ' +
    '/auth/passkey/options`, as JSON',
}
/** Of what takes a proof. */
export const ofProof: readonly ['totp-required', 'totp-invalid', 'too-many-requests'] = [
  'totp-required',
  'totp-invalid',
  'too-many-requests',
]
