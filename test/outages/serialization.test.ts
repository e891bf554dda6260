import { type Connection, createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/secrets.js'
import {
  ask,
  type Chat,
  type Code,
  obtainCode,
  obtainTokens,
  ok,
  type Reply,
  startChat,
} from './chat.js'
import { type PrivateServer, type StartServer, startMariaDb, startPostgres } from './servers.js'
import { type OpenStores, openStores } from './stores.js'

let users = 0
let user: string
beforeEach(() => {
  users += 1
  user = `user-${users}`
})

describe.skipIf(startPostgres === null)('PostgreSQL, every transaction serializable', () => {
  let server: PrivateServer
  let stores: OpenStores
  let chat: Chat
  let rival: pg.Client

  beforeAll(async () => {
    server = await (startPostgres as NonNullable<StartServer>)()
    stores = await openStores('postgres', server.url)
    const postgresOptions =
      '-c default_transaction_isolation=serializable -c application_name=chat -c ' +
      'deadlock_timeout=200ms'
    chat = await startChat({ kind: 'postgres', url: server.url, postgresOptions })
    rival = new pg.Client({ connectionString: server.url })
    await rival.connect()
    await rival.query("set deadlock_timeout = '1min'")
  })
  afterAll(async () => {
    await chat?.child.end('SIGKILL')
    await rival?.end()
    await stores?.close()
    await server?.stop()
  })

  /** Resolves when a statement of the chat server waits for a lock. */
  const chatWaits = () =>
    expect
      .poll(async () => (await rival.query(waiting)).rows.length, { timeout: 1500, interval: 10 })
      .toBeGreaterThan(0)
  const waiting =
    "select 1 from pg_stat_activity where application_name = 'chat' and wait_event_type = 'Lock'"

  it(
    '40001: an exchange whose code another transaction has touched is run again, and opens one ' +
      'session',
    async () => {
      const code = await obtainCode(chat, user)
      await rival.query('begin')
      await rival.query('update mar_authorization_codes set scope = scope where code_hash = $1', [
        sha256(code.authorizationCode),
      ])
      const asked = ask.exchange(chat, code)
      await chatWaits()
      await rival.query('commit')
      await expectOneSession(await asked, chat, code)
    },
  )

  it(
    '40001: a refresh whose session another transaction has touched is run again, and has one ' +
      'successor',
    async () => {
      const { refresh_token } = await obtainTokens(chat, user)
      await rival.query('begin')
      await rival.query('update mar_sessions set scope = scope where user_id = $1', [`u-${user}`])
      const asked = ask.refresh(chat, refresh_token)
      await chatWaits()
      await rival.query('commit')
      const successor = await ok(asked)
      expect(await ok(ask.refresh(chat, refresh_token))).toMatchObject({
        refresh_token: successor.refresh_token,
      })
      expect((await ask.refresh(chat, successor.refresh_token)).status).toBe(200)
    },
  )

  it(
    '40P01: an exchange that is chosen to give way in a deadlock is run again, and opens one ' +
      'session',
    async () => {
      const code = await obtainCode(chat, user)
      const codeHash = sha256(code.authorizationCode)
      const { opensSessionId } = (await stores.codes.find(codeHash)) ?? {}
      await rival.query('begin')
      // The same id, not yet committed: the insertion waits to learn whether it may.
      await rival.query(copySession, [opensSessionId, `u-${user}`])
      const asked = ask.exchange(chat, code)
      await chatWaits()
      // The exchange holds the code, and waits for the session; now each waits for the other.
      await rival.query('update mar_authorization_codes set scope = scope where code_hash = $1', [
        codeHash,
      ])
      await rival.query('rollback')
      await expectOneSession(await asked, chat, code)
    },
  )
  const copySession = `insert into mar_sessions
    select $1, user_id, kind, scope, methods, authenticated_at, created_at, last_seen_at,
      idle_expires_at, expires_at, ip, user_agent,
      refresh_hash, refresh_state, ended_at, end_reason, ended_by, purge_at
    from mar_sessions where user_id = $2 limit 1`

  it.each(['40001', '40P01'])(
    '%s five times in a row: 503 with nothing done, and asking again opens the one session',
    async (state) => {
      const code = await obtainCode(chat, user)
      // A sequence is not rolled back, so it counts the attempts.
      await rival.query(`
      create sequence attempts;
      create function give_way() returns trigger language plpgsql as $$ begin
        if nextval('attempts') <= 5 then
          raise exception 'give way' using errcode = '${state}';
        end if;
        return new;
      end $$;
      create trigger give_way before insert on mar_sessions
        for each row execute function give_way()`)
      const refused = await ask.exchange(chat, code)
      expect([refused.status, refused.retryAfter]).toEqual([503, '2'])
      expect(await opened(stores)).toBe(0)
      expect((await stores.codes.find(sha256(code.authorizationCode)))?.consumedAt).toBeNull()
      const { rows } = await rival.query('select last_value from attempts')
      expect(rows, 'tried five times and no more').toEqual([{ last_value: '5' }])

      await expectOneSession(await ask.exchange(chat, code), chat, code)
      await rival.query(
        'drop trigger give_way on mar_sessions; drop function give_way; drop sequence attempts',
      )
    },
  )

  async function expectOneSession(reply: Reply, chat: Chat, code: Code): Promise<void> {
    await expectOne(stores, reply, chat, code)
  }
})

describe.skipIf(startMariaDb === null)('MariaDB', () => {
  let server: PrivateServer
  let stores: OpenStores
  let chat: Chat
  let rival: Connection

  beforeAll(async () => {
    server = await (startMariaDb as NonNullable<StartServer>)()
    stores = await openStores('mariadb', server.url)
    chat = await startChat({ kind: 'mariadb', url: server.url })
    rival = await createConnection(server.url)
    // InnoDB lets the transaction give way that has changed fewer rows.
    await rival.query('create table heavy (n int primary key) engine=InnoDB')
  })
  afterAll(async () => {
    await chat?.child.end('SIGKILL')
    await rival?.end()
    await stores?.close()
    await server?.stop()
  })

  async function holdSession(sessionId: string): Promise<void> {
    await rival.query('begin')
    await rival.query('insert into heavy select seq from seq_1_to_500')
    await rival.query(copySession, [sessionId, `u-${user}`])
  }
  const columns = `user_id, kind, scope, methods, authenticated_at, created_at, last_seen_at,
      idle_expires_at, expires_at, ip, user_agent,
    refresh_hash, refresh_state, ended_at, end_reason, ended_by, purge_at`
  const copySession =
    `insert into mar_sessions (id, ${columns}) select ?, ${columns} from mar_sessions where ` +
    'user_id = ? limit 1'
  const lockWaits = 'select 1 from information_schema.innodb_lock_waits'
  const deadlocks = async () => {
    const [rows] = await rival.query("show global status like 'Innodb_deadlocks'")
    return Number((rows as { Value: string }[])[0]?.Value)
  }

  it(
    '1213: an exchange that is chosen to give way in a deadlock is run again, and opens one ' +
      'session',
    async () => {
      const code = await obtainCode(chat, user)
      const codeHash = sha256(code.authorizationCode)
      const { opensSessionId = '' } = (await stores.codes.find(codeHash)) ?? {}
      const before = await deadlocks()
      await holdSession(opensSessionId)
      const asked = ask.exchange(chat, code)
      const chatWaits = async () => ((await rival.query(lockWaits))[0] as unknown[]).length
      // MariaDB makes this table anew only for those who have not read it for a tenth of a second.
      await expect.poll(chatWaits, { timeout: 1500, interval: 150 }).toBeGreaterThan(0)
      await rival.query(
        'update mar_authorization_codes set scope = concat(scope, ?) where code_hash = ?',
        ['', codeHash],
      )
      await rival.query('rollback')
      await expectOne(stores, await asked, chat, code)
      expect(await deadlocks(), 'there was a deadlock').toBe(before + 1)
    },
  )

  it('1213 five times in a row: 503 with nothing done, and asking again opens the one session', async () => {
    const code = await obtainCode(chat, user)
    // A table that knows no transactions counts the attempts.
    await rival.query('create table attempts (n int primary key auto_increment) engine=MyISAM')
    await rival.query(`create trigger give_way before insert on mar_sessions for each row begin
      insert into attempts values ();
      if (select count(*) from attempts) <= 5 then
        signal sqlstate '40001' set mysql_errno = 1213;
      end if;
    end`)
    const refused = await ask.exchange(chat, code)
    expect([refused.status, refused.retryAfter]).toEqual([503, '2'])
    expect(await opened(stores)).toBe(0)
    expect((await stores.codes.find(sha256(code.authorizationCode)))?.consumedAt).toBeNull()

    await expectOne(stores, await ask.exchange(chat, code), chat, code)
    await rival.query('drop trigger give_way')
  })
})

/** The sessions that codes have opened for the user of this test. */
async function opened({ sessions }: OpenStores): Promise<number> {
  return (await sessions.listForUser(`u-${user}`, new Date())).filter(({ kind }) => kind === 'pkce')
    .length
}

async function expectOne(stores: OpenStores, reply: Reply, chat: Chat, code: Code): Promise<void> {
  expect(reply.status).toBe(200)
  expect((await ask.rooms(chat, reply.body.access_token)).status).toBe(200)
  expect((await ask.exchange(chat, code)).status, 'a code works once').toBe(400)
  expect(await opened(stores)).toBe(1)
}
