import type { InsertObject, Selectable, UpdateObject } from 'kysely'
import type { Content, Member, Row } from '../rows/members.js'
import {
  checkedInteger,
  fromKey,
  fromList,
  fromMoment,
  type SqlEngine,
  toMoment,
} from './engine.js'
import type { SqlAuthTables } from './tables.js'

type Kind = Exclude<Content['kind'], 'group'>

/** How a value goes into a column. `path` names its member in an error. */
const write: Record<Kind, (engine: SqlEngine, value: never, path: string) => unknown> = {
  key: ({ key }, value, path) => key(value, path),
  text: ({ text }, value, path) => text(value, path),
  moment: (_engine, value) => toMoment(value),
  integer: (_engine, value, path) => checkedInteger(value, path),
  flag: (_engine, value) => (value ? 1 : 0),
  // Lists hold texts alone: JSON has no moments.
  list: ({ text }, value, path) => text(JSON.stringify(value), path),
}

/** How it comes out. Some drivers can be told to answer every whole number as a BigInt. */
const read: Record<Kind, (stored: never) => unknown> = {
  key: fromKey,
  text: (stored) => stored,
  moment: fromMoment,
  integer: Number,
  flag: (stored) => Number(stored) === 1,
  list: fromList,
}

/** The members of a record as columns of a table. */
export interface Columns<Stored, Table extends keyof SqlAuthTables> {
  /** All columns, in the order of the members. */
  readonly names: readonly (keyof Selectable<SqlAuthTables[Table]> & string)[]
  /** The columns of a whole record. */
  of(engine: SqlEngine, record: Stored): InsertObject<SqlAuthTables, Table>
  /** The columns of these members alone. */
  ofSome(engine: SqlEngine, members: Partial<Stored>): UpdateObject<SqlAuthTables, Table>
  /** The record as it was stored. */
  read(row: Selectable<SqlAuthTables[Table]>): Stored
}

/**
 * Makes columns of a description. Each has the name of its member, in snake case. A group has a
 * column for each of its parts, all of them null where there is no group.
 */
export function columnsOf<Stored extends object, Table extends keyof SqlAuthTables>(
  row: Row<Stored>,
): Columns<Stored, Table> {
  const members = Object.entries<Member<unknown>>(row).map(toColumns)
  return {
    names: members.flatMap(({ columns }) => columns.map(({ name }) => name)) as never,
    of: (engine, record) => written(engine, members, record) as InsertObject<SqlAuthTables, Table>,
    ofSome(engine, given) {
      const some = members.filter(({ name }) => Object.hasOwn(given, name))
      return written(engine, some, given) as UpdateObject<SqlAuthTables, Table>
    },
    read(stored) {
      const values = members.flatMap((member) => readMember(member, stored))
      return Object.fromEntries(values) as Stored
    },
  }
}

const noValue = { null: null, 'left out': undefined }

interface Column {
  readonly name: string
  readonly path: string
  readonly kind: Kind
  /** The part of the group that it holds; undefined where there is no group. */
  readonly part?: string
}

interface MemberColumns {
  readonly name: string
  readonly absent: Member<unknown>['absent']
  readonly columns: readonly Column[]
}

function toColumns([name, { content, absent }]: [string, Member<unknown>]): MemberColumns {
  if (content.kind !== 'group')
    return { name, absent, columns: [{ name: snakeCase(name), path: name, kind: content.kind }] }
  const columns = Object.entries(content.parts).map(([part, member]) => ({
    name: `${snakeCase(name)}_${snakeCase(part)}`,
    path: `${name}.${part}`,
    kind: member.content.kind as Kind,
    part,
  }))
  return { name, absent, columns }
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

// The compiler does not know which members there are. The descriptions do.
function written(engine: SqlEngine, members: readonly MemberColumns[], record: object): object {
  const values = record as Readonly<Record<string, Readonly<Record<string, unknown>> | null>>
  const columns = members.flatMap((member) => {
    const value = values[member.name]
    const isAbsent = member.absent !== undefined && value === noValue[member.absent]
    return member.columns.map(({ name, path, kind, part }) => {
      const given = part === undefined ? value : value?.[part]
      return [name, isAbsent ? null : write[kind](engine, given as never, path)] as const
    })
  })
  return Object.fromEntries(columns)
}

function readMember({ name, absent, columns }: MemberColumns, row: object): [string, unknown][] {
  const stored = row as Readonly<Record<string, unknown>>
  if (columns.some((column) => stored[column.name] === null))
    return absent === 'null' ? [[name, null]] : []
  const values = columns.map(({ name: column, kind, part }) => [
    part,
    read[kind](stored[column] as never),
  ])
  return [[name, columns[0]?.part === undefined ? values[0]?.[1] : Object.fromEntries(values)]]
}
