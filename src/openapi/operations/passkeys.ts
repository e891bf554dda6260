import { z } from 'zod'
import { newPasskeyRequest, passkeyNameRequest } from '../../passkeys/passkeys.endpoint.js'
import { passkeyLoginRequest } from '../../passkeys/sign-in.endpoint.js'
import { proofRequest } from '../../sign-in-again.js'
import { besides, oneOf, reading, success, text, texts, time } from '../fields.js'
import type { Operation } from '../operation.js'
import { creationOptions, passkeyFields, requestOptions } from '../passkey-fields.js'
import {
  meFields,
  moreOfMe,
  ofBodies,
  ofFullScope,
  ofProof,
  ofSignedIn,
  proof,
  refreshableFields,
  tokensAsked,
} from './shared.js'

const common = { tag: 'Passkeys', thereWith: 'the option `passkeys`' } as const
const ofUser = { ...common, who: 'full-scope' } as const
const inPath = { id: 'of `GET /auth/passkeys`' }
const signInOptions: Operation = {
  ...common,
  route: 'POST /auth/passkey/options',
  id: 'getPasskeyRequestOptions',
  summary: 'What a browser needs to show a passkey.',
  notes: [
    'The same for anybody, and nothing is stored. With a token: those for `POST ' +
      '/auth/reauthenticate`, and for the proof in `POST /auth/passkeys/options`.',
  ],
  who: 'anybody',
  whoElse: 'with a token, only with full scope',
  answers: { 200: { what: 'The options.', body: success(requestOptions) } },
  refusals: [...ofSignedIn, 'forbidden'],
}

const signIn: Operation = {
  ...common,
  route: 'POST /auth/passkey/login',
  id: 'logInByPasskey',
  summary: 'A passkey for a session of its own, as a password is for one at `POST /login`.',
  notes: [
    'A passkey whose user was verified, by PIN, finger or face, is both factors: no code is ' +
      'asked for after it.',
    '`details.signal` of a 401 is `unknown-credential` for a passkey that is not known here.',
  ],
  who: 'anybody',
  limited: true,
  body: {
    fields: reading(passkeyLoginRequest, {
      response: 'what `navigator.credentials.get` has answered, as JSON',
      tokens: tokensAsked,
    }),
  },
  answers: {
    200: {
      what: 'Signed in.',
      body: success({
        userId: text('to be sent as `X-User-Id`'),
        authToken: text('as that of `POST /login`'),
        me: besides(meFields, moreOfMe),
        passkeys: z
          .object({
            rpId: text(),
            userHandle: text('base64url'),
            credentialIds: texts('all that the user has'),
          })
          .describe('for `PublicKeyCredential.signalAllAcceptedCredentials`'),
        ...refreshableFields,
      }),
    },
  },
  refusals: [
    ...ofBodies,
    'Unauthorized',
    'forbidden',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

const list: Operation = {
  ...ofUser,
  route: 'GET /auth/passkeys',
  id: 'listPasskeys',
  summary: 'The passkeys of this user, the oldest first.',
  whileEnrolling: true,
  answers: { 200: { what: 'They.', body: success({ passkeys: z.array(passkeyFields) }) } },
  refusals: [...ofSignedIn, 'forbidden'],
}

const beginAdding: Operation = {
  ...ofUser,
  route: 'POST /auth/passkeys/options',
  id: 'getPasskeyCreationOptions',
  summary: 'What a browser needs to make a passkey.',
  notes: [
    'For a session that has signed in within ten minutes, with every factor due, or that ' +
      'proves it in the body. Else 403 `reauthentication-required`.',
  ],
  whileEnrolling: true,
  limited: true,
  body: { fields: reading(proofRequest, proof) },
  answers: { 200: { what: 'The options.', body: success(creationOptions) } },
  refusals: [...ofSignedIn, ...ofBodies, 'forbidden', 'reauthentication-required', ...ofProof],
}

const add: Operation = {
  ...ofUser,
  route: 'POST /auth/passkeys',
  id: 'addPasskey',
  summary: 'Adds the passkey that the browser has made.',
  notes: [
    'The options are used up, by the session that has asked for them. A user may have 20 passkeys.',
  ],
  whileEnrolling: true,
  body: {
    fields: reading(newPasskeyRequest, {
      response: 'what `navigator.credentials.create` has answered, as JSON',
      name: '1-100 characters, none of them control or bidirectional ones; left out: `Passkey`',
    }),
  },
  answers: {
    200: {
      what: 'It is added.',
      body: success({
        passkey: passkeyFields,
        recoveryCodes: texts(
          'ten, shown this once: with the first passkey of a user without another second factor',
        ).optional(),
      }),
    },
  },
  refusals: [...ofSignedIn, ...ofBodies, 'forbidden', 'passkey-exists', 'too-many-passkeys'],
}

const rename: Operation = {
  ...ofUser,
  route: 'POST /auth/passkeys/:id',
  id: 'renamePasskey',
  summary: 'Gives a passkey another name.',
  inPath,
  body: {
    fields: reading(passkeyNameRequest, {
      name: '1-100 characters, none of them control or bidirectional ones',
    }),
  },
  answers: { 200: { what: 'It has it.', body: success({ name: text('as it is kept') }) } },
  refusals: [...ofFullScope, ...ofBodies, 'not-found'],
}

const remove: Operation = {
  ...ofUser,
  route: 'DELETE /auth/passkeys/:id',
  id: 'removePasskey',
  summary: 'Removes a passkey; the other sessions of its user end.',
  notes: [
    'For a session that signed in within ten minutes, with every factor due: else 403 ' +
      '`reauthentication-required`, and `POST /auth/reauthenticate` first.',
    '409 `last-sign-in-method`: the user has neither a password nor another passkey.',
  ],
  inPath,
  answers: { 200: { what: 'It is gone.', body: success({ message: text('for people') }) } },
  refusals: [...ofFullScope, 'reauthentication-required', 'not-found', 'last-sign-in-method'],
}

const reauthenticate: Operation = {
  ...ofUser,
  route: 'POST /auth/reauthenticate',
  id: 'reauthenticate',
  summary: 'Proves anew who one is: for this session it is then as if it had just signed in.',
  notes: [
    'Routes that ask for a fresh sign-in take it from then on. No other session changes, and ' +
      'none is opened.',
    '401 with `details.wrong`: it was wrong, and the session goes on.',
    'Also for a session that has yet to show the second factor that is demanded.',
  ],
  whileEnrolling: true,
  limited: true,
  body: { fields: reading(proofRequest, proof) },
  answers: {
    200: {
      what: 'It is so.',
      body: success({
        authenticatedAt: time('ISO 8601, UTC'),
        methods: z.array(
          oneOf(['pwd', 'otp', 'recovery', 'passkey', 'host', 'mfa'], 'shown so far'),
        ),
      }),
    },
  },
  refusals: [...ofSignedIn, ...ofBodies, 'forbidden', ...ofProof],
}

/** Signing in by passkeys, and looking after them. */
export const passkeyOperations: readonly Operation[] = [
  signInOptions,
  signIn,
  list,
  beginAdding,
  add,
  rename,
  remove,
  reauthenticate,
]
