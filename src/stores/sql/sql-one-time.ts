import { sql, type UpdateResult } from 'kysely'
import { sha256 } from '../../lib/secrets.js'
import type { SessionRecord, SessionStore } from '../contract.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
  DeviceCodeRecord,
  DeviceCodeStore,
  OnceStore,
  ProofRecord,
  ProofStore,
  SocketTicketRecord,
  SocketTicketStore,
} from '../one-time-contract.js'
import type { KeyValue } from '../rows/members.js'
import { codeRow, deviceCodeRow, proofRow, ticketRow } from '../rows/one-time-rows.js'
import { columnsOf } from './columns.js'
import { checkedKey, insertIfAbsent, type SqlEngine, toMoment } from './engine.js'
import { purgeInBatches } from './purge.js'
import { insertSession, insertSessionFor } from './sql-sessions.js'
import type { AuthDatabase } from './tables.js'

const codeColumns = columnsOf<AuthorizationCodeRecord, 'mar_authorization_codes'>(codeRow)

/** Authorization codes in SQL. A code and its session are one statement, or one transaction. */
export function sqlCodes(engine: SqlEngine, sessions: SessionStore): AuthorizationCodeStore {
  const { db, tables } = engine
  const table = tables.codes
  return {
    save: (code) =>
      engine.write(async () => {
        const { consumedAt, expiresAt, retainUntil } = code
        const purge_at = toMoment(consumedAt === null ? expiresAt : retainUntil)
        const row = { ...codeColumns.of(engine, code), purge_at }
        await db.insertInto(table).values(row).execute()
      }),
    find: (codeHash) => findCode(engine, db, codeHash),
    consume: (codeHash, now) => engine.write(() => consumeCode(engine, db, codeHash, now)),
    redemption: {
      sessions,
      redeem: (codeHash, session, now) =>
        engine.writesInWith
          ? engine.write(() => redeemAtOnce(engine, codeHash, session, now))
          : engine.atomically(async (transaction) => {
              const result = await consumeCode(engine, transaction, codeHash, now)
              if (result.outcome === 'consumed') await insertSession(engine, transaction, session)
              return result
            }),
    },
    purge: (now, limit) => purgeInBatches(engine, table, 'code_hash', 'purge_at', now, limit),
  }
}

const codeRows = ({ tables, key }: SqlEngine, from: AuthDatabase, codeHash: string) =>
  from.selectFrom(tables.codes).selectAll().where('code_hash', '=', key(codeHash, 'codeHash'))

async function findCode(
  engine: SqlEngine,
  from: AuthDatabase,
  codeHash: string,
): Promise<AuthorizationCodeRecord | null> {
  const row = await codeRows(engine, from, codeHash).executeTakeFirst()
  return row === undefined ? null : codeColumns.read(row)
}

// The one conditional write: of however many callers, the database lets one change the row, and
// tells it so.
const consuming = (
  { tables, key }: SqlEngine,
  within: Pick<AuthDatabase, 'updateTable'>,
  codeHash: string,
  now: Date,
) =>
  within
    .updateTable(tables.codes)
    .set(({ ref }) => ({ consumed_at: toMoment(now), purge_at: ref('retain_until') }))
    .where('code_hash', '=', key(codeHash, 'codeHash'))
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', toMoment(now))

async function consumeCode(
  engine: SqlEngine,
  within: AuthDatabase,
  codeHash: string,
  now: Date,
): Promise<ConsumeResult> {
  const update = consuming(engine, within, codeHash, now)
  if (engine.hasReturning) {
    const row = await update.returningAll().executeTakeFirst()
    if (row === undefined) return loserOf(engine, within, codeHash)
    return { outcome: 'consumed', code: codeColumns.read(row) }
  }
  const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) return loserOf(engine, within, codeHash)
  const code = await findCode(engine, within, codeHash)
  if (code === null) throw new Error('a code was deleted while it was consumed')
  return { outcome: 'consumed', code }
}

// One statement is a transaction of its own: the other engines need five for the same.
async function redeemAtOnce(
  engine: SqlEngine,
  codeHash: string,
  session: SessionRecord,
  now: Date,
): Promise<ConsumeResult> {
  const { db } = engine
  const row = await db
    .with('won', (within) => consuming(engine, within, codeHash, now).returningAll())
    .with('opened', (within) => insertSessionFor('won', engine, within, session))
    .selectFrom('won')
    .selectAll()
    .executeTakeFirst()
  if (row === undefined) return loserOf(engine, db, codeHash)
  return { outcome: 'consumed', code: codeColumns.read(row) }
}

async function loserOf(
  engine: SqlEngine,
  within: AuthDatabase,
  codeHash: string,
): Promise<ConsumeResult> {
  const rows = codeRows(engine, within, codeHash)
  const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
  return row === undefined || row.consumed_at === null
    ? { outcome: 'unknown' }
    : { outcome: 'replayed', code: codeColumns.read(row) }
}

const ticketColumns = columnsOf<SocketTicketRecord, 'mar_socket_tickets'>(ticketRow)

/** Socket tickets in SQL. */
export function sqlTickets(engine: SqlEngine): SocketTicketStore {
  const { db, tables, key } = engine
  const table = tables.tickets
  const hashIs = (ticketHash: string) => key(ticketHash, 'ticketHash')

  return {
    save: (ticket) =>
      engine.write(
        async () =>
          void (await db.insertInto(table).values(ticketColumns.of(engine, ticket)).execute()),
      ),

    consume: (ticketHash, now) =>
      engine.write(async () => {
        // The ticket is read first: its content never changes, and the deletion tells whether this
        // call may use it.
        const row = await db
          .selectFrom(table)
          .selectAll()
          .where('ticket_hash', '=', hashIs(ticketHash))
          .executeTakeFirst()
        if (row === undefined) return { outcome: 'unknown' }
        const { numDeletedRows } = await db
          .deleteFrom(table)
          .where('ticket_hash', '=', hashIs(ticketHash))
          .where('expires_at', '>', toMoment(now))
          .executeTakeFirstOrThrow()
        return numDeletedRows === 1n
          ? { outcome: 'consumed', ticket: ticketColumns.read(row) }
          : { outcome: 'unknown' }
      }),

    purge: (now, limit) => purgeInBatches(engine, table, 'ticket_hash', 'expires_at', now, limit),
  }
}

const proofColumns = columnsOf<ProofRecord, 'mar_proofs'>(proofRow)

/** Proofs in SQL. */
export function sqlProofs(engine: SqlEngine): ProofStore {
  const { db, tables, key } = engine
  const table = tables.proofs
  return {
    ...singleProofs(engine),

    save: (proof) =>
      engine.write(
        async () =>
          void (await db.insertInto(table).values(proofColumns.of(engine, proof)).execute()),
      ),

    async voidForUser(userId, purposes, now) {
      const ofUser = key(userId, 'userId')
      const named = purposes.map((purpose) => key(purpose, 'purpose'))
      // An empty list is no SQL.
      if (named.length === 0) return 0
      return engine.write(async () => {
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set({ consumed_at: toMoment(now) })
          .where('user_id', '=', ofUser)
          .where('purpose', 'in', named)
          .where('consumed_at', 'is', null)
          .executeTakeFirstOrThrow()
        return Number(numUpdatedRows)
      })
    },

    async list(purpose, userId, now) {
      const rows = await db
        .selectFrom(table)
        .selectAll()
        .where('user_id', userId === null ? 'is' : '=', userId && key(userId, 'userId'))
        .where('purpose', '=', key(purpose, 'purpose'))
        .where('consumed_at', 'is', null)
        .where('expires_at', '>', toMoment(now))
        .where('tries_left', '>', 0)
        .execute()
      return rows.map((row) => proofColumns.read(row))
    },

    purge: (now, limit) => purgeInBatches(engine, table, 'id_hash', 'expires_at', now, limit),
  }
}

function singleProofs(engine: SqlEngine): Pick<ProofStore, 'find' | 'takeTry' | 'consume'> {
  const { db, tables, key } = engine

  async function find(idHash: string, purpose: string): Promise<ProofRecord | null> {
    const row = await db
      .selectFrom(tables.proofs)
      .selectAll()
      .where('id_hash', '=', key(idHash, 'idHash'))
      .where('purpose', '=', key(purpose, 'purpose'))
      .executeTakeFirst()
    return row === undefined ? null : proofColumns.read(row)
  }

  const updateGood = (idHash: string, purpose: string, now: Date) =>
    db
      .updateTable(tables.proofs)
      .where('id_hash', '=', key(idHash, 'idHash'))
      .where('purpose', '=', key(purpose, 'purpose'))
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', toMoment(now))

  // The one conditional write has decided. The record may show changes that others make meanwhile.
  async function changed({ numUpdatedRows }: UpdateResult, idHash: string, purpose: string) {
    if (numUpdatedRows !== 1n) return null
    const proof = await find(idHash, purpose)
    if (proof === null) throw new Error('a proof was deleted while it was used')
    return proof
  }

  return {
    find,
    takeTry: (idHash, purpose, now) =>
      engine.write(async () => {
        const update = updateGood(idHash, purpose, now)
          .set((row) => ({ tries_left: row('tries_left', '-', 1) }))
          .where('tries_left', '>', 0)
        const proof = await changed(await update.executeTakeFirstOrThrow(), idHash, purpose)
        return proof === null ? { outcome: 'void' } : { outcome: 'taken', proof }
      }),
    consume: (idHash, purpose, now) =>
      engine.write(async () => {
        const update = updateGood(idHash, purpose, now).set({ consumed_at: toMoment(now) })
        const proof = await changed(await update.executeTakeFirstOrThrow(), idHash, purpose)
        return proof === null ? { outcome: 'void' } : { outcome: 'consumed', proof }
      }),
  }
}

const deviceCodeColumns = columnsOf<DeviceCodeRecord, 'mar_device_codes'>(deviceCodeRow)

/** Device codes in SQL. */
export function sqlDeviceCodes(engine: SqlEngine): DeviceCodeStore {
  const { db, tables } = engine
  const table = tables.deviceCodes
  return {
    ...deviceCodeDecisions(engine),

    save: (code) =>
      engine.write(async () => {
        const row = { ...deviceCodeColumns.of(engine, code), asked_too_soon: 0 }
        await db.insertInto(table).values(row).execute()
      }),

    find: (userCodeHash) => findDeviceCode(engine, userCodeHash),

    async poll(...asked) {
      // If the row is read after it was written, no other question may come between.
      const within = engine.hasReturning ? engine.write : engine.atomically
      const row = await within((from) => askForDeviceCode(engine, from, ...asked))
      if (row === undefined) return { outcome: 'unknown' }
      const outcome = Number(row.asked_too_soon) === 1 ? 'too-soon' : 'polled'
      return { outcome, code: deviceCodeColumns.read(row) }
    },

    purge: (now, limit) =>
      purgeInBatches(engine, table, 'user_code_hash', 'expires_at', now, limit),
  }
}

function deviceCodeRowsOf({ tables, key }: SqlEngine, from: AuthDatabase, userCodeHash: string) {
  const rows = from.selectFrom(tables.deviceCodes).selectAll()
  return rows.where('user_code_hash', '=', key(userCodeHash, 'userCodeHash'))
}

async function findDeviceCode(
  engine: SqlEngine,
  userCodeHash: string,
): Promise<DeviceCodeRecord | null> {
  const row = await deviceCodeRowsOf(engine, engine.db, userCodeHash).executeTakeFirst()
  return row === undefined ? null : deviceCodeColumns.read(row)
}

/** Keeps the pace, and answers the row as this question has left it. */
async function askForDeviceCode(
  engine: SqlEngine,
  within: AuthDatabase,
  userCodeHash: string,
  deviceCodeHash: string,
  now: Date,
) {
  const { tables, key, assignsInTurn } = engine
  const hash = key(deviceCodeHash, 'deviceCodeHash')
  const [interval, at] = [sql.ref('interval'), toMoment(now)]
  const soon = (whenSoon: 1 | 5) =>
    sql<number>`case when next_poll_at > ${at} then ${sql.lit(whenSoon)} else 0 end`
  const longer = sql<number>`${interval} + ${soon(5)}`
  const update = within
    .updateTable(tables.deviceCodes)
    .where('user_code_hash', '=', key(userCodeHash, 'userCodeHash'))
    .where('device_code_hash', '=', hash)
    // The order counts: an expression that reads a column stands before the assignment that changes
    // it.
    .set({
      asked_too_soon: soon(1),
      interval: longer,
      next_poll_at: sql<number>`${at} + 1000 * (${assignsInTurn ? interval : longer})`,
    })
  if (engine.hasReturning) return update.returningAll().executeTakeFirst()
  await update.execute()
  const rows = deviceCodeRowsOf(engine, within, userCodeHash).where('device_code_hash', '=', hash)
  return rows.executeTakeFirst()
}

function deviceCodeDecisions(
  engine: SqlEngine,
): Pick<DeviceCodeStore, 'claim' | 'takeTry' | 'decide'> {
  const { db, tables, key } = engine

  const updatePending = (userCodeHash: string, now: Date) =>
    db
      .updateTable(tables.deviceCodes)
      .where('user_code_hash', '=', key(userCodeHash, 'userCodeHash'))
      .where('state', '=', key('pending', 'state'))
      .where('expires_at', '>', toMoment(now))

  const updateOwn = (userCodeHash: string, userId: string, now: Date) =>
    updatePending(userCodeHash, now).where('user_id', '=', key(userId, 'userId'))

  // The one conditional write has decided. The record may show changes that others make meanwhile.
  async function changed({ numUpdatedRows }: UpdateResult, userCodeHash: string) {
    if (numUpdatedRows !== 1n) return null
    const code = await findDeviceCode(engine, userCodeHash)
    if (code === null) throw new Error('a device code was deleted while it was used')
    return code
  }

  async function lost(userCodeHash: string, userId: string, now: Date) {
    const rows = deviceCodeRowsOf(engine, db, userCodeHash)
    const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
    if (row === undefined) return { outcome: 'unknown' } as const
    const code = deviceCodeColumns.read(row)
    if (code.state !== 'pending' || code.userId === null || now >= code.expiresAt)
      return { outcome: 'unknown' } as const
    return code.userId === userId
      ? ({ outcome: 'claimed', code } as const)
      : ({ outcome: 'foreign' } as const)
  }

  return {
    claim: (userCodeHash, userId, now) =>
      engine.write(async () => {
        const update = updatePending(userCodeHash, now)
          .where('user_id', 'is', null)
          .set(deviceCodeColumns.ofSome(engine, { userId, claimedAt: now }))
        const code = await changed(await update.executeTakeFirstOrThrow(), userCodeHash)
        return code === null ? lost(userCodeHash, userId, now) : { outcome: 'claimed', code }
      }),

    takeTry: (userCodeHash, userId, now) =>
      engine.write(async () => {
        const update = updateOwn(userCodeHash, userId, now)
          .set((row) => ({ tries_left: row('tries_left', '-', 1) }))
          .where('tries_left', '>', 0)
        const code = await changed(await update.executeTakeFirstOrThrow(), userCodeHash)
        return code === null ? { outcome: 'void' } : { outcome: 'taken', code }
      }),

    decide: (userCodeHash, userId, verdict, now) =>
      engine.write(async () => {
        const update = updateOwn(userCodeHash, userId, now).set(
          deviceCodeColumns.ofSome(engine, verdict),
        )
        const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'decided' : 'unknown' }
      }),
  }
}

interface Note {
  readonly key_hash: KeyValue
  readonly expires_at: number
}

/** Names that are used once, in SQL, as digests: short keys, however long the names are. */
export function sqlOnce(engine: SqlEngine): OnceStore {
  const { db, tables, key } = engine
  const table = tables.once

  // An expired note is taken over in the same statement; of however many callers, the database lets
  // one change the row.
  async function insertOrTakeOver(note: Note, now: Date): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto(table)
      .values(note)
      .onConflict((row) =>
        row
          .column('key_hash')
          .doUpdateSet({ expires_at: note.expires_at })
          .where(sql.ref(`${table}.expires_at`), '<=', toMoment(now)),
      )
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }

  // MySQL has no condition there. The expired note is deleted first, and the insert alone decides.
  async function deleteThenInsert(note: Note, now: Date): Promise<boolean> {
    if (await insertIfAbsent(engine, db, table, note)) return true
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('key_hash', '=', note.key_hash)
      .where('expires_at', '<=', toMoment(now))
      .executeTakeFirstOrThrow()
    return numDeletedRows === 1n && (await insertIfAbsent(engine, db, table, note))
  }

  return {
    claim: (name, expiresAt, now) =>
      engine.write(async () => {
        const note = {
          key_hash: key(sha256(checkedKey(name, 'key')), 'key'),
          expires_at: toMoment(expiresAt),
        }
        const claimed = engine.hasOnConflict
          ? await insertOrTakeOver(note, now)
          : await deleteThenInsert(note, now)
        return { outcome: claimed ? 'claimed' : 'known' }
      }),

    purge: (now, limit) => purgeInBatches(engine, table, 'key_hash', 'expires_at', now, limit),
  }
}
