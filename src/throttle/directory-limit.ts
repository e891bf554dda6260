import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import { lazily } from '../lib/async.js'
import { type Counter, createCounter } from './counter.js'
import type { NetworkLimitsKit } from './known-networks.js'
import { createSlots, type NoSlot, type Slot, wanted } from './slots.js'

/** A password that is about to reach a directory. */
export interface DirectoryGuess {
  /** The entry, or the name that leads to none, as the parts of a key. */
  readonly of: readonly string[]
  /** The user of the entry, or null. It is called only if a limit is reached. Rejects with 503. */
  readonly findUserId: () => Promise<string | null>
  /** As in `login.failed`; null if nothing was typed. */
  readonly identifierDigest: string | null
}

/** A password that counts as wrong until it is known. Call one of the two, once. */
export interface CountedGuess {
  /** It was wrong, or nobody knows. */
  keep(): void
  /** It was right. Never rejects. */
  giveBack(): Promise<void>
}

/**
 * Counts a password before a directory is asked whether it is right. Resolves with the 429 if too
 * many were wrong. Rejects with 503 if the counters fail.
 */
export type TakeGuess = (
  guess: DirectoryGuess,
  context: RequestContext,
) => Promise<CountedGuess | AuthError>

/** Seconds: as long as directories count wrong passwords by default, or less. */
const duration = 15 * 60

/** How long a password may wait for others of its entry, in milliseconds. */
const maxWaitMs = 5000

/**
 * At most `points` for an entry, over all networks and processes: a directory that counts more
 * locks its people out of their computers. The last one is kept for networks that the user has
 * signed in from, so that strangers cannot use all of them up. It applies in a dry run, too.
 */
export function createTakeGuess(
  { options, keyOf, ask, knownNetworks, reportLimit }: NetworkLimitsKit,
  points: number,
): TakeGuess {
  const counting = (keyPrefix: string, most: number) =>
    lazily(() => createCounter(options, { keyPrefix, points: most, duration }))
  const ofAll = counting('mar-directory', points - 1)
  const ofKnown = counting('mar-directory-known', 1)

  const slots = createSlots(ask)

  return async function takeGuess({ of, findUserId, identifierDigest }, context) {
    const key = keyOf('directory', ...of)
    // Right passwords at the same time wait for each other, as they do at a login.
    const take = async (counter: Counter): Promise<Slot | NoSlot> => {
      const { first } = await slots.ask([wanted(counter, key)], new Set())
      const [slot] = await slots.wait(first, performance.now() + maxWaitMs, new Set())
      return slot as Slot | NoSlot
    }
    const counted = (slot: Slot) => ({
      keep: () => slots.keep([slot]),
      giveBack: () => slots.refund([slot]),
    })
    const first = await take(ofAll())
    if (first.isSlot) return counted(first)
    const userId = await findUserId()
    const isKnown = await knownNetworks.isKnown(userId, context.ip)
    const last = isKnown ? await take(ofKnown()) : first
    if (last.isSlot) return counted(last)
    const { retryAfter } = last
    const reached = { scope: 'directory', points, retryAfter, userId, identifierDigest } as const
    return reportLimit(reached, context, false)
  }
}
