import { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { lazily } from '../lib/lazily.js'
import { type Ask, askOne, type Counter, type Limit } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import { createCounter } from './limiter-counter.js'
import {
  defaultLimits,
  type ReportLimit,
  rateLimitHeaders,
  type ThrottleOptions,
} from './limits.js'

type Refused = Pick<EndpointRequest, 'context' | 'setHeaders'>

/** Limits the failures of an endpoint by network. */
export type LimitFailures = (name: string, endpoint: Endpoint) => Endpoint

/**
 * Counts that a client was not authenticated, by the network, and by the network and the id that
 * was shown, whether there is such a client or not. Answers what it is told.
 */
export type CountRefusedClient = (
  clientId: string,
  request: Refused,
  refusal: AuthError,
) => Promise<AuthError>

/**
 * Counts that a passkey was refused: by the network, and by the passkey where there is one of that
 * id. Answers what the client is told.
 */
export type CountRefusedPasskey = (
  credentialId: string | null,
  request: Refused,
  refusal: AuthError,
) => Promise<AuthError>

/**
 * The limits of what is refused, where what is shown has 256 bits, or is signed: they bound
 * refusals, and no guessing. What is valid is never refused for what others have sent, and costs no
 * call.
 */
export interface RefusalLimits {
  readonly limitFailures: LimitFailures
  readonly countRefusedClient: CountRefusedClient
  readonly countRefusedPasskey: CountRefusedPasskey
}

export interface RefusalLimitDeps {
  readonly options: ThrottleOptions
  /** Refused tokens and clients, by network. */
  readonly refusedTokens: Counter
  readonly keyOf: CounterKey
  readonly ask: Ask
  readonly reportLimit: ReportLimit
}

const perClientAndNetwork: Limit = { points: 20, duration: 15 * 60 }
const perPasskey: Limit = { points: 10, duration: 60 * 60 }

/**
 * Makes the limits: of an endpoint that takes tokens by network; of clients 20 in 15 minutes for
 * each and network, and for each network as many as an endpoint may refuse tokens; of passkeys 10
 * an hour for each, and for each network as many as there may be wrong passwords.
 */
export function createRefusalLimits(deps: RefusalLimitDeps): RefusalLimits {
  const { options, keyOf } = deps
  const counting = (keyPrefix: string, limit: Limit) =>
    lazily(() => countRefusals(deps, createCounter(options, { keyPrefix, ...limit })))
  const ofTokens = countRefusals(deps, deps.refusedTokens)
  // With the first refusal: a host without clients or passkeys is not asked for limiters of theirs.
  const ofClient = counting('mar-client', perClientAndNetwork)
  const ofPasskeys = counting('mar-passkey', { ...defaultLimits.network, ...options.network })
  const ofPasskey = counting('mar-passkey-id', perPasskey)

  return {
    // What is refused beyond the limit is told to wait instead of why.
    limitFailures: (name, endpoint) =>
      async function limitedEndpoint(request) {
        try {
          return await endpoint(request)
        } catch (error) {
          if (!(error instanceof AuthError) || error.code !== 'invalid_grant') throw error
          const key = keyOf('endpoint', name, networkOf(request.context.ip))
          throw await ofTokens(key, request, error)
        }
      },
    async countRefusedClient(clientId, request, refusal) {
      const network = networkOf(request.context.ip)
      // First: whoever invents ids must not have a counter for each of them.
      const told = await ofTokens(keyOf('endpoint', 'client', network), unseen(request), refusal)
      if (told !== refusal) return told
      return ofClient()(keyOf('client', clientId, network), request, refusal)
    },
    async countRefusedPasskey(credentialId, request, refusal) {
      const network = keyOf('passkey', 'network', networkOf(request.context.ip))
      const told = await ofPasskeys()(network, request, refusal)
      if (credentialId === null || told !== refusal) return told
      return ofPasskey()(keyOf('passkey', 'id', credentialId), unseen(request), refusal)
    },
  }
}

// The headers tell how one limit stands, and of two it is the other.
function unseen({ context }: Refused): Refused {
  return { context, setHeaders() {} }
}

/**
 * Counts a refusal under a key, and answers what the client is told: the refusal itself, or beyond
 * the limit a 429 instead.
 */
type CountRefusal = (key: string, request: Refused, refusal: AuthError) => Promise<AuthError>

/** Keys that have used up their limit, of which a process remembers so many. */
const maxRemembered = 10_000

function countRefusals(
  { options: { dryRun = false }, ask, reportLimit }: RefusalLimitDeps,
  counter: Counter,
): CountRefusal {
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
    const { allowed, remaining, seconds } = await askOne(ask, { do: 'take', of: counter, key })
    const now = new Date()
    if (!allowed || remaining === 0) usedUp.set(key, now.getTime() + seconds * 1000, now)
    return allowed ? { remaining, seconds } : null
  }

  return async function countRefusal(key, { context, setHeaders }, refusal) {
    // A counter out of reach does not change an answer that gives nothing away; the call has
    // reported it.
    const counted = await count(key).catch(() => undefined)
    if (counted === null) {
      const retryAfter = Math.max(1, secondsLeft(key))
      const reached = { scope: 'endpoint', points: counter.points, retryAfter } as const
      const limited = reportLimit(reached, context, dryRun)
      return dryRun ? refusal : limited
    }
    if (counted !== undefined)
      setHeaders(rateLimitHeaders(counter.points, counted.remaining, counted.seconds))
    return refusal
  }
}
