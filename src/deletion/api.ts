import { confirmEmailRequest } from '../accounts/addresses.js'
import { count, proof, reading, success, text } from '../openapi/fields.js'
import { type Operation, ofBodies, ofFullScope, ofProof } from '../openapi/operation.js'
import { proofRequest } from '../sign-in-again.js'

const common = {
  tag: 'The account',
  thereWith: 'the option `accounts.deletion`',
  who: 'full-scope',
  limited: true,
} as const

const asked = success({
  requestId: text('only with 202: for `POST /auth/account/delete/confirm`').optional(),
  expiresIn: count('only with 202: seconds, 600').optional(),
})

const ask: Operation = {
  ...common,
  route: 'POST /auth/account/delete',
  id: 'deleteAccount',
  summary: 'Mails a code that deletes the account.',
  notes: [
    'Requires a sign-in of the last ten minutes with every factor, or the same proof in the body.',
    'Whoever has a password sends it, or a passkey of three days or more. A user without a ' +
      'proven address is deleted at once: 200.',
    '429 while a change of the address can be undone.',
  ],
  body: { fields: reading(proofRequest, proof) },
  answers: {
    200: { what: 'There was no address to mail to: the account is deleted.', body: asked },
    202: { what: 'The code is on its way.', body: asked },
  },
  refusals: [...ofFullScope, ...ofBodies, 'reauthentication-required', ...ofProof],
}

const confirm: Operation = {
  ...common,
  route: 'POST /auth/account/delete/confirm',
  id: 'confirmAccountDeletion',
  summary: 'Deletes the account by the mailed code, for good.',
  notes: [
    'Only in the session that has asked for the code. Five wrong codes use it up.',
    'After a 503 the session may have ended: the same request completes the deletion all the same.',
  ],
  body: {
    fields: reading(confirmEmailRequest, {
      requestId: 'as it was answered',
      code: 'eight digits; blanks and hyphens do not count',
    }),
  },
  answers: { 200: { what: 'The account is deleted.', body: success({}) } },
  refusals: [...ofFullScope, ...ofBodies, 'proof-refused', 'too-many-requests'],
}

/** Deleting the account. */
export const deletionOperations: readonly Operation[] = [ask, confirm]
