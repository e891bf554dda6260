import { z } from 'zod'
import { AuthError, type AuthErrorCode } from '../errors.js'
import { nameInStyle, type ProblemStyle } from '../http/problem-names.js'
import { always, count, flag, oneOf, text, textOrNull, texts } from './fields.js'
import type { Fields } from './operation.js'
import { requestOptions } from './passkey-fields.js'

const issue = z.object({ path: text('the field'), message: text('what was expected there') })
const secondFactor = z.object({
  method: text('the method to ask for first'),
  codeGenerated: flag('whether the server has sent a code'),
  availableMethods: texts('such as `totp`, `passkey` and `recovery`'),
  passkeyOptions: requestOptions
    .describe('if `passkey` is available: for `navigator.credentials.get`')
    .optional(),
})

/** `details` of errors. */
const details: Readonly<Partial<Record<AuthErrorCode, z.ZodType>>> = {
  'invalid-request': z.object({ issues: z.array(issue) }).optional(),
  Unauthorized: z
    .object({
      wrong: oneOf(['password', 'passkey'], 'what was wrong; a session continues'),
      signal: always(
        'unknown-credential',
        'the passkey does not exist: call `PublicKeyCredential.signalUnknownCredential`',
      ).optional(),
    })
    .optional(),
  'password-refused': z.object({
    reasons: z
      .array(z.enum(['too-short', 'too-long', 'common', 'context', 'breached']))
      .describe('`context`: it is made of a name or the address'),
    minLength: count('the least number of characters for this user'),
  }),
  'proof-refused': z
    .object({
      reason: oneOf(['used', 'expired'], 'only for a token that was real').optional(),
      triesLeft: count('after a wrong check code of a linked device').optional(),
    })
    .optional(),
  'totp-required': secondFactor,
  'totp-invalid': secondFactor,
  'provider-refused': z
    .object({
      reason: always('not-connected', 'no user here is connected with this account'),
      canConnect: flag('whether the pages connect it, if the user signs in there once'),
    })
    .optional(),
  opened: z.object({
    checkCode: text('four digits, for the user to type into the other device'),
  }),
  approved: z.object({
    account: z
      .object({ name: text(), username: text() })
      .describe('whom the device will be signed in as'),
  }),
  'username-taken': z.object({ suggestion: textOrNull('the name at the provider') }).optional(),
  'reauthentication-required': z
    .object({ maxAge: count('maximum age of the sign-in, in seconds') })
    .optional(),
  'too-many-requests': z.object({ retryAfter: count('seconds') }),
}

const prefixes: Readonly<Record<ProblemStyle, string>> = {
  plain: '',
  oauth: 'OAuth',
  'oauth-endpoint': 'App',
}

/** The name of the schema of an error. */
export function problemId(code: AuthErrorCode, style: ProblemStyle): string {
  const words = code.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${prefixes[style]}${words.join('')}`
}

/** The body of an error. */
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

/** The status of an error. */
export function statusOf(code: AuthErrorCode): number {
  return new AuthError(code).status
}
