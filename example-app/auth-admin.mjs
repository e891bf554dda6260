// What messaging-auth-router works on from a terminal: stores, keys and counters of this server.
// node dist/cli.js sessions list --user <id> --config example-app/auth-admin.mjs
import { bcryptHasher, keyRing } from 'messaging-auth-router'
import {
  sqlMigrations,
  sqlOAuthStores,
  sqlPasskeyStore,
  sqlStores,
} from 'messaging-auth-router/stores/sql'
import { openDatabase } from './build/database.js'
import { readEncryptionKeys } from './build/keys.js'
import { openRedis } from './build/redis.js'
import { readSettings } from './build/settings.js'
import { createUserTable } from './build/users.js'

/** @returns {Promise<import('messaging-auth-router/admin').AdminFile>} */
// biome-ignore lint/style/noDefaultExport: the program reads it so.
export default async function open() {
  const settings = readSettings(process.env)
  const { kysely, bus } = await openDatabase(settings.databaseUrl)
  const redis = settings.redisUrl === null ? null : await openRedis(settings.redisUrl)
  const { base64: encryptionKeys } = await readEncryptionKeys(settings)
  const { keys, ...stores } = sqlStores(kysely)
  // Those that registered themselves: the others are in oauth.ts.
  const { clients } = sqlOAuthStores(kysely)
  // Nothing is read before a command needs it, so that `migrate` finds no tables missing.
  const ofServer = { store: keys, encryptionKeys, create: false }
  return {
    stores: { ...stores, clients, passkeys: sqlPasskeyStore(kysely) },
    // For `password temporary`.
    users: createUserTable(kysely),
    passwords: bcryptHasher(),
    ...(bus && { bus }),
    ...redis?.options,
    // A server of a key of its own, AUTH_SIGNING_KEY, has no ring.
    ...(settings.signingKey === null && { keys: keyRing(ofServer) }),
    encryptionKeys,
    migrations: sqlMigrations(kysely),
    async close() {
      redis?.close()
      await kysely.destroy()
    },
  }
}
