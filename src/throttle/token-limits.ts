import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { HostCall } from '../lib/host-call.js'
import { type Counter, createCounter } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import { type ReportLimit, rateLimitHeaders, type ThrottleOptions } from './limits.js'
import type { Limit } from './memory-limiter.js'

/** Limits the failures of an endpoint by network. */
export type LimitFailures = (name: string, endpoint: Endpoint) => Endpoint

/** What limiting endpoints needs. */
export interface EndpointLimitDeps {
  readonly counter: Counter
  readonly keyOf: CounterKey
  readonly reportLimit: ReportLimit
  readonly dryRun: boolean
}

/** Networks that have used up an endpoint, of which a process remembers so many. */
const maxRemembered = 10_000

/**
 * Makes the limit of endpoints that take tokens. Those have 256 bits, so this bounds what is
 * refused, and no guessing: a valid token is never refused for what others behind the same address
 * have sent, and costs no call. What is refused beyond the limit is told to wait instead of why.
 */
export function createEndpointLimits({
  counter,
  keyOf,
  reportLimit,
  dryRun,
}: EndpointLimitDeps): LimitFailures {
  /** Until when, in milliseconds: a flood of refusals costs no call of the counter. */
  const usedUp = boundedCache<number>(maxRemembered, counter.duration)

  function secondsLeft(key: string): number {
    const now = new Date()
    return Math.ceil(((usedUp.get(key, now) ?? 0) - now.getTime()) / 1000)
  }

  async function count(
    key: string,
  ): Promise<{ readonly remaining: number; readonly seconds: number } | null> {
    if (secondsLeft(key) > 0) return null
    const { allowed, remaining, seconds } = await counter.take(key)
    const now = new Date()
    if (!allowed || remaining === 0) usedUp.set(key, now.getTime() + seconds * 1000, now)
    return allowed ? { remaining, seconds } : null
  }

  function refuse(key: string, context: RequestContext, refusal: AuthError): AuthError {
    const retryAfter = Math.max(1, secondsLeft(key))
    const limited = reportLimit(
      { scope: 'endpoint', points: counter.points, retryAfter },
      context,
      dryRun,
    )
    return dryRun ? refusal : limited
  }

  async function countRefusal(
    name: string,
    { context, setHeaders }: EndpointRequest,
    refusal: AuthError,
  ): Promise<AuthError> {
    const key = keyOf('endpoint', name, networkOf(context.ip))
    // A counter out of reach does not change an answer that gives nothing away; the call has
    // reported it.
    const counted = await count(key).catch(() => undefined)
    if (counted === null) return refuse(key, context, refusal)
    if (counted !== undefined)
      setHeaders(rateLimitHeaders(counter.points, counted.remaining, counted.seconds))
    return refusal
  }

  return (name, endpoint) =>
    async function limitedEndpoint(request) {
      try {
        return await endpoint(request)
      } catch (error) {
        throw isRefusal(error) ? await countRefusal(name, request, error) : error
      }
    }
}

function isRefusal(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code === 'invalid_grant'
}

/** For whom something is issued; no session where the host asks. */
export interface IssuedTo {
  readonly userId: string
  readonly sessionId: string | null
}

/**
 * Counts a code, a ticket or a named token before it is issued: each is a row, and one user must
 * not fill a store. Throws 429, or 503 when the counters are out of reach.
 */
export type TakeIssue = (
  what: 'code' | 'ticket' | 'named-token',
  to: IssuedTo,
  context: RequestContext,
) => Promise<void>

/** What limiting needs. */
export interface IssueLimitDeps {
  readonly options: ThrottleOptions
  readonly call: HostCall
  readonly keyOf: CounterKey
  readonly reportLimit: ReportLimit
}

const perSession: Limit = { points: 60, duration: 60 }
const perUser: Limit = { points: 300, duration: 60 }

/**
 * Makes the limits of issuing: 60 of each kind a session and minute, 300 of each a user.
 */
export function createIssueLimits({
  options,
  call,
  keyOf,
  reportLimit,
}: IssueLimitDeps): TakeIssue {
  const bySession = createCounter(options, { keyPrefix: 'mar-issue-session', ...perSession }, call)
  const byUser = createCounter(options, { keyPrefix: 'mar-issue-user', ...perUser }, call)
  const { dryRun = false } = options

  async function take(
    counter: Counter,
    key: string,
    userId: string,
    context: RequestContext,
  ): Promise<void> {
    const { allowed, seconds } = await counter.take(key)
    if (allowed) return
    const retryAfter = Math.max(1, seconds)
    const error = reportLimit(
      { scope: 'issuing', points: counter.points, retryAfter, userId },
      context,
      dryRun,
    )
    if (!dryRun) throw error
  }

  return async function takeIssue(what, { userId, sessionId }, context) {
    const session = sessionId === null ? null : keyOf('issue', what, 'session', sessionId)
    if (session !== null) await take(bySession, session, userId, context)
    try {
      await take(byUser, keyOf('issue', what, 'user', userId), userId, context)
    } catch (error) {
      // What is refused counts for nothing.
      if (session !== null) await bySession.giveBack(session)
      throw error
    }
  }
}
