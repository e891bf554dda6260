// A database that is down, slow or full holds up no sign-in, and the process does not burst.
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { migrateSql, sqlAudit } from '../../src/stores/sql/sql-stores.js'
import { logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'

type Fault = 'down' | 'slow' | 'full' | 'missing' | null

/** SQLite, whose writes go wrong as they are told to. */
async function startFaulty() {
  const state = { fault: null as Fault }
  const written: number[] = []
  const warnings: string[] = []
  const database = new Database(':memory:')
  const kysely = new Kysely<object>({
    dialect: new SqliteDialect({ database }),
    plugins: [],
  })
  await migrateSql(kysely, { audit: true })
  const executor = kysely.getExecutor()
  const { executeQuery } = Object.getPrototypeOf(Object.getPrototypeOf(executor))
  const spy = vi.spyOn(
    Object.getPrototypeOf(Object.getPrototypeOf(executor)) as { executeQuery: typeof executeQuery },
    'executeQuery',
  )
  spy.mockImplementation(async function execute(this: unknown, query: never, ...more: never[]) {
    const { sql, parameters } = query as { sql: string; parameters: unknown[] }
    const isOurs = sql.startsWith('insert into "mar_audit"')
    if (isOurs && state.fault === 'slow') await new Promise(() => {})
    if (isOurs && state.fault === 'down')
      throw Object.assign(new Error('alice: connection refused'), { code: 'ECONNREFUSED' })
    if (isOurs && state.fault === 'full')
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    if (isOurs) written.push(parameters.length / 8)
    return executeQuery.call(this, query, ...more)
  })
  const note = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', note)
  onTestFinished(() => {
    process.off('warning', note)
    spy.mockRestore()
  })
  const audit = sqlAudit(kysely)
  return { audit, state, written, warnings }
}

describe.each(['down', 'slow', 'full'] as const)('a database that is %s', (fault) => {
  it('delays no sign-in, and has every event once it works again', async () => {
    const { audit, state, warnings } = await startFaulty()
    state.fault = fault
    const host = await startHost({ options: { onEvent: audit } })
    const started = performance.now()
    const { userId } = await logIn(host)
    for (let i = 0; i < 5; i += 1)
      await post(host, '/login', { username: 'alice', password: `wrong-${i}` })
    expect(performance.now() - started).toBeLessThan(2500)
    if (fault !== 'slow') await expect.poll(() => warnings.length, { timeout: 5000 }).toBe(1)
    expect(warnings.join('')).not.toContain('alice')
    expect(host.auth.stats().audit).toEqual({ delivered: 0, failed: 0 })
    state.fault = null
    const raised = 7
    await expect.poll(() => host.auth.stats().audit.delivered, { timeout: 15_000 }).toBe(raised)
    const kept = await audit.forUser(userId)
    expect(kept.map(({ type }) => type).sort()).toEqual(
      ['login.succeeded', 'session.started', ...Array(5).fill('login.failed')].sort(),
    )
    await audit.close()
  }, 30_000)
})

describe('while nothing can be written', () => {
  it('10,000 events wait, and what comes beyond is lost at once and counted', async () => {
    const { audit, state, written } = await startFaulty()
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
  }, 30_000)

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
