// The router over PostgreSQL: stores, signing keys that are replaced, pages, mails, logs.
import { Kysely, PostgresDialect } from 'kysely'
import * as router from 'messaging-auth-router'
import * as sql from 'messaging-auth-router/stores/sql'
import type { Pool } from 'pg'
import { chatUsers, usersTable } from './chat-users.js'

export function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`set ${name}: see README.md`)
  return value
}

const kyselyOver = (pool: Pool) => new Kysely<object>({ dialect: new PostgresDialect({ pool }) })

export async function migrate(pool: Pool): Promise<void> {
  await sql.migrateSql(kyselyOver(pool), { audit: true })
  await pool.query(usersTable)
}

// What is not sent is tried again, and then logged.
async function send({ to, subject, text }: router.Mail): Promise<void> {
  const asked = { method: 'POST', signal: AbortSignal.timeout(10_000) }
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ to, subject, text })
  const { ok, status } = await fetch(setting('MAIL_URL'), { ...asked, headers, body })
  if (!ok) throw new Error(`the mail service answered ${status}`)
}

export async function openAuth(pool: Pool) {
  const [origin, encryptionKeys] = [setting('ORIGIN'), setting('AUTH_ENCRYPTION_KEYS').split(',')]
  const { keys, ...stores } = sql.sqlStores(kyselyOver(pool))
  const { consents, once } = sql.sqlOAuthStores(kyselyOver(pool))
  const audit = sql.sqlAudit(kyselyOver(pool)) // who signed in from where, for the terminal
  const logger = router.consoleLogger()
  const ring = router.keyRing({ store: keys, encryptionKeys, logger })
  await ring.ready()
  await router.probeStores({ ...stores, keys, consents, once })
  const failed = (error: unknown) => logger.error('no new signing key', { error: String(error) })
  const rotate = () => ring.rotate({ ifOlderThan: 30 * 24 * 3600 }).catch(failed)
  setInterval(rotate, 3600 * 1000).unref()
  const app = { id: 'desktop', name: 'Chat Desktop', type: 'native', firstParty: true } as const
  const desktop = { ...app, redirectUris: ['http://127.0.0.1/callback'], scopes: ['*'] }
  const auth = router.createAuthRouter({
    users: chatUsers(pool),
    ...stores,
    bus: sql.postgresBus(pool),
    signer: router.joseSigner({ issuer: origin, audience: 'chat', keys: ring }),
    encryptionKeys,
    logger,
    onEvent: audit,
    pagesOrigin: origin,
    oauth: { baseUrl: `${origin}/api/v1`, clients: [desktop], consents, once },
    pages: { brand: { name: 'Chat' } },
    accounts: { mail: { send }, registration: 'open' },
  })
  const close = () => auth.close().then(() => audit.close())
  return { auth, close }
}
