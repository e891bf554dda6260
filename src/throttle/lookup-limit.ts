import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import { networkOf } from '../http/client-address.js'
import { lazily, limitConcurrency } from '../lib/async.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { askOne, type Command, type Counter, createCounter, type Limit } from './counter.js'
import { createTakeNetworks, giveBackAll, takeAll } from './known-networks.js'
import type { LimitsKit } from './limits-kit.js'

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

/** Limits on devices that wait for a user on another device, and on guesses at their codes. */
export interface DeviceLimits {
  /** Counts a device that asks for a client, by network and client. Throws 429 or 503. */
  takeDeviceCode(clientId: string, context: RequestContext): Promise<void>
  /** Counts a device that asks to be linked, by network. Throws 429 or 503. */
  takeDeviceLink(context: RequestContext): Promise<void>
  /**
   * Looks up a code that somebody has typed: counted by network and by session before it is looked
   * up, and given back if it is found. Throws 429 or 503, and the errors of `find`; an outage is no
   * guess.
   */
  limitUserCodes<Found>(
    sessionId: string,
    context: RequestContext,
    find: () => Promise<Found | null>,
  ): Promise<Found | null>
}

const duration = 15 * 60
const linksPerNetwork = { points: 20, duration }
const codesPerNetwork = { points: 10, duration }
const codesPerSession = { points: 5, duration }

/** A dry run lifts none of them: a code that is typed has 34 bits. */
export function createDeviceLimits(kit: LimitsKit): DeviceLimits {
  const { options, keyOf, ask, reportLimit } = kit
  const takeLinks = createTakeNetworks(kit, 'mar-device-link', linksPerNetwork)
  const takeDevices = createTakeNetworks(kit, 'mar-device-code', linksPerNetwork)
  const takeCodes = createTakeNetworks(kit, 'mar-user-code', codesPerNetwork)
  const bySession = lazily(() =>
    createCounter(options, { keyPrefix: 'mar-user-code-session', ...codesPerSession }),
  )
  return {
    async takeDeviceCode(clientId, context) {
      const reached = await takeAll(ask, takeDevices(context.ip, clientId))
      if (reached !== null) throw reportLimit({ scope: 'device-code', ...reached.told }, context)
    },

    async takeDeviceLink(context) {
      const reached = await takeAll(ask, takeLinks(context.ip))
      if (reached !== null) throw reportLimit({ scope: 'device-link', ...reached.told }, context)
    },

    async limitUserCodes(sessionId, context, find) {
      const ofSession: Command = {
        do: 'take',
        of: bySession(),
        key: keyOf('user-code', 'session', sessionId),
      }
      const taken = [...takeCodes(context.ip), ofSession]
      const reached = await takeAll(ask, taken)
      if (reached !== null) {
        const scope = reached.of === ofSession.of ? 'user-code' : 'user-code-network'
        throw reportLimit({ scope, ...reached.told }, context)
      }
      let isGuess = false
      try {
        const found = await find()
        isGuess = found === null
        return found
      } finally {
        if (!isGuess) await giveBackAll(ask, taken)
      }
    },
  }
}

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
