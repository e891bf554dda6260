import {
  type Answer,
  type Ask,
  type Command,
  type Counter,
  consumedOf,
  Failure,
} from './counter.js'

/**
 * Wrong passwords of one identifier in one network, by what they were counted with: the limits of
 * networks that the account does not know, or the limit of the one that it knows.
 */
export interface FailedTally {
  readonly unknown: number
  readonly known: number
}

/** What a sign-in may give back, and no other one. No method rejects. */
export interface FailedHere {
  /** What counts one more. */
  adding(kind: keyof FailedTally): Command
  /** What reads it: the answers are for `collect`. */
  readonly reading: readonly [Command, Command]
  /** Takes what was read. Sends nothing where nothing was. */
  collect(read: readonly (Answer | undefined)[]): Promise<FailedTally>
  /** What finds out what was added since: the answers are for `collectRest`. */
  readingRest(): readonly [Command, Command]
  /** Takes what was added since, and leaves nothing behind. */
  collectRest(read: readonly (Answer | undefined)[]): Promise<FailedTally>
}

/**
 * Makes the tally. `windowEndsAt`: the earliest end of the window that it is given back to, in
 * milliseconds of the epoch.
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
  const left = new Map<keyof FailedTally, number>()

  // Nothing is ever put back: what this has taken off too much makes a later sign-in give back
  // less.
  async function withdraw(counts: FailedTally): Promise<FailedTally> {
    const taken = { unknown: 0, known: 0 }
    const some = kinds.filter((kind) => counts[kind] > 0)
    if (some.length === 0) return taken
    const answers = await ask(
      some.map((kind) => ({ do: 'withdraw', of, key: keys[kind], points: counts[kind] })),
    )
    for (const [i, kind] of some.entries()) {
      const answer = answers[i]
      if (answer === undefined || answer instanceof Failure) continue
      left.set(kind, Math.max(0, answer.consumed))
      const overdrawn = Math.min(counts[kind], Math.max(0, -answer.consumed))
      // Its own window began no earlier than the one it is given back to, or it holds failures of
      // the one before, for which others' would be given back.
      if (answer.endsAt >= windowEndsAt()) taken[kind] = counts[kind] - overdrawn
    }
    return taken
  }

  const readingRest = (kind: keyof FailedTally): Command => ({
    do: left.get(kind) === 0 ? 'clear' : 'get',
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
        unknown: left.get('unknown') ?? consumedOf(unknown),
        known: left.get('known') ?? consumedOf(known),
      }),
  }
}
