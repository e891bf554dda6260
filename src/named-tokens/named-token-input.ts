import { z } from 'zod'
import { isOneLine } from '../lib/texts.js'

const day = 24 * 60 * 60
const maxNameChars = 100
const maxScopeChars = 1000
// RFC 6749 §3.3: scope-token.
const words = /^[!#-[\]-~]+( [!#-[\]-~]+)*$/

/** The schema of a requested named token. */
export const namedTokenShape: {
  readonly name: z.ZodType<string>
  readonly scope: z.ZodType<string>
  readonly expiresIn: z.ZodType<number>
} = {
  // The length is checked first.
  name: z
    .string()
    .max(maxNameChars)
    .trim()
    .min(1)
    .refine(isOneLine, 'Invalid input: expected text without control or bidirectional characters'),
  scope: z
    .union([z.string().max(maxScopeChars), z.array(z.string().max(maxScopeChars)).max(100)])
    .default('*')
    .transform((given) => [given].flat().join(' '))
    .refine(
      (scope) => scope.length <= maxScopeChars && words.test(scope),
      `Invalid input: expected words of up to ${maxScopeChars} characters in all`,
    ),
  expiresIn: z
    .int()
    .min(60)
    .max(365 * day)
    .default(90 * day),
}
