import { z } from 'zod'
import { AuthError, type AuthErrorCode } from '../errors.js'
import { nameInStyle, type ProblemStyle } from '../http/problem-names.js'
import { always, count, flag, oneOf, text, texts } from './fields.js'
import type { Fields } from './operation.js'
import { requestOptions } from './passkey-fields.js'

const issue = z.object({ path: text('the field'), message: text('what was expected there') })
const secondFactor = z.object({
  method: text('the one to ask for first'),
  codeGenerated: flag('whether a code is on its way'),
  availableMethods: texts('such as `totp`, `passkey` and `recovery`'),
  passkeyOptions: requestOptions
    .describe('where `passkey` is among them: for `navigator.credentials.get`')
    .optional(),
})

/** What stands in `details` of an answer. */
const details: Readonly<Partial<Record<AuthErrorCode, z.ZodType>>> = {
  'invalid-request': z.object({ issues: z.array(issue) }).optional(),
  Unauthorized: z
    .object({
      wrong: oneOf(['password', 'passkey'], 'it was wrong; a session goes on'),
      signal: always(
        'unknown-credential',
        'for `PublicKeyCredential.signalUnknownCredential`: there is no such passkey',
      ).optional(),
    })
    .optional(),
  'totp-required': secondFactor,
  'totp-invalid': secondFactor,
  'reauthentication-required': z
    .object({ maxAge: count('seconds that the sign-in may be old') })
    .optional(),
  'too-many-requests': z.object({ retryAfter: count('seconds') }),
}

const prefixes: Readonly<Record<ProblemStyle, string>> = {
  plain: '',
  oauth: 'OAuth',
  'oauth-endpoint': 'App',
}

/** What the schema of a refusal is called. */
export function problemId(code: AuthErrorCode, style: ProblemStyle): string {
  const words = code.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${prefixes[style]}${words.join('')}`
}

/** The body of a refusal. */
export function problemFields(code: AuthErrorCode, style: ProblemStyle): Fields {
  const inner = Object.hasOwn(details, code) ? details[code] : undefined
  return z.object({
    success: always(false),
    status: always('error'),
    error: always(nameInStyle(code, style)),
    message: text('for people'),
    ...(style === 'plain' ? {} : { error_description: text('the same') }),
    ...(inner === undefined ? {} : { details: inner }),
  })
}

/** The status of a refusal. */
export function statusOf(code: AuthErrorCode): number {
  return new AuthError(code).status
}
