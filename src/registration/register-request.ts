import { z } from 'zod'
import { newPasswordText } from '../accounts/new-password.js'
import { shownNameText, userNameText } from '../accounts/user-name.js'
import { invalidRequest } from '../errors.js'
import { mailAddressText, parseMailAddress } from '../mail/mail-address.js'
import { tokensSchema } from '../sessions/sign-in-options.js'

type Text = z.ZodString

/** The body of `POST /auth/register`. */
export const registerRequest: z.ZodObject<{
  email: Text
  username: Text
  name: Text
  locale: z.ZodOptional<Text>
  invitation: z.ZodOptional<Text>
}> = z.object({
  email: mailAddressText,
  username: userNameText,
  name: shownNameText,
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
  password: z.ZodOptional<Text>
  username: z.ZodOptional<Text>
  tokens: typeof tokensSchema
}> = z.object({
  requestId: z.string().min(1).max(100),
  code: z.string().min(1).max(64),
  password: newPasswordText.optional(),
  username: userNameText.optional(),
  tokens: tokensSchema,
})

/** An address to which mail can be sent. Throws 400. */
export function requireAddress(typed: string): string {
  const email = parseMailAddress(typed)
  if (email !== null) return email
  throw invalidRequest([{ path: 'email', message: 'Invalid input: not an address' }])
}
