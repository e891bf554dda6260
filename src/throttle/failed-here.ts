import type { Soon } from '../lib/async.js'
import {
  type Answer,
  type Ask,
  type Command,
  type Counter,
  consumedOf,
  Failure,
} from './counter.js'

/**
 * Wrong passwords of one identifier in one network, by the limits they count for: the limits of
 * networks unknown to the account, or the limit of a known network.
 */
export interface FailedTally {
  readonly unknown: number
  readonly known: number
}

const nothing: FailedTally = { unknown: 0, known: 0 }

/** The failures that a complete sign-in may refund, once. No method rejects. */
export interface FailedHere {
  /** The command that counts one more. */
  adding(kind: keyof FailedTally): Command
  /** The commands that read the tally; pass the answers to `collect`. */
  readonly reading: readonly [Command, Command]
  /** Takes the failures that were read. Sends nothing if there were none. */
  collect(read: readonly (Answer | undefined)[]): Soon<FailedTally>
  /** The commands that read later additions; pass the answers to `collectRest`. */
  readingRest(): readonly [Command, Command]
  /** Takes the later additions and leaves nothing behind. */
  collectRest(read: readonly (Answer | undefined)[]): Soon<FailedTally>
}

/**
 * `windowEndsAt`: the earliest end of the window that gets the refund, in milliseconds of the
 * epoch.
 */
export function createFailedHere(
  ask: Ask,
  of: Counter,
  {
    failedHere,
    failedWhereKnown,
  }: { readonly failedHere: string; readonly failedWhereKnown: string },
  windowEndsAt: () => number,
): FailedHere {
  const kinds = ['unknown', 'known'] as const
  const keys = { unknown: failedHere, known: failedWhereKnown }
  const left: Record<keyof FailedTally, number | undefined> = {
    unknown: undefined,
    known: undefined,
  }

  // An excess withdrawal is not put back: it makes a later sign-in refund less.
  function withdraw(counts: FailedTally): Soon<FailedTally> {
    const some = kinds.filter((kind) => counts[kind] > 0)
    return some.length === 0 ? nothing : withdrawSome(counts, some)
  }

  async function withdrawSome(
    counts: FailedTally,
    some: readonly (keyof FailedTally)[],
  ): Promise<FailedTally> {
    const taken = { unknown: 0, known: 0 }
    const answers = await ask(
      some.map((kind) => ({ do: 'withdraw', of, key: keys[kind], points: counts[kind] })),
    )
    for (const [i, kind] of some.entries()) {
      const answer = answers[i]
      if (answer === undefined || answer instanceof Failure) continue
      left[kind] = Math.max(0, answer.consumed)
      const overdrawn = Math.min(counts[kind], Math.max(0, -answer.consumed))
      // Only if its window began no earlier than the window that gets the refund: older failures
      // would refund failures of others.
      if (answer.endsAt >= windowEndsAt()) taken[kind] = counts[kind] - overdrawn
    }
    return taken
  }

  const readingRest = (kind: keyof FailedTally): Command => ({
    do: left[kind] === 0 ? 'clear' : 'get',
    of,
    key: keys[kind],
  })

  return {
    adding: (kind) => ({ do: 'add', of, key: keys[kind] }),
    reading: [
      { do: 'get', of, key: failedHere },
      { do: 'get', of, key: failedWhereKnown },
    ],
    collect: ([unknown, known]) =>
      withdraw({ unknown: consumedOf(unknown), known: consumedOf(known) }),
    readingRest: () => [readingRest('unknown'), readingRest('known')],
    collectRest: ([unknown, known]) =>
      withdraw({
        unknown: left.unknown ?? consumedOf(unknown),
        known: left.known ?? consumedOf(known),
      }),
  }
}
