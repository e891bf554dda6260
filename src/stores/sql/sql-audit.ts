import { randomInt } from 'node:crypto'
import type { InsertObject } from 'kysely'
import { invalidRequest } from '../../errors.js'
import { addressBlock } from '../../lib/addresses.js'
import {
  checkOptions,
  clockRow,
  fitting,
  number,
  optionsOf,
  ownMembers,
} from '../../lib/check-options.js'
import { describeFailure, withTimeout } from '../../lib/host-call.js'
import { randomId } from '../../lib/secrets.js'
import { type AuditRecord, auditRow } from '../rows/audit-row.js'
import { columnsOf } from './columns.js'
import {
  createEngine,
  databaseTime,
  fromObject,
  type HostKysely,
  type SqlEngine,
  toMoment,
} from './engine.js'
import { namingMissingTables } from './migrate.js'
import { purgeInBatches } from './purge.js'
import { type SqlAuthTables, type SqlTableOptions, tableRemedies, tableShape } from './tables.js'

/** The options of {@link sqlAudit}. */
export interface SqlAuditOptions extends SqlTableOptions {
  /** How long events are kept, in seconds; an hour to ten years. Default 90 days. */
  readonly keepFor?: number
  /** The `type` of the events that are kept: see `docs/events.md`. Default: all. */
  readonly only?: readonly string[]
  /** Seconds between two deletions of old events; 10 to a day, 0: never. Default one hour. */
  readonly purgeInterval?: number
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: () => Date
}

/** An event of the router, as `onEvent` receives it. */
export interface AuditedEvent {
  readonly type: string
  readonly at: Date
}

/** An event as it is kept. */
export interface AuditEntry extends Omit<AuditRecord, 'detail'> {
  /** The other fields of the event. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** Which events {@link SqlAudit.find} looks for. */
export interface AuditQuery {
  /** Null: of everybody, and of nobody. */
  readonly userId: string | null
  /** A single `type`: see `docs/events.md`. Default: all. */
  readonly type?: string | undefined
  /** Only events of this moment and later. Default: all that are kept. */
  readonly since?: Date | undefined
  /** An address, or a network: `203.0.113.0/24`, `2001:db8::/48`. Default: any. */
  readonly ip?: string | undefined
  /** How many, 1 to 1000. Default 50. */
  readonly limit?: number | undefined
  /** `next` of the page before. Default: the newest events. */
  readonly before?: string | undefined
}

/** The events that were found, the newest first. */
export interface AuditFound {
  readonly events: readonly AuditEntry[]
  /** For `before` of the next page; null: there is none. */
  readonly next: string | null
}

/** The option `onEvent`, and the functions that read its table. */
export interface SqlAudit {
  /**
   * Takes an event. Resolves when it is written, and rejects if it is lost; the router waits for
   * neither, and counts both (`auth.stats().audit`).
   */
  (event: AuditedEvent): Promise<void>
  /**
   * The events that fit, for a page of what happened in an account, or to look for an attack. One
   * call reads at most 100,000 rows, by an index, so it may find none and still have a `next`.
   *
   * @throws AuthError `invalid-request` for a member that cannot be
   */
  find(query: AuditQuery): Promise<AuditFound>
  /** Writes the waiting events, once, and stops. Call it after `auth.close()`. */
  close(): Promise<void>
}

const hour = 3600
const day = 24 * hour
const schema = optionsOf({
  ...tableShape,
  keepFor: number({ least: hour, most: 3650 * day, unit: 'seconds' }).default(90 * day),
  only: fitting<readonly string[]>(isListOfTexts, 'is not a list of types of events.').optional(),
  purgeInterval: number({ least: 10, most: day, unit: 'seconds', or: 0 }).default(hour),
  clock: clockRow,
})
const columns = columnsOf<AuditRecord, 'mar_audit'>(auditRow)

/**
 * Keeps the audit events in a table, which `migrateSql(kysely, { audit: true })` makes. No sign-in
 * waits for it: events are written a hundred at once, or once a second. While the database cannot
 * be written, up to 10,000 events wait in this process, of those without a user and an `actor`
 * 5,000; what
 * comes beyond is lost, and counted by the router. No field is added to an event: a row has what
 * docs/events.md says, and an id.
 *
 * @param kysely - your instance; not a transaction
 * @param options - `keepFor`, `only`, `purgeInterval`, and `prefix` and `schema` as for `sqlStores`
 * @throws AuthConfigError as `sqlStores` does
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import type { AuthRouterOptions } from 'messaging-auth-router'
 * import { migrateSql, sqlAudit } from 'messaging-auth-router/stores/sql'
 *
 * declare const kysely: Kysely<object>
 * await migrateSql(kysely, { audit: true })
 * const audit = sqlAudit(kysely, { keepFor: 180 * 24 * 3600 })
 * export const options: Pick<AuthRouterOptions, 'onEvent'> = { onEvent: audit }
 * export const recentEvents = (userId: string) => audit.find({ userId, limit: 20 })
 * ```
 */
export function sqlAudit<Database>(
  kysely: HostKysely<Database>,
  options: SqlAuditOptions = {},
): SqlAudit {
  const rules = { factory: 'sqlAudit', schema, remedies: tableRemedies }
  const { keepFor, only, purgeInterval, clock, ...where } = checkOptions(rules, options)
  const engine = createEngine(kysely, where)
  const table = namingMissingTables(tableOf(engine), 'migrateSql(kysely, { audit: true })')
  const { add, close } = createWriteLater<AuditRow>(table.write, warnOnce())
  const types = only && new Set(only)
  const purge = () => table.purge(clock(), keepFor)
  const stopPurging = startPurging(purge, purgeInterval)
  async function audit(event: AuditedEvent): Promise<void> {
    // Strangers make as many of the others as they like.
    const matters = Object.hasOwn(event, 'actor') || Object(event).userId != null
    if (types === undefined || types.has(event.type)) await add(rowOf(engine, event), matters)
  }
  return Object.assign(audit, {
    find: (query: AuditQuery) => find(table, query),
    async close() {
      stopPurging()
      await close()
    },
  })
}

type AuditRow = InsertObject<SqlAuthTables, 'mar_audit'>

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** The time, then a count of this process, in base 36, then a random part: it sorts by arrival. */
const idShape = /^[\da-z]{9}-[\da-z]{6}-[\w-]{22}$/
let made = 0

function newId(at: Date): string {
  made = (made + 1) % 36 ** 6
  const [time, count] = [toMoment(at), made].map((number) => number.toString(36))
  return `${time?.padStart(9, '0')}-${count?.padStart(6, '0')}-${randomId()}`
}

function rowOf(engine: SqlEngine, event: AuditedEvent): AuditRow {
  const { type, at, ...fields } = event
  const { userId, sessionId, clientId, ip, ...others } = fields as Record<string, unknown>
  const orNone = (value: unknown) => (typeof value === 'string' ? value : null)
  return columns.of(engine, {
    id: newId(at),
    at,
    type,
    userId: orNone(userId),
    sessionId: orNone(sessionId),
    clientId: orNone(clientId),
    ip: orNone(ip),
    detail: asAscii(JSON.stringify(others)),
  })
}

// No character set of a database can refuse it, which would hold up all later events.
function asAscii(json: string): string {
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function tableOf(engine: SqlEngine) {
  const { db, tables, key } = engine
  return {
    write: (rows: readonly AuditRow[]) =>
      engine.write(async () => {
        const insert = db.insertInto(tables.audit).values(rows)
        // Some rows may be there: the rows of a statement whose answer was lost.
        await (engine.hasOnConflict
          ? insert.onConflict((row) => row.doNothing())
          : insert.ignore()
        ).execute()
      }),

    async rows({ userId, since, before }: AuditQuery, limit: number): Promise<AuditEntry[]> {
      const all = db.selectFrom(tables.audit).selectAll()
      const theirs = userId === null ? all : all.where('user_id', '=', key(userId, 'userId'))
      const late = since === undefined ? theirs : theirs.where('at', '>=', toMoment(since))
      const rows =
        before === undefined
          ? late
          : late.where((row) => {
              const at = Number.parseInt(before.slice(0, 9), 36)
              const isSame = row.and([row('at', '=', at), row('id', '<', key(before, 'before'))])
              return row.or([row('at', '<', at), isSame])
            })
      const found = await rows.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
      return found.map((row): AuditEntry => {
        const { detail, ...record } = columns.read(row)
        return { ...record, detail: fromObject(detail) }
      })
    },

    // The purge goes by the clock that is behind: a deletion is final.
    async purge(now: Date, keepFor: number) {
      const ofDatabase = await databaseTime(engine)
      const until = new Date(Math.min(now.getTime(), ofDatabase.getTime()) - keepFor * 1000)
      return purgeInBatches(engine, tables.audit, 'id', 'at', until)
    },
  }
}

/** Rows of one statement, and of one call. */
const [atOnce, mostRead] = [1000, 100_000]

// Members without an index are compared here: one statement that looks for them may read the whole
// table.
async function find(
  { rows: read }: Pick<ReturnType<typeof tableOf>, 'rows'>,
  given: AuditQuery,
): Promise<AuditFound> {
  const query = ownMembers(given)
  const { limit = 50, before } = query
  const isFit = checked({ ...query, limit })
  const size = (query.type ?? query.ip) === undefined ? limit : atOnce
  const events: AuditEntry[] = []
  let next = before
  for (let round = 0; round * size < mostRead; round += 1) {
    const rows = await read({ ...query, before: next }, size)
    events.push(...rows.filter(isFit).slice(0, limit - events.length))
    const isFull = events.length === limit
    next = (isFull ? events : rows).at(-1)?.id
    if (isFull || rows.length < size) return { events, next: (isFull && next) || null }
  }
  return { events, next: next as string }
}

/** Whether an event fits. Throws for an invalid query. */
function checked(query: AuditQuery): (event: AuditEntry) => boolean {
  const { limit = 0, before, since, type, ip } = query
  const network = ip === undefined ? () => true : addressBlock(ip)
  const refuse = (path: string, message: string) => invalidRequest([{ path, message }])
  if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000))
    throw refuse('limit', 'is not from 1 to 1000')
  if (before !== undefined && !idShape.test(before)) throw refuse('before', 'is no id of an event')
  if (Number.isNaN(since?.getTime())) throw refuse('since', 'is no date')
  if (network === null) throw refuse('ip', 'is no address, and no network such as 203.0.113.0/24')
  return (event) => (type ?? event.type) === event.type && network(event.ip ?? '')
}

/** Returns a function that stops it. */
function startPurging(purge: () => Promise<unknown>, interval: number): () => void {
  if (interval === 0) return () => {}
  let timer: NodeJS.Timeout | undefined
  let closed = false
  // At a random time, so that processes do not delete the same rows together.
  const plan = () => {
    timer = setTimeout(() => void round(), randomInt(interval * 500, interval * 1500)).unref()
  }
  async function round(): Promise<void> {
    // The next round tries again.
    await purge().catch(() => {})
    if (!closed) plan()
  }
  plan()
  return () => {
    closed = true
    clearTimeout(timer)
  }
}

/** Tells the operator the first failure. The router counts lost events. */
function warnOnce(): (cause: unknown) => void {
  let warned = false
  return (cause) => {
    if (warned) return
    warned = true
    const { error, code, hint } = describeFailure('sqlAudit', cause)
    const what = [error, code, hint].filter((part) => part !== undefined).join(', ')
    const message = `sqlAudit: events cannot be written, and wait (${what})`
    process.emitWarning(message, { code: 'MAR_AUDIT_NOT_WRITTEN' })
  }
}

/** Rows that are written some time later, together, without anybody waiting for it. */
export interface WriteLater<Row> {
  /**
   * Resolves when the row is written; rejects when it is lost. Rows that matter have places that no
   * others take.
   */
  add(row: Row, matters: boolean): Promise<void>
  /**
   * Writes the waiting rows. Rows that cannot be written now are lost, and rows that come later are
   * lost, too.
   */
  close(): Promise<void>
}

interface Waiting<Row> {
  readonly row: Row
  written(): void
  lost(error: Error): void
}

const most = 10_000
const mostOfOthers = most / 2
const rowsAtOnce = 100
const pauseMs = 1000
const timeoutMs = 10_000

/**
 * Writes rows in their order, a hundred at once, or the waiting rows after a second. One statement
 * is under way at a time. Rows that could not be written wait for the next second; `write` must
 * take a row that it has written before, for a failed one may have arrived.
 */
function createWriteLater<Row>(
  write: (rows: readonly Row[]) => Promise<void>,
  onFailure: (cause: unknown) => void,
): WriteLater<Row> {
  const waiting: Waiting<Row>[] = []
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<boolean> | undefined
  let isFailing = false
  let closed = false

  async function writeSome(): Promise<boolean> {
    const batch = waiting.slice(0, rowsAtOnce)
    try {
      await withTimeout(() => write(batch.map(({ row }) => row)), timeoutMs)
    } catch (cause) {
      onFailure(cause)
      return false
    }
    waiting.splice(0, batch.length)
    for (const { written } of batch) written()
    return true
  }

  async function next(): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    underWay = writeSome()
    isFailing = !(await underWay)
    underWay = undefined
    if (!closed) plan()
    return !isFailing
  }

  function plan(): void {
    if (underWay !== undefined || waiting.length === 0) return
    // After a failure the next second is waited for, however many come.
    if (!isFailing && waiting.length >= rowsAtOnce) void next()
    else timer ??= setTimeout(() => void next(), pauseMs).unref()
  }

  return {
    add(row, matters) {
      if (closed) return Promise.reject(new Error('sqlAudit is closed'))
      if (waiting.length >= (matters ? most : mostOfOthers))
        return Promise.reject(new Error('too many audit events wait'))
      return new Promise((written, lost) => {
        waiting.push({ row, written, lost })
        plan()
      })
    },
    async close() {
      closed = true
      await underWay
      while (waiting.length > 0 && (await next()));
      for (const { lost } of waiting.splice(0)) lost(new Error('not written before the end'))
    },
  }
}
