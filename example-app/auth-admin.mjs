// What messaging-auth-router works on from a terminal: stores, keys and counters of this server.
// npx messaging-auth-router sessions list --user <id> --config example-app/auth-admin.mjs
import { sqlMigrations, sqlPasskeyStore, sqlStores } from 'messaging-auth-router/stores/sql'
import { openDatabase } from './build/database.js'
import { openKeyRing, readEncryptionKeys } from './build/keys.js'
import { openRedis } from './build/redis.js'
import { readSettings } from './build/settings.js'

/** @returns {Promise<import('messaging-auth-router/admin').AdminFile>} */
// biome-ignore lint/style/noDefaultExport: the program reads it so.
export default async function open() {
  const settings = readSettings(process.env)
  const { kysely, bus } = await openDatabase(settings.databaseUrl)
  const redis = settings.redisUrl === null ? null : await openRedis(settings.redisUrl)
  const encryptionKeys = await readEncryptionKeys(settings)
  const { keys, ...stores } = sqlStores(kysely)
  return {
    stores: { ...stores, passkeys: sqlPasskeyStore(kysely) },
    ...(bus && { bus }),
    ...redis?.options,
    // A server of a key of its own, AUTH_SIGNING_KEY, has no ring.
    ...(settings.signingKey === null && { keys: await openKeyRing(keys, encryptionKeys) }),
    encryptionKeys: encryptionKeys.base64,
    migrations: sqlMigrations(kysely),
    async close() {
      redis?.close()
      await kysely.destroy()
    },
  }
}
