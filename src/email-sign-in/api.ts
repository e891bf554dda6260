import { identifierBody } from '../login/login-request.js'
import {
  count,
  loginAnswer,
  nameFields,
  reading,
  remembering,
  success,
  text,
  tokensAsked,
} from '../openapi/fields.js'
import { loginRefusals, type Operation, ofBodies } from '../openapi/operation.js'
import { codeLoginRequest, phoneBody } from './email-sign-in.js'

const common = {
  tag: 'Signing in',
  thereWith: 'the options `accounts.emailSignIn` and `accounts.phones.signIn`',
  who: 'anybody',
  limited: true,
} as const

const askForCode: Operation = {
  ...common,
  route: 'POST /auth/code',
  id: 'askForSignInCode',
  summary: 'Sends a code to sign in with, if the name has an account with a proven address.',
  notes: [
    'The answer is the same for every name, and comes before the name is looked up.',
    '`phone` instead of a name sends a text message, if the number is the proven one of an ' +
      'account. 503: no more of them are sent for the time being.',
  ],
  body: {
    fields: reading(identifierBody.extend(phoneBody.partial().shape), {
      ...nameFields,
      phone: 'a mobile number instead of them, with `accounts.phones.signIn`',
    }),
  },
  answers: {
    202: {
      what: 'Accepted.',
      body: success({
        requestId: text('for `POST /auth/code/login`; keep it where the user types the code'),
        expiresIn: count('seconds, 600'),
      }),
    },
  },
  refusals: [...ofBodies, 'too-many-requests', 'temporarily-unavailable'],
}

const logInByCode: Operation = {
  ...common,
  route: 'POST /auth/code/login',
  id: 'logInByCode',
  summary: 'Signs in by a sent code, in the place of a password.',
  notes: [
    'A user with a second factor is answered 401 `totp-required`, as at `POST /login`: repeat ' +
      'the request with `secondFactor` or `passkey`. The code stays good meanwhile; it has five ' +
      'tries in all.',
    'A code of the same kind is no second factor here: 403 `forbidden` for a user who has no ' +
      'other.',
    'A code that went to a number signs in a user who was here in the last six months. Otherwise ' +
      'it is answered 403 `reauthentication-required`: repeat the request with `password`.',
  ],
  body: {
    fields: reading(codeLoginRequest, {
      requestId: 'as it was answered',
      code: 'eight digits from the message; blanks and hyphens do not count',
      password: 'only after 403 `reauthentication-required`, for a code that went to a number',
      secondFactor: 'six digits from the app, or a recovery code; at most 64 characters',
      passkey:
        'instead of `secondFactor`: the result of `navigator.credentials.get` for ' +
        '`details.passkeyOptions` of a 401 `totp-required`, as JSON',
      tokens: tokensAsked,
      ...remembering,
    }),
  },
  answers: loginAnswer,
  refusals: [...loginRefusals, 'proof-refused', 'reauthentication-required'],
}

/** Signing in by a mailed code. */
export const emailSignInOperations: readonly Operation[] = [askForCode, logInByCode]
