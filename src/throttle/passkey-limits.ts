import type { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import { createCounter } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import { defaultLimits, type ReportLimit, type ThrottleOptions } from './limits.js'
import type { Limit } from './memory-limiter.js'
import { type CountRefusal, createRefusalLimit } from './refusal-limit.js'

/**
 * Counts that a passkey was refused: by the network, and by the passkey where there is one of that
 * id. Answers what the client is told.
 */
export type CountRefusedPasskey = (
  credentialId: string | null,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
  refusal: AuthError,
) => Promise<AuthError>

const perPasskey: Limit = { points: 10, duration: 60 * 60 }

/** What limiting passkeys needs. */
export interface PasskeyLimitDeps {
  readonly options: ThrottleOptions
  readonly call: HostCall
  readonly keyOf: CounterKey
  readonly reportLimit: ReportLimit
}

/**
 * Makes the limit of passkeys that were refused: 10 an hour for each, and for each network as many
 * as there may be wrong passwords. A signature cannot be guessed, so one that is right passes also
 * beyond the limit: strangers shut nobody out.
 */
export function createPasskeyLimits({
  options,
  call,
  keyOf,
  reportLimit,
}: PasskeyLimitDeps): CountRefusedPasskey {
  const { dryRun = false } = options
  let made: { readonly inNetwork: CountRefusal; readonly ofPasskey: CountRefusal } | undefined

  function counting(keyPrefix: string, limit: Limit): CountRefusal {
    const counter = createCounter(options, { keyPrefix, ...limit }, call)
    return createRefusalLimit({ counter, reportLimit, dryRun })
  }

  // With the first refusal: a host without passkeys is not asked for limiters of theirs.
  function limits() {
    made ??= {
      inNetwork: counting('mar-passkey', { ...defaultLimits.network, ...options.network }),
      ofPasskey: counting('mar-passkey-id', perPasskey),
    }
    return made
  }

  return async function countRefusedPasskey(credentialId, request, refusal) {
    const { inNetwork, ofPasskey } = limits()
    const network = keyOf('passkey', 'network', networkOf(request.context.ip))
    const told = await inNetwork(network, request, refusal)
    if (credentialId === null || told !== refusal) return told
    // Without telling how many are left: the headers are those of the network.
    const unseen = { context: request.context, setHeaders() {} }
    return ofPasskey(keyOf('passkey', 'id', credentialId), unseen, refusal)
  }
}
