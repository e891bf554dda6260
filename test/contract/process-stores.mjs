// What the child processes of the two-process mode import: the stores of one kind of database, by
// the query of this module's address.
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { sqlOAuthStores, sqlPasskeyStore, sqlStores } from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'

const { kind, prefix, at } = Object.fromEntries(new URL(import.meta.url).searchParams)

const dialects = {
  'SQLite (libsql)': () => {
    const database = new Database(at)
    database.exec('pragma busy_timeout = 10000')
    return new SqliteDialect({ database })
  },
  PostgreSQL: () => new PostgresDialect({ pool: new pg.Pool({ connectionString: at, max: 25 }) }),
  MariaDB: () => new MysqlDialect({ pool: createPool({ uri: at, connectionLimit: 25 }) }),
}

const kysely = new Kysely({ dialect: dialects[kind]() })

// biome-ignore lint/style/noDefaultExport: it is what the contract suite asks for
export default () => ({
  ...sqlStores(kysely, { prefix }),
  ...sqlOAuthStores(kysely, { prefix }),
  passkeys: sqlPasskeyStore(kysely, { prefix }),
})
