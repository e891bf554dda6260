// Servers in processes of their own, with everything mounted, on one set of stores and one table of
// users: what several of them do to the same rows.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { generateSigningKey, type MailKind, type OAuthClient } from '../../src/index.js'
import { origin, rpId } from '../passkeys/authenticator.js'
import {
  type DatabaseKind,
  databaseKind,
  openDatabase,
  openSqlite,
  temporaryFolder,
} from './databases.js'
import { everyEngine } from './engines.js'
import { encryptionKey, passwordHash, type Served } from './host.js'
import { issuer } from './oauth-apps.js'
import { mysqlUrl, postgresUrl, redisUrl } from './services.js'

const signingKey = await generateSigningKey()
/** The first user's. */
export const firstAddress = 'alice@example.com'

/** Where processes find the same rows. */
interface Reached {
  readonly kind: DatabaseKind
  readonly address: string
  readonly redis: string | null
}

function inFile(redis: string | null = null): Reached {
  const address = join(temporaryFolder(), 'auth.db')
  const open = () => openSqlite(address)
  return { kind: { name: 'file', engine: 'sqlite', isServer: false, open }, address, redis }
}

const inServer =
  (name: string, address: string | null, redis: string | null = null) =>
  (): Reached => ({ kind: databaseKind(name), address: address ?? '', redis })

/** A kind of store that processes share. Use `isThere` with `skipIf`. */
export interface SharedKind {
  readonly name: string
  readonly isThere: boolean
  readonly reach: () => Reached
}

export const sharedKinds: readonly SharedKind[] = [
  { name: 'SQLite', isThere: true, reach: () => inFile() },
  {
    name: 'PostgreSQL',
    isThere: postgresUrl !== null,
    reach: inServer('PostgreSQL', postgresUrl),
  },
  {
    name: 'MariaDB',
    isThere: everyEngine && mysqlUrl !== null,
    reach: inServer('MariaDB', mysqlUrl),
  },
  {
    name: 'Redis, with what lasts in SQL',
    isThere: redisUrl !== null,
    reach:
      postgresUrl === null ? () => inFile(redisUrl) : inServer('PostgreSQL', postgresUrl, redisUrl),
  },
]
/**
 * The two that show most for their time. A process waits for SQLite inside of itself, and answers
 * one request after the other: it is raced where every engine is, or where nothing else is there.
 */
export const tellingKinds: readonly SharedKind[] = sharedKinds.filter(({ name }) =>
  postgresUrl === null ? /^(SQLite|Redis)/.test(name) : /^(PostgreSQL|Redis)/.test(name),
)
/** One process alone, whose users are in a file. */
export const inOneMemory: SharedKind = { name: 'memory', isThere: true, reach: () => inFile() }

/** A row of the table of users. */
export interface UserRow {
  readonly id: string
  readonly email: string
  readonly username: string
  readonly email_verified: number
  readonly password_hash: string
}

/** The call at which a process kills itself. */
export interface Death {
  readonly part: 'users' | 'proofs' | 'sessions' | 'secondFactors'
  readonly method: string
  readonly when: 'before' | 'after'
  /** Of the proof that is called for. Default: any. */
  readonly purpose?: string
}

/** What a test wants to be otherwise; as JSON. */
export interface ServerSettings {
  readonly diesAt?: Death
  /** One whose id is `courier-` is a service for the user whose id follows. */
  readonly clients?: readonly OAuthClient[]
  readonly baseUrl?: string
  /** Of tokens of the host's own API. */
  readonly audience?: string
  readonly oauth?: object
  /** Options that are left out. */
  readonly without?: readonly string[]
  /** Whether ended sessions are announced by the engine of the stores. */
  readonly withBus?: boolean
}

export interface Answer {
  /** 0: none came, since the process has ended. */
  readonly status: number
  readonly error: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answers
  readonly data: any
}

export interface SentMail {
  readonly kind: MailKind
  readonly to: string
  readonly code?: string
  readonly url?: string
}

/** A server that was started. Its address is where its router is. */
export interface ServerProcess extends Served {
  /** What it has mailed, oldest first. */
  readonly mails: readonly SentMail[]
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<string | null>
  ask(method: string, path: string, body?: object, token?: string): Promise<Answer>
  post(path: string, body?: object, token?: string): Promise<Answer>
  /** What the host's own code does there: `auth.…`, `stores.…`, `clock.advance`, `process.…`. */
  call<T = unknown>(path: string, ...given: readonly unknown[]): Promise<T>
}

/** The table of users, and how servers on it are started. */
export interface ServerTables {
  /** The only row. */
  row(): Promise<UserRow>
  rows(): Promise<readonly UserRow[]>
  /** Whether alice is still there. */
  isThere(): Promise<boolean>
  /** Whose id, address and password follow from the name. */
  addUser(name: string): Promise<UserRow>
  start(settings?: ServerSettings): Promise<ServerProcess>
}

/** What is to be done when the servers are no longer needed. */
export type AtEnd = (end: () => Promise<void>) => void

/** Makes the tables, with alice in them, whose address is proven. By default for one test. */
export async function openServers(
  shared: SharedKind,
  atEnd: AtEnd = onTestFinished,
): Promise<ServerTables> {
  const { kind, address, redis } = shared.reach()
  // The prefix is also that of the keys in Redis, which everybody shares.
  const { kysely, prefix, close } = await openDatabase(kind)
  const table = `${prefix}users`
  atEnd(async () => {
    await kysely.schema.dropTable(table).execute()
    await close()
  })
  await createUsers(kysely, table)
  const reached = { engine: kind.engine, address, prefix, redis, inMemory: shared === inOneMemory }
  const rows = async () =>
    (await sql<UserRow>`select * from ${sql.table(table)}`.execute(kysely)).rows
  return {
    rows,
    async row() {
      const [row, ...others] = await rows()
      expect(others).toEqual([])
      return row as UserRow
    },
    isThere: async () => (await rows()).length > 0,
    addUser: (name) => insertUser(kysely, table, name),
    start: (settings = {}) => startProcess({ ...common, ...reached, ...settings }, atEnd),
  }
}

/** Of all processes, unless a test says otherwise. */
const common = {
  ...{ encryptionKey, signingKey, site: { rpId, origin } },
  ...{ diesAt: null, clients: [], oauth: {}, without: [], withBus: false },
  baseUrl: `${issuer}/api/v1`,
  audience: 'chat',
}

async function createUsers(kysely: Kysely<object>, table: string): Promise<void> {
  await kysely.schema
    .createTable(table)
    .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('username', 'varchar(64)', (column) => column.notNull().unique())
    .addColumn('name', 'varchar(64)', (column) => column.notNull())
    .addColumn('email', 'varchar(254)', (column) => column.unique())
    .addColumn('email_verified', 'integer', (column) => column.notNull())
    .addColumn('email_factor', 'integer', (column) => column.notNull())
    .addColumn('password_hash', 'varchar(200)')
    .execute()
  await insertUser(kysely, table, 'alice')
}

async function insertUser(kysely: Kysely<object>, table: string, name: string): Promise<UserRow> {
  const [id, email] = [`u-${name}`, `${name}@example.com`]
  const values = sql.join([id, name, name, email, 1, 0, passwordHash])
  await sql`insert into ${sql.table(table)} values (${values})`.execute(kysely)
  return { id, username: name, email, email_verified: 1, password_hash: passwordHash }
}

async function startProcess(settings: object, atEnd: AtEnd): Promise<ServerProcess> {
  const program = new URL('server-process.mjs', import.meta.url)
  // Dates and bytes are to arrive as such.
  const child = fork(program, [JSON.stringify(settings)], { serialization: 'advanced' })
  const ended = once(child, 'exit').then(([, signal]) => signal as string | null)
  atEnd(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  const mails: SentMail[] = []
  const listening = new Promise<number>((resolve) => {
    child.on('message', (message: object) => {
      if ('port' in message) resolve(message.port as number)
      else if ('kind' in message) mails.push(message as SentMail)
    })
  })
  const failed = ended.then(() => Promise.reject(new Error('it did not start')))
  failed.catch(() => {})
  const url = `http://127.0.0.1:${await Promise.race([listening, failed])}/api/v1`
  const ask: ServerProcess['ask'] = (...given) => request(url, ...given)
  return {
    ...{ url, issued: new Set(), mails, ended, ask, call: callerOf(child) },
    post: (path, body, token) => ask('POST', path, body, token),
  }
}

interface Called {
  readonly id: number
  readonly value?: unknown
  readonly problem?: string
}

function callerOf(child: ChildProcess): ServerProcess['call'] {
  const waiting = new Map<number, (called: Called) => void>()
  let calls = 0
  child.on('message', (message: object) => {
    if ('id' in message) waiting.get((message as Called).id)?.(message as Called)
  })
  return async function call<T>(path: string, ...given: readonly unknown[]) {
    calls += 1
    const id = calls
    const called = new Promise<Called>((resolve) => void waiting.set(id, resolve))
    child.send({ id, path, given })
    const { value, problem } = await called
    waiting.delete(id)
    if (problem !== undefined) throw new Error(`${path}: ${problem}`)
    return value as T
  }
}

async function request(
  url: string,
  method: string,
  path: string,
  body?: object,
  token?: string,
): Promise<Answer> {
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  }
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const { error, data, ...rest } = JSON.parse(await answer.text())
    return { status: answer.status, error, data: data ?? rest }
  } catch (error) {
    return { status: 0, error: String(error), data: {} }
  }
}
