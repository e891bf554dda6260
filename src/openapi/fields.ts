import { z } from 'zod'
import type { Fields } from './operation.js'

// Schemas for answers, and for requests that no schema of an endpoint reads.

/** A text. */
export function text(what = ''): z.ZodString {
  return told(z.string(), what)
}

/** A time as text: ISO 8601, UTC. */
export function time(what = ''): z.ZodString {
  return told(z.string().meta({ format: 'date-time' }), what)
}

/** A whole number. */
export function count(what = ''): z.ZodInt {
  return told(z.int(), what)
}

/** True or false. */
export function flag(what = ''): z.ZodBoolean {
  return told(z.boolean(), what)
}

/** A text, or null. */
export function textOrNull(what = ''): z.ZodNullable<z.ZodString> {
  return told(z.string().nullable(), what)
}

/** Several texts. */
export function texts(what = ''): z.ZodArray<z.ZodString> {
  return told(z.array(z.string()), what)
}

/** One of these words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
  what = '',
): z.ZodEnum<{ [Word in Words[number]]: Word }> {
  return told(z.enum(words), what)
}

/** Always this. */
export function always<const Value extends string | number | boolean>(
  value: Value,
  what = '',
): z.ZodLiteral<Value> {
  return told(z.literal(value), what)
}

/** An object with further members. */
export function besides<Shape extends z.ZodRawShape>(shape: Shape, what: string): Fields {
  return z.object(shape).catchall(z.unknown().describe(what))
}

/** The answer of the router's own endpoints. */
export function success(data: z.ZodRawShape | Fields): Fields {
  const inner = data instanceof z.ZodObject ? data : z.object(data)
  return z.object({ status: always('success'), data: inner })
}

/**
 * The schema of an endpoint, with a description of each field. A missing one does not compile.
 */
export function reading<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  what: Readonly<Record<keyof Shape & string, string>>,
): Fields {
  const shape = Object.entries(schema.shape).map(([name, field]) => [
    name,
    told(field as z.ZodType, what[name] ?? ''),
  ])
  return z.object(Object.fromEntries(shape))
}

function told<Schema extends z.ZodType>(schema: Schema, what: string): Schema {
  return what === '' ? schema : schema.describe(what)
}
