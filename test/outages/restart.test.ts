import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, type Chat, type DatabaseName, startChat } from './chat.js'
import { type Answered, type Journal, judgesTimes, startLoad } from './load.js'
import {
  type PrivateServer,
  type StartServer,
  startMariaDb,
  startPostgres,
  startRedis,
} from './servers.js'
import { openStores } from './stores.js'

const cases: {
  name: string
  kind: DatabaseName
  start: StartServer
  stops: [string, NodeJS.Signals][]
}[] = [
  {
    name: 'PostgreSQL',
    kind: 'postgres',
    start: startPostgres,
    stops: [
      ['fast', 'SIGINT'],
      ['immediate', 'SIGQUIT'],
    ],
  },
  {
    name: 'MariaDB',
    kind: 'mariadb',
    start: startMariaDb,
    stops: [
      ['SIGTERM', 'SIGTERM'],
      ['SIGKILL', 'SIGKILL'],
    ],
  },
  {
    name: 'Redis that syncs every write',
    kind: 'redis',
    start: startRedis,
    stops: [
      ['SIGTERM', 'SIGTERM'],
      ['SIGKILL', 'SIGKILL'],
    ],
  },
]

/** How long the guard may go on with what it knows. */
const guardMemory = 5200

for (const { name, kind, start, stops } of cases) {
  // Side by side, because most of the time is spent waiting.
  describe(`${name} restarts under 50 requests a second`, {
    concurrent: true,
    skip: start === null,
  }, () => {
    let server: PrivateServer
    let chats: [Chat, Chat]

    beforeAll(async () => {
      server = await (start as NonNullable<StartServer>)()
      await (await openStores(kind, server.url)).close()
      const database = { kind, url: server.url }
      chats = [await startChat(database), await startChat(database)]
    })
    afterAll(async () => {
      for (const { child } of chats ?? []) await child.end('SIGKILL')
      await server?.stop()
    })

    it.sequential.each(stops)(
      '%s: clients see 503 for the outage and nothing else, and no promise is broken',
      async (how, signal) => {
        const load = await startLoad(chats)
        await pause(2000)
        const wentDown = performance.now()
        const cameBack = await server.restart(signal, 1500)
        const { journal } = load
        // What is sent from here on counts as after the recovery, which is to take 5 s.
        await pause(judgesTimes ? 6000 : 0)
        if (!judgesTimes) {
          await expect.poll(() => kindsServed(journal, cameBack)).toEqual(kinds)
          await expect.poll(() => promised(journal)).toBeGreaterThan(10)
        }
        await load.stop()

        // A process that has ended says why before anything else is looked at.
        expect(
          chats.map(({ child }) => [
            child.process.exitCode,
            child.process.signalCode,
            exitReason(child.complaints()),
          ]),
        ).toEqual([
          [null, null, ''],
          [null, null, ''],
        ])
        expect(journal.wrong).toEqual([])
        const during = journal.answers.filter(
          ({ sentAt }) => sentAt > wentDown && sentAt < cameBack,
        )
        expect(count(during, 503), 'refused during the outage').toBeGreaterThan(0)
        expect(
          count(
            during.filter((answer) => answer.kind === 'hot guard'),
            200,
          ),
          'known sessions go on',
        ).toBeGreaterThan(0)
        const recovery = recoveryOf(journal, cameBack)
        if (judgesTimes)
          expect(recovery, 'milliseconds until everything works again').toBeLessThan(5000)

        await pause(guardMemory)
        const broken = await brokenPromises(journal, chats)
        expect(broken).toEqual([])
        expect(promised(journal), 'logouts, and logins, that were acknowledged').toBeGreaterThan(10)
        const slowest = Math.max(...journal.answers.map(({ milliseconds }) => milliseconds))
        process.stdout.write(
          `${name}, ${how}: away ${seconds(cameBack - wentDown)}, ${during.length} requests ` +
            `meanwhile (${count(during, 503)} x 503, ` +
            `${count(during, 200)} x 200), slowest answer ${seconds(slowest)}, recovered after ` +
            `${seconds(recovery)}; ` +
            `kept: ${journal.loggedOut.length} logouts, ${journal.loggedIn.length} logins, ` +
            `${journal.devices.length} devices\n`,
        )
      },
    )
  })
}

const kinds = ['cold guard', 'hot guard', 'login', 'logout', 'refresh']

/** The kinds of requests that were sent later than this, and served. */
function kindsServed({ answers }: Journal, since: number): string[] {
  const served = answers.filter(({ sentAt, status }) => sentAt > since && status === 200)
  return [...new Set(served.map(({ kind }) => kind))].sort()
}

/** Milliseconds from the first connection to the last request that was not served. */
function recoveryOf(journal: Journal, cameBack: number): number {
  const { answers } = journal
  const refused = answers.filter(({ sentAt, status }) => sentAt > cameBack && status === 503)
  const settled = judgesTimes ? cameBack + 5000 : cameBack
  expect(kindsServed(journal, settled), 'every kind of request works at the end').toEqual(kinds)
  return Math.max(0, ...refused.map(({ sentAt }) => sentAt - cameBack))
}

/** How many promises of each kind there are to be kept. */
function promised({ loggedOut, loggedIn }: Journal): number {
  return Math.min(loggedOut.length, loggedIn.length)
}

async function brokenPromises(
  { loggedOut, loggedIn, devices }: Journal,
  chats: readonly Chat[],
): Promise<string[]> {
  const broken: string[] = []
  const expectStatus = async (
    what: string,
    asked: ReturnType<typeof ask.rooms>,
    wanted: number,
  ) => {
    const { status } = await asked
    if (status !== wanted) broken.push(`${what}: ${status}, not ${wanted}`)
  }
  for (const [index, chat] of chats.entries()) {
    for (const token of loggedOut)
      await expectStatus(`logged out, process ${index}`, ask.rooms(chat, token), 401)
    for (const token of loggedIn)
      await expectStatus(`logged in, process ${index}`, ask.rooms(chat, token), 200)
    for (const { access_token } of devices)
      await expectStatus(`device, process ${index}`, ask.rooms(chat, access_token), 200)
  }
  for (const { refresh_token } of devices)
    await expectStatus('refresh', ask.refresh(chats[0] as Chat, refresh_token), 200)
  return broken
}

function count(answers: readonly Answered[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}

/**
 * What Node says before it ends because of an error; the router's own reports of a failed store are
 * no such thing.
 */
function exitReason(complaints: string): string {
  // What was kept may begin in the middle of a line of the log, as with `Error","code":…`.
  return /^(Uncaught|node:|Error(?!")|\[UnhandledPromiseRejection).*/m.exec(complaints)?.[0] ?? ''
}
