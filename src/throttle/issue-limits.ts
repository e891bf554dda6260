import type { RequestContext } from '../audit/events.js'
import { lazily } from '../lib/async.js'
import { askOne, type Command, type Counter, createCounter, type Limit } from './counter.js'
import type { LimitsKit } from './limits.js'

/** The user and session that get the issued secret; without a session if the host calls. */
export interface IssuedTo {
  readonly userId: string
  /** For a service, the id of its client: it has no session yet. */
  readonly sessionId: string | null
  /** The app that gets a session, if any. */
  readonly clientId?: string
  /** Set if a page navigated here without a click of the user: without or with a page to show. */
  readonly unasked?: 'silent' | 'shown'
}

/**
 * Counts a code, a ticket, a named token or a session before it is issued: each is a row,
 * and one user must not fill a store. Throws 429, or 503 if the counters fail.
 */
export type TakeIssue = (
  what: 'code' | 'ticket' | 'named-token' | 'browser-session' | 'service',
  to: IssuedTo,
  context: RequestContext,
) => Promise<void>

const perSession: Limit = { points: 60, duration: 60 }

const perSessionUnasked: Limit = { points: 30, duration: 60 }

const perUser: Limit = { points: 300, duration: 60 }

/**
 * In a minute, 60 of each kind for a session and 300 for a user. Sessions of services: 60 for each
 * client. Codes for apps: 60 for each app,
 * and 30 for a session if other pages navigate here by themselves: such a page must not exhaust the
 * user's own sign-ins to apps.
 */
export function createIssueLimits({ options, keyOf, ask, reportLimit }: LimitsKit): TakeIssue {
  const { dryRun = false } = options
  const counting = (keyPrefix: string, limit: Limit) =>
    createCounter(options, { keyPrefix, ...limit })
  const bySession = counting('mar-issue-session', perSession)
  // The counter is made on demand: a host without apps needs no such limiter.
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
      // One after the other: a refused request of one session must not, even briefly, exhaust the
      // limit of the user's other sessions.
      for (const command of counted) {
        await take(command, userId, context)
        taken.push({ ...command, do: 'giveBack' })
      }
    } catch (error) {
      // A refused request does not count.
      await ask(taken)
      throw error
    }
  }
}
