// Servers with the option `oauth` in processes of their own, on one set of stores.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import { generateSigningKey, type OAuthClient, type OAuthOptions } from '../../src/index.js'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { redisOnceStore, redisStores } from '../../src/stores/redis/redis-stores.js'
import {
  type DatabaseKind,
  databaseKind,
  openDatabase,
  openSqlite,
  temporaryFolder,
} from './databases.js'
import { everyEngine } from './engines.js'
import { encryptionKey } from './host.js'
import { apps, issuer } from './oauth-apps.js'
import { randomKey } from './records.js'
import { mysqlUrl, postgresUrl, redisUrl } from './services.js'

/** Of all processes. */
export const signingKey = await generateSigningKey()

type MemoryStores = ReturnType<typeof memoryStores>

/** Stores of this process, and how others reach the same rows; null: they cannot. */
export interface Shared {
  readonly stores: Pick<MemoryStores, 'codes' | 'sessions' | 'tickets' | 'deviceCodes'>
  readonly oauthStores: Pick<OAuthOptions, 'consents' | 'once'>
  readonly reached: Reached | null
}

/** Where processes find the same rows. */
export interface Reached {
  readonly engine: string
  readonly address: string
  readonly prefix: string
}

/** A kind of store. Use `isThere` with `skipIf`. */
export interface SharedKind {
  readonly name: string
  readonly isThere: boolean
  /** Null: in the memory of this process. */
  readonly reach: (() => Promise<Shared>) | null
}

/** Opens it, until the test is over. */
export function openShared({ reach }: SharedKind): Promise<Shared> {
  if (reach !== null) return reach()
  const { consents, once: names } = memoryOAuthStores()
  const oauthStores = { consents, once: names }
  return Promise.resolve({ stores: memoryStores(), oauthStores, reached: null })
}

async function inSql(kind: DatabaseKind, address: string): Promise<Shared> {
  const { stores, oauthStores: others, prefix, close } = await openDatabase(kind)
  onTestFinished(close)
  const { consents, once: names } = others
  return {
    stores,
    oauthStores: { consents, once: names },
    reached: { engine: kind.engine, address, prefix },
  }
}

async function inFile(): Promise<Shared> {
  const file = join(temporaryFolder(), 'auth.db')
  const kind = { name: 'file', engine: 'sqlite', isServer: false } as const
  return inSql({ ...kind, open: (settings) => openSqlite(file, settings) }, file)
}

async function inRedis(address: string): Promise<Shared> {
  const client = createClient({ url: address })
  await client.connect()
  onTestFinished(() => void client.destroy())
  const prefix = `apps-${randomKey()}:`
  const { consents } = memoryOAuthStores()
  return {
    stores: redisStores(client, { prefix }),
    oauthStores: { consents, once: redisOnceStore(client, { prefix }) },
    reached: { engine: 'redis', address, prefix },
  }
}

/** Those that processes share. */
export const sharedKinds: readonly SharedKind[] = [
  { name: 'SQLite', isThere: true, reach: inFile },
  {
    name: 'PostgreSQL',
    isThere: postgresUrl !== null,
    reach: () => inSql(databaseKind('PostgreSQL'), postgresUrl ?? ''),
  },
  {
    name: 'MariaDB',
    isThere: everyEngine && mysqlUrl !== null,
    reach: () => inSql(databaseKind('MariaDB'), mysqlUrl ?? ''),
  },
  { name: 'Redis', isThere: redisUrl !== null, reach: () => inRedis(redisUrl ?? '') },
]

/** What a test wants to be otherwise; options as JSON. */
export interface ProcessSettings {
  readonly clients?: readonly OAuthClient[]
  readonly baseUrl?: string
  /** Of tokens of the host's own API. */
  readonly audience?: string
  readonly options?: object
  readonly oauth?: object
  /** Whether ended sessions are announced by the engine of the stores. */
  readonly withBus?: boolean
}

/** Starts two of them, until the test is over. Answers where their routers are. */
export async function startProcesses(
  reached: Reached,
  settings: ProcessSettings = {},
): Promise<readonly [string, string]> {
  const base = {
    clients: apps,
    baseUrl: `${issuer}/api/v1`,
    audience: 'chat',
    options: {},
    oauth: {},
  }
  const given = { ...base, withBus: false, ...settings, ...reached, encryptionKey, signingKey }
  const start = () => fork(new URL('oauth-process.mjs', import.meta.url), [JSON.stringify(given)])
  const processes = [start(), start()] as const
  onTestFinished(async () => {
    await Promise.all(processes.map(endOf))
  })
  return Promise.all([urlOf(processes[0]), urlOf(processes[1])])
}

async function urlOf(process: ChildProcess): Promise<string> {
  const ended = once(process, 'exit').then(() => Promise.reject(new Error('it did not start')))
  const [{ port }] = (await Promise.race([once(process, 'message'), ended])) as [{ port: number }]
  return `http://127.0.0.1:${port}/api/v1`
}

async function endOf(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = once(process, 'exit')
  process.disconnect()
  await ended
}
