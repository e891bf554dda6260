import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../src/index.js'
import { sha256 } from '../../src/lib/secrets.js'
import {
  ask,
  type Chat,
  type Code,
  type DatabaseName,
  obtainCode,
  obtainTokens,
  ok,
  type Reply,
  startChat,
  type Tokens,
} from './chat.js'
import { newFolder } from './child.js'
import {
  type PrivateServer,
  type StartServer,
  startMariaDb,
  startPostgres,
  startRedis,
} from './servers.js'
import { type OpenStores, openStores } from './stores.js'
import { killWhile, type Spares, spares, whenAlone } from './victims.js'

const databases: { name: string; kind: DatabaseName; start: StartServer | 'a file' }[] = [
  { name: 'SQLite', kind: 'sqlite', start: 'a file' },
  { name: 'PostgreSQL', kind: 'postgres', start: startPostgres },
  { name: 'MariaDB', kind: 'mariadb', start: startMariaDb },
  { name: 'Redis', kind: 'redis', start: startRedis },
]

/** Divided among the four databases. */
const kills = Number(process.env['KILLS'] ?? 200) / databases.length
const refreshKills = Number(process.env['REFRESH_KILLS'] ?? 52) / databases.length
/** Requests under way at each kill, so that it finds them at different places. */
const atOnce = 4

describe.skipIf(databases.some(({ start }) => start === null))('a process is killed', () => {
  for (const { name, kind, start } of databases) {
    describe(`over ${name}`, () => {
      let server: PrivateServer | undefined
      let stores: OpenStores
      let survivor: Chat
      let victims: Spares<Chat & Times>

      beforeAll(async () => {
        server = start === 'a file' ? undefined : await (start as NonNullable<StartServer>)()
        const url = server?.url ?? join(newFolder('sqlite'), 'auth.db')
        stores = await openStores(kind, url)
        survivor = await startChat({ kind, url })
        victims = spares(
          () => startChat({ kind, url, connections: atOnce }),
          (chat) => timesOf(chat, survivor),
        )
      })
      afterAll(async () => {
        await victims?.close()
        await survivor?.child.end('SIGKILL')
        await stores?.close()
        await server?.stop()
      })

      it(
        `${kills} times while codes are exchanged: a code opens one session or none, and ` +
          'nothing stays half done',
        async () => {
          const found = { answered: 0, done: 0, nothing: 0, 'code lost': 0 }
          for (let kill = 0; kill < kills; kill += 1) {
            const rounds = await Promise.all(
              Array.from({ length: atOnce }, () => newRound(survivor)),
            )
            const victim = await victims.next()
            const replies = await killWhile(
              victim,
              victim.exchange,
              rounds.map(({ code }) => ask.exchange(victim, code)),
            )
            const scene = { kind, stores, survivor }
            const ends = await Promise.all(
              replies.map((reply, i) => judgeExchange(scene, rounds[i] as Round, reply)),
            )
            for (const end of ends) found[end] += 1
          }
          say(name, `${kills} kills, ${kills * atOnce} exchanges`, found)
          expect(found.answered + found.done, 'kills that came after the write').toBeGreaterThan(0)
          expect(found.nothing, 'kills that came before it').toBeGreaterThan(0)
        },
      )

      it(
        `${refreshKills} times while tokens are refreshed: who asks again gets the one live ` +
          'successor',
        async () => {
          const found = { answered: 0, unanswered: 0 }
          for (let kill = 0; kill < refreshKills; kill += 1) {
            const users = Array.from({ length: atOnce }, newName)
            const parents = await Promise.all(users.map((user) => obtainTokens(survivor, user)))
            const victim = await victims.next()
            const replies = await killWhile(
              victim,
              victim.refresh,
              parents.map(({ refresh_token }) => ask.refresh(victim, refresh_token)),
            )
            const scene = { kind, stores, survivor }
            await Promise.all(
              replies.map((reply, i) =>
                judgeRefresh(scene, users[i] as string, parents[i] as Tokens, reply),
              ),
            )
            found.answered += replies.filter(({ status }) => status === 200).length
            found.unanswered += replies.filter(({ status }) => status !== 200).length
          }
          say(name, `${refreshKills} kills, ${refreshKills * atOnce} refreshes`, found)
        },
      )
    })
  }
})

/**
 * Whether the exchange was answered; if not, whether it was done, not begun, or has used the code
 * up for nothing.
 */
type End = 'answered' | 'done' | 'nothing' | 'code lost'

/** Where to look when a process has been killed. */
interface Scene {
  readonly kind: DatabaseName
  readonly stores: OpenStores
  readonly survivor: Chat
}

interface Round {
  readonly user: string
  readonly code: Code
}

function newName(): string {
  return randomBytes(8).toString('hex')
}

async function newRound(chat: Chat): Promise<Round> {
  const user = newName()
  return { user, code: await obtainCode(chat, user) }
}

async function judgeExchange(scene: Scene, round: Round, reply: Reply): Promise<End> {
  expect([0, 200], JSON.stringify(reply.body)).toContain(reply.status)
  const { user, code } = round
  const { kind, survivor } = scene
  const before = await settled(scene, round)
  if (reply.status === 200)
    expect((await ask.rooms(survivor, reply.body.access_token)).status).toBe(200)
  const { status } = await ask.exchange(survivor, code)
  // The database may do what the killed process had sent to it after it was looked at.
  const isLate = !before.consumed && status === 400
  const { consumed, sessions } = isLate ? await settled(scene, round) : before
  expect(sessions, 'sessions of one code').toBeLessThanOrEqual(1)
  if (kind === 'redis')
    expect(consumed ? 1 : 0, 'no session beside a code that is still good').toBeGreaterThanOrEqual(
      sessions,
    )
  else expect(sessions, 'code and session are one transaction').toBe(consumed ? 1 : 0)

  expect(status, 'the code is good for one session').toBe(consumed ? 400 : 200)
  expect((await ask.exchange(survivor, code)).status, 'and then no more').toBe(400)
  expect(await pkceSessions(scene.stores, user), 'and opens no second one').toHaveLength(
    consumed ? sessions : 1,
  )
  return endOf(reply, consumed, sessions)
}

// What the database was doing for a client that has gone may be over a moment later; the two are
// not read at one moment either.
async function settled({ stores }: Scene, { user, code }: Round) {
  const read = async () => {
    const record = await stores.codes.find(sha256(code.authorizationCode))
    return {
      consumed: record?.consumedAt !== null,
      sessions: (await pkceSessions(stores, user)).length,
    }
  }
  const first = await read()
  if (first.consumed === (first.sessions === 1)) return first
  await pause(300)
  return read()
}

async function pkceSessions(stores: OpenStores, user: string): Promise<SessionRecord[]> {
  const live = await stores.sessions.listForUser(`u-${user}`, new Date())
  return live.filter((session) => session.kind === 'pkce')
}

async function judgeRefresh(
  scene: Scene,
  user: string,
  parent: Tokens,
  reply: Reply,
): Promise<void> {
  const { survivor } = scene
  expect([0, 200], JSON.stringify(reply.body)).toContain(reply.status)
  const successor: Tokens = await ok(ask.refresh(survivor, parent.refresh_token))
  if (reply.status === 200) expect(successor.refresh_token).toBe(reply.body.refresh_token)
  expect((await ask.rooms(survivor, successor.access_token)).status).toBe(200)
  const [session, ...others] = await pkceSessions(scene.stores, user)
  expect(others).toEqual([])
  const { refresh_token }: Tokens = await ok(ask.refresh(survivor, successor.refresh_token))
  expect(refresh_token).not.toBe(successor.refresh_token)
  expect(session?.refresh?.hash, 'the successor is the one that is stored').toBe(
    sha256(successor.refresh_token),
  )
}

function endOf({ status }: Reply, consumed: boolean, sessions: number): End {
  if (status === 200) return 'answered'
  if (!consumed) return 'nothing'
  return sessions === 1 ? 'done' : 'code lost'
}

/** How many milliseconds a process takes for what it will be asked. */
interface Times {
  readonly exchange: number
  readonly refresh: number
}

async function timesOf(chat: Chat, survivor: Chat): Promise<Times> {
  let [exchange, refresh] = [0, 0]
  for (let time = 0; time < 3; time += 1) {
    const codes = await Promise.all(
      Array.from({ length: atOnce }, () => obtainCode(survivor, newName())),
    )
    const from = performance.now()
    const tokens = await Promise.all(codes.map((code) => ok(ask.exchange(chat, code))))
    exchange = performance.now() - from
    await Promise.all(tokens.map(({ refresh_token }) => ok(ask.refresh(chat, refresh_token))))
    refresh = performance.now() - from - exchange
  }
  return { exchange: exchange * whenAlone, refresh: refresh * whenAlone }
}

function say(name: string, what: string, found: object): void {
  const counts = Object.entries(found).map(([end, count]) => `${count} ${end}`)
  process.stdout.write(`${name}: ${what}: ${counts.join(', ')}\n`)
}
