import {
  bool,
  type Check,
  count,
  date,
  listOf,
  optional,
  orNull,
  record,
  type Shape,
  text,
} from '../../lib/check-answer.js'
import type { Content, Member, Row } from './members.js'

const checks = { key: text, text, moment: date, integer: count, flag: bool }

/** The check of each member that a store answers. */
export function checksOf<Stored>(row: Row<Stored>): Required<Shape<Stored>> {
  const members = Object.entries<Member<unknown>>(row)
  return Object.fromEntries(members.map(([name, member]) => [name, checkOf(member)])) as Required<
    Shape<Stored>
  >
}

function checkOf({ content, absent }: Member<unknown>): Check {
  const check = checkOfContent(content)
  if (absent === 'null') return orNull(check)
  return absent === 'left out' ? optional(check) : check
}

function checkOfContent(content: Content): Check {
  if (content.kind === 'list') return listOf(checkOfContent(content.of))
  return content.kind === 'group' ? record(checksOf(content.parts)) : checks[content.kind]
}
