import { types } from 'node:util'

/**
 * A copy that shares nothing with the original that can be changed. Records hold Dates and lists: whoever changes one of theirs must not
 * change the store, as with a real database. Texts are shared, which keeps a large table small.
 */
export function copyOf<Value>(value: Value): Value {
  return copy(value) as Value
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map(copy)
  // Spread, so that the copy has the original's shape: smaller and faster than one that is put together field by field.
  const whole: Record<string, unknown> = { ...value }
  for (const [name, field] of Object.entries(whole)) if (typeof field === 'object') whole[name] = copy(field)
  return whole
}
