import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SecondFactorStore } from '../../src/index.js'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import { totpCode } from '../../src/testing/testing.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { encryptionKey, totpSecret } from '../support/host.js'
import { ask, type Chat, type DatabaseName, ok, type Reply, startChat } from './chat.js'
import { newFolder } from './child.js'
import { type PrivateServer, type StartServer, startMariaDb, startPostgres } from './servers.js'
import { type OpenStores, openStores } from './stores.js'
import { killWhile, type Spares, spares, whenAlone } from './victims.js'

const databases: { name: string; kind: DatabaseName; start: StartServer | 'a file' }[] = [
  { name: 'SQLite', kind: 'sqlite', start: 'a file' },
  { name: 'PostgreSQL', kind: 'postgres', start: startPostgres },
  { name: 'MariaDB', kind: 'mariadb', start: startMariaDb },
]

/** Divided among the databases. */
const kills = Math.ceil(Number(process.env['SIGN_IN_KILLS'] ?? 102) / databases.length)
/** Sign-ins under way at each kill, so that it finds them at different places. */
const atOnce = 3
const vault = createSeedVault([Buffer.from(encryptionKey, 'base64')])
const seed = decodeBase32(totpSecret) as Buffer

interface Times {
  readonly login: number
}

describe.skipIf(databases.some(({ start }) => start === null))(
  'a process is killed while it signs users with TOTP in',
  () => {
    describe.each(databases)('over $name', ({ name, kind, start }) => {
      let server: PrivateServer | undefined
      let stores: OpenStores
      let factors: SecondFactorStore
      let survivor: Chat
      let victims: Spares<Chat & Times>

      beforeAll(async () => {
        server = start === 'a file' ? undefined : await (start as NonNullable<StartServer>)()
        const url = server?.url ?? join(newFolder('sqlite'), 'auth.db')
        stores = await openStores(kind, url)
        factors = stores.secondFactors as SecondFactorStore
        survivor = await startChat({ kind, url })
        victims = spares(() => startChat({ kind, url, connections: atOnce }), timesOf)
      })
      afterAll(async () => {
        await victims?.close()
        await survivor?.child.end('SIGKILL')
        await stores?.close()
        await server?.stop()
      })

      async function newUser(): Promise<string> {
        const user = randomBytes(8).toString('hex')
        const userId = `u-${user}`
        await factors.activate(
          { userId, sealedSeed: vault.seal(userId, seed), lastStep: -1, createdAt: new Date() },
          [],
        )
        return user
      }

      async function timesOf(chat: Chat): Promise<Times> {
        let login = 0
        for (let time = 0; time < 3; time += 1) {
          const users = await Promise.all(Array.from({ length: atOnce }, newUser))
          const from = performance.now()
          await Promise.all(
            users.map((user) => ok(ask.login(chat, user, totpCode(totpSecret, new Date())))),
          )
          login = performance.now() - from
        }
        return { login: login * whenAlone }
      }

      async function judge(
        user: string,
        code: string,
        reply: Reply,
      ): Promise<'answered' | 'code burnt' | 'nothing'> {
        expect([0, 200], JSON.stringify(reply.body)).toContain(reply.status)
        const factor = await factors.find(`u-${user}`)
        const burnt = factor?.lastStep !== -1
        const sessions = await stores.sessions.listForUser(`u-${user}`, new Date())
        expect(
          sessions.length,
          'no session without the step, and one at the most',
        ).toBeLessThanOrEqual(burnt ? 1 : 0)
        await expectOneUse(user, code, burnt)
        if (reply.status !== 200) return burnt ? 'code burnt' : 'nothing'
        expect((await ask.rooms(survivor, reply.body.data.authToken)).status).toBe(200)
        return 'answered'
      }

      async function expectOneUse(user: string, code: string, burnt: boolean): Promise<void> {
        const again = await ask.login(survivor, user, code)
        expect([again.status, again.body.error], 'a code is good once').toEqual(
          burnt ? [401, 'totp-invalid'] : [200, undefined],
        )
        const next = totpCode(totpSecret, new Date(Date.now() + 30_000))
        expect(
          (await ask.login(survivor, user, next)).status,
          'the code of the next step signs in',
        ).toBe(200)
      }

      it(
        `${kills} times: a code is burnt or untouched, no session is there without it, and the ` +
          'next code signs in',
        async () => {
          const found = { answered: 0, 'code burnt': 0, nothing: 0 }
          // By chance none may have come before the step, or none after it: then there are more.
          const isOneSided = () => found.nothing === 0 || found.answered + found['code burnt'] === 0
          for (let kill = 0; kill < kills || (isOneSided() && kill < 10 * kills); kill += 1) {
            const users = await Promise.all(Array.from({ length: atOnce }, newUser))
            const victim = await victims.next()
            const code = totpCode(totpSecret, new Date())
            const asked = users.map((user) => ask.login(victim, user, code))
            const replies = await killWhile(victim, victim.login, asked)
            const ends = await Promise.all(
              replies.map((reply, i) => judge(users[i] as string, code, reply)),
            )
            for (const end of ends) found[end] += 1
          }
          const counts = Object.entries(found).map(([end, count]) => `${count} ${end}`)
          process.stdout.write(
            `${name}: ${kills} kills, ${kills * atOnce} sign-ins: ${counts.join(', ')}\n`,
          )
          expect(
            found.answered + found['code burnt'],
            'kills that came after the step',
          ).toBeGreaterThan(0)
          expect(found.nothing, 'kills that came before it').toBeGreaterThan(0)
        },
      )
    })
  },
)
