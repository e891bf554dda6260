// Servers with the option `accounts` in processes of their own, on one set of stores and one table
// of users.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { generateSigningKey, type MailKind } from '../../src/index.js'
import {
  type DatabaseKind,
  databaseKind,
  openDatabase,
  openSqlite,
  temporaryFolder,
} from './databases.js'
import { everyEngine } from './engines.js'
import { encryptionKey, passwordHash } from './host.js'
import { tokenIn } from './mounted-accounts.js'
import { mysqlUrl, postgresUrl, redisUrl } from './services.js'

const signingKey = await generateSigningKey()
/** The only user. */
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

const inServer = (name: string, address: string | null) => (): Reached => ({
  kind: databaseKind(name),
  address: address ?? '',
  redis: null,
})

/** A kind of store that two processes share. Use `isThere` with `skipIf`. */
export interface SharedAccounts {
  readonly name: string
  readonly isThere: boolean
  readonly reach: () => Reached
}

export const sharedAccounts: readonly SharedAccounts[] = [
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
    name: 'Redis, with users in SQLite',
    isThere: redisUrl !== null,
    reach: () => inFile(redisUrl),
  },
]

/** The row of alice. */
export interface UserRow {
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

/** A server that was started. */
export interface AccountProcess {
  readonly url: string
  /** What it has mailed, oldest first. */
  readonly mails: readonly SentMail[]
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<string | null>
  ask(method: string, path: string, body?: object, token?: string): Promise<Answer>
  post(path: string, body?: object, token?: string): Promise<Answer>
}

/** The table of users, and how servers on it are started. */
export interface AccountTable {
  /** The only row. */
  row(): Promise<UserRow>
  rows(): Promise<readonly UserRow[]>
  /** Whether alice is still there. */
  isThere(): Promise<boolean>
  start(diesAt?: Death): Promise<AccountProcess>
}

/** Makes the tables, with alice in them, whose address is proven. */
export async function openAccounts({ reach }: SharedAccounts): Promise<AccountTable> {
  const { kind, address, redis } = reach()
  // The prefix is also that of the keys in Redis, which everybody shares.
  const { kysely, prefix, close } = await openDatabase(kind)
  const table = `${prefix}users`
  onTestFinished(async () => {
    await kysely.schema.dropTable(table).execute()
    await close()
  })
  await createUsers(kysely, table)
  const settings = { engine: kind.engine, address, prefix, redis, encryptionKey, signingKey }
  const readAll = async () =>
    (await sql<UserRow>`select * from ${sql.table(table)}`.execute(kysely)).rows
  return {
    rows: readAll,
    async row() {
      const rows = await readAll()
      expect(rows).toHaveLength(1)
      return rows[0] as UserRow
    },
    isThere: async () => (await readAll()).length > 0,
    start: (diesAt) => startProcess({ ...settings, diesAt: diesAt ?? null }),
  }
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
  const values = sql.join(['u-alice', 'alice', 'Alice', firstAddress, 1, 0, passwordHash])
  await sql`insert into ${sql.table(table)} values (${values})`.execute(kysely)
}

async function startProcess(settings: object): Promise<AccountProcess> {
  const child = fork(new URL('account-process.mjs', import.meta.url), [JSON.stringify(settings)])
  const ended = once(child, 'exit').then(([, signal]) => signal as string | null)
  onTestFinished(() => endOf(child, ended))
  const mails: SentMail[] = []
  const listening = new Promise<number>((resolve) => {
    child.on('message', (message: SentMail | { readonly port: number }) => {
      if ('port' in message) resolve(message.port)
      else mails.push(message)
    })
  })
  const failed = ended.then(() => Promise.reject(new Error('it did not start')))
  failed.catch(() => {})
  const url = `http://127.0.0.1:${await Promise.race([listening, failed])}`
  const ask: AccountProcess['ask'] = (...given) => request(url, ...given)
  return { url, mails, ended, ask, post: (path, body, token) => ask('POST', path, body, token) }
}

async function endOf(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.connected) child.disconnect()
  await ended
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

/** The last mail of a kind that the processes have sent, once it is there. */
export async function mailOf(
  processes: readonly AccountProcess[],
  kind: MailKind,
  to: string,
): Promise<SentMail> {
  const found = () =>
    processes.flatMap(({ mails }) => mails).findLast((mail) => mail.kind === kind && mail.to === to)
  await expect.poll(found).toBeDefined()
  return found() as SentMail
}

/** What a newcomer sends. */
export const newcomer = {
  email: 'ada@example.com',
  username: 'ada',
  name: 'Ada',
  password: 'a phrase that nobody else has typed',
}

/** The body that confirms a registration. */
export async function registerAt(
  process: AccountProcess,
  given: object = {},
): Promise<{ readonly requestId: string; readonly code: string }> {
  const asked = await process.post('/auth/register', { ...newcomer, ...given })
  expect(asked.status, asked.error).toBe(202)
  const { code = '' } = await mailOf([process], 'register', newcomer.email)
  return { requestId: asked.data.requestId, code }
}

/** The token of a link for a new password. */
export async function resetToken(process: AccountProcess): Promise<string> {
  const { status } = await process.post('/auth/password/forgot', { username: 'alice' })
  expect(status).toBe(202)
  return tokenIn((await mailOf([process], 'reset-password', firstAddress)).url)
}

/** The body that deletes the account of a session. */
export async function deletionBy(
  process: AccountProcess,
  token: string,
): Promise<{ readonly requestId: string; readonly code: string }> {
  const asked = await process.post('/auth/account/delete', {}, token)
  expect(asked.status, asked.error).toBe(202)
  const { code = '' } = await mailOf([process], 'confirm-deletion', firstAddress)
  return { requestId: asked.data.requestId, code }
}

/** The body that confirms a change of the address. */
export async function changeTo(
  process: AccountProcess,
  email: string,
  token: string,
): Promise<{ readonly requestId: string; readonly code: string }> {
  const asked = await process.post('/auth/email/change', { email }, token)
  expect(asked.status, asked.error).toBe(202)
  const { code = '' } = await mailOf([process], 'change-address', email)
  return { requestId: asked.data.requestId, code }
}
