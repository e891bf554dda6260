import { type AuthRouter, createAuthRouter, joseSigner, probeStores } from 'messaging-auth-router'
import { migrateSql, sqlStores } from 'messaging-auth-router/stores/sql'
import type { Database } from './database.js'
import { keepRotating, openKeyRing, readEncryptionKeys } from './keys.js'
import { log } from './log.js'
import type { SharedInRedis } from './redis.js'
import { type Settings, withServer, withSetting } from './settings.js'
import { createTables } from './tables.js'
import { createUserTable } from './users.js'

/** Makes the router over the database, whose tables it makes first. */
export async function createAuth(
  settings: Settings,
  database: Database,
  redis: SharedInRedis | null,
): Promise<AuthRouter> {
  const { keys, ...inDatabase } = sqlStores(database.kysely)
  const stores = { ...inDatabase, ...redis?.stores }
  await withServer('DATABASE_URL', [settings.databaseUrl], async () => {
    await migrateSql(database.kysely)
    await createTables(database)
  })
  const encryptionKeys = await readEncryptionKeys(settings)
  const ring = await openKeyRing(keys, encryptionKeys)
  keepRotating(ring)
  // Before anybody can sign in: do these stores let exactly one caller win?
  const urls = [settings.databaseUrl, settings.redisUrl ?? '']
  await withServer('DATABASE_URL or REDIS_URL', urls, () => probeStores({ ...stores, keys }))
  const { signingKey, mustHaveSecondFactor: named } = settings
  // A server with a name of its own writes its public URL here. Tokens carry it; nothing fetches
  // it.
  const names = { issuer: 'http://127.0.0.1', audience: 'chat' }
  const signer = withSetting('AUTH_SIGNING_KEY', () =>
    joseSigner({ ...names, keys: signingKey === null ? ring : [signingKey] }),
  )
  return createAuthRouter({
    users: createUserTable(database.kysely),
    ...stores,
    ...(database.bus && { bus: database.bus }),
    ...redis?.options,
    signer,
    encryptionKeys: encryptionKeys.base64,
    secondFactor: ({ username }) =>
      named.has(username) || named.has('everybody') ? 'required' : 'optional',
    totpIssuer: 'Chat',
    logger: { debug() {}, info() {}, warn: log, error: log },
  })
}
