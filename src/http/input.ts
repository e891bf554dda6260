import type { ZodType } from 'zod'
import { invalidRequest } from '../errors.js'
import type { JsonBody } from './body.js'

/** Reads a body by its schema; every field at fault is named in one 400. The values themselves are never repeated. */
export function parseInput<T>(schema: ZodType<T>, body: JsonBody): T {
  const result = schema.safeParse(body)
  // A field that was left out must not be found on a polluted Object.prototype.
  if (result.success) return Object.assign(Object.create(null), result.data) as T
  throw invalidRequest(result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}
