import { type RawBuilder, sql } from 'kysely'
import { maxNextMarks } from '../password-marks.js'
import type { KeyValue } from '../rows/members.js'
import type { SqlEngine } from './engine.js'

/** A new mark for the sessions of a user, beside another. */
export interface AddedMark {
  readonly userId: string
  readonly from: string
  readonly to: string
}

/** `SessionStore.addPasswordMark`, in one statement. */
export async function addPasswordMark(
  engine: SqlEngine,
  { userId, from, to }: AddedMark,
): Promise<void> {
  const { db, tables, key } = engine
  const [known, added] = [key(from, 'from'), key(to, 'to')]
  const isKnown = isAmongNext(engine, key(` ${from} `, 'from'))
  const isThere = isAmongNext(engine, key(` ${to} `, 'to'))
  const next = sql<KeyValue>`case when ${isKnown} then ${added} else ${appended(engine, to)} end`
  await db
    .updateTable(tables.sessions)
    .where('user_id', '=', key(userId, 'userId'))
    .where('ended_at', 'is', null)
    .where((eb) =>
      eb.or([isKnown, eb.and([eb('password_mark', '=', known), sql<boolean>`not (${isThere})`])]),
    )
    // MySQL reads a column that stands further left as it is by now: `next` needs the mark no more.
    .set({ password_mark_next: next, password_mark: known })
    .execute()
}

const nextOrNone = sql`coalesce(password_mark_next, '')`

// With a blank on both sides, so that no part of a mark is taken for one.
function isAmongNext({ name }: SqlEngine, padded: KeyValue): RawBuilder<boolean> {
  if (name === 'mysql') return sql<boolean>`locate(${padded}, concat(' ', ${nextOrNone}, ' ')) > 0`
  return name === 'sqlite'
    ? sql<boolean>`instr(' ' || ${nextOrNone} || ' ', ${padded}) > 0`
    : sql<boolean>`strpos(' ' || ${nextOrNone} || ' ', ${padded}) > 0`
}

// The newest stay: what is too long loses its beginning.
function appended({ name, key }: SqlEngine, to: string): RawBuilder<KeyValue> {
  const [first, further] = [key(to, 'to'), key(` ${to}`, 'to')]
  const [kept, all] = [sql.lit(maxNextMarks), joined(name, further)]
  const whole = name === 'sqlite' ? sql`substr(${all}, -${kept})` : sql`right(${all}, ${kept})`
  return sql<KeyValue>`case when ${nextOrNone} = '' then ${first} else ${whole} end`
}

function joined(name: SqlEngine['name'], further: KeyValue): RawBuilder<KeyValue> {
  return name === 'mysql'
    ? sql<KeyValue>`concat(password_mark_next, ${further})`
    : sql<KeyValue>`password_mark_next || ${further}`
}
