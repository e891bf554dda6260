// A database that is down, slow or full holds up no sign-in, and the process does not burst.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteDialect,
} from 'kysely'
import Database from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrateSql, sqlAudit } from '../../src/stores/sql/sql-stores.js'
import { logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'

type Fault = 'down' | 'slow' | 'full' | 'answer lost' | null

const errors: Readonly<Record<string, Error>> = {
  down: Object.assign(new Error('alice: connection refused'), { code: 'ECONNREFUSED' }),
  full: Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
}

interface Faulty {
  fault: Fault
  /** How many rows each statement has written. */
  readonly written: number[]
}

/** SQLite, whose writes go wrong as they are told to. */
function faultyDialect(state: Faulty): Dialect {
  const inner = new SqliteDialect({ database: new Database(':memory:') })
  return {
    createAdapter: () => inner.createAdapter(),
    createQueryCompiler: () => inner.createQueryCompiler(),
    createIntrospector: (db) => inner.createIntrospector(db),
    createDriver() {
      const driver = inner.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => faultyConnection(await acquire(), state)
      return driver
    },
  }
}

function faultyConnection(connection: DatabaseConnection, state: Faulty): DatabaseConnection {
  const execute = connection.executeQuery.bind(connection)
  const work = async (query: CompiledQuery) => {
    if (!query.sql.startsWith('insert into "mar_audit"')) return execute(query)
    while (state.fault === 'slow') await later(20)
    const { fault } = state
    const error = errors[fault ?? '']
    if (error !== undefined) throw error
    state.written.push(query.parameters.length / 8)
    const answer = await execute(query)
    if (fault === 'answer lost') throw new Error('the connection broke')
    return answer
  }
  return Object.assign(Object.create(connection), { executeQuery: work })
}

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function startFaulty() {
  const state: Faulty = { fault: null, written: [] }
  const warnings: string[] = []
  const kysely = new Kysely<object>({ dialect: faultyDialect(state) })
  await migrateSql(kysely, { audit: true })
  const note = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  return { audit: sqlAudit(kysely), state, warnings }
}

describe.each(['down', 'slow', 'full'] as const)('a database that is %s', (fault) => {
  it('delays no sign-in, and has every event once it works again', async () => {
    const { audit, state, warnings } = await startFaulty()
    state.fault = fault
    const host = await startHost({ options: { onEvent: audit } })
    const { userId } = await logIn(host)
    for (let i = 0; i < 5; i += 1)
      await post(host, '/login', { username: 'alice', password: `wrong-${i}` })
    // All are answered, and the database has taken nothing yet.
    expect(state.written).toEqual([])
    if (fault !== 'slow') await expect.poll(() => warnings.length).toBe(1)
    expect(warnings.join('')).not.toContain('alice')
    expect(host.auth.stats().audit).toEqual({ delivered: 0, failed: 0 })
    state.fault = null
    const raised = 7
    await expect.poll(() => host.auth.stats().audit.delivered).toBe(raised)
    const { events: kept } = await audit.find({ userId })
    expect(kept.map(({ type }) => type).sort()).toEqual(
      ['login.succeeded', 'session.started', ...Array(5).fill('login.failed')].sort(),
    )
    await audit.close()
  })
})

describe('while nothing can be written', () => {
  it('10,000 events wait, and what comes beyond is lost at once and counted', async () => {
    const { audit, state } = await startFaulty()
    const { written } = state
    state.fault = 'down'
    const event = { type: 'login.failed', at: new Date(), userId: 'u-1', ip: null }
    const lost: unknown[] = []
    const all = Array.from({ length: 10_300 }, () =>
      audit(event).catch((error: unknown) => void lost.push(error)),
    )
    await new Promise(setImmediate)
    expect(lost.length).toBe(300)
    state.fault = null
    await Promise.all(all)
    expect(lost.length).toBe(300)
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(10_000)
    expect(Math.max(...written)).toBe(100)
    await audit.close()
  })

  it('what strangers make takes no place from the events of users and of operators', async () => {
    const { audit, state } = await startFaulty()
    state.fault = 'down'
    const at = new Date()
    const lost: string[] = []
    const add = (event: { type: string; userId?: string | null; actor?: string }) =>
      audit({ at, ...event }).catch(() => void lost.push(event.type))
    const noise = Array.from({ length: 6000 }, () => add({ type: 'request.refused', userId: null }))
    const ours = [
      add({ type: 'login.succeeded', userId: 'u-1' }),
      add({ type: 'signing-key.changed', actor: 'support:ada' }),
    ]
    await new Promise(setImmediate)
    expect(lost).toEqual(Array(1000).fill('request.refused'))
    state.fault = null
    await Promise.all([...noise, ...ours])
    expect(lost.length).toBe(1000)
    expect((await audit.find({ userId: 'u-1' })).events).toMatchObject([
      { type: 'login.succeeded' },
    ])
    await audit.close()
  })

  it('a statement whose answer was lost is repeated, and leaves no event twice', async () => {
    const { audit, state } = await startFaulty()
    state.fault = 'answer lost'
    const event = { type: 'login.failed', at: new Date(), userId: 'u-1', ip: null }
    const all = Promise.all([audit(event), audit(event)])
    await expect.poll(() => state.written.length).toBe(1)
    state.fault = null
    await all
    expect([state.written, (await audit.find({ userId: 'u-1' })).events.length]).toEqual([
      [2, 2],
      2,
    ])
    await audit.close()
  })

  it('closing does not wait for ever, and tells of each event that it is lost', async () => {
    const { audit, state } = await startFaulty()
    state.fault = 'down'
    const event = { type: 'login.failed', at: new Date(), userId: 'u-1', ip: null }
    const outcomes = Promise.allSettled([audit(event), audit(event)])
    await audit.close()
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('the router counts the lost ones, and says so once', async () => {
    const { audit, state } = await startFaulty()
    state.fault = 'down'
    const host = await startHost({ options: { onEvent: audit } })
    await logIn(host)
    await audit.close()
    await expect.poll(() => host.auth.stats().audit.failed).toBe(2)
    const told = host.log.filter(({ message }) => message.startsWith('onEvent failed'))
    expect(told.length).toBe(1)
    expect(host.auth.metrics()).toContain('\nmar_audit_lost_total 2\n')
  })
})
