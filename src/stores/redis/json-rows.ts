import { z } from 'zod'
import type { Content, Member, Row } from '../rows/members.js'
import { moment } from './redis-client.js'
import { identifier } from './scripts.js'

/**
 * The JSON of a described record. Members that a newer release has put into it are read as they
 * are.
 */
export function jsonShape<Stored>(row: Row<Stored>): z.ZodType<Stored> {
  const members = Object.entries<Member<unknown>>(row).map(([name, { content, absent }]) => {
    const shape = shapeOf(content)
    if (absent === 'null') return [name, shape.nullable()]
    return [name, absent === 'left out' ? shape.optional() : shape]
  })
  return z.looseObject(Object.fromEntries(members)) as unknown as z.ZodType<Stored>
}

const shapes = {
  key: z.string(),
  text: z.string(),
  moment,
  integer: z.int(),
  flag: z.boolean(),
}

function shapeOf(content: Content): z.ZodType {
  if (content.kind === 'list') return z.array(shapeOf(content.of))
  return content.kind === 'group' ? jsonShape(content.parts) : shapes[content.kind]
}

/** The members that a record has, in the order of the description, as JSON can hold them. */
export function toJson<Stored>(row: Row<Stored>, record: Partial<Stored>): object {
  const values = new Map<string, unknown>(Object.entries(record))
  const members = Object.entries<Member<unknown>>(row).flatMap(([name, { content, absent }]) => {
    const value = values.get(name)
    const isLeftOut = value === undefined && (absent === 'left out' || !values.has(name))
    return isLeftOut ? [] : [[name, jsonOf(content, value)]]
  })
  return Object.fromEntries(members)
}

function jsonOf(content: Content, value: unknown): unknown {
  if (value === null) return null
  if (content.kind === 'key') return identifier(value)
  if (content.kind === 'moment') return (value as Date).getTime()
  if (content.kind === 'list')
    return (value as readonly unknown[]).map((one) => jsonOf(content.of, one))
  if (content.kind !== 'group') return value
  return groupJson(content.parts, value as object)
}

/** The same of a part of a record, with the members that a newer release has put into it. */
export function groupJson<Stored extends object>(row: Row<Stored>, group: Stored): object {
  const known = toJson(row, group)
  // Known members stand first, and have the last word.
  return { ...known, ...group, ...known }
}
