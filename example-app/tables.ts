import type { ColumnType, Generated } from 'kysely'
import type { Database } from './database.js'

/** Text of which every byte counts. MySQL answers it as bytes; `String()` makes text of either. */
type Exact = ColumnType<string | Buffer, string, string>

/**
 * This server's own tables. Those of the router are beside them, and are read and written by the
 * router alone.
 */
export interface ChatTables {
  chat_users: {
    id: Exact
    username: Exact
    /** As its owner wrote it. */
    email: Exact
    /** The same in lower case, which is what belongs to one user. */
    email_key: Exact
    name: Exact
    password_hash: ColumnType<string | Buffer | null, string | null, string>
    disabled: number
    /** 1 while its owner must set another password. */
    must_change_password: number
    /** When a temporary password stops signing in, as ISO 8601. */
    password_until: ColumnType<string | Buffer | null, string | null, string | null>
    /** 1 once its owner has shown that mail to the address arrives. */
    email_verified: number
    /** 1 while its owner wants codes by mail as a second factor. */
    email_factor: number
    /** In the form E.164, which belongs to one user. */
    phone: ColumnType<string | Buffer | null, string | null, string | null>
    /** 1 once its owner has shown that messages to the number arrive. */
    phone_verified: number
    /** 1 while its owner wants codes by text message as a second factor. */
    phone_factor: number
  }
  chat_messages: {
    /** Counts up over all rooms: the order of the messages. */
    number: Generated<number>
    id: Exact
    room: Exact
    author_id: Exact
    author_name: Exact
    body: Exact
    sent_at: Exact
  }
}

/** Makes the tables where they are not there yet. */
export async function createTables(database: Database): Promise<void> {
  for (const create of [createUsers, createMessages]) {
    // Of two processes that start together, one can fail in spite of IF NOT EXISTS, once the
    // other's table is there. It finds it then.
    await create(database).catch(() => create(database))
  }
}

// The indexes are what guarantees that a name fits one user only: two would be let into each
// other's accounts.
async function createUsers({ kysely, engine }: Database): Promise<void> {
  const table = kysely.schema.createTable('chat_users').ifNotExists()
  await table
    .addColumn('id', exact(engine, 255), (column) => column.primaryKey())
    .addColumn('username', exact(engine, 255), (column) => column.notNull().unique())
    .addColumn('email', exact(engine, 320), (column) => column.notNull())
    .addColumn('email_key', exact(engine, 320), (column) => column.notNull().unique())
    .addColumn('name', exact(engine, 255), (column) => column.notNull())
    .addColumn('password_hash', exact(engine, 255))
    .addColumn('disabled', 'smallint', (column) => column.notNull())
    .addColumn('must_change_password', 'smallint', (column) => column.notNull())
    .addColumn('password_until', exact(engine, 30))
    .addColumn('email_verified', 'smallint', (column) => column.notNull())
    .addColumn('email_factor', 'smallint', (column) => column.notNull())
    .addColumn('phone', exact(engine, 32), (column) => column.unique())
    .addColumn('phone_verified', 'smallint', (column) => column.notNull())
    .addColumn('phone_factor', 'smallint', (column) => column.notNull())
    .execute()
  await kysely
    .selectFrom('chat_users')
    .select(['email_key', 'email_verified', 'email_factor', 'password_until', 'phone'])
    .limit(1)
    .execute()
    .catch((cause: unknown) => {
      throw new Error('it is of an older example: name another, or an empty one', { cause })
    })
}

async function createMessages({ kysely, engine }: Database): Promise<void> {
  const table = kysely.schema.createTable('chat_messages').ifNotExists()
  const numbered =
    engine === 'postgres'
      ? table.addColumn('number', 'integer', (column) =>
          column.generatedAlwaysAsIdentity().primaryKey(),
        )
      : table.addColumn('number', 'integer', (column) => column.autoIncrement().primaryKey())
  await numbered
    .addColumn('id', exact(engine, 36), (column) => column.notNull())
    .addColumn('room', exact(engine, 64), (column) => column.notNull())
    .addColumn('author_id', exact(engine, 255), (column) => column.notNull())
    .addColumn('author_name', exact(engine, 255), (column) => column.notNull())
    .addColumn('body', exact(engine, 2000), (column) => column.notNull())
    .addColumn('sent_at', exact(engine, 24), (column) => column.notNull())
    .addUniqueConstraint('chat_messages_by_room', ['room', 'number'])
    .execute()
}

// MySQL compares loosely: to most of its collations `alice`, `álice` and `alice ` are one name,
// under which one user could be guessed at several times as often. Bytes are compared as bytes; the
// other databases compare text exactly.
function exact(
  engine: Database['engine'],
  characters: number,
): `varbinary(${number})` | `varchar(${number})` {
  return engine === 'mysql' ? `varbinary(${characters * 4})` : `varchar(${characters})`
}
