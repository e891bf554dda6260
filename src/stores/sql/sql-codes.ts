import type { InsertObject, Selectable } from 'kysely'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
} from '../code-contract.js'
import type { SessionStore } from '../contract.js'
import type { SqlEngine } from './engine.js'
import { purgeInBatches } from './purge.js'
import { insertSession } from './sql-sessions.js'
import type { AuthDatabase, AuthorizationCodesTable, SqlAuthTables } from './tables.js'
import { fromKey, fromMethods, fromMoment, fromMomentOrNull, toMoment } from './values.js'

/** Authorization codes in SQL. A code and the session it opens are one transaction. */
export function sqlCodes(engine: SqlEngine, sessions: SessionStore): AuthorizationCodeStore {
  const { db, tables, key } = engine
  const table = tables.codes

  const rowsOf = (from: AuthDatabase, codeHash: string) =>
    from.selectFrom(table).selectAll().where('code_hash', '=', key(codeHash, 'codeHash'))

  async function find(
    from: AuthDatabase,
    codeHash: string,
  ): Promise<AuthorizationCodeRecord | null> {
    const row = await rowsOf(from, codeHash).executeTakeFirst()
    return row === undefined ? null : toCode(row)
  }

  // The one conditional write: of however many callers, the database lets one change the row, and
  // tells it so.
  async function wins(within: AuthDatabase, codeHash: string, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await within
      .updateTable(table)
      .set(({ ref }) => ({ consumed_at: toMoment(now), purge_at: ref('retain_until') }))
      .where('code_hash', '=', key(codeHash, 'codeHash'))
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', toMoment(now))
      .executeTakeFirstOrThrow()
    return numUpdatedRows === 1n
  }

  async function lost(within: AuthDatabase, codeHash: string): Promise<ConsumeResult> {
    const rows = rowsOf(within, codeHash)
    const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
    return row === undefined || row.consumed_at === null
      ? { outcome: 'unknown' }
      : { outcome: 'replayed', code: toCode(row) }
  }

  async function won(within: AuthDatabase, codeHash: string): Promise<ConsumeResult> {
    const code = await find(within, codeHash)
    if (code === null) throw new Error('a code was deleted while it was consumed')
    return { outcome: 'consumed', code }
  }

  const settle = async (within: AuthDatabase, codeHash: string, now: Date) =>
    (await wins(within, codeHash, now)) ? won(within, codeHash) : lost(within, codeHash)

  return {
    save: (code) =>
      engine.write(
        async () => void (await db.insertInto(table).values(toRow(engine, code)).execute()),
      ),
    find: (codeHash) => find(db, codeHash),
    consume: (codeHash, now) => engine.write(() => settle(db, codeHash, now)),
    redemption: {
      sessions,
      redeem: (codeHash, session, now) =>
        engine.atomically(async (transaction) => {
          const result = await settle(transaction, codeHash, now)
          if (result.outcome === 'consumed') await insertSession(engine, transaction, session)
          return result
        }),
    },
    purge: (now, limit) => purgeInBatches(engine, table, 'code_hash', 'purge_at', now, limit),
  }
}

function toRow(
  { key, text }: SqlEngine,
  code: AuthorizationCodeRecord,
): InsertObject<SqlAuthTables, 'mar_authorization_codes'> {
  const { clientId, redirectUri, nonce, resources, acr } = code
  return {
    code_hash: key(code.codeHash, 'codeHash'),
    user_id: key(code.userId, 'userId'),
    issued_by_session_id: key(code.issuedBySessionId, 'issuedBySessionId'),
    opens_session_id: key(code.opensSessionId, 'opensSessionId'),
    code_challenge: text(code.codeChallenge, 'codeChallenge'),
    scope: text(code.scope, 'scope'),
    methods: text(JSON.stringify(code.methods), 'methods'),
    authenticated_at: toMoment(code.authenticatedAt),
    created_at: toMoment(code.createdAt),
    expires_at: toMoment(code.expiresAt),
    retain_until: toMoment(code.retainUntil),
    consumed_at: code.consumedAt === null ? null : toMoment(code.consumedAt),
    purge_at: toMoment(code.consumedAt === null ? code.expiresAt : code.retainUntil),
    client_id: clientId === undefined ? null : key(clientId, 'clientId'),
    redirect_uri: redirectUri === undefined ? null : text(redirectUri, 'redirectUri'),
    nonce: nonce === undefined ? null : text(nonce, 'nonce'),
    resources: resources === undefined ? null : text(JSON.stringify(resources), 'resources'),
    acr: acr === undefined ? null : text(acr, 'acr'),
  }
}

function toCode(row: Selectable<AuthorizationCodesTable>): AuthorizationCodeRecord {
  const { client_id, redirect_uri, nonce, resources, acr } = row
  return {
    codeHash: fromKey(row.code_hash),
    userId: fromKey(row.user_id),
    issuedBySessionId: fromKey(row.issued_by_session_id),
    opensSessionId: fromKey(row.opens_session_id),
    codeChallenge: row.code_challenge,
    scope: row.scope,
    methods: fromMethods(row.methods),
    authenticatedAt: fromMoment(row.authenticated_at),
    createdAt: fromMoment(row.created_at),
    expiresAt: fromMoment(row.expires_at),
    retainUntil: fromMoment(row.retain_until),
    consumedAt: fromMomentOrNull(row.consumed_at),
    ...(client_id === null ? {} : { clientId: fromKey(client_id) }),
    ...(redirect_uri === null ? {} : { redirectUri: redirect_uri }),
    ...(nonce === null ? {} : { nonce }),
    ...(resources === null ? {} : { resources: JSON.parse(resources) as readonly string[] }),
    ...(acr === null ? {} : { acr }),
  }
}
