// A process that makes the tables, started several times at once: node migrate-process.mjs <kind of
// database> <prefix> <folder for SQLite>
import { join } from 'node:path'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { migrateSql } from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'

const [name, prefix, folder] = process.argv.slice(2)

const dialects = {
  'SQLite (libsql)': () => new SqliteDialect({ database: new Database(join(folder, 'auth.db')) }),
  PostgreSQL: () => {
    const connectionString =
      process.env.TEST_POSTGRES_URL || 'postgres://postgres@127.0.0.1:5432/postgres'
    return new PostgresDialect({ pool: new pg.Pool({ connectionString }) })
  },
  MariaDB: () =>
    new MysqlDialect({
      pool: createPool({ uri: process.env.TEST_MYSQL_URL || 'mysql://root@127.0.0.1:3306/test' }),
    }),
}

const kysely = new Kysely({ dialect: dialects[name]() })
const answer = await migrateSql(kysely, { prefix }).catch((error) => ({ error: String(error) }))
await kysely.destroy()
process.send(answer)
process.disconnect()
