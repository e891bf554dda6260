import { z } from 'zod'
import { reading, success, text } from '../openapi/fields.js'
import { type Operation, ofBodies, ofFullScope } from '../openapi/operation.js'
import { acceptRequest } from './acceptance.js'

const common = {
  route: 'GET /auth/acceptance',
  tag: 'The account',
  who: 'full-scope',
  thereWith: 'the option `acceptance`',
} as const

const due = success({
  documents: z
    .array(
      z.object({
        id: text(),
        version: text(),
        name: text('for people'),
        url: text('where it can be read'),
      }),
    )
    .describe('those that this user has not accepted yet'),
})

const list: Operation = {
  ...common,
  id: 'listDocumentsToAccept',
  summary: 'The documents that this user must still accept.',
  answers: { 200: { what: 'The documents.', body: due } },
  refusals: ofFullScope,
}

const accept: Operation = {
  ...common,
  route: 'POST /auth/acceptance',
  id: 'acceptDocuments',
  summary: 'Accepts documents, each in the version that the user has seen.',
  body: { fields: reading(acceptRequest, { documents: 'from the list; 1 to 10' }) },
  answers: { 200: { what: 'They are stored.', body: due } },
  refusals: [...ofBodies, ...ofFullScope, 'superseded'],
  notes: ['409 `superseded`: another version has been published. Show it.'],
}

/** Documents that users accept before a session opens anything. */
export const acceptanceOperations: readonly Operation[] = [list, accept]
