import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { Count, Counter } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import type { KnownNetworks } from './known-networks.js'
import { type Counters, day, type Reached, type ReportLimit, rateLimitHeaders } from './limits.js'

/** Whose code it is, and in which place it was shown. */
export interface CodeAttempt {
  readonly userId: string
  /**
   * `login`: after a right password. `session`: in a session that is signed in. `enrolment`: for a
   * seed that waits to be confirmed; counted apart, since a thief of a session can
   * send such codes without the password, and must not use up what the user has for logins.
   */
  readonly place: 'login' | 'session' | 'enrolment'
}

/**
 * The limits of second-factor codes. A trial run does not lift them: six digits do not survive
 * uncounted guessing.
 */
export interface SecondFactorLimits {
  /**
   * Counts a code, and then does the work that judges it. Throws 429, or 503 when the counters are
   * out of reach. Should the work reject, it does not count: an outage is no wrong code, and a
   * client that tries again must not lock its user out.
   */
  withSecondFactorSlot<T>(
    attempt: CodeAttempt,
    context: RequestContext,
    work: () => Promise<T>,
    setHeaders?: SetHeaders,
  ): Promise<T>
  /**
   * The code was right, and was shown for something else than a sign-in: it does not count, and
   * what was wrong before still does. Never rejects.
   */
  refundSecondFactor(attempt: CodeAttempt): Promise<void>
  /**
   * A complete two-factor sign-in, or a reset: earlier wrong codes are forgotten. Never rejects.
   */
  clearSecondFactor(userId: string): Promise<void>
  /** The same, of an enrolment that waits, too. Rejects with 503. */
  unlockSecondFactor(userId: string): Promise<void>
}

/** What counting codes needs. */
export interface SecondFactorLimitDeps {
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly knownNetworks: KnownNetworks
  readonly reportLimit: ReportLimit
}

/** Users that a process remembers as near their limit. */
const maxRemembered = 10_000

/** Makes the limits of second-factor codes. */
export function createSecondFactorLimits(deps: SecondFactorLimitDeps): SecondFactorLimits {
  const { counters, keyOf } = deps
  const { codesPerUser, codesUntilSignIn } = counters
  const takeCode = createTakeCode(deps)

  const giveBack = async (attempt: CodeAttempt) => {
    await Promise.all([
      codesPerUser.giveBack(hourlyKey(keyOf, attempt)),
      attempt.place !== 'enrolment' && codesUntilSignIn.giveBack(totalKey(keyOf, attempt)),
    ])
  }

  const forget = (userId: string) =>
    Promise.all([
      codesUntilSignIn.forget(totalKey(keyOf, { userId })),
      codesPerUser.forget(hourlyKey(keyOf, { userId, place: 'login' })),
    ])

  return {
    async withSecondFactorSlot(attempt, context, work, setHeaders) {
      const { remaining, seconds } = await takeCode(attempt, context)
      setHeaders?.(rateLimitHeaders(codesPerUser.points, remaining, seconds))
      return work().catch(async (error: unknown) => {
        await giveBack(attempt)
        throw error
      })
    },
    refundSecondFactor: giveBack,
    clearSecondFactor: (userId) => forget(userId).then(nothing, nothing),
    async unlockSecondFactor(userId) {
      await Promise.all([
        forget(userId),
        codesPerUser.forget(hourlyKey(keyOf, { userId, place: 'enrolment' })),
      ])
    },
  }
}

function totalKey(keyOf: CounterKey, { userId }: Pick<CodeAttempt, 'userId'>): string {
  return keyOf('second-factor-total', userId)
}

function hourlyKey(keyOf: CounterKey, { userId, place }: CodeAttempt): string {
  return keyOf(place === 'enrolment' ? 'enrolment' : 'second-factor', userId)
}

/** Counts one code by the hour and until a sign-in. Throws 429, or 503. */
type TakeCode = (attempt: CodeAttempt, context: RequestContext) => Promise<Count>

function createTakeCode(deps: SecondFactorLimitDeps): TakeCode {
  const { keyOf } = deps
  const { codesPerUser, codesUntilSignIn } = deps.counters
  // An attacker who has the password can use up, from anywhere, what is there for strangers. So the
  // last fifth is kept for known networks.
  const forStrangers = codesUntilSignIn.points - Math.floor(codesUntilSignIn.points / 5)
  const nearLimit = boundedCache<true>(maxRemembered, day)

  // Fails closed.
  async function isStranger({ userId, place }: CodeAttempt, { ip }: RequestContext) {
    return place === 'login' && !(await deps.knownNetworks.isKnown(userId, ip).catch(() => false))
  }

  // What strangers only try must not refuse the owner for that moment: near the limit they are
  // found out before anything is taken. Far from it nothing is asked.
  async function isOver(key: string, attempt: CodeAttempt, context: RequestContext) {
    if (nearLimit.get(key, new Date()) === undefined) return false
    const used = await codesUntilSignIn.valueOf(key).catch(() => 0)
    return used >= forStrangers && (await isStranger(attempt, context))
  }

  // Not asked of a network whether it is known while there is enough for all.
  async function mayHave(consumed: number, attempt: CodeAttempt, context: RequestContext) {
    return consumed <= forStrangers || !(await isStranger(attempt, context))
  }

  async function takeHourly(attempt: CodeAttempt, context: RequestContext): Promise<Count> {
    const count = await codesPerUser.take(hourlyKey(keyOf, attempt))
    if (!count.allowed) throw refusal(deps, attempt, context, codesPerUser, count.seconds)
    return count
  }

  return async function takeCode(attempt, context) {
    if (attempt.place === 'enrolment') return takeHourly(attempt, context)
    const key = totalKey(keyOf, attempt)
    // Until a sign-in, so its end is not known. After a day it is worth asking again.
    if (await isOver(key, attempt, context))
      throw refusal(deps, attempt, context, codesUntilSignIn, day)
    const [total, hourly] = await takeBoth(
      [codesUntilSignIn, key],
      [codesPerUser, hourlyKey(keyOf, attempt)],
    )
    if (total.consumed >= forStrangers) nearLimit.set(key, true, new Date())
    const isEnough = total.allowed && (await mayHave(total.consumed, attempt, context))
    if (isEnough && hourly.allowed) return hourly
    throw await refuseBoth(deps, attempt, context, { total, hourly, isEnough })
  }
}

async function refuseBoth(
  deps: SecondFactorLimitDeps,
  attempt: CodeAttempt,
  context: RequestContext,
  { total, hourly, isEnough }: { total: Count; hourly: Count; isEnough: boolean },
): Promise<AuthError> {
  const { codesPerUser, codesUntilSignIn } = deps.counters
  await Promise.all([
    total.allowed && codesUntilSignIn.giveBack(totalKey(deps.keyOf, attempt)),
    hourly.allowed && codesPerUser.giveBack(hourlyKey(deps.keyOf, attempt)),
  ])
  return isEnough
    ? refusal(deps, attempt, context, codesPerUser, hourly.seconds)
    : refusal(deps, attempt, context, codesUntilSignIn, day)
}

/** A counter, its key, and how it answered. */
type Taken = readonly [counter: Counter, key: string, count: PromiseSettledResult<Count>]

// In one round trip. Where one of the two is out of reach, the other gets back what it gave.
async function takeBoth(
  one: readonly [Counter, string],
  other: readonly [Counter, string],
): Promise<[Count, Count]> {
  const [first, second] = await Promise.allSettled([one[0].take(one[1]), other[0].take(other[1])])
  if (first.status === 'fulfilled' && second.status === 'fulfilled')
    return [first.value, second.value]
  await giveBackAllowed([...one, first], [...other, second])
  throw first.status === 'rejected' ? first.reason : (second as PromiseRejectedResult).reason
}

async function giveBackAllowed(...taken: readonly Taken[]): Promise<void> {
  await Promise.all(
    taken.map(
      ([counter, key, count]) =>
        count.status === 'fulfilled' && count.value.allowed && counter.giveBack(key),
    ),
  )
}

function refusal(
  { reportLimit }: SecondFactorLimitDeps,
  { userId, place }: CodeAttempt,
  context: RequestContext,
  { points }: Pick<Reached, 'points'>,
  seconds: number,
) {
  const scope = place === 'enrolment' ? 'enrolment' : 'second-factor'
  return reportLimit({ scope, userId, points, retryAfter: Math.max(1, seconds) }, context)
}

// What is not forgotten makes the limit stricter; the call has reported it.
function nothing(): void {}
