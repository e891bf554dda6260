import { count, flag, reading, success, text, texts } from '../openapi/fields.js'
import { type Operation, ofBodies, ofFullScope, whileEnrolling } from '../openapi/operation.js'
import { codeOnly, passwordAndCode, passwordOnly } from './totp.js'

const common = {
  tag: 'The second factor',
  who: 'full-scope',
  thereWith: 'the store `secondFactors`',
} as const
const password = "the user's password"
const anyCode = 'six digits, or a recovery code; at most 64 characters'
const newRecoveryCodes = success({ recoveryCodes: texts('ten, never shown again') })

const status: Operation = {
  ...common,
  route: 'GET /auth/totp',
  id: 'getTotp',
  summary: 'Whether this user has TOTP, and how many recovery codes are left.',
  whileEnrolling: true,
  answers: {
    200: { what: 'The state.', body: success({ enabled: flag(), recoveryCodesLeft: count() }) },
  },
  refusals: whileEnrolling,
}

const begin: Operation = {
  ...common,
  route: 'POST /auth/totp',
  id: 'beginTotp',
  summary: 'Starts an enrolment; the factor is not active yet.',
  notes: [
    'A wrong password is 401 `Unauthorized` with `details: { wrong: "password" }`.',
    "A user with one of the server's own factors, or with a required passkey, must use it first: " +
      '403 `reauthentication-required`.',
  ],
  whileEnrolling: true,
  limited: true,
  body: { fields: reading(passwordOnly, { password }) },
  answers: {
    200: {
      what: 'The secret.',
      body: success({
        secret: text('base32, for typing'),
        otpauthUri: text('the content of the QR code'),
        expiresIn: count('seconds, 600'),
      }),
    },
  },
  refusals: [
    ...whileEnrolling,
    ...ofBodies,
    'reauthentication-required',
    'totp-already-enabled',
    'password-expired',
    'too-many-requests',
  ],
}

const confirm: Operation = {
  ...common,
  route: 'POST /auth/totp/confirm',
  id: 'confirmTotp',
  summary: "Activates the factor by the app's first code; the user's other sessions end.",
  notes: ['409 `totp-not-enabled`: there is no enrolment, or it started more than 600 s ago.'],
  whileEnrolling: true,
  limited: true,
  body: { fields: reading(codeOnly, { code: 'six digits from the app' }) },
  answers: { 200: { what: 'The factor is active.', body: newRecoveryCodes } },
  refusals: [
    ...whileEnrolling,
    ...ofBodies,
    'totp-invalid',
    'reauthentication-required',
    'totp-not-enabled',
    'totp-already-enabled',
    'too-many-requests',
  ],
}

const ofProof = [
  ...ofFullScope,
  ...ofBodies,
  'totp-invalid',
  'totp-not-enabled',
  'password-expired',
  'too-many-requests',
] as const

const disable: Operation = {
  ...common,
  route: 'POST /auth/totp/disable',
  id: 'disableTotp',
  summary: "Deactivates the factor by password and code; the user's other sessions end.",
  limited: true,
  body: { fields: reading(passwordAndCode, { password, code: anyCode }) },
  answers: {
    200: { what: 'The factor is deactivated.', body: success({ message: text('for people') }) },
  },
  refusals: ofProof,
}

const replaceRecoveryCodes: Operation = {
  ...common,
  route: 'POST /auth/totp/recovery-codes',
  id: 'replaceRecoveryCodes',
  summary: 'Makes ten new recovery codes; the old ones stop working.',
  limited: true,
  body: { fields: reading(passwordAndCode, { password, code: anyCode }) },
  answers: { 200: { what: 'The new codes.', body: newRecoveryCodes } },
  refusals: ofProof,
}

/** TOTP and recovery codes. */
export const secondFactorOperations: readonly Operation[] = [
  status,
  begin,
  confirm,
  disable,
  replaceRecoveryCodes,
]
