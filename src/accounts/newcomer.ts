import type { z } from 'zod'
import type { HostCall } from '../lib/host-call.js'
import { objectionIn } from '../lib/mistakes.js'
import { isOneLine } from '../lib/texts.js'
import { identifierText } from '../login/login-request.js'
import type { BeforeRegister, RegistrationAttempt } from './accounts-options.js'

/** The parts of a new user that a password must not consist of. */
export interface Newcomer {
  readonly email: string
  readonly username: string
  readonly name: string
}

// A name can be typed at a sign-in, and cannot look like another name in a list.
const nameText: z.ZodString = identifierText.refine(
  isOneLine,
  'Invalid input: characters that change the direction of text',
)

// Invisible characters: `admin` with a blank of no width is another name that looks the same. A
// name for others to read may have such characters, which join the parts of an emoji, but no name
// may consist of them.
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/u
const seen = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u
/** A text that can be registered as a user name. */
export const userNameText: z.ZodString = nameText.refine(
  (name) => !unseen.test(name),
  'Invalid input: characters that nobody sees',
)
/** A text that can be shown as a name. */
export const shownNameText: z.ZodString = nameText.refine(
  (name) => seen.test(name),
  'Invalid input: nothing to see',
)

/**
 * The objection of the host's `beforeRegister` to a new user, for the client; undefined without.
 * Rejects with 503.
 */
export async function objectionToNewcomer(
  { beforeRegister, call }: { beforeRegister: BeforeRegister | undefined; call: HostCall },
  { email, username, name, invitation, request }: RegistrationAttempt,
): Promise<string | undefined> {
  if (beforeRegister === undefined) return undefined
  const attempt = { email, username, name, invitation, request }
  const answer = await call('beforeRegister', () => beforeRegister(attempt))
  return objectionIn(answer, 'This registration is not allowed.')
}
