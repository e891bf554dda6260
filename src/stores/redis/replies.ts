import { z } from 'zod'

const milliseconds = z.int().min(-8.64e15).max(8.64e15)
/** Milliseconds since the epoch, in JSON. */
export const moment: z.ZodType<Date, number> = milliseconds.transform((value) => new Date(value))

/** Milliseconds since the epoch, as the digits that a field of a hash holds. */
export const momentDigits: z.ZodType<Date> = z
  .string()
  .regex(/^-?\d{1,16}$/)
  .transform(Number)
  .pipe(moment)

/** A whole number, as the digits that a field of a hash holds. */
export const integerDigits: z.ZodType<number> = z
  .string()
  .regex(/^-?\d{1,16}$/)
  .transform(Number)

/** A reason: any text, since a newer release may have written one that is not known here. */
export const word: z.ZodType<string> = z.string()

/** Text that holds JSON of this shape. */
export function json<T>(shape: z.ZodType<T>): z.ZodType<T> {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue('is no JSON')
        return z.NEVER
      }
    })
    .pipe(shape)
}

/**
 * What Redis answered, if it is what was stored; never a half record. The values at fault are not
 * in the message.
 */
export function readReply<T>(shape: z.ZodType<T>, reply: unknown, what: string): T {
  const result = shape.safeParse(reply)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path.join('.')
  throw new Error(
    `redisStores: ${what} is not in the form it is stored in; look at ` +
      `${path === '' ? 'the whole' : path}`,
  )
}

/** The JSON of a row. Rejects one that could not be read again, before it is written. */
export function rowText<T>(shape: z.ZodType<T>, row: object, what: string): string {
  const text = JSON.stringify(row)
  readReply(shape, text, what)
  return text
}
