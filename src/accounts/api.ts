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
import { changeEmailRequest, changePhoneRequest, confirmEmailRequest } from './addresses.js'
import { changePasswordRequest } from './new-password.js'
import { resetRequest } from './reset-password.js'
import { emailFactorRequest } from './switch-sent-codes.js'
import { undoEmailRequest } from './undo-address.js'

const common = { tag: 'The account', thereWith: 'the option `accounts`' } as const
const ofUser = { ...common, who: 'full-scope' } as const
const ofAnybody = { ...common, who: 'anybody' } as const

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

// The operations of a channel are the same: one list, with its words.
interface WordsOfChannel {
  readonly path: 'email' | 'phone'
  /** Of the ids. */
  readonly id: 'Email' | 'Phone'
  readonly address: string
  readonly sends: string
  readonly thereWith: string
  readonly codesOn: string
  readonly confirms: string
  readonly told: readonly string[]
  readonly inUse: readonly 'phone-in-use'[]
}

const words: readonly WordsOfChannel[] = [
  {
    path: 'email',
    id: 'Email',
    address: 'address',
    sends: 'Mails a code',
    thereWith: common.thereWith,
    codesOn: 'accounts.emailSecondFactor',
    confirms: 'Confirms an address by the code that was mailed there.',
    told: ['The former address gets a link that undoes a change for 72 hours.'],
    inUse: [],
  },
  {
    path: 'phone',
    id: 'Phone',
    address: 'number',
    sends: 'Sends a code',
    thereWith: 'the option `accounts.phones`',
    codesOn: 'accounts.phones.secondFactor',
    confirms: 'Confirms a number by the code that was sent there.',
    told: [
      'The proven mail address gets a link that undoes a change for 72 hours.',
      '409 `phone-in-use`: another user has the number. From `details.until` on, if it is there, ' +
        'another code takes it over.',
    ],
    inUse: ['phone-in-use'],
  },
]

const codes = { email: 'codes by mail', phone: 'codes by text message' } as const

function operationsOf(channel: WordsOfChannel): readonly Operation[] {
  return [
    statusOf(channel),
    verifyOf(channel),
    changeOf(channel),
    confirmOf(channel),
    undoOf(channel),
    secondFactorOf(channel),
  ]
}

function statusOf({ path, id, address, thereWith, codesOn }: WordsOfChannel): Operation {
  const secondFactor = flag(`only with \`${codesOn}\`: whether ${codes[path]} are on`)
  return {
    ...ofUser,
    thereWith,
    route: `GET /auth/${path}`,
    id: `get${id}`,
    summary: `The user's ${address}.`,
    answers: {
      200: {
        what: `The ${address}.`,
        body: success({
          [path]: textOrNull(),
          verified: flag('whether it is proven'),
          secondFactor: secondFactor.optional(),
        }),
      },
    },
    refusals: ofFullScope,
  }
}

function codeOnItsWay({ path }: WordsOfChannel): Operation['answers'] {
  const body = success({
    requestId: text(`for \`POST /auth/${path}/confirm\`; keep it where the user types the code`),
    expiresIn: count('seconds, 600'),
  })
  return { 202: { what: 'The code is on its way.', body } }
}

function verifyOf(channel: WordsOfChannel): Operation {
  const { path, id, address, sends, thereWith } = channel
  return {
    ...ofUser,
    thereWith,
    route: `POST /auth/${path}/verify`,
    id: `verify${id}`,
    summary: `${sends} to the present ${address}.`,
    limited: true,
    answers: codeOnItsWay(channel),
    refusals: [...ofFullScope, 'already-verified', 'too-many-requests'],
  }
}

function changeOf(channel: WordsOfChannel): Operation {
  const { path, id, address, sends, thereWith } = channel
  const hint = `the new ${address}`
  return {
    ...ofUser,
    thereWith,
    route: `POST /auth/${path}/change`,
    id: `change${id}`,
    summary: `${sends} to a new ${address}. The ${address} changes when the code is confirmed.`,
    notes: [
      'Requires a sign-in of the last ten minutes with every factor, or the same proof in the ' +
        'body. Whoever has a password sends it, or a passkey of three days or more.',
      `The answer is the same if another user has the ${address}, or can still go back to it.`,
    ],
    limited: true,
    body: {
      fields:
        path === 'email'
          ? reading(changeEmailRequest, { ...proof, email: hint })
          : reading(changePhoneRequest, { ...proof, phone: hint }),
    },
    answers: codeOnItsWay(channel),
    refusals: [
      ...ofFullScope,
      ...ofBodies,
      'reauthentication-required',
      'already-verified',
      ...ofProof,
    ],
  }
}

function confirmOf({
  path,
  id,
  address,
  confirms,
  told,
  inUse,
  thereWith,
}: WordsOfChannel): Operation {
  return {
    ...ofUser,
    thereWith,
    route: `POST /auth/${path}/confirm`,
    id: `confirm${id}`,
    summary: confirms,
    notes: [
      'Only in the session that has asked for the code. Five wrong codes use it up.',
      ...told,
    ],
    limited: true,
    body: {
      fields: reading(confirmEmailRequest, {
        requestId: 'as it was answered',
        code: 'eight digits; blanks and hyphens do not count',
      }),
    },
    answers: { 200: { what: `The ${address} is proven.`, body: success({}) } },
    refusals: [
      ...ofFullScope,
      ...ofBodies,
      'proof-refused',
      'superseded',
      ...inUse,
      'too-many-requests',
    ],
  }
}

function secondFactorOf({ path, id, address, codesOn }: WordsOfChannel): Operation {
  return {
    ...ofUser,
    route: `POST /auth/${path}/second-factor`,
    id: `set${id}SecondFactor`,
    summary: `Switches ${codes[path]} as a second factor on or off. The other sessions end.`,
    thereWith: `the option \`${codesOn}\``,
    whileEnrolling: true,
    notes: [
      `Requires a proven ${address}, and a sign-in of the last ten minutes with every factor or ` +
        'the same proof in the body.',
      `A login is then answered 401 \`totp-required\` with the method ` +
        `\`${path === 'email' ? 'email' : 'sms'}\`, and the code is on its way.`,
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
}

function undoOf({ path, id, address, thereWith }: WordsOfChannel): Operation {
  return {
    ...ofAnybody,
    thereWith,
    route: `POST /auth/${path}/undo`,
    id: `undo${id}Change`,
    summary: `Takes a change of the ${address} back by the token of a mailed link.`,
    notes: [
      `Works from whatever the ${address} is by then, and sets the new password in the same ` +
        'step. All sessions of the user end; passkeys, TOTP, connected accounts and consents ' +
        'that were added since, or in the three days before the change, are removed.',
    ],
    limited: true,
    body: {
      fields: reading(undoEmailRequest, {
        token: 'from the link',
        password: 'the new one; required of a user who has a password',
      }),
    },
    answers: { 200: { what: `The former ${address} is back.`, body: success({}) } },
    refusals: [
      ...ofBodies,
      'proof-refused',
      'password-refused',
      'too-many-requests',
      'temporarily-unavailable',
    ],
  }
}

/** Passwords and addresses. */
export const accountOperations: readonly Operation[] = [
  forgot,
  reset,
  change,
  ...words.flatMap(operationsOf),
]
