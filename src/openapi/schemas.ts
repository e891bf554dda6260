import { z } from 'zod'
import type { Fields } from './operation.js'

/** A schema in OpenAPI: JSON Schema 2020-12. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Schemas with names. */
export interface NamedSchemas {
  /** Adds a schema under a name and returns the reference to it. */
  name(id: string, fields: Fields): { readonly $ref: string }
  /** All schemas, by name. */
  all(): Readonly<Record<string, JsonSchema>>
}

const uri = (id: string) => `#/components/schemas/${id}`

export function createNamedSchemas(): NamedSchemas {
  const registry = z.registry<{ id: string }>()
  const named = new Map<string, Fields>()
  return {
    name(id, fields) {
      if (!named.has(id)) named.set(id, fields)
      return { $ref: uri(id) }
    },
    all() {
      for (const [id, fields] of named) registry.add(fields, { id })
      const { schemas } = z.toJSONSchema(registry, { ...settings, uri })
      const sorted = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))
      return Object.fromEntries(
        sorted.map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]),
      )
    },
  }
}

/** The members of a schema without a name. */
export function propertiesOf(fields: Fields): readonly (readonly [string, JsonSchema, boolean])[] {
  const { properties = {}, required = [] } = z.toJSONSchema(fields, settings)
  return Object.entries(properties).map(([name, schema]) => [
    name,
    schema as JsonSchema,
    required.includes(name),
  ])
}

// From the view of a client: members with a default are optional, and more members are allowed.
const settings = { io: 'input', override: simplify } as const

// Generators for older versions support neither `const` nor a choice between a type and null.
function simplify({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  if (jsonSchema.const !== undefined) {
    jsonSchema.enum = [jsonSchema.const as string]
    delete jsonSchema.const
  }
  // Some generators treat a member with a default as required.
  delete jsonSchema.default
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  const [first, second] = jsonSchema.anyOf ?? []
  if (first?.type !== 'string' || second?.type !== 'null') return
  delete jsonSchema.anyOf
  Object.assign(jsonSchema, { type: ['string', 'null'] })
}
