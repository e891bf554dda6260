import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { AuthConfigError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { Command, Count, Counter, LimiterSettings } from './counter.js'
import { memoryCounter } from './memory-counter.js'

/** A counter over the host's limiter, or in the memory of this process. */
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
  // Without a prototype: a polluted one must not add points or a duration.
  const own = { __proto__: null, ...command }
  const { do: what, key, points = 1, seconds = 0 } = own
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

// By its member, not by `instanceof`, which would load the package in hosts that do not use it and
// would miss a second copy. The name covers versions in which the member has another name.
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
