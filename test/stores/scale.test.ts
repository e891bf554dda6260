// What an operation reads must not grow with the table. The database counts the rows of each
// statement it has run (`explain analyze`): no clock is asked. SCALE_ROWS=1000000 for a million.
import { CompiledQuery } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { databaseKind, openDatabase, type TestDatabase } from '../support/databases.js'
import { at, randomKey, sessionRecord, start } from '../support/records.js'

const many = Number(process.env['SCALE_ROWS'] ?? 100_000)
const few = 2000
/** Sessions of each user. */
const ofOneUser = 10
const purgedAtOnce = 100
const current = randomKey()

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows that the scans of a plan have looked at, also those that were not wanted. */
function rowsRead(plan: Plan): number {
  const removed =
    (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const own = plan['Node Type'].includes('Scan') ? plan['Actual Rows'] + removed : 0
  const below = (plan.Plans ?? []).map(rowsRead)
  return below.reduce((sum, rows) => sum + rows, own * plan['Actual Loops'])
}

type Statement = readonly [sql: string, parameters: readonly unknown[]]

async function countRows({ kysely }: TestDatabase, [sql, parameters]: Statement): Promise<number> {
  const query = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters])
  const { rows } = await kysely.executeQuery<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(query)
  return rowsRead(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan)
}

/** Copies a session until there are so many; each user has some, and a tenth has expired. */
async function fill({ kysely, prefix, stores }: TestDatabase, count: number): Promise<void> {
  const refresh = { hash: current, familyKey: randomKey(), spent: [] }
  const template = sessionRecord({ id: 'template', userId: 'template', refresh })
  await stores.sessions.create(template)
  const table = kysely.withTables<Record<string, Record<string, unknown>>>()
  const [row] = await table.selectFrom(`${prefix}sessions`).selectAll().execute()
  const special: Readonly<Record<string, string>> = {
    id: `'s' || n`,
    user_id: `'u' || n / ${ofOneUser}`,
    purge_at: `case when n % 10 = 0 then ${start.getTime() - 1000} else purge_at + n end`,
  }
  const columns = Object.keys(row ?? {})
  await kysely.executeQuery(
    CompiledQuery.raw(
      `insert into ${prefix}sessions (${columns.join(', ')})
       select ${columns.map((name) => special[name] ?? name).join(', ')}
       from ${prefix}sessions, generate_series(1, ${count}) n`,
    ),
  )
  await kysely.executeQuery(CompiledQuery.raw(`vacuum analyze ${prefix}sessions`))
}

/** The statements of the sessions' methods, by the request that asks for them. */
function operations({ stores: { sessions } }: TestDatabase) {
  const id = `s${few / 2 + 1}`
  const userId = `u${few / 2 / ofOneUser}`
  const seen = { lastSeenAt: at(1), idleExpiresAt: at(601), ip: null }
  const refresh = { hash: randomKey(), familyKey: randomKey(), spent: [] }
  return [
    ['a guarded request, and a refresh, read', () => sessions.find(id)],
    ['a refresh writes', () => sessions.rotateRefresh(id, current, { ...seen, refresh }, at(1))],
    ['the use of a session is noted', () => sessions.touch(id, seen)],
    ['a sign-in counts', () => sessions.countForUser?.(userId, at(1))],
    ['a list is read', () => sessions.listForUser(userId, at(1))],
    ['a session ends', () => sessions.end(id, 'logout', at(1))],
    ['all of a user end', () => sessions.endAllForUser(userId, 'revoked', at(1))],
    ['the expired are purged', () => sessions.purge(start, purgedAtOnce)],
  ] as const
}

async function countedAt(count: number): Promise<ReadonlyMap<string, number>> {
  const seen: Statement[] = []
  const database = await openDatabase(databaseKind('PostgreSQL'), {
    onQuery: (sql, parameters) => void seen.push([sql, parameters]),
  })
  afterAll(() => database.close())
  await fill(database, count)
  // The counting itself: a look without an index reads them all.
  const unindexed = `select * from ${database.prefix}sessions where user_agent = 'nobody'`
  expect(await countRows(database, [unindexed, []])).toBeGreaterThanOrEqual(count)
  const counts = new Map<string, number>()
  for (const [what, work] of operations(database)) {
    seen.length = 0
    await work()
    const statements = seen.filter(([sql]) => /^(select|update|delete)/.test(sql))
    expect(statements, what).not.toEqual([])
    let rows = 0
    for (const statement of statements) rows += await countRows(database, statement)
    counts.set(what, rows)
  }
  return counts
}

describe.skipIf(databaseKind('PostgreSQL').open === null)('sessions in PostgreSQL', () => {
  it(`are found among ${many} by reading no more rows than among ${few}`, async () => {
    const amongFew = await countedAt(few)
    const amongMany = await countedAt(many)
    for (const [what, rows] of amongMany)
      expect(rows, what).toBeLessThanOrEqual(amongFew.get(what) ?? 0)
    expect(Object.fromEntries(amongMany)).toEqual({
      'a guarded request, and a refresh, read': 1,
      'a refresh writes': 1,
      'the use of a session is noted': 1,
      'a sign-in counts': ofOneUser,
      'a list is read': ofOneUser,
      'a session ends': 1,
      'all of a user end': ofOneUser,
      // The choice of the rows, their ids, and the rows themselves.
      'the expired are purged': 3 * purgedAtOnce,
    })
  })
})
