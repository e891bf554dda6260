import type { RequestContext } from '../audit/events.js'
import { lazily } from '../lib/lazily.js'
import { type Ask, askOne, type Command, type Counter, type Limit } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import { createCounter } from './limiter-counter.js'
import type { ReportLimit, ThrottleOptions } from './limits.js'

/** For whom something is issued; no session where the host asks. */
export interface IssuedTo {
  readonly userId: string
  readonly sessionId: string | null
  /** The app that a session is to be opened for; left out for none. */
  readonly clientId?: string
  /** What brought the browser here that nobody has pressed: with or without a page to be shown. */
  readonly unasked?: 'silent' | 'shown'
}

/**
 * Counts a code, a ticket, a named token or the session of a page before it is issued: each is a
 * row, and one user must not fill a store. Throws 429, or 503 when the counters are out of reach.
 */
export type TakeIssue = (
  what: 'code' | 'ticket' | 'named-token' | 'browser-session',
  to: IssuedTo,
  context: RequestContext,
) => Promise<void>

export interface IssueLimitDeps {
  readonly options: ThrottleOptions
  readonly keyOf: CounterKey
  readonly ask: Ask
  readonly reportLimit: ReportLimit
}

const perSession: Limit = { points: 60, duration: 60 }
const perSessionUnasked: Limit = { points: 30, duration: 60 }
const perUser: Limit = { points: 300, duration: 60 }

/**
 * Makes the limits of issuing: 60 of each kind a session and minute, 300 of each a user. Codes for
 * apps are 60 for each app, and 30 a session of what pages of others ask for by themselves: such a
 * page must not use up what the user signs in to her apps by.
 */
export function createIssueLimits({ options, keyOf, ask, reportLimit }: IssueLimitDeps): TakeIssue {
  const { dryRun = false } = options
  const counting = (keyPrefix: string, limit: Limit) =>
    createCounter(options, { keyPrefix, ...limit })
  const bySession = counting('mar-issue-session', perSession)
  // With the first: a host without apps is not asked for a limiter of theirs.
  const unaskedBySession = lazily(() => counting('mar-issue-unasked', perSessionUnasked))
  const byUser = counting('mar-issue-user', perUser)

  async function take(command: Command, userId: string, context: RequestContext): Promise<void> {
    const { allowed, seconds } = await askOne(ask, command)
    if (allowed) return
    const { points } = command.of
    const reached = { scope: 'issuing', points, retryAfter: Math.max(1, seconds), userId } as const
    const error = reportLimit(reached, context, dryRun)
    if (!dryRun) throw error
  }

  return async function takeIssue(what, { userId, sessionId, clientId, unasked }, context) {
    const counted: Command[] = []
    const count = (of: Counter, ...parts: readonly string[]) =>
      void counted.push({ do: 'take', of, key: keyOf('issue', what, ...parts) })
    if (sessionId !== null && unasked !== undefined) count(unaskedBySession(), unasked, sessionId)
    const app = clientId === undefined ? [] : [clientId]
    if (sessionId !== null) count(bySession, 'session', sessionId, ...app)
    count(byUser, 'user', userId)
    const taken: Command[] = []
    try {
      // One after the other: what one session is refused must not, even for a moment, use up what
      // the user's other sessions have.
      for (const command of counted) {
        await take(command, userId, context)
        taken.push({ ...command, do: 'giveBack' })
      }
    } catch (error) {
      // What is refused counts for nothing.
      await ask(taken)
      throw error
    }
  }
}
