// Makes each call of each part of the host fail, one at a time and in every way, whichever request
// it is for.
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { AuthError } from '../../src/index.js'
import { type Ask, type Outcome, requests, type Scene, startTapped } from './call-sites.js'
import { isDoneInPassing, meaningOf } from './done-in-passing.js'
import { password } from './host.js'
import { oauthRequests } from './oauth-call-sites.js'
import { anybody } from './provider-call-sites.js'

/** The calls that a request made, and how it was answered. */
export interface Answered {
  readonly calls: readonly string[]
  readonly outcome: Outcome
  /** Whether it came to the call that was to fail, by its usual way. */
  readonly hasFailed: boolean
  readonly failedAt: number
  /** The operations of which an event tells that they failed. */
  readonly told: readonly string[]
}

/** A way in which a call fails. */
interface Failure {
  readonly what: string
  readonly how: (call: string) => unknown
  /** What it answers, where it answers at all. */
  readonly answer?: unknown
}

const secretMessage = `duplicate key "${password}"`

const answers = (what: string, answer: unknown): Failure => ({
  what: `answers ${what}`,
  how: async () => answer,
  answer,
})

/**
 * What the host's own code has thrown: its status, text and headers are not for clients. Of a token
 * “Unauthorized” is a verdict.
 */
const ourError = (call: string) =>
  new AuthError(call.startsWith('signer.verify') ? 'forbidden' : 'Unauthorized', {
    clientMessage: secretMessage,
    details: { query: secretMessage },
    headers: { 'X-Query': secretMessage },
    retryAfter: 7,
  })

const rejects: Failure = {
  what: 'rejects',
  how: () => Promise.reject(Object.assign(new TypeError(secretMessage), { code: 'ECONNRESET' })),
}
const throwsOurs: Failure = {
  what: 'throws an error of ours at once',
  how: (call) => {
    throw ourError(call)
  },
}
const hangs: Failure = { what: 'never answers', how: () => new Promise(() => {}) }
const strangeError = Object.assign(new Error(secretMessage), { outcome: 'ok' })

/** Besides rejecting: of two that follow each other, one fails and one answers nonsense. */
const others: readonly Failure[] = [
  throwsOurs,
  answers('text', 'some text'),
  hangs,
  answers('an error, returned, of an outcome that there is not', strangeError),
]

/** The names of all requests, for two files that run at once: as much work for each. */
export const halves = [0, 1].map((half) =>
  Object.keys(requests).filter((_name, index) => index % 2 === half),
) as [string[], string[]]

/** Asks for something by name, where no call fails. */
export async function askWith(name: string, scene: Scene): Promise<Answered> {
  return askFor(scene, await prepare(name, scene), firstPauseOf(name))
}

function prepare(name: string, scene: Scene): Promise<Ask> {
  return (requests[name] as (scene: Scene) => Promise<Ask>)(scene)
}

/**
 * Seconds after which everything that was read and verified so far is forgotten, so that every part
 * is asked again.
 */
const longestCache = 31
// A ticket would be over by then.
const firstPauseOf = (name: string) => (name === 'sockets.authenticate()' ? 6 : longestCache)

/** A way, the last call of which fails. */
interface Failing {
  readonly path: readonly string[]
  readonly failure: Failure
}

/** Asks after some seconds, with the last call of a path failing if the request comes by it. */
async function askFor(
  { host, tap }: Scene,
  ask: Ask,
  seconds: number,
  failing: Failing | null = null,
): Promise<Answered> {
  host.clock.advance(seconds)
  const eventsBefore = host.events.length
  const calls: string[] = []
  const { path = [], failure } = failing ?? {}
  Object.assign(tap, { calls, path, hasFailed: false, how: failure?.how })
  const outcome = await (failure === hangs ? untilOver(tap, ask) : ask())
  const { hasFailed } = tap
  Object.assign(tap, { calls: null, path: [] })
  const told = host.events
    .slice(eventsBefore)
    .flatMap((event) => (event.type === 'host.failed' ? [event.operation] : []))
  return { calls, outcome, hasFailed, failedAt: path.length - 1, told }
}

/** What a call of a hasher has, and more than any other has. */
const longestCall = 30_000

/** Lets the time pass that a call has, once it is the only one that is waited for. */
async function untilOver(tap: Scene['tap'], ask: Ask): Promise<Outcome> {
  let isOver = false
  const asked = ask().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await pause(1)
    if (tap.hasFailed && tap.pending === 0) vi.advanceTimersByTime(longestCall)
  }
  return asked
}

/** How a request usually goes: what only the first of a process does is over by then. */
async function usualWay(ask: () => Promise<Answered>): Promise<Answered> {
  let [before, usual] = [await ask(), await ask()]
  while (`${before.calls}` !== `${usual.calls}`) [before, usual] = [usual, await ask()]
  return usual
}

/** A request of which a call was rejected, and which was sent again. */
export interface Failed {
  readonly where: string
  /** The calls before the one that was rejected. */
  readonly before: readonly string[]
  readonly usual: Answered
  readonly outcome: Outcome
  readonly again: Outcome
}

/** Lets each call of a request reject once, each in a scene of its own, and sends it again. */
export async function judgeAfterEveryCall(
  arrange: (scene: Scene) => Promise<{ ask: Ask; judge: (failed: Failed) => Promise<void> }>,
): Promise<void> {
  const { newScene } = await startTapped()
  const usual = await usualWay(async () => {
    const scene = newScene()
    return askFor(scene, (await arrange(scene)).ask, longestCache)
  })
  expect(usual.outcome.status).toBeLessThan(400)
  for (const place of usual.calls.keys()) {
    const scene = newScene()
    const { ask, judge } = await arrange(scene)
    const path = usual.calls.slice(0, place + 1)
    const { outcome, hasFailed } = await askFor(scene, ask, longestCache, {
      path,
      failure: rejects,
    })
    const where = `${path.at(-1)}, call ${place}`
    expect([where, hasFailed]).toEqual([where, true])
    await judge({ where, before: path.slice(0, -1), usual, outcome, again: await ask() })
  }
}

/**
 * Lets each call that a request makes fail, one at a time: 503 and nothing told, and asking again
 * works. Where a call fails after something was written, each further way takes another scene, so
 * it is the turn of two more there; of every way with `inEveryWay`, as for apps, which is quick.
 */
export async function expectOutageAtEveryCall(
  name: string,
  inEveryWay = name in oauthRequests,
): Promise<void> {
  // Before the router is made, whose calls share a timer: it passes as always, and can be let pass.
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'performance'],
    shouldAdvanceTime: true,
  })
  onTestFinished(() => void vi.useRealTimers())
  const stage = await openStage(name)
  const { usual } = stage
  expect(usual.outcome.status).toBeLessThan(500)
  expect(usual.calls.length).toBeGreaterThan(0)
  const wrong: string[] = []
  for (const [place, call] of usual.calls.entries()) {
    const turn = place % others.length
    const inTurn = [rejects, ...others.slice(turn), ...others.slice(0, turn)]
    for (const [tried, failure] of inTurn.entries()) {
      if (tried > 2 && stage.isSpentBy(place) && !inEveryWay) break
      const faults = await faultsWith(stage, name, place, failure)
      wrong.push(...faults.map((fault) => `${call}, call ${place}, ${failure.what}: ${fault}`))
    }
  }
  expect(wrong.join('\n')).toBe('')
  expect(await stage.close()).toBeLessThan(500)
}

type Stage = Awaited<ReturnType<typeof openStage>>

async function faultsWith(stage: Stage, name: string, place: number, failure: Failure) {
  const wanted = expected(name, stage.usual, place, failure)
  const { answered, again } = await stage.failAt(place, failure, wanted)
  return [
    again === null || again.status < 500 ? null : `asked again before: ${again.status}`,
    answered.hasFailed ? faultOf(answered.outcome, wanted) : `only ${answered.calls}`,
    isTold(answered, wanted) ? null : `told of: ${answered.told}`,
  ].filter((fault) => fault !== null)
}

/** As events call it. */
const operationOf = (call: string) =>
  call
    .replace(/^(hooks|accounts)\./, '')
    .replace('apps.', 'oauth.')
    .replace('provider.', `providers.${anybody.id}.`)
    .replace('limiter.consume', 'throttle.take')
    .replace('limiter.delete', 'throttle.clear')
    .replace('limiter.', 'throttle.')

function isTold({ calls, hasFailed, told, failedAt }: Answered, wanted: Expected): boolean {
  if (!hasFailed || wanted === 'refusal' || wanted.status !== 503) return true
  return told.includes(operationOf(calls[failedAt] as string))
}

/** A host, and a scene for one request in it. */
async function openScene(name: string, usual: Answered) {
  let tapped = await startTapped()
  await usualWay(() => askWith(name, tapped.newScene()))
  let scene = tapped.newScene()
  let ask = await prepare(name, scene)
  let seconds = firstPauseOf(name)
  const expectNothingWritten = () => {
    expect(JSON.stringify([tapped.host.log, tapped.host.events])).not.toContain(password)
    expect(tapped.host.unforeseen).toEqual([])
  }

  const opened = {
    /** Whether the request was done in this scene, so that what was sent may be used up. */
    isDone: false,
    expectNothingWritten,
    async renew() {
      // What a part has told wrongly is forgotten too.
      scene.host.clock.advance(longestCache)
      scene = tapped.newScene()
      ask = await prepare(name, scene)
      seconds = firstPauseOf(name)
      opened.isDone = false
    },
    /** With another host: what counters were not given back adds up, until one allows no more. */
    async restart() {
      expectNothingWritten()
      tapped = await startTapped()
      await usualWay(() => askWith(name, tapped.newScene()))
      await opened.renew()
    },
    async ask(failing: Failing | null = null) {
      const answered = await askFor(scene, ask, seconds, failing)
      // A code that was not used lives on for the next ways to fail. A token is known for longer.
      if (!usual.calls.includes('signer.verify')) seconds = 6
      opened.isDone ||= answered.outcome.status !== 503
      return answered
    },
  }
  return opened
}

/** A scene for one request, which is used as long as the request takes its usual way there. */
async function openStage(name: string) {
  const { newScene } = await startTapped()
  const usual = await usualWay(() => askWith(name, newScene()))
  const scene = await openScene(name, usual)
  await scene.ask()
  const isRepeatable = `${(await scene.ask()).calls}` === `${usual.calls}`
  await scene.renew()
  // The call after which the request is on another way in this scene, failed or not.
  let spending = -1
  let placeBefore = -1

  // A fault of what was done here before is none: what was sent may be used up.
  async function askOnItsWay(failing: Failing, wanted: Expected) {
    const wasDone = scene.isDone
    const first = await scene.ask(failing)
    const again = first.hasFailed ? null : first.outcome
    const isFit = first.hasFailed && !(wasDone && faultOf(first.outcome, wanted) !== null)
    if (isFit) return { again, answered: first }
    await scene.renew()
    const second = await scene.ask(failing)
    if (second.hasFailed) return { again, answered: second }
    await scene.restart()
    return { again, answered: await scene.ask(failing) }
  }

  return {
    usual,
    isSpentBy: (place: number) => place === spending,
    /** With what was answered when it was only asked again: once for each call, if at all. */
    async failAt(place: number, failure: Failure, wanted: Expected) {
      if (place === spending) await scene.renew()
      const path = usual.calls.slice(0, place + 1)
      const { answered, again } = await askOnItsWay({ path, failure }, wanted)
      const isOver = again !== null || (scene.isDone && !isRepeatable)
      if (isOver && place === placeBefore) spending = place
      placeBefore = place
      return { answered, again }
    },
    /** The status of once more. */
    async close() {
      scene.expectNothingWritten()
      return (await scene.ask()).outcome.status
    },
  }
}

/** A hint that was sent comes back in what a page leads to, and is no token. */
const tokens = /"eyJ|mar_rt_|[?&]code=|"active":true/

/** What is wrong with an answer; null for nothing. */
function faultOf({ status, text, retryAfter }: Outcome, wanted: Expected): string | null {
  if (text.includes(password)) return `told: ${text}`
  if (wanted === 'refusal')
    return status < 500 && !tokens.test(text) ? null : `${status}, and no refusal: ${text}`
  if (status !== wanted.status) return `${status} instead of ${wanted.status}`
  if (status !== 503) return null
  if (retryAfter !== (wanted.retryAfter ?? retryAfter) || !(retryAfter > 0))
    return `to be asked again after ${retryAfter} s`
  return tokens.test(text) || /"data"|[\w-]{43}/.test(text) ? `told: ${text}` : null
}

type Expected = 'refusal' | { readonly status: number; readonly retryAfter?: number }

function expected(
  request: string,
  { calls, outcome }: Answered,
  place: number,
  failure: Failure,
): Expected {
  const call = calls[place] as string
  // A hash that cannot be judged is one that cannot be read, or names that are known would answer
  // otherwise than unknown ones.
  if (call === 'passwords.canRead') return { status: 401 }
  if (isDoneInPassing(request, calls, place)) return { status: outcome.status }
  if (failure === throwsOurs) return { status: 503, retryAfter: 7 }
  if (!('answer' in failure)) return { status: 503 }
  const meant = meaningOf(call, failure.answer)
  return meant === 'nonsense' ? { status: 503 } : meant === 'refusal' ? meant : outcome
}
