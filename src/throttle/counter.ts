import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { AuthConfigError } from '../errors.js'
import { firstEntry } from '../lib/bounded-cache.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'

/** A number of failures in a time. */
export interface Limit {
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

/** Options of a limiter of rate-limiter-flexible. */
export interface LimiterSettings extends Limit {
  readonly keyPrefix: string
}

type MakeLimiter = (settings: LimiterSettings) => RateLimiterAbstract

/** The state of a key. */
export interface Count {
  readonly consumed: number
  /** Whether the command was within the limit. */
  readonly allowed: boolean
  readonly remaining: number
  /** Seconds until the window ends, rounded up. */
  readonly seconds: number
  /**
   * When the window ends, in milliseconds of the epoch: for `take` the earliest possible time, for
   * other commands the latest.
   */
  readonly endsAt: number
}

/**
 * A command for one key of a counter:
 *
 * - `take`: takes one point if one is left, atomically, so that parallel attempts get no more than
 *   exist. A refused attempt does not count.
 * - `giveBack`: returns points, never more than were taken.
 * - `add`: adds points regardless of the limit.
 * - `get`: `consumed` is the number of points; 0 without a window.
 * - `withdraw`: removes added points. A negative `consumed` is the number of points that this
 *   caller did not get; it stays until the key is cleared.
 * - `set`: sets the points for a number of seconds.
 * - `clear`: clears the key. `consumed` is above 0 for the one caller that has cleared it.
 */
export interface Command {
  readonly do: 'take' | 'giveBack' | 'add' | 'get' | 'withdraw' | 'set' | 'clear'
  readonly of: Counter
  readonly key: string
  /** Default: one. */
  readonly points?: number
  readonly seconds?: number
}

/** A counter of the host, or one in the memory of this process, which returns without a promise. */
export interface Counter {
  /** Unique among the counters. */
  readonly keyPrefix: string
  readonly points: number
  /** Seconds. */
  readonly duration: number
  /** Use {@link Ask} instead, which has a time limit and reports failures. */
  run(command: Command): Count | Promise<Count>
}

/** A failed command. A class, so that a polluted `Object.prototype` cannot imitate it. */
export class Failure {
  /** A 503, already reported. */
  readonly failure: unknown
  constructor(failure: unknown) {
    this.failure = failure
  }
}

/** The result of a command. */
export type Answer = Count | Failure

/**
 * Runs all commands at once: one call of the host with one time limit, over a network one round
 * trip. Results are in the order of the commands. Never rejects.
 */
export type Ask = (commands: readonly Command[]) => readonly Answer[] | Promise<readonly Answer[]>

export function createAsk(call: HostCall): Ask {
  return function ask(commands) {
    const answers = commands.map((command) => command.of.run(command))
    // All counters are of one kind: the host's, or in memory.
    return answers[0] instanceof Promise
      ? askHost(call, ask, commands, answers as Promise<Count>[])
      : (answers as Count[])
  }
}

/** Runs one command. Rejects with 503. */
export async function askOne(ask: Ask, command: Command): Promise<Count> {
  const [answer] = await ask([command])
  return counted(answer)
}

/** Returns the count of an answer; throws 503 for a failure. */
export function counted(answer: Answer | undefined): Count {
  if (answer === undefined) throw new Error('a command was not answered')
  if (answer instanceof Failure) throw answer.failure
  return answer
}

/** The points of an answer; 0 for a failure. */
export function consumedOf(answer: Answer | undefined): number {
  return answer === undefined || answer instanceof Failure ? 0 : answer.consumed
}

/**
 * Whether a window with so many seconds left, rounded up, may end before a refund arrives. The
 * refund would then reduce the failures of others in the next window. Without a refund, the points
 * end with the window.
 */
export function isEnding(seconds: number): boolean {
  return seconds <= 2
}

async function askHost(
  call: HostCall,
  ask: Ask,
  commands: readonly Command[],
  running: readonly Promise<Count>[],
): Promise<readonly Answer[]> {
  const answers: (Answer | undefined)[] = []
  let isOver = false
  const noting = commands.map(async (command, i) => {
    const answer = await running[i]?.catch((failure: unknown) => new Failure(failure))
    if (!isOver) answers[i] = answer
    // Too late: the attempt got 503, but the slow store has counted it.
    else if ((command.do === 'take' && isTaken(answer)) || isToComeBack(command, answer))
      await ask([{ ...command, do: 'giveBack' }])
  })
  const late = await failed(call, commands[0] as Command, () => Promise.all(noting))
  isOver = true
  const refused = commands.filter((command, i) => isToComeBack(command, answers[i]))
  if (refused.length > 0) await ask(refused.map((command) => ({ ...command, do: 'giveBack' })))
  const reported = commands.map((command, i) => {
    const answer = answers[i]
    if (!(answer instanceof Failure)) return answer ?? late
    return failed(call, command, () => Promise.reject(answer.failure))
  })
  return (await Promise.all(reported)) as readonly Answer[]
}

/** The failure of a call, already reported; undefined after a success. */
function failed(
  call: HostCall,
  { do: what }: Command,
  work: () => Promise<unknown>,
): Promise<Failure | undefined> {
  const operation = what === 'giveBack' || what === 'withdraw' ? 'refund' : what
  return call(`throttle.${operation}`, work).then(
    () => undefined,
    (failure: unknown) => new Failure(failure),
  )
}

/** Whether a `take` got a point. */
export function isTaken(answer: Answer | undefined): boolean {
  return answer !== undefined && !(answer instanceof Failure) && answer.allowed
}

// A refused attempt does not count: otherwise a burst of right logins would lock its whole network
// out. But nothing is refunded for an attempt refused without being counted, by
// `inMemoryBlockOnConsumed` for example: that would allow more attempts.
function isToComeBack({ do: what, of: { points } }: Command, answer: Answer | undefined): boolean {
  if (what !== 'take' || answer === undefined || answer instanceof Failure) return false
  if (answer.allowed) return false
  return answer.consumed > points && !isEnding(answer.seconds)
}

/** A counter over the host's limiter, or in the memory of this process. */
export function createCounter(
  { limiter }: { readonly limiter?: MakeLimiter | undefined },
  settings: LimiterSettings,
): Counter {
  if (limiter === undefined) return memoryCounter(settings)
  const own = checked(() => limiter(settings))
  return {
    ...settings,
    points: own.points,
    run: (command) => runOver(own, command),
  }
}

async function runOver(limiter: RateLimiterAbstract, command: Command): Promise<Count> {
  const { do: what, key } = command
  const points = ownNumber(command, 'points', 1)
  const seconds = ownNumber(command, 'seconds', 0)
  switch (what) {
    case 'take':
      return consume(limiter, key)
    case 'giveBack': {
      const count = countOf(await limiter.reward(key, points), limiter)
      // The window of these points has ended or was cleared: a negative balance would allow more
      // guesses. Corrected by exactly the excess of this call, so that points that others take
      // meanwhile stay.
      const overdrawn = Math.min(points, -count.consumed)
      if (overdrawn > 0) await limiter.penalty(key, overdrawn)
      return count
    }
    case 'withdraw':
      return countOf(await limiter.reward(key, points), limiter)
    case 'get':
      return countOf((await limiter.get(key)) ?? untouched, limiter)
    case 'add':
      await limiter.penalty(key, points)
      return countOf(untouched, limiter)
    case 'set':
      await limiter.set(key, points, seconds)
      return countOf(untouched, limiter)
    case 'clear': {
      const isGone: unknown = await limiter.delete(key)
      return countOf({ ...untouched, consumedPoints: isGone === true ? 1 : 0 }, limiter)
    }
  }
}

// Its own: a polluted prototype must not add points or a duration.
function ownNumber(command: Command, name: 'points' | 'seconds', otherwise: number): number {
  return Object.hasOwn(command, name) ? (command[name] ?? otherwise) : otherwise
}

/** A key without a window. */
const untouched = { consumedPoints: 0, msBeforeNext: 0 }

const methods = [
  'consume',
  'penalty',
  'reward',
  'get',
  'set',
  'delete',
] as const satisfies readonly (keyof RateLimiterAbstract)[]

function checked(make: () => RateLimiterAbstract): RateLimiterAbstract {
  const remedy =
    '(settings) => new RateLimiterRedis({ storeClient, ...settings }), or another class of ' +
    'rate-limiter-flexible.'
  const limiter = made(make, remedy)
  const missing = methods.find((name) => typeof limiter?.[name] !== 'function')
  if (missing !== undefined) {
    throw new AuthConfigError(
      'throttle.limiter',
      `answers something that is not a limiter: it has no method ${missing}.`,
      remedy,
    )
  }
  if (!Number.isFinite(limiter.points)) {
    throw new AuthConfigError('throttle.limiter', 'answers a limiter without points.', remedy)
  }
  refuseForgetful(limiter)
  return limiter
}

/** Node fires longer timers at once. */
const maxTimerSeconds = 2_147_483

// The limiter is known by its member, not by `instanceof`, which would load the package in hosts
// that do not use it and would miss a second copy. The name covers versions in which the member has
// another name.
function refuseForgetful(limiter: Partial<RateLimiterAbstract>): void {
  const isInMemory =
    '_memoryStorage' in limiter || limiter.constructor?.name === 'RateLimiterMemory'
  if (!isInMemory || !((limiter.duration ?? 0) > maxTimerSeconds)) return
  const problem =
    'answers a RateLimiterMemory, which forgets at once what lasts longer than 24.8 days, as ' +
    'the networks that are known do.'
  throw new AuthConfigError(
    'throttle.limiter',
    problem,
    'leave limiter out: the counters are then in memory, bounded, and last.',
  )
}

function made(make: () => RateLimiterAbstract, remedy: string): RateLimiterAbstract {
  try {
    return make()
  } catch (error) {
    throw new AuthConfigError(
      'throttle.limiter',
      `throws: ${error instanceof Error ? error.message : typeof error}.`,
      remedy,
    )
  }
}

// rate-limiter-flexible rejects with a result if the limit is reached, and with an Error if its
// store fails. Confusing them would turn an outage into a 429, or worse, let the attempt pass.
async function consume(limiter: RateLimiterAbstract, key: string): Promise<Count> {
  // The store has counted at some time between the call and its answer.
  const asked = Date.now()
  try {
    return countOf(await limiter.consume(key, 1), limiter, asked)
  } catch (rejection) {
    if (rejection instanceof Error) throw rejection
    return { ...countOf(rejection, limiter, asked), allowed: false, remaining: 0 }
  }
}

// A full or read-only Redis can answer with a list of errors, which the limiter reads as NaN: that
// is an outage, not a count.
function countOf(answer: unknown, { points }: RateLimiterAbstract, countedAt = Date.now()): Count {
  const { consumedPoints, msBeforeNext } = (answer ?? {}) as Partial<RateLimiterRes>
  if (!Number.isSafeInteger(consumedPoints) || !Number.isFinite(msBeforeNext)) {
    throw new UnexpectedAnswer('the answer is not a count')
  }
  const consumed = consumedPoints as number
  const seconds = Math.max(0, Math.ceil((msBeforeNext as number) / 1000))
  const endsAt = countedAt + (msBeforeNext as number)
  return { consumed, allowed: true, remaining: Math.max(0, points - consumed), seconds, endsAt }
}

/** Maximum number of keys in a counter. */
const defaultMaxKeys = 250_000

/** The longest timer of Node in seconds: it counts milliseconds in 31 bits. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000)

/** Keys of a sweep: a millisecond of work. */
const sweptAtOnce = 5000

interface Window {
  readonly consumed: number
  /** Milliseconds of the epoch, by the wall clock. */
  readonly end: number
}

/** Whether a command adds its points or removes them. */
const signs = { add: 1, set: 1, giveBack: -1, withdraw: -1, clear: 0 } as const

/**
 * A counter in the memory of this process with at most `maxKeys` keys, default 250,000. Beyond that
 * it forgets the least recently used key, with its failures. A key takes about 280 bytes, a full
 * counter 70 MB.
 *
 * Without the bound, attackers could fill the memory. With it, an attacker needs 250,000 wrong
 * passwords in one window to displace the counts of others. Each is hashed, which is hours of work
 * for this process; a refunded attempt leaves no key. A host that must withstand that keeps its
 * counters in a store.
 *
 * It returns without a promise, so nothing runs between two steps of a command.
 *
 * @internal
 */
export function memoryCounter(
  { keyPrefix, points: limit, duration }: LimiterSettings,
  maxKeys: number = defaultMaxKeys,
): Counter & { readonly size: number } {
  const { windows, windowFor, use } = createWindows(maxKeys, duration)

  function run(command: Command): Count {
    const { do: what, key } = command
    const now = Date.now()
    const { consumed: used, end } = windowFor(command, now)
    const allowed = what !== 'take' || used < limit
    let consumed = used
    if (what === 'take') consumed += Number(allowed)
    else if (what !== 'get') consumed += ownNumber(command, 'points', 1) * signs[what]
    // Never below zero, but an existing negative balance stays.
    if (what === 'giveBack') consumed = Math.max(consumed, Math.min(used, 0))
    // A refunded key leaves nothing behind.
    if (what === 'clear' || consumed === 0) windows.delete(key)
    else if (what !== 'get') use(key, { consumed, end }, now)
    const remaining = Math.max(0, limit - consumed)
    return { consumed, allowed, remaining, seconds: Math.ceil((end - now) / 1000), endsAt: end }
  }

  return {
    keyPrefix,
    points: limit,
    duration,
    run,
    get size() {
      return windows.size
    },
  }
}

function createWindows(maxKeys: number, duration: number) {
  // In order of use, the least recent first.
  const windows = new Map<string, Window>()
  const leastRecentlyUsed = firstEntry(windows)
  let inTurn = windows.entries()
  let isSweepDue = false

  function forgetOver(count: number, now: number): number {
    const before = windows.size
    for (let left = Math.min(count, before); left > 0; left -= 1) {
      let next = inTurn.next()
      if (next.done === true) {
        inTurn = windows.entries()
        next = inTurn.next()
      }
      const [key, { end }] = next.value as [string, Window]
      if (end <= now) windows.delete(key)
    }
    return before - windows.size
  }

  // Removes expired keys even without further calls, some at a time: all at once would delay every
  // request.
  function sweepIn(wait: number): void {
    isSweepDue = true
    const timer = setTimeout(() => {
      isSweepDue = false
      const forgotten = forgetOver(sweptAtOnce, Date.now())
      if (windows.size > 0) sweepIn(forgotten > 0 ? 1 : duration)
    }, Math.min(wait, longestTimer) * 1000)
    timer.unref()
  }

  // Moves the key to the end, as the most recently used one; `firstEntry` requires another object.
  // Each use first removes up to two expired keys.
  function use(key: string, window: Window, now: number): void {
    windows.delete(key)
    windows.set(key, window)
    forgetOver(2, now)
    if (windows.size > maxKeys) windows.delete((leastRecentlyUsed() as [string, Window])[0])
    if (!isSweepDue) sweepIn(duration)
  }

  // The one that is open, or one that begins now.
  function windowFor(command: Command, now: number): Window {
    const isSet = command.do === 'set'
    const found = isSet ? undefined : windows.get(command.key)
    if (found !== undefined && found.end > now) return found
    const seconds = isSet ? ownNumber(command, 'seconds', duration) : duration
    return { consumed: 0, end: now + seconds * 1000 }
  }

  return { windows, windowFor, use }
}
