import { randomInt } from 'node:crypto'
import { Agent, request as startRequest } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Difference, mannWhitney, median } from './mann-whitney.js'
import { withoutDrift } from './without-drift.js'

/** A request whose answer is a refusal, or tells nothing. */
export interface Ask {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or as a form where it is `URLSearchParams`. */
  readonly body?: object
}

/** Two requests, between which the clock must not be able to tell. */
export interface Pair {
  /** For the line with the figures. */
  readonly name: string
  /** With the prefix. */
  readonly url: string
  readonly one: Ask
  readonly other: Ask
  /**
   * Whether a password is hashed for it: through 13 ms the machine's pace changes, and would hide
   * what is looked for.
   */
  readonly hashes: boolean
  /** What both are answered with. */
  readonly status: number
  /** What of an answer must be the same for both. Default: all of it. */
  readonly read?: (body: string) => string
  /** How many pairs count. Default 400. */
  readonly pairs?: number
}

interface Answer {
  readonly status: number | undefined
  readonly body: string
  readonly milliseconds: number
}

const warmUps = 40
const pairs = 400
/** About AUC outside 0.5 ± 0.09. By chance, one run in 150,000. */
const bound = 4.5
const mostRuns = 3

/**
 * Fails where two of three runs tell the two requests apart. A machine may hiccup once; a second
 * and a third run are made only when the first has found something.
 */
export async function expectSameTime(pair: Pair): Promise<void> {
  const first = await runOnce(pair)
  const runs = isDifference(first) ? [first, ...(await runUntilDecided(pair, [first]))] : [first]
  const zs = runs.map(({ z }) => z.toFixed(1)).join(', ')
  expect(runs.filter(isDifference).length, `${pair.name} can be told apart: z ${zs}`).toBeLessThan(
    2,
  )
}

/** The opposite, for controls: fails unless two of three runs tell the two requests apart. */
export async function expectToldApart(pair: Pair): Promise<void> {
  const runs = await runUntilDecided(pair, [])
  const zs = runs.map(({ z }) => z.toFixed(1)).join(', ')
  expect(
    runs.filter(isDifference).length,
    `${pair.name} was not found, z ${zs}: is the machine busy with something else?`,
  ).toBe(2)
}

// The runs that follow those there are, until two of three agree.
async function runUntilDecided(pair: Pair, before: readonly Difference[]): Promise<Difference[]> {
  const runs: Difference[] = []
  const count = (found: boolean) =>
    [...before, ...runs].filter((run) => isDifference(run) === found).length
  while (count(true) < 2 && count(false) < 2 && before.length + runs.length < mostRuns)
    runs.push(await runOnce(pair))
  return runs
}

function isDifference({ z }: Difference): boolean {
  return Math.abs(z) > bound
}

const comparedOf = ({ read }: Pair, body: string) => (read === undefined ? body : read(body))
const pairsOf = (pair: Pair) => pair.pairs ?? pairs

/**
 * One run: 40 pairs for warming up, then 400 that count, each in an order of its own, over one
 * connection, one after the other.
 */
async function runOnce(pair: Pair): Promise<Difference> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = { one: [] as number[], other: [] as number[] }
  const bodies = new Set<string>()
  for (let round = -warmUps; round < pairsOf(pair); round += 1) {
    // By chance, so that what the one leaves behind for the next (garbage, a warm cache) does not
    // always meet the other.
    const order = randomInt(2) === 0 ? (['one', 'other'] as const) : (['other', 'one'] as const)
    for (const side of order) {
      const { status, body, milliseconds } = await ask(agent, pair.url, pair[side])
      // A limit that was reached, or a mistake in the test, would compare something else.
      if (status !== pair.status)
        throw new Error(`${pair.name}: ${side} was answered ${status}: ${body}`)
      bodies.add(comparedOf(pair, body))
      if (round >= 0) times[side].push(milliseconds)
    }
  }
  agent.destroy()
  expect(bodies.size, `${pair.name}: the answers differ: ${[...bodies].join(' and ')}`).toBe(1)
  const samples = [times.one, times.other] as const
  const difference = mannWhitney(...(pair.hashes ? withoutDrift(...samples) : samples))
  report(pair.name, difference, median(times.one), median(times.other))
  return difference
}

function report(name: string, { z, auc }: Difference, one: number, other: number): void {
  const figures =
    `z ${z.toFixed(1).padStart(5)}  AUC ${auc.toFixed(3)}  medians ${one.toFixed(3)} and ` +
    `${other.toFixed(3)} ms`
  process.stdout.write(`${figures}  ${name}\n`)
}

async function ask(
  agent: Agent,
  url: string,
  { method = 'POST', path, headers = {}, body }: Ask,
): Promise<Answer> {
  // What the last request left to do, such as handing its connection back, is not part of this one.
  await setImmediate()
  const { text, headers: content } = contentOf(body)
  return new Promise((resolve, reject) => {
    const request = startRequest(url + path, { agent, method, headers: { ...headers, ...content } })
    let started = process.hrtime.bigint()
    request.on('error', reject)
    request.on('response', (response) => {
      let received = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        received += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const milliseconds = Number(process.hrtime.bigint() - started) / 1e6
        resolve({ status: response.statusCode, body: received, milliseconds })
      })
    })
    started = process.hrtime.bigint()
    request.end(text)
  })
}

function contentOf(body: object | undefined) {
  if (body === undefined) return { text: '', headers: {} }
  const isForm = body instanceof URLSearchParams
  const text = isForm ? String(body) : JSON.stringify(body)
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    text,
    headers: { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) },
  }
}
