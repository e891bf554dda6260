import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import { type Counter, createCounter } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import type { ReportLimit, ThrottleOptions } from './limits.js'
import type { Limit } from './memory-limiter.js'
import { type CountRefusal, createRefusalLimit } from './refusal-limit.js'

/** Limits the failures of an endpoint by network. */
export type LimitFailures = (name: string, endpoint: Endpoint) => Endpoint

/** What limiting endpoints needs. */
export interface EndpointLimitDeps {
  readonly keyOf: CounterKey
  readonly countRefusal: CountRefusal
}

/**
 * Makes the limit of endpoints that take tokens. What is refused beyond the limit is told to wait
 * instead of why.
 */
export function createEndpointLimits({ keyOf, countRefusal }: EndpointLimitDeps): LimitFailures {
  return (name, endpoint) =>
    async function limitedEndpoint(request) {
      try {
        return await endpoint(request)
      } catch (error) {
        if (!isRefusal(error)) throw error
        throw await countRefusal(
          keyOf('endpoint', name, networkOf(request.context.ip)),
          request,
          error,
        )
      }
    }
}

function isRefusal(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code === 'invalid_grant'
}

/**
 * Counts that a client was not authenticated, by the network, and by the network and the id that
 * was shown, whether there is such a client or not. Answers what it is told.
 */
export type CountRefusedClient = (
  clientId: string,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
  refusal: AuthError,
) => Promise<AuthError>

const perClientAndNetwork: Limit = { points: 20, duration: 15 * 60 }

/** What limiting clients needs. */
export interface ClientLimitDeps {
  readonly options: ThrottleOptions
  readonly call: HostCall
  readonly keyOf: CounterKey
  readonly reportLimit: ReportLimit
  /** Counts by network. */
  readonly countInNetwork: CountRefusal
}

/**
 * Makes the limit of clients that were refused: 20 in 15 minutes for each client and network, and
 * for each network as many as an endpoint may refuse tokens.
 */
export function createClientLimits({
  options,
  call,
  keyOf,
  reportLimit,
  countInNetwork,
}: ClientLimitDeps): CountRefusedClient {
  const { dryRun = false } = options
  let made: CountRefusal | undefined

  // With the first refusal: a host without clients is not asked for a limiter of theirs.
  function countRefusal(): CountRefusal {
    const limit = { keyPrefix: 'mar-client', ...perClientAndNetwork }
    if (made !== undefined) return made
    made = createRefusalLimit({ counter: createCounter(options, limit, call), reportLimit, dryRun })
    return made
  }

  return async function countRefusedClient(clientId, request, refusal) {
    const network = networkOf(request.context.ip)
    // First, and without telling how many are left: whoever invents ids must not have a counter
    // for each of them.
    const unseen = { context: request.context, setHeaders() {} }
    const told = await countInNetwork(keyOf('endpoint', 'client', network), unseen, refusal)
    if (told !== refusal) return told
    return countRefusal()(keyOf('client', clientId, network), request, refusal)
  }
}

/** For whom something is issued; no session where the host asks. */
export interface IssuedTo {
  readonly userId: string
  readonly sessionId: string | null
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
