import type { RequestContext } from '../audit/events.js'
import type { SetHeaders } from '../http/endpoint.js'
import { boundedCache } from '../lib/bounded-cache.js'
import {
  type Ask,
  askOne,
  type Command,
  type Count,
  consumedOf,
  counted,
  Failure,
  isTaken,
} from './counter.js'
import { accountKey, type CounterKey } from './counter-keys.js'
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

export interface SecondFactorLimitDeps {
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly ask: Ask
  readonly knownNetworks: Pick<KnownNetworks, 'isKnown'>
  readonly reportLimit: ReportLimit
}

/** Users that a process remembers as near their limit. */
const maxRemembered = 10_000

/** What a code is counted by: by the hour, and but for an enrolment until a sign-in. */
interface CodeKeys {
  readonly hourly: Pick<Command, 'of' | 'key'>
  readonly total: Pick<Command, 'of' | 'key'>
}

function keysOf({ codesPerUser, codesUntilSignIn }: Counters, account: string): CodeKeys {
  return {
    hourly: { of: codesPerUser, key: account },
    total: { of: codesUntilSignIn, key: account },
  }
}

function enrolmentOf({ codesPerUser }: Counters, account: string): CodeKeys['hourly'] {
  return { of: codesPerUser, key: `${account}.enrolment` }
}

/** What forgets the wrong codes of an account, but for those of an enrolment that waits. */
export function forgetCodes(counters: Counters, account: string): readonly Command[] {
  const { hourly, total } = keysOf(counters, account)
  return [
    { ...hourly, do: 'clear' },
    { ...total, do: 'clear' },
  ]
}

/** Makes the limits of second-factor codes. */
export function createSecondFactorLimits(deps: SecondFactorLimitDeps): SecondFactorLimits {
  const { counters, keyOf, ask } = deps
  const takeCode = createTakeCode(deps)

  const giveBack = async ({ userId, place }: CodeAttempt) => {
    const account = accountKey(keyOf, userId)
    const { hourly, total } = keysOf(counters, account)
    const counts = place === 'enrolment' ? [enrolmentOf(counters, account)] : [hourly, total]
    await ask(counts.map((one) => ({ ...one, do: 'giveBack' })))
  }

  return {
    async withSecondFactorSlot(attempt, context, work, setHeaders) {
      const { remaining, seconds } = await takeCode(attempt, context)
      setHeaders?.(rateLimitHeaders(counters.codesPerUser.points, remaining, seconds))
      return work().catch(async (error: unknown) => {
        await giveBack(attempt)
        throw error
      })
    },
    refundSecondFactor: giveBack,
    // What is not forgotten makes the limit stricter; the call has reported it.
    async clearSecondFactor(userId) {
      await ask(forgetCodes(counters, accountKey(keyOf, userId)))
    },
    async unlockSecondFactor(userId) {
      const account = accountKey(keyOf, userId)
      const enrolment: Command = { ...enrolmentOf(counters, account), do: 'clear' }
      const answers = await ask([...forgetCodes(counters, account), enrolment])
      for (const answer of answers) counted(answer)
    },
  }
}

/** Counts one code by the hour and until a sign-in. Throws 429, or 503. */
type TakeCode = (attempt: CodeAttempt, context: RequestContext) => Promise<Count>

function createTakeCode(deps: SecondFactorLimitDeps): TakeCode {
  const { counters, keyOf, ask } = deps
  const { codesPerUser, codesUntilSignIn } = counters
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
  async function isOver({ total }: CodeKeys, attempt: CodeAttempt, context: RequestContext) {
    if (nearLimit.get(total.key, new Date()) === undefined) return false
    const [used] = await ask([{ ...total, do: 'get' }])
    return consumedOf(used) >= forStrangers && (await isStranger(attempt, context))
  }

  // Not asked of a network whether it is known while there is enough for all.
  async function mayHave(consumed: number, attempt: CodeAttempt, context: RequestContext) {
    return consumed <= forStrangers || !(await isStranger(attempt, context))
  }

  async function takeForEnrolment(account: string, attempt: CodeAttempt, context: RequestContext) {
    const count = await askOne(ask, { ...enrolmentOf(counters, account), do: 'take' })
    if (count.allowed) return count
    throw refusal(deps, attempt, context, codesPerUser, count.seconds)
  }

  return async function takeCode(attempt, context) {
    const account = accountKey(keyOf, attempt.userId)
    if (attempt.place === 'enrolment') return takeForEnrolment(account, attempt, context)
    const keys = keysOf(counters, account)
    // Until a sign-in, so its end is not known. After a day it is worth asking again.
    if (await isOver(keys, attempt, context))
      throw refusal(deps, attempt, context, codesUntilSignIn, day)
    const { total, hourly, giveBack } = await takeBoth(ask, keys)
    if (total.consumed >= forStrangers) nearLimit.set(keys.total.key, true, new Date())
    const isEnough = total.allowed && (await mayHave(total.consumed, attempt, context))
    if (isEnough && hourly.allowed) return hourly
    await giveBack()
    throw isEnough
      ? refusal(deps, attempt, context, codesPerUser, hourly.seconds)
      : refusal(deps, attempt, context, codesUntilSignIn, day)
  }
}

// In one call. Where one of the two is out of reach, the other gets back what it gave.
async function takeBoth(ask: Ask, { total, hourly }: CodeKeys) {
  const both = [total, hourly]
  const answers = await ask(both.map((one) => ({ ...one, do: 'take' })))
  const giveBack = () =>
    ask(
      both
        .filter((_one, i) => isTaken(answers[i]))
        .map((one): Command => ({ ...one, do: 'giveBack' })),
    )
  if (answers.some((answer) => answer instanceof Failure)) await giveBack()
  const [ofTotal, ofHour] = answers.map(counted)
  return { total: ofTotal as Count, hourly: ofHour as Count, giveBack }
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
