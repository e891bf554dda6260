import type { ZodObject, ZodRawShape, z } from 'zod'
import { invalidRequest } from '../errors.js'
import { type JsonBody, maxBodyBytes, tooLarge } from './body.js'

/**
 * Reads a body by its schema. One 400 names every wrong field, without its value. Fields outside of
 * the schema are never read, however many or deep. `instead` has defaults for missing fields.
 *
 * Throws 413 if the texts together are longer than any body may be.
 */
export function parseInput<Shape extends ZodRawShape>(
  schema: ZodObject<Shape>,
  body: JsonBody,
  instead: JsonBody = {},
): z.output<ZodObject<Shape>> {
  const result = schema.safeParse(fieldsOf(schema, body, instead))
  // A polluted Object.prototype must not add a field.
  if (result.success) return Object.assign(Object.create(null), result.data)
  throw invalidRequest(
    result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  )
}

function fieldsOf({ shape }: ZodObject, body: JsonBody, instead: JsonBody): JsonBody {
  const fields = Object.create(null) as Record<string, unknown>
  let length = 0
  for (const name of Object.keys(shape)) {
    const from = [body, instead].find((one) => Object.hasOwn(one, name))
    if (from === undefined) continue
    const value = from[name]
    fields[name] = value
    length += typeof value === 'string' ? value.length : 0
  }
  // A chunked body has no Content-Length, so the host's parser may have accepted a longer one.
  if (length > maxBodyBytes) throw tooLarge()
  return fields
}
