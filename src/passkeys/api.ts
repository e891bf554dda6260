import { z } from 'zod'
import {
  besides,
  creationOptions,
  meFields,
  moreOfMe,
  oneOf,
  passkeyFields,
  proof,
  reading,
  refreshableFields,
  requestOptions,
  requiredActions,
  success,
  text,
  texts,
  time,
  tokensAsked,
} from '../openapi/fields.js'
import {
  type Operation,
  ofBodies,
  ofFullScope,
  ofProof,
  ofSignedIn,
  whileEnrolling,
} from '../openapi/operation.js'
import { proofRequest } from '../sign-in-again.js'
import { newPasskeyRequest, passkeyNameRequest } from './own-passkeys.js'
import { passkeyLoginRequest } from './sign-in-by-passkey.js'

const common = { tag: 'Passkeys', thereWith: 'the option `passkeys`' } as const
const ofUser = { ...common, who: 'full-scope' } as const
const inPath = { id: 'the `id` of the passkey in the list' }

const signInOptions: Operation = {
  ...common,
  route: 'POST /auth/passkey/options',
  id: 'getPasskeyRequestOptions',
  summary: 'Options with which a browser asks for a passkey.',
  notes: [
    'The same for everybody; the server stores nothing. With a token: options for `POST ' +
      '/auth/reauthenticate` and for the proof in `POST /auth/passkeys/options`.',
  ],
  who: 'anybody',
  whoElse: 'a token must have full scope',
  answers: { 200: { what: 'The options.', body: success(requestOptions) } },
  refusals: [...ofSignedIn, 'forbidden'],
}

const signIn: Operation = {
  ...common,
  route: 'POST /auth/passkey/login',
  id: 'logInByPasskey',
  summary: 'Signs in with a passkey, like `POST /login` with a password.',
  notes: [
    'A passkey with user verification, by PIN, finger or face, counts as both factors: the ' +
      'server asks for no code.',
    '`details.signal` of a 401 is `unknown-credential` if the server does not know the passkey.',
  ],
  who: 'anybody',
  limited: true,
  body: {
    fields: reading(passkeyLoginRequest, {
      response: 'the result of `navigator.credentials.get`, as JSON',
      tokens: tokensAsked,
    }),
  },
  answers: {
    200: {
      what: 'Signed in.',
      body: success({
        userId: text('for the header `X-User-Id`'),
        authToken: text('as in `POST /login`'),
        me: besides(meFields, moreOfMe),
        passkeys: z
          .object({
            rpId: text(),
            userHandle: text('base64url'),
            credentialIds: texts('all passkeys of the user'),
          })
          .describe('for `PublicKeyCredential.signalAllAcceptedCredentials`'),
        required: requiredActions.optional(),
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
  summary: 'The passkeys of this user, oldest first.',
  whileEnrolling: true,
  answers: { 200: { what: 'The passkeys.', body: success({ passkeys: z.array(passkeyFields) }) } },
  refusals: whileEnrolling,
}

const beginAdding: Operation = {
  ...ofUser,
  route: 'POST /auth/passkeys/options',
  id: 'getPasskeyCreationOptions',
  summary: 'Options with which a browser creates a passkey.',
  notes: [
    'Requires a sign-in of the last ten minutes with every required factor, or the same proof in ' +
      'the body. Otherwise 403 `reauthentication-required`.',
  ],
  whileEnrolling: true,
  limited: true,
  body: { fields: reading(proofRequest, proof) },
  answers: { 200: { what: 'The options.', body: success(creationOptions) } },
  refusals: [...whileEnrolling, ...ofBodies, 'reauthentication-required', ...ofProof],
}

const add: Operation = {
  ...ofUser,
  route: 'POST /auth/passkeys',
  id: 'addPasskey',
  summary: 'Adds the passkey that the browser has created.',
  notes: [
    'The options work once, for the session that requested them. A user may have 20 passkeys.',
  ],
  whileEnrolling: true,
  body: {
    fields: reading(newPasskeyRequest, {
      response: 'the result of `navigator.credentials.create`, as JSON',
      name: '1-100 characters, without control and bidirectional characters; default: `Passkey`',
    }),
  },
  answers: {
    200: {
      what: 'The passkey is added.',
      body: success({
        passkey: passkeyFields,
        recoveryCodes: texts(
          'ten, with the first passkey of a user without another second factor; never shown again',
        ).optional(),
      }),
    },
  },
  refusals: [...whileEnrolling, ...ofBodies, 'passkey-exists', 'too-many-passkeys'],
}

const rename: Operation = {
  ...ofUser,
  route: 'POST /auth/passkeys/:id',
  id: 'renamePasskey',
  summary: 'Renames a passkey.',
  inPath,
  body: {
    fields: reading(passkeyNameRequest, {
      name: '1-100 characters, without control and bidirectional characters',
    }),
  },
  answers: {
    200: { what: 'The passkey is renamed.', body: success({ name: text('the stored name') }) },
  },
  refusals: [...ofFullScope, ...ofBodies, 'not-found'],
}

const remove: Operation = {
  ...ofUser,
  route: 'DELETE /auth/passkeys/:id',
  id: 'removePasskey',
  summary: "Removes a passkey; the user's other sessions end.",
  notes: [
    'Requires a sign-in of the last ten minutes with every required factor. Otherwise 403 ' +
      '`reauthentication-required`: call `POST /auth/reauthenticate` first.',
    '409 `last-sign-in-method`: the user has neither a password nor another passkey.',
  ],
  inPath,
  answers: {
    200: { what: 'The passkey is removed.', body: success({ message: text('for people') }) },
  },
  refusals: [...ofFullScope, 'reauthentication-required', 'not-found', 'last-sign-in-method'],
}

const reauthenticate: Operation = {
  ...ofUser,
  route: 'POST /auth/reauthenticate',
  id: 'reauthenticate',
  summary: 'Reauthenticates the user: this session then counts as a fresh sign-in.',
  notes: [
    'Routes that require a fresh sign-in accept the session from then on. Other sessions do not ' +
      'change, and no session is opened.',
    '401 with `details.wrong`: the proof was wrong; the session continues.',
    'Also for a session that lacks a required second factor.',
  ],
  whileEnrolling: true,
  limited: true,
  body: { fields: reading(proofRequest, proof) },
  answers: {
    200: {
      what: 'Reauthenticated.',
      body: success({
        authenticatedAt: time('ISO 8601, UTC'),
        methods: z.array(
          oneOf(['pwd', 'otp', 'recovery', 'passkey', 'host', 'mfa'], 'methods of this session'),
        ),
      }),
    },
  },
  refusals: [...ofSignedIn, ...ofBodies, 'forbidden', ...ofProof],
}

/** Sign-in with passkeys, and their management. */
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
