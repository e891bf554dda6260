import { type AuthRouter, createAuthRouter, joseSigner, probeStores } from 'messaging-auth-router'
import {
  migrateSql,
  sqlOAuthStores,
  sqlPasskeyStore,
  sqlStores,
} from 'messaging-auth-router/stores/sql'
import { accountsOptions } from './accounts.js'
import type { Database } from './database.js'
import { directoriesOptions } from './directories.js'
import { keepRotating, openKeyRing, readEncryptionKeys } from './keys.js'
import { log } from './log.js'
import { keysForApps, namingSettings, oauthOptions, pages } from './oauth.js'
import { passkeyOptions } from './passkeys.js'
import { providersOptions } from './providers.js'
import type { SharedInRedis } from './redis.js'
import { type Settings, withServer, withSetting } from './settings.js'
import { createTables } from './tables.js'
import { createUserTable } from './users.js'

/**
 * Makes the router over the database, whose tables it makes first.
 *
 * @param publicUrl - the origin that browsers and apps use
 */
export async function createAuth(
  settings: Settings,
  database: Database,
  redis: SharedInRedis | null,
  publicUrl: string,
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
  const apps = sqlOAuthStores(database.kysely)
  const signer = withSetting('AUTH_SIGNING_KEY', () =>
    joseSigner({
      issuer: publicUrl,
      formerIssuers: formerIssuers(settings),
      audience: 'chat',
      keys: signingKey === null ? ring : [signingKey],
      ...keysForApps(settings, apps.idTokenKeys, encryptionKeys),
    }),
  )
  const store = sqlPasskeyStore(database.kysely)
  const accounts = accountsOptions(settings)
  const providers = await providersOptions(settings)
  const directories = await directoriesOptions(settings)
  const passkeys = passkeyOptions(publicUrl, { store, once: apps.once })
  return namingSettings(() =>
    createAuthRouter({
      users: createUserTable(database.kysely),
      ...stores,
      ...(database.bus && { bus: database.bus }),
      ...redis?.options,
      signer,
      encryptionKeys: encryptionKeys.base64,
      pagesOrigin: publicUrl,
      oauth: oauthOptions(settings, publicUrl, signer, apps),
      pages,
      // A signed-in device signs another one in, by a picture: see docs/devices.md.
      deviceLinks: {},
      ...(passkeys && { passkeys }),
      ...(accounts && { accounts }),
      ...(providers && { providers }),
      ...(directories && { directories }),
      secondFactor: ({ username }) =>
        named.has(username) || named.has('everybody') ? 'required' : 'optional',
      totpIssuer: 'Chat',
      logger: { debug() {}, info() {}, warn: log, error: log },
    }),
  )
}

/**
 * What a token may say besides of who issued it. Under another port, or in a process beside this
 * one, a server without PUBLIC_URL has another name, and nobody is to be signed out by that. One
 * with a name lists those that it has had.
 */
function formerIssuers({ publicUrl, port }: Settings): string[] {
  const ports =
    publicUrl === null ? Array.from({ length: 65_535 }, (_, index) => index + 1) : [port]
  return ['http://127.0.0.1', ...ports.map((one) => `http://localhost:${one}`)]
}
