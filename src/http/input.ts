import type { ZodObject, ZodRawShape, z } from 'zod'
import { invalidRequest } from '../errors.js'
import { type JsonBody, maxBodyBytes, tooLarge } from './body.js'

/**
 * Reads a body by its schema; every field at fault is named in one 400. The values themselves are
 * never repeated. Fields that the schema does not name are not looked at, however many or deep they
 * are. `instead` holds what fields are that the body leaves out.
 *
 * Throws 413 for texts that are together longer than any body may be.
 */
export function parseInput<Shape extends ZodRawShape>(
  schema: ZodObject<Shape>,
  body: JsonBody,
  instead: JsonBody = {},
): z.output<ZodObject<Shape>> {
  const result = schema.safeParse(fieldsOf(schema, body, instead))
  // A field that was left out must not be found on a polluted Object.prototype.
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
  // Nothing is known of the length of a body that came in chunks to the host's parser.
  if (length > maxBodyBytes) throw tooLarge()
  return fields
}
