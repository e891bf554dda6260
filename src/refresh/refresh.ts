import type { Capability } from '../http/capability.js'
import type { LimitFailures } from '../throttle/token-limits.js'
import { type RefreshDeps, refreshEndpoint } from './refresh.endpoint.js'

/** Makes the exchange of refresh tokens; a network's failures are limited. */
export function createRefresh(deps: RefreshDeps, limitFailures: LimitFailures): Capability {
  const refresh = limitFailures('refresh', refreshEndpoint(deps))
  return { routes: [['/auth/refresh', { POST: refresh }, 'oauth']], close: null }
}
