import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { AuthConfigError } from '../errors.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { type Limiter, type LimiterSettings, memoryLimiter } from './memory-limiter.js'

/** How a key stands. */
export interface Count {
  readonly consumed: number
  /** Whether one more was allowed. */
  readonly allowed: boolean
  readonly remaining: number
  /** Until the window ends, rounded up. */
  readonly seconds: number
  /** When the window ends, in milliseconds of the epoch. */
  readonly endsAt: number
}

/** What was taken off a key. */
export interface Withdrawal {
  readonly withdrawn: number
  /** What was added meanwhile. */
  readonly left: number
  /** When the window ends, in milliseconds of the epoch. */
  readonly endsAt: number
}

/**
 * Whether a window of which so many seconds are left, rounded up, may be over before what is given
 * back arrives: it would be taken off what others have failed in the next one. What stays taken
 * goes with the window.
 */
export function isEnding(seconds: number): boolean {
  return seconds <= 2
}

/**
 * One counter of the host's, or of this process's memory. Each method rejects with 503 when the
 * counter is out of reach, unless it says otherwise.
 */
export interface Counter {
  readonly points: number
  /** Seconds. */
  readonly duration: number
  /**
   * Takes one point, if there is one: atomically, so that parallel attempts get no more than there
   * are.
   */
  take(key: string): Promise<Count>
  /**
   * Gives one back, or so many, and never more than were taken. Never rejects: what fails leaves
   * the limit stricter, and was reported by the call.
   */
  giveBack(key: string, points?: number): Promise<void>
  /** Counts one, whatever the limit. */
  add(key: string): Promise<void>
  /** Empties a key and answers what was in it, to one caller; null to any other. */
  collect(key: string): Promise<Pick<Count, 'consumed' | 'endsAt'> | null>
  /**
   * Takes off up to so many of what was added, and answers how many of them this caller got: two
   * callers never get the same. May leave less than nothing until the key is forgotten.
   */
  withdraw(key: string, points: number): Promise<Withdrawal>
  /** How many there are; 0 where there is no window. */
  valueOf(key: string): Promise<number>
  set(key: string, points: number, seconds: number): Promise<void>
  forget(key: string): Promise<void>
}

/** Makes a counter over the host's limiter, or over this process's memory. */
export function createCounter(
  { limiter }: { readonly limiter?: (settings: LimiterSettings) => RateLimiterAbstract },
  settings: LimiterSettings,
  call: HostCall,
): Counter {
  const counting =
    limiter === undefined ? memoryLimiter(settings) : checked(() => limiter(settings))
  const giveBack = (key: string, points = 1) =>
    call('throttle.refund', async () => {
      const { consumed } = countOf(await counting.reward(key, points), counting)
      // The window they were taken in is over, or was cleared: a balance below nothing would be a
      // licence for more. Put right by as much as this call has overdrawn, so that points which
      // others take meanwhile stay taken.
      const overdrawn = Math.min(points, -consumed)
      if (overdrawn > 0) await counting.penalty(key, overdrawn)
    }).then(nothing, nothing)

  // A refused attempt counts for nothing: a burst of right logins would otherwise shut its whole
  // network out. One that was refused without being counted, as by `inMemoryBlockOnConsumed`, has
  // nothing to come back: it would be a licence for more.
  const giveBackRefused = async (key: string, { consumed, seconds }: Count) => {
    if (consumed > counting.points && !isEnding(seconds)) await giveBack(key)
  }

  const read = (key: string) =>
    call('throttle.get', async () => {
      const answer: RateLimiterRes | null | undefined = await counting.get(key)
      return answer === null || answer === undefined ? null : countOf(answer, counting)
    })

  return {
    points: counting.points,
    duration: settings.duration,
    async take(key) {
      let taking: Promise<Count> | undefined
      const take = () => {
        taking = consume(counting, key)
        return taking
      }
      try {
        const count = await call('throttle.take', take)
        if (!count.allowed) await giveBackRefused(key, count)
        return count
      } catch (error) {
        // Too late for the attempt, which is told 503 and comes again; and counted all the same,
        // once the store wakes up.
        void taking
          ?.then((late) => (late.allowed ? giveBack(key) : giveBackRefused(key, late)))
          .catch(nothing)
        throw error
      }
    },
    giveBack,
    add: (key) => call('throttle.add', async () => void (await counting.penalty(key, 1))),
    async collect(key) {
      const found = await read(key)
      if (found === null || found.consumed <= 0) return null
      // Of two that have read the same, one deletes it, and that one has it.
      return (await call('throttle.clear', () => counting.delete(key))) === true ? found : null
    },
    withdraw: (key, points) =>
      call('throttle.refund', async () => {
        const { consumed, endsAt } = countOf(await counting.reward(key, points), counting)
        const overdrawn = Math.min(points, Math.max(0, -consumed))
        return { withdrawn: points - overdrawn, left: Math.max(0, consumed), endsAt }
      }),
    valueOf: async (key) => (await read(key))?.consumed ?? 0,
    set: (key, points, seconds) =>
      call('throttle.set', async () => void (await counting.set(key, points, seconds))),
    forget: (key) => call('throttle.clear', async () => void (await counting.delete(key))),
  }
}

const methods = [
  'consume',
  'penalty',
  'reward',
  'get',
  'set',
  'delete',
] as const satisfies readonly (keyof RateLimiterAbstract)[]

function checked(make: () => RateLimiterAbstract): Limiter {
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

/** A longer timer of Node's fires at once. */
const maxTimerSeconds = 2_147_483

// Of whichever copy of the package the host has installed.
function refuseForgetful(limiter: Partial<RateLimiterAbstract>): void {
  const isInMemory =
    limiter instanceof RateLimiterMemory || limiter.constructor?.name === 'RateLimiterMemory'
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

// rate-limiter-flexible rejects with a result when the limit is reached and with an Error when its
// store failed. Taking one for the other would turn an outage into a 429, or worse, into a pass.
async function consume(limiter: Limiter, key: string): Promise<Count> {
  try {
    return countOf(await limiter.consume(key, 1), limiter)
  } catch (rejection) {
    if (rejection instanceof Error) throw rejection
    return { ...countOf(rejection, limiter), allowed: false, remaining: 0 }
  }
}

// A Redis that is full or read-only can answer a list of errors, which the limiter reads as NaN:
// that is an outage, and no count.
function countOf(answer: unknown, { points }: Limiter): Count {
  const { consumedPoints, msBeforeNext } = (answer ?? {}) as Partial<RateLimiterRes>
  if (!Number.isSafeInteger(consumedPoints) || !Number.isFinite(msBeforeNext)) {
    throw new UnexpectedAnswer('the answer is not a count')
  }
  const consumed = consumedPoints as number
  const seconds = Math.max(0, Math.ceil((msBeforeNext as number) / 1000))
  const endsAt = Date.now() + (msBeforeNext as number)
  return { consumed, allowed: true, remaining: Math.max(0, points - consumed), seconds, endsAt }
}

function nothing(): void {}
