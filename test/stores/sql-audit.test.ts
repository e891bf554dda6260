// The audit events in a table.

import { CompiledQuery } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthEvent } from '../../src/index.js'
import { listWhatIsThere } from '../../src/stores/sql/migrate.js'
import {
  type AuditedEvent,
  migrateSql,
  migrationSql,
  type SqlAudit,
  type SqlAuditOptions,
  sqlAudit,
} from '../../src/stores/sql/sql-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, logIn, post } from '../support/client.js'
import { type DatabaseKind, databaseKinds, openDatabase } from '../support/databases.js'
import { startHost } from '../support/host.js'
import { latest } from '../support/sql-version.js'

async function start(kind: DatabaseKind, options: SqlAuditOptions = {}) {
  const statements: string[] = []
  const onQuery = (sql: string) => void statements.push(sql)
  const { kysely, prefix, close } = await openDatabase(kind, { onQuery })
  await migrateSql(kysely, { prefix, audit: true })
  const audit = sqlAudit(kysely, { prefix, ...options })
  onTestFinished(async () => {
    await audit.close()
    await close()
  })
  const inserts = () => statements.filter((sql) => sql.startsWith('insert') && /audit/.test(sql))
  return { kysely, prefix, audit, inserts }
}

const since = new Date('2030-01-01T00:00:00.000Z')
const event = (userId: string | null, seconds = 0, more: object = {}): AuditedEvent =>
  ({
    type: 'login.failed',
    reason: 'wrong-password',
    identifierDigest: 'abc',
    userId,
    at: new Date(since.getTime() + seconds * 1000),
    requestId: 'r-1',
    ip: '203.0.113.7',
    ...more,
  }) as AuditedEvent

describe.each(databaseKinds)('sqlAudit on $name', (kind) => {
  const onKind = it.skipIf(kind.open === null)

  onKind('keeps the events of a login as they are, and no field beside them', async () => {
    const { audit } = await start(kind)
    const seen: AuthEvent[] = []
    const host = await startHost({
      options: {
        onEvent(one) {
          seen.push(one)
          return audit(one)
        },
      },
    })
    const { authToken, userId } = await logIn(host)
    await post(host, '/login', { username: 'alice', password: 'wrong' })
    await post(host, '/logout', undefined, bearer(authToken))
    await expect.poll(() => host.auth.stats().audit.delivered).toBe(seen.length)
    const { events: kept } = await audit.find({ userId })
    const back = kept.map(({ id: _id, clientId, detail, ...columns }) => ({
      ...(clientId === null ? {} : { clientId }),
      ...detail,
      ...columns,
    }))
    const expected = seen.map((one) => ({ sessionId: null, ...one })).reverse()
    expect(back).toEqual(expected)
  })

  onKind('writes a hundred at once, in the order in which they came', async () => {
    const { audit, inserts } = await start(kind)
    const events = Array.from({ length: 250 }, (_, i) => event('u-1', 0, { number: i }))
    await Promise.all(events.map(audit))
    expect(inserts().length).toBe(3)
    const { events: kept } = await audit.find({ userId: 'u-1', limit: 1000 })
    expect(kept.map(({ detail }) => detail['number'])).toEqual(
      events.map((_, i) => events.length - 1 - i),
    )
  })

  onKind(
    'answers the events of one user in pages, without a gap and without a repeat',
    async () => {
      const { audit } = await start(kind)
      const events = Array.from({ length: 25 }, (_, i) => event(`u-${i % 2}`, Math.floor(i / 6)))
      await Promise.all([...events, event(null), event('U-0')].map(audit))
      const seen: string[] = []
      for (let before: string | null | undefined; before !== null; ) {
        const page = await audit.find({ userId: 'u-0', limit: 4, before })
        expect(page.events.every(({ userId }) => userId === 'u-0')).toBe(true)
        seen.push(...page.events.map(({ id }) => id))
        before = page.next
      }
      expect(seen.length).toBe(13)
      expect(new Set(seen).size).toBe(13)
      expect([...seen].sort().reverse()).toEqual(seen)
    },
  )

  onKind('finds what came of a network lately, of whomever, by type', async () => {
    const { audit } = await start(kind)
    const made = (userId: string, seconds: number, ip: string) =>
      event(userId, seconds, { type: 'account.registered', ip })
    const all = [
      made('u-1', 0, '203.0.113.7'),
      made('u-2', 60, '203.0.113.255'),
      made('u-3', 60, '203.0.114.1'),
      made('u-4', 60, '2001:db8::7'),
      event('u-5', 60),
    ]
    await Promise.all(all.map(audit))
    const found = async (query: object) => {
      const { events, next } = await audit.find({ userId: null, ...query })
      expect(next).toBeNull()
      return events.map(({ userId }) => userId).sort()
    }
    const type = 'account.registered'
    expect(await found({})).toEqual(['u-1', 'u-2', 'u-3', 'u-4', 'u-5'])
    expect(await found({ type, ip: '203.0.113.0/24' })).toEqual(['u-1', 'u-2'])
    expect(await found({ ip: '203.0.113.7' })).toEqual(['u-1', 'u-5'])
    expect(await found({ type, ip: '2001:db8::/32' })).toEqual(['u-4'])
    const since_ = new Date(since.getTime() + 60_000)
    expect(await found({ type, since: since_ })).toEqual(['u-2', 'u-3', 'u-4'])
    const first = await audit.find({ userId: null, type, limit: 3 })
    expect(first.events).toHaveLength(3)
    const rest = await audit.find({ userId: null, type, before: first.next ?? '' })
    expect([rest.events.map(({ userId }) => userId), rest.next]).toEqual([['u-1'], null])
  })

  onKind('never answers for everybody where the user is left out', async () => {
    const { audit } = await start(kind)
    await audit(event('u-1'))
    await expect(audit.find({} as never)).rejects.toThrow()
  })

  onKind('keeps texts of every kind', async () => {
    const { audit } = await start(kind)
    const name = `O'Brien "\\" 😀 ü \u2028 %s ? $1 {}`
    await audit(event('u-ü', 0, { type: 'passkey.added', name, sessionId: "s'1", clientId: '😀' }))
    const [kept] = (await audit.find({ userId: 'u-ü' })).events
    expect(kept).toMatchObject({
      userId: 'u-ü',
      sessionId: "s'1",
      clientId: '😀',
      detail: { name },
    })
  })

  onKind(
    'deletes what is older than keepFor',
    async () => {
      const clock = manualClock(new Date())
      const old = (days: number) => new Date(clock().getTime() - days * 86_400_000)
      const { audit } = await start(kind, { keepFor: 7 * 86_400, purgeInterval: 10, clock })
      await Promise.all(
        [6, 6.9, 7.1, 300].map((days) => audit(event('u-1', 0, { at: old(days), days }))),
      )
      const days = async () =>
        (await audit.find({ userId: 'u-1' })).events.map(({ detail }) => detail['days'])
      expect(await days()).toEqual([6, 6.9, 7.1, 300])
      await expect.poll(days, { interval: 500 }).toEqual([6, 6.9])
    },
    30_000,
  )

  onKind('is made only where it is asked for, also where the other tables are there', async () => {
    const { kysely, prefix, close } = await openDatabase(kind)
    onTestFinished(close)
    const names = async () => {
      const asked = listWhatIsThere(kind.engine, { prefix })
      const { rows } = await kysely.executeQuery(CompiledQuery.raw(asked))
      return rows.map((row) => String((row as { name: unknown }).name))
    }
    const ofAudit = async () => (await names()).filter((name) => name.includes('_audit'))
    expect(await ofAudit()).toEqual([])
    expect(await migrateSql(kysely, { prefix })).toEqual({ from: latest, to: latest })
    expect(await ofAudit()).toEqual([])
    await Promise.all([1, 2, 3].map(() => migrateSql(kysely, { prefix, audit: true })))
    expect(await ofAudit()).toContain(`${prefix}audit_user_id_at`)
    const before = await names()
    await migrateSql(kysely, { prefix })
    expect(await names()).toEqual(before)
  })

  onKind('says what to do where its table is missing', async () => {
    const { kysely, prefix, close } = await openDatabase(kind)
    onTestFinished(close)
    const audit = sqlAudit(kysely, { prefix })
    await expect(audit.find({ userId: 'u-1' })).rejects.toThrow(
      /migrateSql\(kysely, \{ audit: true \}\)/,
    )
  })
})

describe('sqlAudit', () => {
  const sqlite = databaseKinds[0] as DatabaseKind

  it('keeps only what it is told to keep', async () => {
    const { audit } = await start(sqlite, { only: ['session.ended'] })
    await audit(event('u-1'))
    await audit(event('u-1', 1, { type: 'session.ended', reason: 'logout' }))
    expect((await audit.find({ userId: 'u-1' })).events.map(({ type }) => type)).toEqual([
      'session.ended',
    ])
  })

  it('writes what waits when it is closed', async () => {
    const { audit, inserts } = await start(sqlite)
    const written = audit(event('u-1'))
    await audit.close()
    await written
    expect([inserts().length, (await audit.find({ userId: 'u-1' })).events.length]).toEqual([1, 1])
    await expect(audit(event('u-1'))).rejects.toThrow('closed')
  })

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 1001 }],
    ['before', { before: "x' or 1=1" }],
  ])('refuses another %s than it can use: %o', async (path, page) => {
    const { audit } = await start(sqlite)
    await expect(audit.find({ userId: 'u-1', ...page })).rejects.toMatchObject({
      code: 'invalid-request',
      details: { issues: [{ path }] },
    })
  })

  it('has its table in the text of the migration only when asked', () => {
    for (const engine of ['postgres', 'mysql', 'sqlite'] as const) {
      // The time at which a version is noted.
      const timeless = (sql: string) => sql.replaceAll(/\d{13}/g, 'now')
      const without = timeless(migrationSql(engine))
      const withIt = timeless(migrationSql(engine, { audit: true }))
      expect(without).not.toContain('mar_audit')
      expect(withIt.startsWith(without)).toBe(true)
      expect(withIt.slice(without.length)).toContain('mar_audit')
    }
  })

  it('fits the option onEvent', () => {
    const fits = (audit: SqlAudit): ((event: AuthEvent) => void | Promise<void>) => audit
    expect(fits).toBeTypeOf('function')
  })
})
