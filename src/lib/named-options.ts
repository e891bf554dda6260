import type { z } from 'zod'
import { fitting } from './check-options.js'
import { isOneLine } from './texts.js'

/** Whether a value is an id that is stored with users: of a provider, or a directory. */
export function isStoredId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z\d-]{1,32}$/.test(value)
}

/** Whether a value is a name that stands on a page. */
export function isShownName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    Array.from(value).length <= 40 &&
    isOneLine(value)
  )
}

/** The check of an id. */
export const idOption: z.ZodType<string> = fitting(
  isStoredId,
  'is not 1 to 32 lower-case letters, digits and hyphens.',
)

/** The check of a name. */
export const nameOption: z.ZodType<string> = fitting(
  isShownName,
  'is not one line of 1 to 40 characters.',
)
