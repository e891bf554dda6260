// How long a request keeps everybody else waiting.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestHost } from './host.js'

/** Milliseconds of the event loop that the worst of a client's texts may cost. */
export const limit = 5

/** A request, as bytes are sent: texts of headers have a byte in each character. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Without a Content-Length. */
  readonly chunked?: boolean
}

const agent = new Agent({ keepAlive: true })

/** Sends a request; resolves with its status once the whole answer is there. */
export function send(
  host: TestHost,
  { method = 'POST', path, headers = {}, body, chunked = false }: Sent,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const length =
      body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const sent = request(
      `${host.url}${path}`,
      { method, agent, headers: { ...type, ...length, ...headers } },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    if (chunked) sent.write(String(body).slice(0, 1))
    sent.end(chunked ? String(body).slice(1) : body)
  })
}

/**
 * The longest time between two turns of the event loop while this is asked, in milliseconds: by the
 * clock or by what the process has computed, whichever is less. On a busy machine the clock goes on
 * while this process has to wait.
 */
async function longestPause(ask: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = times()
  let done = false
  const watch = () => {
    const now = times()
    longest = Math.max(longest, Math.min(now.clock - last.clock, now.computed - last.computed))
    last = now
    if (!done) setImmediate(watch)
  }
  setImmediate(watch)
  await ask()
  done = true
  return longest
}

function times(): { clock: number; computed: number } {
  const { user, system } = process.cpuUsage()
  return { clock: performance.now(), computed: (user + system) / 1000 }
}

/**
 * The least of several rounds, up to the first below the limit: what a request costs, it costs each
 * time, and a busy machine or a collection of garbage does not. Rounds come in runs, each run a
 * little later than the one before, so that they outlast both.
 */
export async function heldFor(ask: () => Promise<unknown>, below: number = limit): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 8 && least >= below; run += 1) {
    await sleep(50 * run)
    for (let round = 0; round < 25 && least >= below; round += 1)
      least = Math.min(least, await longestPause(ask))
  }
  return least
}
