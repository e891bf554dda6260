import { z } from 'zod'
import { success, text, textOrNull, time } from '../openapi/fields.js'
import { type Operation, ofFullScope } from '../openapi/operation.js'

const common = {
  tag: 'The second factor',
  who: 'full-scope',
  thereWith: 'the option `secondFactor.remember`',
} as const

const list: Operation = {
  ...common,
  route: 'GET /auth/remembered-browsers',
  id: 'listRememberedBrowsers',
  summary: 'The browsers in which this user is not asked for the second factor.',
  answers: {
    200: {
      what: 'The browsers, the newest first.',
      body: success({
        browsers: z.array(
          z.object({
            id: text(),
            name: textOrNull('for people, such as `Firefox on Linux`'),
            since: time('when the second factor was shown there'),
            expiresAt: time(),
          }),
        ),
      }),
    },
  },
  refusals: ofFullScope,
}

const forget: Operation = {
  ...common,
  route: 'DELETE /auth/remembered-browsers/:id',
  id: 'forgetRememberedBrowser',
  summary: 'The next sign-in there needs the second factor again. No session ends.',
  inPath: { id: 'from the list' },
  answers: { 200: { what: 'It is forgotten.', body: success({}) } },
  refusals: [...ofFullScope, 'not-found'],
}

/** Browsers that are not asked for the second factor again. */
export const rememberedOperations: readonly Operation[] = [list, forget]
