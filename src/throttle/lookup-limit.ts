import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import { limitConcurrency } from '../lib/async.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { LimitsKit } from './limits.js'

/** A lookup. */
export interface LookUp<Found> {
  /** The name, perhaps invented. */
  readonly name: string
  /** Whether a secret or a signature comes with the name. */
  readonly hasProof: boolean
  find(): Promise<Found | null>
}

/**
 * Looks something up by a name that may be invented. A name that is not found counts for the
 * network; beyond the limit, lookups of that network run one at a time. Throws 429 if too many
 * wait, and the errors of `find`.
 */
export type LimitLookups = <Found>(
  request: { readonly context: RequestContext },
  lookUp: LookUp<Found>,
) => Promise<Found | null>

/** Networks whose counts a process remembers. */
const maxNetworks = 10_000

interface Window {
  taken: number
  readonly endsAt: number
  isReported: boolean
}

/**
 * Counts in the memory of this process: the limit saves calls of a store and must not cost others.
 *
 * Only the lookup tells whether a name is invented. So a network beyond its limit is slowed down,
 * not locked out: another user behind the same address may use an existing app.
 */
export function createLookupLimit({ options, counters, reportLimit }: LimitsKit): LimitLookups {
  const { dryRun = false } = options
  const { points, duration } = counters.refusedTokens
  const windows = boundedCache<Window>(maxNetworks, duration)
  const findSlowly = createSlowLookups()

  function windowOf(network: string, now: Date): Window {
    const open = windows.get(network, now)
    if (open !== undefined) return open
    const opened = { taken: 0, endsAt: now.getTime() + duration * 1000, isReported: false }
    windows.set(network, opened, now)
    return opened
  }

  function report(context: RequestContext, seconds: number) {
    const retryAfter = Math.max(1, Math.ceil(seconds))
    return reportLimit({ scope: 'endpoint', points, retryAfter }, context, dryRun)
  }

  // The limit is reported once in a window: a flood of names must not become a flood of events.
  function reportOnce(window: Window, context: RequestContext, now: Date): void {
    if (!window.isReported) report(context, (window.endsAt - now.getTime()) / 1000)
    window.isReported = true
  }

  return async function limitLookups({ context }, { name, hasProof, find }) {
    const now = new Date()
    const network = networkOf(context.ip)
    const window = windowOf(network, now)
    if (window.taken >= points) {
      reportOnce(window, context, now)
      if (dryRun) return find()
      // Proofs and names count apart, so that a flood on the pages does not slow the servers of
      // apps down.
      const line = `${hasProof ? 'proof' : 'name'} ${network}`
      return findSlowly(line, name, find, () => report(context, 1))
    }
    // The attempt counts before the lookup: a burst would evade a count of results.
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

/** Concurrent lookups beyond the limit, for all networks together. */
const mostAtOnce = 4
/** Names that may wait in one line, and in all lines. */
const mostInLine = 50
const mostWaiting = 1000
/** Maximum wait in milliseconds: behind a hanging store, the others must not hang. */
const longestWait = 5000

/** Rejects with the error of `tooMany` if too many wait, or one waits too long. */
type FindSlowly = <Found>(
  line: string,
  name: string,
  find: () => Promise<Found | null>,
  tooMany: () => AuthError,
) => Promise<Found | null>

/**
 * Looks names up one at a time in each line, and a few at a time in all lines. A long line does not
 * delay the others, since each line has one place in the common queue.
 */
function createSlowLookups(): FindSlowly {
  const inAll = limitConcurrency(mostAtOnce)
  const lines = new Map<
    string,
    { readonly inTurn: typeof inAll; readonly names: Map<string, Promise<unknown>> }
  >()
  let waiting = 0

  return async function findSlowly(key, name, find, tooMany) {
    const line = lines.get(key) ?? { inTurn: limitConcurrency(1), names: new Map() }
    // A lookup of the same name takes no place and shares the result.
    const same = line.names.get(name)
    if (same !== undefined) return same.then(find, find)
    if (line.names.size >= mostInLine || waiting >= mostWaiting) throw tooMany()
    waiting += 1
    lines.set(key, line)
    const until = performance.now() + longestWait
    const findInTime = () => {
      if (performance.now() > until) throw tooMany()
      return find()
    }
    const mine = line
      .inTurn(() => inAll(async () => findInTime()))
      .finally(() => {
        waiting -= 1
        line.names.delete(name)
        if (line.names.size === 0) lines.delete(key)
      })
    line.names.set(name, mine)
    return mine
  }
}
