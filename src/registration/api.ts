import { z } from 'zod'
import {
  count,
  flag,
  loginAnswer,
  reading,
  success,
  text,
  time,
  tokensAsked,
} from '../openapi/fields.js'
import { type Operation, ofBodies } from '../openapi/operation.js'
import { confirmRegistrationRequest } from './confirm-registration.js'
import { registerRequest } from './register.js'

const common = {
  tag: 'New accounts',
  who: 'anybody',
  thereWith: 'the option `accounts.registration`',
} as const
const outages = ['too-many-requests', 'temporarily-unavailable'] as const

const status: Operation = {
  ...common,
  route: 'GET /auth/registration',
  id: 'getRegistration',
  summary: 'What a form for new users must know.',
  answers: {
    200: {
      what: 'The rules.',
      body: success({
        open: flag('whether anybody may register'),
        invited: flag('whether an invitation is required'),
        passwordRules: z.object({
          minLength: count('the least number of characters'),
          maxLength: count('the greatest number of characters'),
        }),
      }),
    },
  },
  refusals: [],
}

const register: Operation = {
  ...common,
  route: 'POST /auth/register',
  id: 'register',
  summary: 'Mails a code to the address of a new user.',
  notes: [
    'The answer is the same if the address has an account, whose owner is mailed instead; it ' +
      'comes before the address is looked up. There is no user before the code is confirmed.',
    '403 `registration-closed` without an invitation where one is required; 400 `proof-refused` ' +
      'for one that cannot be used, with `details.reason` if it was real.',
    "403 `forbidden`: the server's `beforeRegister` has refused; `message` is its reason.",
  ],
  limited: true,
  body: {
    fields: reading(registerRequest, {
      email: 'one address, without a name',
      username: 'at most 320 characters, Unicode form NFKC, none that nobody sees',
      name: 'the name that others see, with the same rules',
      locale: 'the language of the user, such as `de` or `pt-BR`',
      invitation: 'the token of an invitation',
    }),
  },
  answers: {
    202: {
      what: 'Accepted.',
      body: success({
        requestId: text('for `POST /auth/register/confirm`; keep it where the code is typed'),
        expiresIn: count('seconds, 3600'),
      }),
    },
  },
  refusals: [
    ...ofBodies,
    'proof-refused',
    'registration-closed',
    'forbidden',
    'username-taken',
    ...outages,
  ],
}

const confirm: Operation = {
  ...common,
  route: 'POST /auth/register/confirm',
  id: 'confirmRegistration',
  summary: 'Makes the user by the mailed code, and signs in.',
  notes: [
    'Whoever has the code sets the password. Five tries. 409 `username-taken`: another user was ' +
      'quicker; send the same code once more, with another `username`.',
    'If an answer is lost, the account may be there: a repeat is then `proof-refused`, and the ' +
      'user signs in.',
  ],
  limited: true,
  body: {
    fields: reading(confirmRegistrationRequest, {
      requestId: 'as it was answered',
      code: 'eight digits; blanks and hyphens do not count',
      password: 'the new password; optional where users sign in by mailed codes',
      username: 'instead of the one that is taken',
      tokens: tokensAsked,
    }),
  },
  answers: loginAnswer,
  refusals: [
    ...ofBodies,
    'proof-refused',
    'password-refused',
    'Unauthorized',
    'totp-required',
    'forbidden',
    'registration-closed',
    'username-taken',
    ...outages,
  ],
}

const invitation: Operation = {
  ...common,
  route: 'GET /auth/invitations/:token',
  id: 'getInvitation',
  summary: 'What an invitation says. Takes no use of it.',
  notes: ['`details.reason` of `proof-refused` is `used` or `expired` for a token that was real.'],
  limited: true,
  inPath: { token: 'from the link' },
  answers: {
    200: {
      what: 'The invitation.',
      body: success({
        email: text('the only address that it registers').optional(),
        note: text('a note of the server').optional(),
        expiresAt: time(),
      }),
    },
  },
  refusals: ['proof-refused', ...outages],
}

/** Registration and invitations. */
export const registrationOperations: readonly Operation[] = [status, register, confirm, invitation]
