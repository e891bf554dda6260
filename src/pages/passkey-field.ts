import type { z } from 'zod'
import {
  type AssertionResponse,
  assertionSchema,
  type CreationResponse,
  creationSchema,
} from '../two-factor/passkey-response.js'

/** The use of a passkey, as the script writes it into a form; null for what is none. */
export function assertionOf(text: string): AssertionResponse | null {
  return read(assertionSchema, text)
}

/** A new passkey, the same way. */
export function creationOf(text: string): CreationResponse | null {
  return read(creationSchema, text)
}

function read<Read>(schema: z.ZodType<Read>, text: string): Read | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
