import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  alice,
  buildExample,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { request, signIn } from '../support/example-client.js'

beforeAll(buildExample, 60_000)

/** No more passwords than may wait to be hashed. */
const mostLogins = 24
/** So long the hashing takes, about. */
const secondsOfWork = 4

interface Sent {
  readonly what: string
  readonly at: number
  /** Null: no answer came. */
  readonly status: number | null
}

async function send(what: string, ask: () => Promise<{ status: number }>): Promise<Sent> {
  const at = performance.now()
  const answer = await ask().catch(() => null)
  return { what, at, status: answer?.status ?? null }
}

test(
  'SIGTERM under load: every request that had come is answered, and the process ends in 10 ' +
    'seconds',
  async () => {
    const { url, stop } = await startExample({
      ...environmentIn(temporaryFolder()),
      SEED_USERS: String(mostLogins),
    })
    onTestFinished(async () => void (await stop('SIGKILL')))
    await signIn(url, alice)
    const from = performance.now()
    const credentials = await signIn(url, alice)
    const logins = Math.min(
      mostLogins,
      Math.ceil((secondsOfWork * availableParallelism() * 1000) / (performance.now() - from)),
    )
    const sent: Promise<Sent>[] = []
    const read = () => request(url, 'GET', '/api/v1/rooms/general/messages', undefined, credentials)
    const reading = setInterval(() => sent.push(send('guard', read)), 5)
    await pause(300)
    for (let number = 1; number <= logins; number += 1) {
      const body = { username: `user${number}`, password: `passphrase of user ${number}` }
      sent.push(send('login', () => request(url, 'POST', '/api/v1/login', body)))
    }
    await pause(500)
    const signalled = performance.now()
    const ended = stop('SIGTERM')
    await pause(200)
    clearInterval(reading)
    const answers = await Promise.all(sent)
    expect(await ended).toBe(0)
    const took = performance.now() - signalled
    expect(took).toBeLessThan(10_000)

    // What is sent in the last moment may find the door closed; what came before it was let in.
    const before = answers.filter(({ at }) => at < signalled - 100)
    expect(before.filter(({ what }) => what === 'login')).toHaveLength(logins)
    expect(before.filter(({ status }) => status !== 200)).toEqual([])
    const after = answers.filter(({ at }) => at >= signalled - 100)
    // Afterwards: answered, or not let in at all. Half an answer would be a reset.
    expect(after.filter(({ status }) => status !== 200 && status !== null)).toEqual([])
    process.stdout.write(
      `SIGTERM: ${before.length} requests answered, ${logins} of them logins; of ${after.length} ` +
        `later ones ${after.filter(({ status }) => status === 200).length}; ` +
        `ended after ${(took / 1000).toFixed(1)} s\n`,
    )
  },
)
