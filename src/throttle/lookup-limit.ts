import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { limitConcurrency } from '../lib/limit-concurrency.js'
import type { Limit } from './counter.js'
import type { ReportLimit } from './limits.js'

/** What is looked up. */
export interface LookUp<Found> {
  /** A name that may be invented. */
  readonly name: string
  /** Whether a secret or a signature comes with the name. */
  readonly hasProof: boolean
  find(): Promise<Found | null>
}

/**
 * Looks something up by a name that may be invented. What is not found counts for the network;
 * beyond the limit look-ups of that network wait for each other. Throws 429 where too many wait,
 * and what `find` throws.
 */
export type LimitLookups = <Found>(
  request: { readonly context: RequestContext },
  lookUp: LookUp<Found>,
) => Promise<Found | null>

export interface LookupLimitDeps {
  /** For each network and process. */
  readonly limit: Limit
  readonly reportLimit: ReportLimit
  readonly dryRun: boolean
}

/** Networks of which a process remembers how many look-ups they have left. */
const maxNetworks = 10_000

interface Window {
  taken: number
  readonly endsAt: number
  isReported: boolean
}

/**
 * Makes the limit of look-ups, in the memory of this process: it saves calls of a store, and must
 * not cost calls of another.
 *
 * A name shows only by its look-up that it is not invented. So a network that has used up its limit
 * is slowed down and not shut out: somebody behind the same address may want an app that is there.
 */
export function createLookupLimit({ limit, reportLimit, dryRun }: LookupLimitDeps): LimitLookups {
  const { points, duration } = limit
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

  // Once: a flood of names must not be one of events.
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
      // Apart: whoever floods the pages does not slow the servers of apps down.
      const line = `${hasProof ? 'proof' : 'name'} ${network}`
      return findSlowly(line, name, find, () => report(context, 1))
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

/** Look-ups beyond the limit that may be under way at once, for all networks together. */
const mostAtOnce = 4
/** Names that may wait in one line, and in all of them. */
const mostInLine = 50
const mostWaiting = 1000
/** Milliseconds that one waits: where a store hangs, those behind it are not to hang as well. */
const longestWait = 5000

/** Rejects with what `tooMany` makes where too many wait, or for too long. */
type FindSlowly = <Found>(
  line: string,
  name: string,
  find: () => Promise<Found | null>,
  tooMany: () => AuthError,
) => Promise<Found | null>

/**
 * Makes what looks names up one after the other in each line, and a few for all lines. A line waits
 * for no longer one, since each has one place in the common one.
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
    // Whoever asks for the same takes no place, and finds what the first has brought.
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
