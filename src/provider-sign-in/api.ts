import { z } from 'zod'
import {
  loginAnswer,
  proof,
  reading,
  remembering,
  success,
  text,
  textOrNull,
  time,
  tokensAsked,
} from '../openapi/fields.js'
import {
  loginRefusals,
  type Operation,
  ofBodies,
  ofFullScope,
  ofProof,
} from '../openapi/operation.js'
import { proofRequest } from '../sign-in-again.js'
import { connectRequest, finishRequest, linkRequest, startRequest } from './provider-sign-in.js'

const common = { tag: 'Other accounts', thereWith: 'the option `providers`' } as const
const ofStranger = { ...common, who: 'anybody' } as const
const ofUser = { ...common, who: 'full-scope' } as const
const inPath = { id: 'the id of the provider' }

const starting = {
  returnTo: 'one of the addresses that the server allows, compared as text',
  codeChallenge: '`S256` of a verifier (RFC 7636 §4.2); keep the verifier',
  state: 'visible ASCII, handed back unchanged; at most 1,024 characters',
  maxAge:
    'the user must have signed in at the provider within so many seconds; 0: signs in there now. ' +
    'A provider that cannot say so refuses',
} as const
const addressAnswer: Operation['answers'] = {
  200: {
    what: 'The address.',
    body: success({ url: text('open it in a browser within ten minutes') }),
  },
}
const identityFields = {
  id: text('for `DELETE /auth/identities/:id`'),
  provider: text('the id of the provider'),
  label: textOrNull('what its owner knows it by, such as an address'),
  createdAt: time(),
  lastUsedAt: time().nullable(),
}

const list: Operation = {
  ...ofStranger,
  route: 'GET /auth/providers',
  id: 'listProviders',
  summary: 'The providers, in the order of their buttons.',
  answers: {
    200: {
      what: 'The providers.',
      body: success({ providers: z.array(z.object({ id: text(), name: text('for the button') })) }),
    },
  },
  refusals: [],
}

const start: Operation = {
  ...ofStranger,
  route: 'POST /auth/providers/:id/start',
  id: 'startProviderSignIn',
  summary: 'The address at which a browser signs in at a provider.',
  notes: [
    'The browser comes back to `returnTo` with `ticket`, `state` and `iss`, or with `error`: ' +
      '`access_denied`, `provider_refused` or `temporarily_unavailable`. The ticket works for ' +
      'two minutes.',
  ],
  inPath,
  body: { fields: reading(startRequest, starting) },
  answers: addressAnswer,
  refusals: [...ofBodies, 'not-found'],
}

const finish: Operation = {
  ...ofStranger,
  route: 'POST /auth/providers/finish',
  id: 'finishProviderSignIn',
  summary: 'Signs in by the ticket of a provider.',
  notes: [
    '401 `totp-required` and 409 `username-taken` leave the ticket alive, for five tries in all: ' +
      'send it again with `code`, `passkey` or `username`.',
    '401 `provider-refused`: this account is not connected with any user here.',
  ],
  limited: true,
  body: {
    fields: reading(finishRequest, {
      ticket: 'as it came to `returnTo`',
      codeVerifier: 'of the `codeChallenge`',
      code: 'a second-factor code, after `totp-required`',
      passkey: 'a passkey instead of the code',
      username: 'for a new user, instead of the name that is taken',
      tokens: tokensAsked,
      ...remembering,
    }),
  },
  answers: loginAnswer,
  refusals: [
    ...loginRefusals,
    'proof-refused',
    'provider-refused',
    'username-taken',
    'identity-in-use',
  ],
}

const logout: Operation = {
  ...ofStranger,
  route: 'POST /auth/providers/:id/backchannel-logout',
  id: 'endProviderSessions',
  summary: 'A provider ends the sessions that it has opened (OpenID Connect Back-Channel Logout).',
  limited: true,
  inPath,
  body: {
    fields: z.object({ logout_token: text('a JWT of the provider') }),
    form: 'too',
  },
  answers: { 200: { what: 'Ended.', body: null } },
  refusals: [
    ...ofBodies,
    'proof-refused',
    'not-found',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

const identities: Operation = {
  ...ofUser,
  route: 'GET /auth/identities',
  id: 'listIdentities',
  summary: 'The accounts at providers that this user is connected with, oldest first.',
  answers: {
    200: {
      what: 'The accounts.',
      body: success({ identities: z.array(z.object(identityFields)) }),
    },
  },
  refusals: [...ofFullScope],
}

const link: Operation = {
  ...ofUser,
  route: 'POST /auth/identities/:id',
  id: 'startConnecting',
  summary: 'The address at which a browser connects an account at a provider with this user.',
  notes: [
    'Requires a sign-in of the last ten minutes with every required factor, or the same proof in ' +
      'the body. Otherwise 403 `reauthentication-required`.',
    'The browser comes back as after a sign-in. Send the ticket to `POST /auth/identities`, ' +
      'with the same session.',
  ],
  limited: true,
  inPath,
  body: { fields: reading(linkRequest, { ...starting, ...proof }) },
  answers: addressAnswer,
  refusals: [...ofFullScope, ...ofBodies, 'not-found', 'reauthentication-required', ...ofProof],
}

const connect: Operation = {
  ...ofUser,
  route: 'POST /auth/identities',
  id: 'connectIdentity',
  summary: 'Connects an account by the ticket of a provider.',
  notes: ['409 `identity-in-use`: another user is connected with it, and stays so.'],
  limited: true,
  body: {
    fields: reading(connectRequest, {
      ticket: 'as it came to `returnTo`',
      codeVerifier: 'of the `codeChallenge`',
    }),
  },
  answers: {
    200: { what: 'Connected.', body: success({ identity: z.object(identityFields) }) },
  },
  refusals: [...ofFullScope, ...ofBodies, 'proof-refused', 'identity-in-use', 'too-many-requests'],
}

const unlink: Operation = {
  ...ofUser,
  route: 'DELETE /auth/identities/:id',
  id: 'disconnectIdentity',
  summary: 'Disconnects an account at a provider, and ends the sessions that it has opened.',
  notes: ['Requires what connecting one requires. Not the last way to sign in: 409.'],
  limited: true,
  inPath: { id: 'the `id` of the account in the list' },
  body: { fields: reading(proofRequest, proof) },
  answers: { 200: { what: 'Disconnected.', body: z.object({ status: z.literal('success') }) } },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'not-found',
    'last-sign-in-method',
    'reauthentication-required',
    ...ofProof,
  ],
}

/** Signing in with the account of somebody else. */
export const providerOperations: readonly Operation[] = [
  list,
  start,
  finish,
  logout,
  identities,
  link,
  connect,
  unlink,
]
