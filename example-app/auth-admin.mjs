// What messaging-auth-router works on from a terminal: stores, keys and counters of this server.
// node dist/cli.js sessions list --user <id> --config example-app/auth-admin.mjs
import { existsSync } from 'node:fs'
import { bcryptHasher, keyRing } from 'messaging-auth-router'
import {
  sqlMigrations,
  sqlOAuthStores,
  sqlPasskeyStore,
  sqlStores,
} from 'messaging-auth-router/stores/sql'

/** The parts of the server, which `npm start` compiles. */
async function compiled() {
  if (!existsSync(new URL('./build/server.js', import.meta.url)))
    throw new Error('the example is not compiled yet: start it once with npm start')
  return {
    ...(await import('./build/database.js')),
    ...(await import('./build/directories.js')),
    ...(await import('./build/keys.js')),
    ...(await import('./build/redis.js')),
    ...(await import('./build/settings.js')),
    ...(await import('./build/users.js')),
  }
}

/** @returns {Promise<import('messaging-auth-router/admin').AdminFile>} */
// biome-ignore lint/style/noDefaultExport: the program reads it so.
export default async function open() {
  const example = await compiled()
  const settings = example.readSettings(process.env)
  const directories = await example.directoriesOptions(settings)
  const { kysely, bus } = await example.openDatabase(settings.databaseUrl)
  const redis = settings.redisUrl === null ? null : await example.openRedis(settings.redisUrl)
  const { base64: encryptionKeys } = await example.readEncryptionKeys(settings)
  const { keys, ...stores } = sqlStores(kysely)
  // Those that registered themselves: the others are in oauth.ts.
  const { clients } = sqlOAuthStores(kysely)
  // Nothing is read before a command needs it, so that `migrate` finds no tables missing.
  const ofServer = { store: keys, encryptionKeys, create: false }
  return {
    stores: { ...stores, clients, passkeys: sqlPasskeyStore(kysely) },
    // For `password temporary`.
    users: example.createUserTable(kysely),
    passwords: bcryptHasher(),
    // For `directory check` and `directory watch`, with the same DIRECTORIES as the server.
    ...(directories && { directories }),
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
