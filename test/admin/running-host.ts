// A running router on SQLite, with a guarded socket server, and what manages it from elsewhere:
// only the database, the bus and the counters are common to both.
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type Admin, type AdminOptions, adminOf } from '../../src/admin/admin.js'
import {
  type AccountsOptions,
  type AuthEvent,
  type AuthRouterOptions,
  joseSigner,
  keyRing,
  type LimiterSettings,
} from '../../src/index.js'
import { sqlAudit } from '../../src/stores/sql/sql-audit.js'
import { migrateSql } from '../../src/stores/sql/sql-stores.js'
import { databaseKind, openDatabase } from '../support/databases.js'
import { encryptionKey, startHost } from '../support/host.js'
import { memoryBus } from '../support/memory-bus.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { oauthOptions } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'

const encryptionKeys = [encryptionKey]
/** A ring may look once more when the database is closed. */
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** Starts both. */
export async function startManaged(change: Partial<AdminOptions> = {}) {
  const database = await openDatabase(databaseKind('SQLite (libsql)'))
  onTestFinished(database.close)
  const { kysely, prefix } = database
  await migrateSql(kysely, { prefix, audit: true })
  const { keys: store, ...stores } = database.stores
  const { clients, consents, once } = database.oauthStores
  const [bus, throttle] = [memoryBus(), { limiter: sharedLimiter() }]
  const { accounts } = accountsOptions([])
  const ringOf = () => keyRing({ store, encryptionKeys, logger: quiet })
  const oauth = oauthOptions({ clients, consents, once })
  const host = await startHost({
    options: {
      ...stores,
      accounts: { ...(accounts as AccountsOptions), registration: 'invited' },
      ...passkeyOptions({ store: database.passkeys }),
      ...oauth,
      signer: joseSigner({
        issuer: 'https://chat.example.com',
        audience: 'chat',
        keys: ringOf(),
      }),
      bus,
      throttle,
      encryptionKeys,
    } as Partial<AuthRouterOptions>,
  })
  const audit = sqlAudit(kysely, { prefix, purgeInterval: 0 })
  onTestFinished(() => audit.close())
  const events: AuthEvent[] = []
  const onEvent = Object.assign(
    (event: AuthEvent) => {
      events.push(event)
      return audit(event)
    },
    { find: audit.find },
  )
  const admin: Admin = adminOf({
    stores: { ...database.stores, clients, consents, passkeys: database.passkeys },
    users: {
      delete: async (userId) => void host.users.rows.delete(userId),
      disable: async (userId) => host.users.change(userId, { disabled: true }),
    },
    bus,
    keys: ringOf(),
    encryptionKeys,
    throttle,
    oauth: { ...(oauth.oauth?.scopes && { scopes: oauth.oauth.scopes }), audience: 'chat' },
    onEvent,
    ...change,
  })
  return { host, admin, events, audit, database }
}

/** One counter for a prefix, whoever asks for it. */
function sharedLimiter(): (settings: LimiterSettings) => RateLimiterMemory {
  const made = new Map<string, RateLimiterMemory>()
  return (settings) => {
    const limiter = made.get(settings.keyPrefix) ?? memoryLimiter(settings)
    made.set(settings.keyPrefix, limiter)
    return limiter
  }
}

/** Opens a guarded socket of the host; resolves with when and why it is closed. */
export async function openSocket(
  { host }: Pick<Awaited<ReturnType<typeof startManaged>>, 'host'>,
  token: string,
) {
  const sockets = new WebSocketServer({ noServer: true })
  host.server.once('upgrade', async (request, connection, head) => {
    const principal = await host.auth.sockets.authenticate(request)
    sockets.handleUpgrade(request, connection, head, (socket) => {
      host.auth.sockets.track(socket, principal)
      socket.send('welcome')
    })
  })
  const url = `${host.url.replace('http', 'ws').replace('/api/v1', '')}/ws`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve) => socket.once('message', resolve))
  return { closed }
}
