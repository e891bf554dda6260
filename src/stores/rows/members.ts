// The vocabulary of the files beside this one. Each describes a stored record once, member by
// member. SQL makes columns of the description, Redis makes JSON, the router checks what a store
// answers, and the tests of stores make a record in which nothing is left out.

/**
 * The content of a member.
 *
 * - `key`: an id or a hash: up to 1024 bytes, compared by their value
 * - `text`: any other text, up to 16,000 characters
 * - `moment`: a time, to the millisecond
 * - `integer`: a whole number
 * - `flag`: true or false
 * - `list`: several of one kind, in their order
 * - `group`: an object with members of its own
 */
export type Content =
  | { readonly kind: 'key' | 'text' | 'moment' | 'integer' | 'flag' }
  | { readonly kind: 'list'; readonly of: Content }
  | { readonly kind: 'group'; readonly parts: Members }

/** One member of a record. `Value` is its type there. */
export interface Member<Value> {
  readonly content: Content
  /** The form of an absent value; undefined if there always is a value. */
  readonly absent?: 'null' | 'left out'
  /** Never set. The compiler compares the description with the record by it. */
  readonly value?: Value
}

/** Members by name. */
export type Members = Readonly<Record<string, Member<unknown>>>

/** The description of a record. The compiler misses a member that was forgotten. */
export type Row<Stored> = { readonly [Name in keyof Stored]-?: Member<Stored[Name]> }

export const key: Member<string> = { content: { kind: 'key' } }
export const text: Member<string> = { content: { kind: 'text' } }
export const moment: Member<Date> = { content: { kind: 'moment' } }
export const integer: Member<number> = { content: { kind: 'integer' } }
export const flag: Member<boolean> = { content: { kind: 'flag' } }

export function list<Value>({ content }: Member<Value>): Member<readonly Value[]> {
  return { content: { kind: 'list', of: content } }
}

export function group<Stored>(parts: Row<Stored>): Member<Stored> {
  return { content: { kind: 'group', parts } }
}

/** Null where there is no value. */
export function orNull<Value>({ content }: Member<Value>): Member<Value | null> {
  return { content, absent: 'null' }
}

/** Left out where there is no value. */
export function optional<Value>({ content }: Member<Value>): Member<Value | undefined> {
  return { content, absent: 'left out' }
}

/** The description without some of its members. */
export function without<Stored, Name extends keyof Stored & string>(
  row: Row<Stored>,
  ...names: readonly Name[]
): Row<Omit<Stored, Name>> {
  const left = Object.entries(row).filter(([name]) => !names.includes(name as Name))
  return Object.fromEntries(left) as unknown as Row<Omit<Stored, Name>>
}

/** The members that may be left out. */
export function optionalMembers<Stored>(row: Row<Stored>): Members {
  const members = Object.entries<Member<unknown>>(row)
  return Object.fromEntries(members.filter(([, { absent }]) => absent === 'left out'))
}

/** The names of the members that are times, in groups and lists as well. */
export function timesOf<Stored>(row: Row<Stored>): ReadonlySet<string> {
  const namesIn = (members: Members): string[] =>
    Object.entries(members).flatMap(([name, { content }]) => inContent(name, content))
  const inContent = (name: string, content: Content): string[] => {
    if (content.kind === 'list') return inContent(name, content.of)
    if (content.kind === 'group') return namesIn(content.parts)
    return content.kind === 'moment' ? [name] : []
  }
  return new Set(namesIn(row))
}

/**
 * A key column: text, but bytes on MySQL, whose collations would equate `alice` with `Alice` and
 * `álice`.
 */
export type KeyValue = string | Uint8Array
/** Milliseconds since the epoch. PostgreSQL answers a bigint as text. */
export type MomentValue = number | string
