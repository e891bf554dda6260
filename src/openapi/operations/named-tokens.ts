import { z } from 'zod'
import { namedTokenBody } from '../../named-tokens/named-tokens.endpoint.js'
import { always, count, reading, success, text, textOrNull, texts, time } from '../fields.js'
import type { Operation } from '../operation.js'
import { ofBodies, ofFullScope, proof } from './shared.js'

const common = {
  tag: 'Named tokens',
  who: 'full-scope',
  thereWith: 'the option `namedTokens: true`',
} as const

const namedToken = z.object({
  id: text('no credential; the id of its session'),
  name: text('as it was given'),
  scope: texts('`*` is everything'),
  createdAt: time('ISO 8601, UTC'),
  lastSeenAt: time('noted once a minute at most'),
  expiresAt: time('it has no other end'),
  ip: textOrNull('of the last use that was noted'),
})

const listNamedTokens: Operation = {
  ...common,
  route: 'GET /auth/access-tokens',
  id: 'listNamedTokens',
  summary: 'The named tokens of this user.',
  notes: ['No secret is in it.'],
  answers: { 200: { what: 'The tokens.', body: success({ accessTokens: z.array(namedToken) }) } },
  refusals: ofFullScope,
}

const makeNamedToken: Operation = {
  ...common,
  route: 'POST /auth/access-tokens',
  id: 'makeNamedToken',
  summary: 'Makes a named token, for a bot or a script.',
  notes: [
    'A user may have 20. Where several are asked for at once and would be too many together, ' +
      'each may be refused: ask again.',
    '403 `reauthentication-required`: ask for the password, and send it along. 401 ' +
      '`totp-required`: send a code, too, or a passkey in the place of both. 401 with ' +
      '`details.wrong` `password` or `passkey`: it was wrong, and the session goes on.',
  ],
  limited: true,
  body: {
    fields: reading(namedTokenBody, {
      name: '1-100 characters, none of them control or bidirectional ones',
      scope: 'words, up to 1,000 characters in all; left out: `*`',
      expiresIn: 'seconds, 60 to 31,536,000 (365 days); left out: 7,776,000 (90 days)',
      ...proof,
    }),
  },
  answers: {
    200: {
      what: 'The token.',
      body: success({
        id: text('for `DELETE`'),
        token: text('`mar_pat_…`, shown this once'),
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
    200: { what: 'They have ended.', body: success({ revoked: count('how many ended') }) },
  },
  refusals: ofFullScope,
}

const endNamedToken: Operation = {
  ...common,
  route: 'DELETE /auth/access-tokens/:id',
  id: 'endNamedToken',
  summary: 'Ends one of them.',
  inPath: { id: 'of the token, as listed' },
  answers: { 200: { what: 'It has ended.', body: success({ revoked: always(1) }) } },
  refusals: [...ofFullScope, 'not-found'],
}

/** For bots and scripts. */
export const namedTokenOperations: readonly Operation[] = [
  listNamedTokens,
  makeNamedToken,
  endNamedTokens,
  endNamedToken,
]
