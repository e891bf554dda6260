import type { RequestContext } from '../audit/events.js'
import { networkOf } from '../http/client-address.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { ReportLimit } from './limits.js'
import type { Limit } from './memory-limiter.js'

/**
 * Looks something up by a name that may be invented. What is not found counts for the network;
 * beyond the limit nothing is looked up there. Throws 429, and what `find` throws.
 */
export type LimitLookups = <Found>(
  request: { readonly context: RequestContext },
  find: () => Promise<Found | null>,
) => Promise<Found | null>

/** What limiting look-ups needs. */
export interface LookupLimitDeps {
  /** For each network and process. */
  readonly limit: Limit
  readonly reportLimit: ReportLimit
  readonly dryRun: boolean
}

/** Networks of which a process remembers how many look-ups they have left. */
const maxNetworks = 10_000

/**
 * Makes the limit of look-ups, in the memory of this process: it saves calls of a store, and must
 * not cost calls of another.
 */
export function createLookupLimit({ limit, reportLimit, dryRun }: LookupLimitDeps): LimitLookups {
  const { points, duration } = limit
  const windows = boundedCache<{ taken: number; readonly endsAt: number }>(maxNetworks, duration)

  function windowOf(network: string, now: Date) {
    const open = windows.get(network, now)
    if (open !== undefined) return open
    const opened = { taken: 0, endsAt: now.getTime() + duration * 1000 }
    windows.set(network, opened, now)
    return opened
  }

  return async function limitLookups({ context }, find) {
    const now = new Date()
    const window = windowOf(networkOf(context.ip), now)
    if (window.taken >= points) {
      const retryAfter = Math.max(1, Math.ceil((window.endsAt - now.getTime()) / 1000))
      const limited = reportLimit({ scope: 'endpoint', points, retryAfter }, context, dryRun)
      if (!dryRun) throw limited
    }
    // Taken before the store is asked: a burst would slip past a count of answers.
    window.taken += 1
    const giveBack = () => {
      window.taken -= 1
    }
    const found = await find().catch((error: unknown) => {
      giveBack()
      throw error
    })
    if (found !== null) giveBack()
    return found
  }
}
