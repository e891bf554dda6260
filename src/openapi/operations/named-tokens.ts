import { z } from 'zod'
import { namedTokenBody } from '../../named-tokens/named-tokens.js'
import { always, count, reading, success, text, textOrNull, texts, time } from '../fields.js'
import type { Operation } from '../operation.js'
import { ofBodies, ofFullScope, proof } from './shared.js'

const common = {
  tag: 'Named tokens',
  who: 'full-scope',
  thereWith: 'the option `namedTokens: true`',
} as const

const namedToken = z.object({
  id: text('the id of its session; not a credential'),
  name: text('the name given at creation'),
  scope: texts('`*` means everything'),
  createdAt: time('ISO 8601, UTC'),
  lastSeenAt: time('updated at most once a minute'),
  expiresAt: time('fixed at creation'),
  ip: textOrNull('the address at `lastSeenAt`'),
})

const listNamedTokens: Operation = {
  ...common,
  route: 'GET /auth/access-tokens',
  id: 'listNamedTokens',
  summary: 'The named tokens of this user.',
  notes: ['The answer contains no secrets.'],
  answers: { 200: { what: 'The tokens.', body: success({ accessTokens: z.array(namedToken) }) } },
  refusals: ofFullScope,
}

const makeNamedToken: Operation = {
  ...common,
  route: 'POST /auth/access-tokens',
  id: 'makeNamedToken',
  summary: 'Creates a named token, for a bot or a script.',
  notes: [
    'A user may have 20. If several requests at once would exceed that number, each of them may ' +
      'be refused: try again.',
    '403 `reauthentication-required`: ask for the password and send it. 401 `totp-required`: ' +
      'also send a code, or a passkey instead of both. 401 with `details.wrong` `password` or ' +
      '`passkey`: it was wrong; the session continues.',
  ],
  limited: true,
  body: {
    fields: reading(namedTokenBody, {
      name: '1-100 characters, without control and bidirectional characters',
      scope: 'words, up to 1,000 characters in all; default: `*`',
      expiresIn: 'seconds, 60 to 31,536,000 (365 days); default: 7,776,000 (90 days)',
      ...proof,
    }),
  },
  answers: {
    200: {
      what: 'The token.',
      body: success({
        id: text('for `DELETE`'),
        token: text('`mar_pat_…`, never shown again'),
        expiresAt: time('ISO 8601, UTC'),
      }),
    },
  },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'reauthentication-required',
    'totp-required',
    'totp-invalid',
    'too-many-named-tokens',
    'too-many-requests',
  ],
}

const endNamedTokens: Operation = {
  ...common,
  route: 'DELETE /auth/access-tokens',
  id: 'endNamedTokens',
  summary: 'Ends all named tokens of this user.',
  answers: {
    200: { what: 'The tokens have ended.', body: success({ revoked: count('how many ended') }) },
  },
  refusals: ofFullScope,
}

const endNamedToken: Operation = {
  ...common,
  route: 'DELETE /auth/access-tokens/:id',
  id: 'endNamedToken',
  summary: 'Ends one named token of this user.',
  inPath: { id: 'the `id` of the token in the list' },
  answers: { 200: { what: 'The token has ended.', body: success({ revoked: always(1) }) } },
  refusals: [...ofFullScope, 'not-found'],
}

/** For bots and scripts. */
export const namedTokenOperations: readonly Operation[] = [
  listNamedTokens,
  makeNamedToken,
  endNamedTokens,
  endNamedToken,
]
