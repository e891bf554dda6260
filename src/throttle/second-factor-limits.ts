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
import { accountKey } from './counter-keys.js'
import type { NetworkLimitsKit } from './known-networks.js'
import { type Counters, day, type LimitsKit, type Reached, rateLimitHeaders } from './limits.js'

/** The user of a code, and the place of its use. */
export interface CodeAttempt {
  readonly userId: string
  /**
   * `login`: after a right password. `session`: in a signed-in session. `enrolment`: to confirm a
   * new seed; counted apart, since the thief of a session can send such codes without the password
   * and must not exhaust the limit for logins.
   */
  readonly place: 'login' | 'session' | 'enrolment'
}

/**
 * Limits of second-factor codes. A dry run does not lift them: six digits cannot resist unlimited
 * guessing.
 */
export interface SecondFactorLimits {
  /**
   * Counts a code and then does the work that checks it. Throws 429, or 503 if the counters fail.
   * If the work rejects, the code does not count: an outage is not a wrong code, and retries of a
   * client must not lock its user out.
   */
  withSecondFactorSlot<T>(
    attempt: CodeAttempt,
    context: RequestContext,
    work: () => Promise<T>,
    setHeaders?: SetHeaders,
  ): Promise<T>
  /**
   * Call it after a right code outside of a sign-in: the code does not count, but earlier wrong
   * codes still count. Never rejects.
   */
  refundSecondFactor(attempt: CodeAttempt): Promise<void>
  /**
   * Clears earlier wrong codes, after a complete two-factor sign-in or a reset. Never rejects.
   */
  clearSecondFactor(userId: string): Promise<void>
  /**
   * Clears earlier wrong codes after a new password, at most once a day: they were guessed with the
   * former password, and must not keep the owner out. Rejects with 503.
   */
  clearAfterNewPassword(userId: string): Promise<void>
  /** Clears earlier wrong codes, also those of a pending enrolment. Rejects with 503. */
  unlockSecondFactor(userId: string): Promise<void>
}

/** Users near their limit that a process remembers. */
const maxRemembered = 10_000

/** Keys of a code: per hour and, except for an enrolment, until a sign-in. */
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

/** The commands that clear the wrong codes of an account, except those of a pending enrolment. */
export function forgetCodes(counters: Counters, account: string): readonly Command[] {
  const { hourly, total } = keysOf(counters, account)
  return [
    { ...hourly, do: 'clear' },
    { ...total, do: 'clear' },
  ]
}

export function createSecondFactorLimits(kit: NetworkLimitsKit): SecondFactorLimits {
  const { counters, keyOf, ask } = kit
  const takeCode = createTakeCode(kit)

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
    // After a failure the limit is only stricter; the call has reported it.
    async clearSecondFactor(userId) {
      await ask(forgetCodes(counters, accountKey(keyOf, userId)))
    },
    async clearAfterNewPassword(userId) {
      const account = accountKey(keyOf, userId)
      // A thief of the mailbox sets one password after the other: that gives no more guesses.
      const today = { of: counters.codesCleared, key: account }
      if (!(await askOne(ask, { ...today, do: 'take' })).allowed) return
      const answers = await ask(forgetCodes(counters, account))
      if (answers.some((answer) => answer instanceof Failure))
        await ask([{ ...today, do: 'giveBack' }])
      for (const answer of answers) counted(answer)
    },
    async unlockSecondFactor(userId) {
      const account = accountKey(keyOf, userId)
      const enrolment: Command = { ...enrolmentOf(counters, account), do: 'clear' }
      const answers = await ask([...forgetCodes(counters, account), enrolment])
      for (const answer of answers) counted(answer)
    },
  }
}

/** Counts one code per hour and until a sign-in. Throws 429 or 503. */
type TakeCode = (attempt: CodeAttempt, context: RequestContext) => Promise<Count>

function createTakeCode(kit: NetworkLimitsKit): TakeCode {
  const { counters, keyOf, ask } = kit
  const { codesPerUser, codesUntilSignIn } = counters
  // An attacker with the password can exhaust the budget of unknown networks from anywhere. So the
  // last fifth is reserved for known networks.
  const forStrangers = codesUntilSignIn.points - Math.floor(codesUntilSignIn.points / 5)
  const nearLimit = boundedCache<true>(maxRemembered, day)

  // Fails closed: an error counts as unknown.
  async function isStranger({ userId, place }: CodeAttempt, { ip }: RequestContext) {
    return place === 'login' && !(await kit.knownNetworks.isKnown(userId, ip).catch(() => false))
  }

  // Attempts from unknown networks must not block the owner, even briefly: near the limit they are
  // refused before anything is taken. Far from it, this costs no call.
  async function isOver({ total }: CodeKeys, attempt: CodeAttempt, context: RequestContext) {
    if (nearLimit.get(total.key, new Date()) === undefined) return false
    const [used] = await ask([{ ...total, do: 'get' }])
    return consumedOf(used) >= forStrangers && (await isStranger(attempt, context))
  }

  // Asks whether the network is known only when the budget runs short.
  async function mayHave(consumed: number, attempt: CodeAttempt, context: RequestContext) {
    return consumed <= forStrangers || !(await isStranger(attempt, context))
  }

  async function takeForEnrolment(account: string, attempt: CodeAttempt, context: RequestContext) {
    const count = await askOne(ask, { ...enrolmentOf(counters, account), do: 'take' })
    if (count.allowed) return count
    throw refusal(kit, attempt, context, codesPerUser, count.seconds)
  }

  return async function takeCode(attempt, context) {
    const account = accountKey(keyOf, attempt.userId)
    if (attempt.place === 'enrolment') return takeForEnrolment(account, attempt, context)
    const keys = keysOf(counters, account)
    // The limit ends with a sign-in, at an unknown time. A day is a reasonable retry.
    if (await isOver(keys, attempt, context))
      throw refusal(kit, attempt, context, codesUntilSignIn, day)
    const { total, hourly, giveBack } = await takeBoth(ask, keys)
    if (total.consumed >= forStrangers) nearLimit.set(keys.total.key, true, new Date())
    const isEnough = total.allowed && (await mayHave(total.consumed, attempt, context))
    if (isEnough && hourly.allowed) return hourly
    await giveBack()
    throw isEnough
      ? refusal(kit, attempt, context, codesPerUser, hourly.seconds)
      : refusal(kit, attempt, context, codesUntilSignIn, day)
  }
}

// In one call. If one of the two counters fails, the other one gets its point back.
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
  { reportLimit }: LimitsKit,
  { userId, place }: CodeAttempt,
  context: RequestContext,
  { points }: Pick<Reached, 'points'>,
  seconds: number,
) {
  const scope = place === 'enrolment' ? 'enrolment' : 'second-factor'
  return reportLimit({ scope, userId, points, retryAfter: Math.max(1, seconds) }, context)
}
