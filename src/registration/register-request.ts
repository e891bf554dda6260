import { z } from 'zod'
import { newPasswordText } from '../accounts/new-password.js'
import { invalidRequest } from '../errors.js'
import { isOneLine } from '../lib/one-line.js'
import { identifierText } from '../login/login-request.js'
import { parseMailAddress } from '../mail/mail-address.js'
import { tokensSchema } from '../sessions/sign-in-options.js'

// What can be typed as a name at a sign-in, and what cannot look like another name in a list.
const nameText: z.ZodString = identifierText
  .refine((name) => name.trim() === name, 'Invalid input: blanks at either end')
  .refine(isOneLine, 'Invalid input: characters that change the direction of text')

// What nobody sees: `admin` with a blank of no width is another name that looks the same. Names for
// others to read may have such characters, which join the parts of an emoji, but not alone.
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/u
const seen = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u
/** What can be registered as a user name. */
export const userNameText: z.ZodString = nameText.refine(
  (name) => !unseen.test(name),
  'Invalid input: characters that nobody sees',
)
/** What can be shown as a name. */
export const shownNameText: z.ZodString = nameText.refine(
  (name) => seen.test(name),
  'Invalid input: nothing to see',
)

type Text = z.ZodString

/** The body of `POST /auth/register`. */
export const registerRequest: z.ZodObject<{
  email: Text
  username: Text
  name: Text
  password: z.ZodOptional<Text>
  locale: z.ZodOptional<Text>
  invitation: z.ZodOptional<Text>
}> = z.object({
  email: z.string().min(1).max(254),
  username: userNameText,
  name: shownNameText,
  password: newPasswordText.optional(),
  locale: z
    .string()
    .regex(/^[a-z]{2,8}(?:[-_][a-z0-9]{1,8}){0,4}$/i)
    .optional(),
  invitation: z.string().min(1).max(100).optional(),
})

/** What a registration asks for. */
export type RegisterRequest = z.output<typeof registerRequest>

/** The body of `POST /auth/register/confirm`. */
export const confirmRegistrationRequest: z.ZodObject<{
  requestId: Text
  code: Text
  username: z.ZodOptional<Text>
  tokens: typeof tokensSchema
}> = z.object({
  requestId: z.string().min(1).max(100),
  code: z.string().min(1).max(64),
  username: userNameText.optional(),
  tokens: tokensSchema,
})

/** An address to which mail can be sent. Throws 400. */
export function requireAddress(typed: string): string {
  const email = parseMailAddress(typed)
  if (email !== null) return email
  throw invalidRequest([{ path: 'email', message: 'Invalid input: not an address' }])
}
