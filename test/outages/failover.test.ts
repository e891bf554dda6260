import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { type DatabaseProxy, startProxy } from '../support/proxy.js'
import { ask, type Chat, logIn, obtainCode, startChat } from './chat.js'
import {
  type PrivateServer,
  type Standby,
  type StartServer,
  startPostgres,
  startStandby,
} from './servers.js'
import { openStores } from './stores.js'

describe.skipIf(startPostgres === null)('PostgreSQL fails over to a standby', () => {
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  /**
   * A server, a standby that follows it over a line that can be stopped, and a chat server on the
   * first.
   */
  async function startBoth(): Promise<{
    primary: PrivateServer
    line: DatabaseProxy
    standby: Standby
    chat: Chat
  }> {
    const primary = await (startPostgres as NonNullable<StartServer>)()
    ends.push(() => primary.stop())
    await (await openStores('postgres', primary.url)).close()
    const line = await startProxy(primary.url)
    ends.push(() => line.stop())
    const standby = await startStandby(line.url)
    ends.push(() => standby.stop())
    await expect.poll(() => query(primary, 'select 1 from pg_stat_replication')).toHaveLength(1)
    return { primary, line, standby, chat: await startOn(primary) }
  }

  async function startOn({ url }: PrivateServer): Promise<Chat> {
    const chat = await startChat({ kind: 'postgres', url })
    ends.push(() => chat.child.end('SIGKILL'))
    return chat
  }

  /** The first server is lost, and the chat goes on over the standby. */
  async function failOver({
    primary,
    line,
    standby,
  }: Awaited<ReturnType<typeof startBoth>>): Promise<Chat> {
    await primary.kill()
    await line.stop()
    await standby.promote()
    return startOn(standby)
  }

  it(
    'that was behind: acknowledged logouts and used codes come back. An asynchronous standby ' +
      'keeps no promise',
    async () => {
      const both = await startBoth()
      const { chat, line, primary } = both
      const token = await logIn(chat, 'alice')
      const code = await obtainCode(chat, 'alice')
      await caughtUp(primary)
      line.pause()
      expect((await ask.logout(chat, token)).status).toBe(200)
      expect((await ask.exchange(chat, code)).status).toBe(200)
      const after = await failOver(both)
      expect((await ask.rooms(after, token)).status, 'revived').toBe(200)
      expect((await ask.exchange(after, code)).status, 'used twice').toBe(200)
    },
  )

  it(
    'that commits wait for: nothing comes back that was ended or used, although it applies two ' +
      'seconds late',
    async () => {
      const both = await startBoth()
      const { chat, line, primary } = both
      await query(primary, "alter system set synchronous_standby_names = '*'")
      await query(primary, 'select pg_reload_conf()')
      await expect
        .poll(() => query(primary, "select 1 from pg_stat_replication where sync_state = 'sync'"))
        .toHaveLength(1)
      const tokens = [await logIn(chat, 'alice'), await logIn(chat, 'bob')] as const
      const code = await obtainCode(chat, 'alice')
      expect((await ask.logout(chat, tokens[0])).status).toBe(200)
      expect((await ask.exchange(chat, code)).status).toBe(200)

      // What the standby has not got is not promised either.
      expect((await ask.rooms(chat, tokens[1])).status).toBe(200)
      line.pause()
      const refused = await ask.logout(chat, tokens[1])
      expect([refused.status, refused.retryAfter]).toEqual([503, '2'])
      expect(refused.milliseconds).toBeLessThan(2500)

      const after = await failOver(both)
      expect((await ask.rooms(after, tokens[0])).status).toBe(401)
      expect((await ask.exchange(after, code)).status).toBe(400)
      await logIn(after, 'alice')
    },
  )
})

async function caughtUp(primary: PrivateServer): Promise<void> {
  const behind = 'select 1 from pg_stat_replication where flush_lsn < pg_current_wal_lsn()'
  await expect.poll(() => query(primary, behind)).toEqual([])
}

async function query({ url }: PrivateServer, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
