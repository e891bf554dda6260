import { identifierBody } from '../login/login-request.js'
import {
  count,
  flag,
  nameFields,
  proof,
  reading,
  success,
  text,
  textOrNull,
} from '../openapi/fields.js'
import {
  type Operation,
  ofBodies,
  ofFullScope,
  ofProof,
  whileEnrolling,
} from '../openapi/operation.js'
import { changeEmailRequest, confirmEmailRequest } from './email.js'
import { changePasswordRequest } from './new-password.js'
import { resetRequest } from './reset-password.js'
import { emailFactorRequest } from './switch-email-factor.js'
import { undoEmailRequest } from './undo-email.js'

const common = { tag: 'The account', thereWith: 'the option `accounts`' } as const
const ofUser = { ...common, who: 'full-scope' } as const
const ofAnybody = { ...common, who: 'anybody' } as const

const codeSent = success({
  requestId: text('for `POST /auth/email/confirm`; keep it where the user types the code'),
  expiresIn: count('seconds, 600'),
})

const forgot: Operation = {
  ...ofAnybody,
  route: 'POST /auth/password/forgot',
  id: 'forgotPassword',
  summary: 'Mails a link for a new password, if the name has an account with a proven address.',
  notes: ['The answer is the same for every name, and comes before the name is looked up.'],
  limited: true,
  body: {
    fields: reading(identifierBody, nameFields),
  },
  answers: {
    202: { what: 'Accepted.', body: success({ expiresIn: count('seconds that a link works') }) },
  },
  refusals: [...ofBodies, 'too-many-requests', 'temporarily-unavailable'],
}

const reset: Operation = {
  ...ofAnybody,
  route: 'POST /auth/password/reset',
  id: 'resetPassword',
  summary: 'Sets a new password by the token of a mailed link. Signs nobody in.',
  notes: [
    'All sessions of the user end. A second factor stays.',
    '`details.reason` of `proof-refused` is `used` or `expired` for a token that was real.',
  ],
  limited: true,
  body: {
    fields: reading(resetRequest, { token: 'from the link', password: 'the new password' }),
  },
  answers: { 200: { what: 'The new password works.', body: success({}) } },
  refusals: [
    ...ofBodies,
    'proof-refused',
    'password-refused',
    'password-elsewhere',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

const change: Operation = {
  ...ofUser,
  route: 'POST /auth/password/change',
  id: 'changePassword',
  summary: "Sets a new password; the user's other sessions end.",
  notes: [
    'A user with a password sends it, or a passkey; otherwise 403 `reauthentication-required`. A ' +
      'user without one needs a sign-in of the last ten minutes with every factor.',
    '409 `superseded`: the password was changed meanwhile.',
  ],
  limited: true,
  body: { fields: reading(changePasswordRequest, { ...proof, newPassword: 'the new password' }) },
  answers: {
    200: { what: 'Changed.', body: success({ revoked: count('how many sessions ended') }) },
  },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'password-refused',
    'password-elsewhere',
    'reauthentication-required',
    'superseded',
    ...ofProof,
  ],
}

const status: Operation = {
  ...ofUser,
  route: 'GET /auth/email',
  id: 'getEmail',
  summary: "The user's address.",
  answers: {
    200: {
      what: 'The address.',
      body: success({
        email: textOrNull(),
        verified: flag('whether it is proven'),
        secondFactor: flag(
          'only with `accounts.emailSecondFactor`: whether codes by mail are on',
        ).optional(),
      }),
    },
  },
  refusals: ofFullScope,
}

const verify: Operation = {
  ...ofUser,
  route: 'POST /auth/email/verify',
  id: 'verifyEmail',
  summary: 'Mails a code to the present address.',
  limited: true,
  answers: { 202: { what: 'The code is on its way.', body: codeSent } },
  refusals: [...ofFullScope, 'already-verified', 'too-many-requests'],
}

const changeAddress: Operation = {
  ...ofUser,
  route: 'POST /auth/email/change',
  id: 'changeEmail',
  summary: 'Mails a code to a new address. The address changes when the code is confirmed.',
  notes: [
    'Requires a sign-in of the last ten minutes with every factor, or the same proof in the ' +
      'body. Whoever has a password sends it, or a passkey of three days or more.',
    'The answer is the same if another user has the address, or can still go back to it.',
  ],
  limited: true,
  body: { fields: reading(changeEmailRequest, { ...proof, email: 'the new address' }) },
  answers: { 202: { what: 'The code is on its way.', body: codeSent } },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'reauthentication-required',
    'already-verified',
    ...ofProof,
  ],
}

const confirm: Operation = {
  ...ofUser,
  route: 'POST /auth/email/confirm',
  id: 'confirmEmail',
  summary: 'Confirms an address by the code that was mailed there.',
  notes: [
    'Only in the session that has asked for the code. Five wrong codes use it up.',
    'The former address gets a link that undoes a change for 72 hours.',
  ],
  limited: true,
  body: {
    fields: reading(confirmEmailRequest, {
      requestId: 'as it was answered',
      code: 'eight digits; blanks and hyphens do not count',
    }),
  },
  answers: { 200: { what: 'The address is proven.', body: success({}) } },
  refusals: [...ofFullScope, ...ofBodies, 'proof-refused', 'superseded', 'too-many-requests'],
}

const secondFactor: Operation = {
  ...ofUser,
  route: 'POST /auth/email/second-factor',
  id: 'setEmailSecondFactor',
  summary: 'Switches codes by mail as a second factor on or off. The other sessions end.',
  thereWith: 'the option `accounts.emailSecondFactor`',
  whileEnrolling: true,
  notes: [
    'Requires a proven address, and a sign-in of the last ten minutes with every factor or the ' +
      'same proof in the body.',
    'A login is then answered 401 `totp-required` with the method `email`, and the code is on ' +
      'its way.',
    'A user with TOTP, or with a passkey that sign-in demands, is asked for that instead.',
    'A user who must have a second factor signs in again with a code.',
  ],
  limited: true,
  body: {
    fields: reading(emailFactorRequest, { ...proof, enabled: 'on or off' }),
  },
  answers: { 200: { what: 'Switched.', body: success({}) } },
  refusals: [...whileEnrolling, ...ofBodies, 'reauthentication-required', ...ofProof],
}

const undo: Operation = {
  ...ofAnybody,
  route: 'POST /auth/email/undo',
  id: 'undoEmailChange',
  summary: 'Takes a change of the address back by the token of a mailed link.',
  notes: [
    'Works from whatever the address is by then, and sets the new password in the same step. All ' +
      'sessions of the user end; passkeys, TOTP, connected accounts and consents that were added ' +
      'since, or in the three days before the change, are removed.',
  ],
  limited: true,
  body: {
    fields: reading(undoEmailRequest, {
      token: 'from the link',
      password: 'the new one; required of a user who has a password',
    }),
  },
  answers: { 200: { what: 'The former address is back.', body: success({}) } },
  refusals: [
    ...ofBodies,
    'proof-refused',
    'password-refused',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

/** Passwords and addresses. */
export const accountOperations: readonly Operation[] = [
  forgot,
  reset,
  change,
  status,
  verify,
  changeAddress,
  confirm,
  undo,
  secondFactor,
]
