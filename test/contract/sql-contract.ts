import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type StoresUnderTest, storeContract } from '../../src/testing/testing.js'
import {
  type DatabaseKind,
  databaseKind,
  type OpenSettings,
  openDatabase,
  openSqlite,
  type TestDatabase,
  temporaryFolder,
} from '../support/databases.js'
import { type DatabaseProxy, startProxy } from '../support/proxy.js'
import { mysqlUrl, postgresUrl } from '../support/services.js'

const contracts = [
  'codes',
  'sessions',
  'secondFactors',
  'tickets',
  'proofs',
  'identities',
  'deviceCodes',
  'keys',
  'consents',
  'once',
  'clients',
  'passkeys',
] as const
const workerUrl = new URL('../../dist/process-worker.js', import.meta.url)

/**
 * Runs the contract suite over the kind of database of this name, with as many connections as it
 * likes, and with one. A test file for each: the files run side by side.
 */
export function sqlContract(name: string): void {
  const kind = databaseKind(name)
  describe.skipIf(kind.open === null)(kind.name, () => {
    const file = join(temporaryFolder(), 'auth.db')
    const prefix = `c${process.pid}_`
    const shared = kind.name.startsWith('SQLite') ? { ...kind, open: () => openSqlite(file) } : kind
    const database = opened(shared, prefix)
    const at = kind.name.startsWith('SQLite') ? file : urlOf(kind)
    const query = new URLSearchParams({ kind: kind.name, prefix, at: at ?? '' })
    // PGlite lives in one process.
    const processes =
      kind.name === 'PGlite'
        ? {}
        : { processes: new URL(`process-stores.mjs?${query}`, import.meta.url), workerUrl }
    storeContract(
      { describe, it },
      { name: 'sqlStores', contracts, stores: () => allStores(database()), ...processes },
    )
  })

  describe.skipIf(kind.open === null)(`${kind.name} over a pool of one connection`, () => {
    let proxy: DatabaseProxy | undefined
    // What is registered first runs last.
    afterAll(() => proxy?.stop())
    const settings = { connections: 1 }
    const throughProxy = async () => {
      proxy = await startProxy(urlOf(kind) ?? '')
      return { ...settings, url: proxy.url }
    }
    const database = opened(
      kind,
      `o${process.pid}_`,
      kind.isServer ? throughProxy : async () => settings,
    )
    // What runs in this process cannot be away.
    const outage = { begin: () => proxy?.cut(), end: () => proxy?.mend() }
    storeContract(
      { describe, it },
      {
        name: 'sqlStores',
        contracts,
        stores: () => allStores(database()),
        rounds: 5,
        ...(kind.isServer ? { outage } : {}),
      },
    )
  })
}

function urlOf({ engine }: DatabaseKind): string | null {
  return engine === 'mysql' ? mysqlUrl : postgresUrl
}

function opened(
  kind: DatabaseKind,
  prefix: string,
  settings: () => Promise<OpenSettings> = async () => ({}),
): () => TestDatabase {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await openDatabase(kind, { prefix, ...(await settings()) })
  })
  afterAll(() => database?.close())
  return () => database as TestDatabase
}

function allStores({ stores, oauthStores, passkeys }: TestDatabase): StoresUnderTest {
  return { ...stores, ...oauthStores, passkeys }
}
