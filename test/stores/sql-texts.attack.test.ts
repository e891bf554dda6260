// Texts that clients choose, on connections whose settings make the usual quoting of texts unsafe.
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthenticationMethod, EndReason, RefreshState, SessionKind } from '../../src/index.js'
import { migrateSql, type SqlStores, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { dropTables, openSqlite } from '../support/databases.js'
import { password, startHost } from '../support/host.js'
import {
  at,
  codeRecord,
  factorRecord,
  pendingRecord,
  proofRecord,
  randomKey,
  sessionRecord,
  start,
  ticketRecord,
} from '../support/records.js'
import { mysqlUrl, postgresUrl } from '../support/services.js'

interface Settings {
  readonly name: string
  /** Opens a database; `statement` is run on each connection each time it is taken, once `isOn`. */
  readonly open: ((isOn: () => boolean) => Kysely<object>) | null
  /** Text of a column as hexadecimal digits. */
  readonly hex: string
}

const onMysql = (mode: string): Settings => ({
  name: `MariaDB with sql_mode '${mode}'`,
  hex: 'lower(hex(user_agent))',
  open:
    mysqlUrl === null
      ? null
      : (isOn) => {
          const pool = createPool({ uri: mysqlUrl ?? '', connectionLimit: 4 })
          const change = CompiledQuery.raw(`set session sql_mode = '${mode}'`)
          const dialect = new MysqlDialect({
            pool,
            onReserveConnection: async (connection) =>
              void (isOn() && (await connection.executeQuery(change))),
          })
          return new Kysely({ dialect })
        },
})

const onPostgres: Settings = {
  name: 'PostgreSQL with standard_conforming_strings off',
  hex: "encode(convert_to(user_agent, 'UTF8'), 'hex')",
  open:
    postgresUrl === null
      ? null
      : (isOn) => {
          const pool = new pg.Pool({ connectionString: postgresUrl ?? '', max: 4 })
          const change = CompiledQuery.raw(
            'set standard_conforming_strings = off; set backslash_quote = on',
          )
          const dialect = new PostgresDialect({
            pool,
            onReserveConnection: async (connection) =>
              void (isOn() && (await connection.executeQuery(change))),
          })
          return new Kysely({ dialect })
        },
}

const modes = [
  'NO_BACKSLASH_ESCAPES',
  'ANSI_QUOTES,NO_BACKSLASH_ESCAPES',
  'ANSI',
  'EMPTY_STRING_IS_NULL',
  'PIPES_AS_CONCAT,SIMULTANEOUS_ASSIGNMENT',
  'TRADITIONAL',
  '',
]
const settings: readonly Settings[] = [
  ...modes.map(onMysql),
  onPostgres,
  { name: 'SQLite', hex: 'lower(hex(user_agent))', open: () => openSqlite() },
]

/**
 * Ends the text under NO_BACKSLASH_ESCAPES, gives the columns behind it values of its own, and
 * makes the rest a comment.
 */
const payload = "x\\', null, null, null, null, null, 99999999999999) #"
const texts = [
  payload,
  payload.replace('\\', ''),
  payload.replaceAll("'", '"'),
  `${payload.replace('\\', "\\'")} -- `,
  "'",
  "''",
  '"',
  '`',
  '\\',
  "\\'",
  '\\\\',
  '%_',
  '?',
  ':a $1 @b',
  '/*!50000 x */',
  '',
  ' ',
  ' x ',
  '\b\t\n\r\x1a',
  "O'Brien",
  'zoë Ω 漢字 🙂 \u2028\ufeff',
  "🙂\\'",
]

describe.each(settings)('a text that a client chose, on $name', ({ open, hex }) => {
  const openStores = async () => {
    let isOn = false
    const kysely = open?.(() => isOn) as Kysely<object>
    const prefix = `x${randomKey()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')}_`.slice(0, 20)
    await migrateSql(kysely, { prefix })
    onTestFinished(async () => {
      isOn = false
      await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    const rowsOf = async (sql: string) =>
      (await kysely.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows
    return { prefix, stores: sqlStores(kysely, { prefix }), rowsOf, turnOn: () => (isOn = true) }
  }

  it.skipIf(open === null)(
    'is stored and read back byte for byte, in every column of every table',
    async () => {
      const { prefix, stores, rowsOf, turnOn } = await openStores()
      turnOn()
      for (const text of texts) await keepEverywhere(stores, text)
      const count = async (table: string) =>
        Number((await rowsOf(`select count(*) as n from ${prefix}${table}`))[0]?.['n'])
      // One row for each record, and none besides: nothing in a text was run.
      expect(await count('sessions')).toBe(3 * texts.length)
      expect(await count('authorization_codes')).toBe(texts.length)
      expect(await count('signing_keys')).toBe(texts.length)
      expect(await count('recovery_codes')).toBe(2 * texts.length)
      const stored = await rowsOf(
        `select ${hex} as digits from ${prefix}sessions where kind = 'pkce'`,
      )
      const expected = texts.map((text) => Buffer.from(text).toString('hex'))
      expect(stored.map(({ digits }) => digits).sort()).toEqual(expected.sort())
    },
  )

  it.skipIf(open === null)(
    'that is a User-Agent is text, in a process that was running when the setting changed',
    async () => {
      const { prefix, stores, rowsOf, turnOn } = await openStores()
      const { keys: _none, ...options } = stores
      const host = await startHost({ options })
      const before = await logIn(host)
      turnOn()
      const agents = texts
        .map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim())
        .filter((text) => text !== '')
      const tokens: string[] = []
      for (const agent of agents) {
        const answer = await post(
          host,
          '/login',
          { username: 'alice', password },
          { 'User-Agent': agent },
        )
        expect(answer.status, agent).toBe(200)
        tokens.push(answer.body.data.authToken)
      }
      for (const token of [before.authToken, ...tokens])
        expect((await get(host, '/me', bearer(token))).status).toBe(200)
      const { body } = await get(host, '/auth/sessions', bearer(before.authToken))
      const listed = body.data.sessions.map(
        ({ userAgent }: { userAgent: string | null }) => userAgent,
      )
      expect(agents.filter((agent) => !listed.includes(agent))).toEqual([])
      const rows = await rowsOf(`select user_id, purge_at from ${prefix}sessions`)
      expect(rows).toHaveLength(agents.length + 1)
      expect(rows.filter(({ user_id }) => String(user_id) !== 'u-alice')).toEqual([])
      expect(host.events.filter(({ type }) => type === 'host.failed')).toEqual([])
    },
  )

  it.skipIf(open === null)(
    'is refused where it has a NUL or half a character, in every column',
    async () => {
      const { stores, turnOn } = await openStores()
      turnOn()
      for (const text of ['a\0b', '\0', 'a\ud800', "\udc00'"]) {
        const calls: (() => Promise<unknown>)[] = [
          () => stores.sessions.create(sessionRecord({ userAgent: text })),
          () => stores.sessions.create(sessionRecord({ scope: text })),
          () => stores.sessions.create(sessionRecord({ ip: text })),
          () => stores.sessions.create(sessionRecord({ kind: text as SessionKind })),
          () =>
            stores.sessions.create(sessionRecord({ endedAt: start, endReason: text as EndReason })),
          () => stores.sessions.end(randomKey(), text as EndReason, start),
          () =>
            stores.sessions.touch(randomKey(), {
              lastSeenAt: start,
              idleExpiresAt: start,
              ip: text,
            }),
          () => stores.codes.save(codeRecord({ codeChallenge: text })),
          () => stores.tickets.save(ticketRecord({ scope: text })),
          () => stores.proofs.save(proofRecord({ mark: text })),
          () => stores.proofs.save(proofRecord({ sealed: text })),
          () => stores.proofs.find('hash', text),
          () => stores.proofs.voidForUser('u-alice', ['reset', text], start),
        ]
        for (const call of calls)
          await expect(Promise.resolve().then(call)).rejects.toThrow('is not well-formed text')
      }
    },
  )
})

async function keepEverywhere(
  { sessions, codes, tickets, proofs, keys, secondFactors }: SqlStores,
  text: string,
): Promise<void> {
  const id = () => `${text}${randomKey()}`
  const methods = [text, 'pwd'] as AuthenticationMethod[]
  const refresh: RefreshState = {
    hash: id(),
    familyKey: text,
    spent: [{ hash: text, salt: text, spentAt: start }],
  }
  const own = { scope: text, methods, userId: id() }

  const session = sessionRecord({ ...own, id: id(), ip: text, userAgent: text, refresh })
  await sessions.create(session)
  expect(await sessions.find(session.id)).toEqual(session)
  const seen = { lastSeenAt: at(1), idleExpiresAt: at(601), ip: `${text}1` }
  await sessions.touch(session.id, seen)
  const next = {
    ...seen,
    ip: `${text}2`,
    refresh: { ...refresh, hash: id(), familyKey: `${text}3` },
  }
  expect(await sessions.rotateRefresh(session.id, refresh.hash, next, at(2))).toEqual({
    outcome: 'rotated',
  })
  await sessions.setMethods(session.id, [...methods, 'otp'])
  const changed = { ...session, ...next, methods: [...methods, 'otp'] }
  expect(await sessions.find(session.id)).toEqual(changed)
  expect(await sessions.listForUser(own.userId, at(3))).toEqual([changed])
  expect(await sessions.liveAmong([session.id, id()], at(3))).toEqual([session.id])
  expect(await sessions.end(session.id, text as EndReason, at(4))).toBe(true)
  expect(await sessions.find(session.id)).toEqual({ ...changed, endedAt: at(4), endReason: text })

  const other = sessionRecord({ ...own, id: id(), kind: text as SessionKind, userAgent: null })
  await sessions.create(other)
  expect(await sessions.endAllForUser(own.userId, text as EndReason, at(5), id())).toEqual([
    other.id,
  ])
  expect(await sessions.find(other.id)).toEqual({ ...other, endedAt: at(5), endReason: text })

  const code = codeRecord({
    ...own,
    codeHash: id(),
    issuedBySessionId: id(),
    opensSessionId: id(),
    codeChallenge: text,
  })
  await codes.save(code)
  const opened = sessionRecord({ ...own, id: code.opensSessionId, kind: 'login', userAgent: text })
  const redeemed = await codes.redemption?.redeem(code.codeHash, opened, at(1))
  expect(redeemed).toEqual({ outcome: 'consumed', code: { ...code, consumedAt: at(1) } })
  expect(await sessions.find(opened.id)).toEqual(opened)

  const ticket = ticketRecord({
    ticketHash: id(),
    sessionId: id(),
    userId: own.userId,
    scope: text,
  })
  await tickets.save(ticket)
  expect(await tickets.consume(ticket.ticketHash, at(1))).toEqual({ outcome: 'consumed', ticket })

  const texts = { codeTag: text, mark: text, sealed: text }
  const proof = proofRecord({ ...texts, idHash: id(), purpose: id(), userId: own.userId })
  await proofs.save(proof)
  const tried = { ...proof, triesLeft: 4 }
  expect(await proofs.takeTry(proof.idHash, proof.purpose, at(1))).toEqual({
    outcome: 'taken',
    proof: tried,
  })
  expect(await proofs.voidForUser(own.userId, [id(), proof.purpose], at(2))).toBe(1)
  expect(await proofs.find(proof.idHash, proof.purpose)).toEqual({ ...tried, consumedAt: at(2) })

  const generation = (await keys.list()).length
  const key = { generation, kid: text, sealedKey: text, createdAt: start, activatesAt: at(1) }
  expect(await keys.insert(key)).toEqual({ outcome: 'inserted' })
  expect((await keys.list()).at(-1)).toEqual(key)

  const pending = pendingRecord({ userId: own.userId, sealedSeed: id() })
  await secondFactors.savePending(pending)
  expect(await secondFactors.findPending(own.userId, pending.sessionId)).toEqual(pending)
  const factor = factorRecord({ userId: own.userId, sealedSeed: pending.sealedSeed })
  expect(await secondFactors.confirm(factor, [`${text}a`, `${text}b`], at(1))).toEqual({
    outcome: 'activated',
  })
  expect(await secondFactors.reseal(own.userId, factor.sealedSeed, `${text}c`)).toEqual({
    outcome: 'resealed',
  })
  expect(await secondFactors.find(own.userId)).toEqual({ ...factor, sealedSeed: `${text}c` })
}
