import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { AuthConfigError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { Command, Count, Counter, LimiterSettings } from './counter.js'
import { memoryCounter } from './memory-counter.js'

/** Makes a counter over the host's limiter, or over this process's memory. */
export function createCounter(
  { limiter }: { readonly limiter?: (settings: LimiterSettings) => RateLimiterAbstract },
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
  // Without a prototype: a polluted one must not say how much a guess counts, or for how long.
  const own = { __proto__: null, ...command }
  const { do: what, key, points = 1, seconds = 0 } = own
  switch (what) {
    case 'take':
      return consume(limiter, key)
    case 'giveBack': {
      const count = countOf(await limiter.reward(key, points), limiter)
      // The window they were taken in is over, or was cleared: a balance below nothing would be a
      // licence for more. Put right by as much as this call has overdrawn, so that points which
      // others take meanwhile stay taken.
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

/** A longer timer of Node's fires at once. */
const maxTimerSeconds = 2_147_483

// Told by its member, not by `instanceof`: that would load the package for hosts that do not use
// it, and would miss a second copy. Its name finds a version that names the member otherwise.
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

// rate-limiter-flexible rejects with a result when the limit is reached and with an Error when its
// store failed. Taking one for the other would turn an outage into a 429, or worse, into a pass.
async function consume(limiter: RateLimiterAbstract, key: string): Promise<Count> {
  // The store counted at some moment between the call and its answer, which may come late.
  const asked = Date.now()
  try {
    return countOf(await limiter.consume(key, 1), limiter, asked)
  } catch (rejection) {
    if (rejection instanceof Error) throw rejection
    return { ...countOf(rejection, limiter, asked), allowed: false, remaining: 0 }
  }
}

// A Redis that is full or read-only can answer a list of errors, which the limiter reads as NaN:
// that is an outage, and no count.
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
