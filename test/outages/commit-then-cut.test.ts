import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DatabaseProxy, startProxy } from '../support/proxy.js'
import {
  ask,
  type Chat,
  logIn,
  obtainCode,
  obtainTokens,
  ok,
  type Reply,
  startChat,
} from './chat.js'
import { type PrivateServer, type StartServer, startPostgres } from './servers.js'
import { type OpenStores, openStores } from './stores.js'

describe.skipIf(startPostgres === null)(
  'the connection is cut when PostgreSQL has done the work and before it says so',
  () => {
    let server: PrivateServer
    let proxy: DatabaseProxy
    let stores: OpenStores
    let chat: Chat
    let user: string
    let users = 0

    beforeAll(async () => {
      server = await (startPostgres as NonNullable<StartServer>)()
      proxy = await startProxy(server.url)
      stores = await openStores('postgres', server.url)
      chat = await startChat({ kind: 'postgres', url: proxy.url, connections: 3 })
    })
    beforeEach(() => {
      users += 1
      user = `user-${users}`
    })
    afterAll(async () => {
      await chat?.child.end('SIGKILL')
      await stores?.close()
      await proxy?.stop()
      await server?.stop()
    })

    /** Sessions that codes have opened. */
    const opened = async () =>
      (await stores.sessions.listForUser(`u-${user}`, new Date())).filter(
        ({ kind }) => kind === 'pkce',
      )

    async function cutDuring(statement: RegExp, request: () => Promise<Reply>): Promise<Reply> {
      const cut = proxy.cutInsteadOfAnswer(statement)
      const reply = await request()
      expect(await Promise.race([cut.then(() => 'cut'), pause(100, 'not cut')])).toBe('cut')
      expect(await stillRuns(chat)).toBe('runs')
      return reply
    }

    it('an exchange: 503, and asking again opens no second session', async () => {
      const code = await obtainCode(chat, user)
      // The one statement uses the code up and opens the session.
      const reply = await cutDuring(/insert into "mar_sessions"/, () => ask.exchange(chat, code))
      expect([reply.status, reply.retryAfter]).toEqual([503, '2'])
      expect(await opened()).toHaveLength(1)

      expect((await ask.exchange(chat, code)).status).toBe(400)
      expect(await opened()).toHaveLength(1)
    })

    it('a refresh: 503, and asking again gets the one successor that was stored', async () => {
      const { refresh_token } = await obtainTokens(chat, user)
      const reply = await cutDuring(/update "mar_sessions" set .*"last_seen_at"/, () =>
        ask.refresh(chat, refresh_token),
      )
      expect(reply.status).toBe(503)

      const successor = await ok(ask.refresh(chat, refresh_token))
      expect((await ask.rooms(chat, successor.access_token)).status).toBe(200)
      expect((await ask.refresh(chat, successor.refresh_token)).status).toBe(200)
      expect(await opened()).toHaveLength(1)
    })

    it('a logout: 503, and the session has ended whether or not anybody asks again', async () => {
      const token = await logIn(chat, user)
      expect((await ask.rooms(chat, token)).status).toBe(200)
      const reply = await cutDuring(/update "mar_sessions" set "ended_at"/, () =>
        ask.logout(chat, token),
      )
      expect(reply.status).toBe(503)

      expect(await stores.sessions.listForUser(`u-${user}`, new Date())).toEqual([])
      const again = await ask.logout(chat, token)
      expect([200, 401]).toContain(again.status)
      expect((await ask.rooms(chat, token)).status).toBe(401)
    })

    it('a login: 503, and asking again signs in', async () => {
      expect(
        (await cutDuring(/insert into "mar_sessions"/, () => ask.login(chat, user))).status,
      ).toBe(503)
      expect((await ask.rooms(chat, await logIn(chat, user))).status).toBe(200)
    })

    it('a code that is issued: 503, and asking again gets another', async () => {
      const token = await logIn(chat, user)
      const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
      expect(
        (
          await cutDuring(/insert into "mar_authorization_codes"/, () =>
            ask.authorize(chat, token, challenge),
          )
        ).status,
      ).toBe(503)
      expect((await ask.authorize(chat, token, challenge)).status).toBe(200)
    })

    it(
      'a database that falls silent: 503 within 2.5 s, known sessions go on, and it all works ' +
        'once it speaks again',
      async () => {
        const token = await logIn(chat, user)
        expect((await ask.rooms(chat, token)).status).toBe(200)
        const unknown = await logIn(chat, user)
        proxy.pause()
        const [known, ...refused] = await Promise.all([
          ask.rooms(chat, token),
          // As many as may be under way for one name; afterwards it must be free to sign in.
          ...Array.from({ length: 5 }, () => ask.login(chat, user)),
          ...Array.from({ length: 5 }, (_, i) => ask.login(chat, `${user}-${i}`)),
          ask.rooms(chat, unknown),
          ask.logout(chat, token),
        ])
        proxy.resume()
        expect(known?.status).toBe(200)
        expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 503))
        expect(Math.max(...refused.map(({ milliseconds }) => milliseconds))).toBeLessThan(2500)
        await expect.poll(async () => (await ask.login(chat, user)).status).toBe(200)
        expect((await ask.rooms(chat, unknown)).status).toBe(200)
        expect(await stillRuns(chat)).toBe('runs')
      },
    )
  },
)

/**
 * What is said of a process that has ended since: an error that nobody listened to is what may end
 * it.
 */
async function stillRuns({ child }: Chat): Promise<string> {
  const ended = child.ended.then((how) => `ended with ${how}: ${child.complaints()}`)
  return Promise.race([ended, pause(50, 'runs')])
}
