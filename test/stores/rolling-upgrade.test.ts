import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouterOptions, RevocationBus, SessionStore } from '../../src/index.js'
import { redisBus, redisStores } from '../../src/stores/redis/redis-stores.js'
import { migrateSql, postgresBus, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { bearer, get, logIn, obtainCode, post, remove } from '../support/client.js'
import { freshPostgres } from '../support/fresh-database.js'
import { startHost, type TestHost } from '../support/host.js'
import { sessionRecord } from '../support/records.js'
import { redisUrl } from '../support/services.js'

type Stores = Required<Pick<AuthRouterOptions, 'codes' | 'sessions' | 'bus'>> &
  Pick<AuthRouterOptions, 'tickets'>

/** What the processes of both releases share, and what only the newer one does with it. */
interface Shared {
  readonly older: Stores
  readonly newer: Stores
  /** Puts into the rows of a session what only a newer release knows. */
  add(sessionId: string): Promise<void>
  /** What is left of it. */
  added(sessionId: string): Promise<unknown>
}

/** What the sessions of the newer release have, and the older one knows nothing of. */
const later = {
  secretHash: 'hash of a secret',
  passwordMark: 'mark',
  lifetime: { idle: 86_400, absolute: 864_000 },
  clientId: 'client',
  parentId: 'parent',
  resources: ['urn:api'],
}

const whole = { record: 'kept', seen: 'kept', refresh: ['kept', 7], column: 'kept' }

async function overRedis(): Promise<Shared> {
  const client = createClient({ url: String(redisUrl) })
  await client.connect()
  onTestFinished(() => void client.destroy())
  const prefix = `rolling-${randomUUID()}:`
  const open = (): Stores => ({
    ...redisStores(client, { prefix }),
    bus: redisBus(client, { channel: `${prefix}ended` }),
  })
  const fields = ['record', 'seen', 'refresh'] as const
  return {
    older: open(),
    newer: open(),
    async add(id) {
      for (const field of fields) {
        const row = JSON.parse((await client.hGet(`${prefix}{s:${id}}`, field)) ?? '{}')
        await client.hSet(
          `${prefix}{s:${id}}`,
          field,
          JSON.stringify({ ...row, later: whole[field] }),
        )
      }
      await client.hSet(`${prefix}{s:${id}}`, 'later', 'kept')
    },
    async added(id) {
      const row = await client.hGetAll(`${prefix}{s:${id}}`)
      const [record, seen, refresh] = fields.map((field) => JSON.parse(row[field] ?? '{}').later)
      return { record, seen, refresh, column: row['later'] }
    },
  }
}

async function overPostgres(): Promise<Shared> {
  const database = await freshPostgres()
  onTestFinished(database.drop)
  const open = async (): Promise<[Kysely<object>, Stores]> => {
    const pool = new pg.Pool({ connectionString: database.url, max: 5 })
    pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    onTestFinished(() => kysely.destroy())
    await migrateSql(kysely)
    const { keys: _keys, ...stores } = sqlStores(kysely)
    return [kysely, { ...stores, bus: postgresBus(pool) }]
  }
  const [[kysely, newer], [, older]] = [await open(), await open()]
  await sql`alter table mar_sessions add column later text`.execute(kysely)
  const stateOf = async (id: string) => {
    const { rows } = await sql<{ state: string; later: unknown }>`
      select refresh_state as state, later from mar_sessions
        where convert_from(id::bytea, 'utf8') = ${id}`.execute(kysely)
    return { state: JSON.parse(rows[0]?.state ?? '{}'), later: rows[0]?.later }
  }
  return {
    older,
    newer,
    async add(id) {
      const state = JSON.stringify({ ...(await stateOf(id)).state, later: whole.refresh })
      await sql`update mar_sessions set later = 'kept', refresh_state = ${state}
        where convert_from(id::bytea, 'utf8') = ${id}`.execute(kysely)
    },
    // The other members have columns of their own.
    async added(id) {
      const { state, later } = await stateOf(id)
      return { record: 'kept', seen: 'kept', refresh: state.later, column: later }
    },
  }
}

// A reason that only a newer release may give.
const lost = 'device-lost' as never

/**
 * The stores as a newer release uses them: every other session is of a kind that the older has
 * never heard of.
 */
function ofNewerRelease({ newer }: Shared): Stores {
  let opened = 0
  // The sessions of codes go through the wrapper, too: a redemption is of the store itself, and is
  // not used then.
  const { sessions, codes, bus } = newer
  const methodsOf = (methods: readonly string[]) => [...methods, 'palm']
  const wrapped: SessionStore = {
    ...sessions,
    create: (session) => {
      opened += 1
      const kind = opened % 2 === 0 ? 'kiosk' : session.kind
      return sessions.create({ ...session, ...later, kind, methods: methodsOf(session.methods) })
    },
    end: (id, _reason, now) => sessions.end(id, lost, now),
    endAllForUser: (userId, _reason, now, exceptId) =>
      sessions.endAllForUser(userId, lost, now, exceptId),
  }
  const told: RevocationBus = {
    ...bus,
    publish: (event) => bus.publish({ ...event, reason: lost }),
  }
  const saved: Stores['codes'] = {
    ...codes,
    save: (code) => codes.save({ ...code, methods: methodsOf(code.methods) }),
  }
  return { ...newer, sessions: wrapped, codes: saved, bus: told }
}

async function upgrade(host: TestHost, ticket: string): Promise<number> {
  const request = {
    headers: { 'sec-websocket-protocol': `auth.ticket, ${ticket}` },
    rawHeaders: [],
    method: 'GET',
    url: '/',
    socket: {},
  }
  return host.auth.sockets.authenticate(request as unknown as IncomingMessage).then(
    () => 101,
    (error: { status: number }) => error.status,
  )
}

const sessionIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

describe.each([
  ['Redis', overRedis],
  ['PostgreSQL', overPostgres],
])(
  'while a deployment rolls to a release that writes what the older one does not know, over %s',
  (_name, over) => {
    /**
     * A host of each release, and eight devices whose sessions the newer one has opened: four of a
     * kind of its own.
     */
    async function rolling() {
      const shared = await over()
      // A session is over without its parent.
      const year = new Date(Date.now() + 365 * 86_400_000)
      const times = { idleExpiresAt: year, expiresAt: year }
      await shared.newer.sessions.create(
        sessionRecord({ id: later.parentId, userId: 'u-alice', ...times }),
      )
      const isBeyond = (fault: string) => fault.includes('/kind must be equal to one of')
      const older = await startHost({ options: shared.older, isBeyond })
      const newer = await startHost({ options: ofNewerRelease(shared), isBeyond })
      const hosts = [older, newer] as const
      const devices = []
      for (let i = 0; i < 8; i += 1) {
        const { authToken } = await logIn(newer)
        // Asked for by a login session of the older release, exchanged at the newer.
        const asking = await logIn(older)
        const { body } = await post(
          newer,
          '/auth/pkce/token',
          await exchangeable(older, asking.authToken),
        )
        expect((await post(older, '/logout', undefined, bearer(asking.authToken))).status).toBe(200)
        const id = sessionIdOf(body.access_token)
        await shared.add(id)
        devices.push({
          id,
          login: authToken,
          access: body.access_token as string,
          refresh: body.refresh_token as string,
        })
      }
      const pass = (seconds: number) => {
        for (const { clock } of hosts) clock.advance(seconds)
      }
      return { shared, older, newer, hosts, devices, pass }
    }

    const exchangeable = async (host: TestHost, token: string) => {
      const { authorizationCode, codeVerifier } = await obtainCode(host, token)
      return { authorizationCode, codeVerifier }
    }

    it('nobody is out and nothing fails at either, and what the newer has written is still there', async () => {
      const { shared, older, newer, hosts, devices, pass } = await rolling()
      for (let round = 0; round < 3; round += 1) {
        // So that each request reads its session, and notes that it is in use.
        pass(70)
        for (const [index, device] of devices.entries()) {
          const host = hosts[(index + round) % 2] as TestHost
          for (const token of [device.login, device.access])
            expect((await get(host, '/me', bearer(token))).status).toBe(200)
          const refreshed = await post(host, '/auth/refresh', { refreshToken: device.refresh })
          expect(refreshed.status).toBe(200)
          Object.assign(device, {
            refresh: refreshed.body.refresh_token,
            access: refreshed.body.access_token,
          })
          const { body } = await post(host, '/auth/socket-ticket', undefined, bearer(device.access))
          expect(await upgrade(hosts[(index + round + 1) % 2] as TestHost, body.data.ticket)).toBe(
            101,
          )
        }
      }
      for (const { login } of devices) {
        const session = await shared.older.sessions.find(sessionIdOf(login))
        expect(session).toMatchObject(later)
        await shared.newer.sessions.addPasswordMark?.(session?.userId ?? '', 'mark', 'next')
        expect(await shared.older.sessions.find(sessionIdOf(login))).toMatchObject({
          ...later,
          passwordMarkNext: 'next',
        })
      }
      await expect
        .poll(() => Promise.all(devices.map(({ id }) => shared.added(id))))
        .toEqual(devices.map(() => whole))
      expect([...older.unforeseen, ...newer.unforeseen]).toEqual([])
      const failed = [...older.events, ...newer.events].filter(({ type }) => type === 'host.failed')
      expect(failed).toEqual([])
    })

    it('a kind that is not known is told as it is, and may do the least that any may', async () => {
      const { older, devices } = await rolling()
      const { authToken } = await logIn(older)
      const { body } = await get(older, '/auth/sessions', bearer(authToken)).expect(200)
      const kinds = new Map(
        body.data.sessions.map(({ id, kind }: { id: string; kind: string }) => [id, kind]),
      )
      const unknown = devices.filter(({ id }) => kinds.get(id) === 'kiosk')
      expect(unknown.length).toBeGreaterThan(0)
      for (const { access, id } of unknown) {
        expect((await get(older, '/me', bearer(access))).status).toBe(200)
        for (const managing of [
          get(older, '/auth/sessions', bearer(access)),
          remove(older, '/auth/sessions', bearer(access)),
        ]) {
          const { status, body } = await managing
          expect([status, body.error]).toEqual([403, 'forbidden'])
        }
        expect(await older.auth.sessions.revoke(id)).toBe(true)
      }
    })

    it(
      'what ends at the newer, for a reason of its own, is over at the older at once, and the ' +
        'other way round',
      async () => {
        const { older, newer, devices } = await rolling()
        for (const [index, { login }] of devices.entries()) {
          const [here, there] = index % 2 === 0 ? [older, newer] : [newer, older]
          for (const host of [here, there])
            expect((await get(host, '/me', bearer(login))).status).toBe(200)
          expect((await post(here, '/logout', undefined, bearer(login))).status).toBe(200)
          await expect.poll(async () => (await get(there, '/me', bearer(login))).status).toBe(401)
        }
        const { authToken } = await logIn(older)
        expect((await remove(newer, '/auth/sessions', bearer(authToken))).status).toBe(200)
        for (const { access, refresh } of devices) {
          await expect.poll(async () => (await get(older, '/me', bearer(access))).status).toBe(401)
          expect((await post(older, '/auth/refresh', { refreshToken: refresh })).status).toBe(400)
        }
        expect((await get(older, '/me', bearer(authToken))).status).toBe(200)
      },
    )
  },
)
