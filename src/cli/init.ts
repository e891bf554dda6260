import { writeFileSync } from 'node:fs'
import type { Command } from './command.js'

/** The file that names the parts, unless `--config` names another one. */
export const defaultFile = 'auth-admin.mjs'

/** Writes an `auth-admin.mjs` to begin with. */
export const init: Command = {
  name: 'init',
  does: `writes ${defaultFile}, which names the stores, keys and counters of your servers`,
  async run(given) {
    const file = given.text('config') ?? defaultFile
    try {
      writeFileSync(file, begin, { flag: 'wx' })
    } catch (error) {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
      const said = isThere ? `${file} is there already` : `${file} cannot be written`
      return { data: { file: null }, said, exitCode: 1 }
    }
    return { data: { file }, said: `${file} is written: make it name what your servers have` }
  },
}

const begin = `// What messaging-auth-router works on: stores, keys, counters of the servers.
// It is run with the rights of whoever calls it, and has the secrets of the servers.
import { Kysely, PostgresDialect } from 'kysely'
import { keyRing } from 'messaging-auth-router'
import {
  postgresBus,
  sqlAudit,
  sqlMigrations,
  sqlOAuthStores,
  sqlPasskeyStore,
  sqlStores,
} from 'messaging-auth-router/stores/sql'
import pg from 'pg'

const connectionString = process.env['DATABASE_URL']
const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5000 })
pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
const encryptionKeys = [process.env['AUTH_ENCRYPTION_KEYS']]
const { keys: store, ...stores } = sqlStores(kysely)
const { idTokenKeys: _ofRs256, ...oauthStores } = sqlOAuthStores(kysely)
const audit = sqlAudit(kysely, { purgeInterval: 0 })

/** @type {import('messaging-auth-router/admin').AdminFile} */
export default {
  stores: {
    ...stores,
    ...oauthStores,
    passkeys: sqlPasskeyStore(kysely),
  },
  // With it servers know at once; without, within 5 seconds.
  bus: postgresBus(pool),
  // As in the servers: longestToken, publishAhead, algorithm.
  keys: keyRing({ store, encryptionKeys, create: false }),
  encryptionKeys,
  // For unlock: throttle: { limiter }, as in the servers, and canonicalIdentifier.
  // For accounts delete and disable: users: { async delete(userId) {}, async disable(userId) {} }.
  // For clients add: oauth: { scopes, baseUrl, audience }.
  // For directory check and watch: directories: { list, allowed }, as in the servers.
  onEvent: audit,
  migrations: sqlMigrations(kysely, { audit: true }),
  async close() {
    await audit.close()
    await kysely.destroy()
  },
}
`
