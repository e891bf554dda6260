// What the child processes of the two-process mode import: the stores of one kind of database, by
// the query of this module's address.
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { sqlOAuthStores, sqlPasskeyStore, sqlStores } from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'

const { kind, prefix, at } = Object.fromEntries(new URL(import.meta.url).searchParams)

// The processes stay for the whole run: what a race leaves idle, other tests may need. Within a
// race, connections stay open even where the machine is so busy that a round takes seconds.
const idle = 5000
const dialects = {
  'SQLite (libsql)': () => {
    const database = new Database(at)
    database.exec('pragma busy_timeout = 10000')
    return new SqliteDialect({ database })
  },
  PostgreSQL: () => {
    const pool = new pg.Pool({ connectionString: at, max: 25, idleTimeoutMillis: idle })
    return new PostgresDialect({ pool })
  },
  MariaDB: () => {
    const pool = createPool({ uri: at, connectionLimit: 25, maxIdle: 1, idleTimeout: idle })
    return new MysqlDialect({ pool })
  },
}

const kysely = new Kysely({ dialect: dialects[kind]() })

// biome-ignore lint/style/noDefaultExport: it is what the contract suite asks for
export default () => ({
  ...sqlStores(kysely, { prefix }),
  ...sqlOAuthStores(kysely, { prefix }),
  passkeys: sqlPasskeyStore(kysely, { prefix }),
})
