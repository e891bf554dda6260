import { sql } from 'kysely'
import type { SqlEngine } from './engine.js'
import { fromMoment } from './values.js'

// In UTC, whatever time zone the connection has. Whole seconds will do.
const questions = {
  postgres: sql<{
    moment: string
  }>`select floor(extract(epoch from clock_timestamp())) * 1000 as moment`,
  mysql: sql<{ moment: string }>`select unix_timestamp() * 1000 as moment`,
  sqlite: sql<{ moment: string }>`select strftime('%s', 'now') * 1000 as moment`,
} as const

/** The time by the database's clock. */
export async function databaseTime({ name, db }: SqlEngine): Promise<Date> {
  const { rows } = await questions[name].execute(db)
  return fromMoment(Number(rows[0]?.moment))
}
