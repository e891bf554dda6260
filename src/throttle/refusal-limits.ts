import { AuthError, type AuthErrorCode } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { lazily } from '../lib/async.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { askOne, type Counter, createCounter, type Limit } from './counter.js'
import { type LimitsKit, limitOf, rateLimitHeaders } from './limits.js'

type Refused = Pick<EndpointRequest, 'context' | 'setHeaders'>

/** Limits the refusals of an endpoint by network. */
export type LimitFailures = (name: string, endpoint: Endpoint) => Endpoint

/**
 * Does work of an endpoint elsewhere, and limits its refusals together with the refusals of the
 * endpoint.
 */
export type LimitRefusals = <Result>(
  name: string,
  request: Refused,
  work: () => Promise<Result>,
) => Promise<Result>

/**
 * Counts a failed client authentication by network, and by network and client id, whether that
 * client exists or not. Resolves with the error for the client.
 */
export type CountRefusedClient = (
  clientId: string,
  request: Refused,
  refusal: AuthError,
) => Promise<AuthError>

/**
 * Counts a refused passkey by network, and by passkey if it exists. Resolves with the error for the
 * client.
 */
export type CountRefusedPasskey = (
  credentialId: string | null,
  request: Refused,
  refusal: AuthError,
) => Promise<AuthError>

/**
 * Limits for credentials of 256 bits or with a signature: they bound refusals, since guessing is
 * hopeless. A valid credential is never refused because of others, and costs no call.
 */
export interface RefusalLimits {
  readonly limitFailures: LimitFailures
  readonly limitRefusals: LimitRefusals
  readonly countRefusedClient: CountRefusedClient
  readonly countRefusedPasskey: CountRefusedPasskey
}

/** Refusals of tokens and of mailed codes. */
const countedCodes: readonly AuthErrorCode[] = ['invalid_grant', 'proof-refused']

const perClientAndNetwork: Limit = { points: 20, duration: 15 * 60 }
const perPasskey: Limit = { points: 10, duration: 60 * 60 }

/**
 * Refusals of an endpoint for tokens: by network. Refusals of clients: 20 in 15 minutes for each
 * client and network, and for each network as many as an endpoint may refuse tokens. Refusals of
 * passkeys: 10 an hour for each passkey, and for each network as many as wrong passwords.
 */
export function createRefusalLimits(kit: LimitsKit): RefusalLimits {
  const { options, keyOf } = kit
  const counting = (keyPrefix: string, limit: Limit) =>
    lazily(() => countRefusals(kit, createCounter(options, { keyPrefix, ...limit })))
  const ofTokens = countRefusals(kit, kit.counters.refusedTokens)
  // The counters are made on demand: a host without clients or passkeys needs no such limiters.
  const ofClient = counting('mar-client', perClientAndNetwork)
  const ofPasskeys = counting('mar-passkey', limitOf(options, 'network'))
  const ofPasskey = counting('mar-passkey-id', perPasskey)

  // A refusal beyond the limit becomes 429.
  async function limited(name: string, request: Refused, error: unknown): Promise<never> {
    if (!(error instanceof AuthError) || !countedCodes.includes(error.code)) throw error
    const key = keyOf('endpoint', name, networkOf(request.context.ip))
    throw await ofTokens(key, request, error)
  }

  return {
    async limitRefusals(name, request, work) {
      try {
        return await work()
      } catch (error) {
        return limited(name, request, error)
      }
    },
    limitFailures: (name, endpoint) =>
      function limitedEndpoint(request) {
        return endpoint(request).catch((error: unknown) => limited(name, request, error))
      },
    async countRefusedClient(clientId, request, refusal) {
      const network = networkOf(request.context.ip)
      // This comes first, so that invented ids beyond the limit get no counters.
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

// The headers can describe only one of the two limits: the other one.
function unseen({ context }: Refused): Refused {
  return { context, setHeaders() {} }
}

/**
 * Counts a refusal and resolves with the error for the client: the refusal, or a 429 beyond the
 * limit.
 */
type CountRefusal = (key: string, request: Refused, refusal: AuthError) => Promise<AuthError>

/** Keys beyond their limit that a process remembers. */
const maxRemembered = 10_000

function countRefusals(
  { options: { dryRun = false }, ask, reportLimit }: LimitsKit,
  counter: Counter,
): CountRefusal {
  /** The end of each in milliseconds, so that a flood of refusals costs no calls. */
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
    // A failing counter does not change the answer, which reveals nothing; the call has reported
    // it.
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
