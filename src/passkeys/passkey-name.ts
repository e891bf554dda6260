import { z } from 'zod'
import { isOneLine } from '../lib/one-line.js'
import { creationSchema } from '../two-factor/passkey-response.js'

const maxNameChars = 100
const name: z.ZodString = z
  .string()
  .max(maxNameChars, { abort: true })
  .trim()
  .min(1)
  .refine(isOneLine, 'Invalid input: expected text without control or bidirectional characters')
/** The body of `POST /auth/passkeys`. */
export const newPasskeyRequest: z.ZodObject<{
  response: typeof creationSchema
  name: z.ZodDefault<typeof name>
}> = z.object({ response: creationSchema, name: name.default('Passkey') })
/** The body of `POST /auth/passkeys/:id`. */
export const passkeyNameRequest: z.ZodObject<{ name: typeof name }> = z.object({ name })
