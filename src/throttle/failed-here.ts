import type { Counter } from './counter.js'
import type { IdentifierKeys } from './counter-keys.js'

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
  add(kind: keyof FailedTally): Promise<void>
  read(): Promise<FailedTally>
  /** Takes what was read. Sends nothing where nothing was. */
  collect(seen: FailedTally): Promise<FailedTally>
  /** Takes what was added since, and leaves nothing behind. */
  collectRest(): Promise<FailedTally>
}

/** Makes the tally. `windowEndsAt`: of what it is given back to, in milliseconds of the epoch. */
export function createFailedHere(
  counter: Counter,
  { failedHere, failedWhereKnown }: IdentifierKeys,
  windowEndsAt: number,
): FailedHere {
  const unknown = createTally(counter, failedHere, windowEndsAt)
  const known = createTally(counter, failedWhereKnown, windowEndsAt)
  const both = async (of: (tally: Tally) => Promise<number>) => {
    const [ofUnknown, ofKnown] = await Promise.all([of(unknown), of(known)])
    return { unknown: ofUnknown, known: ofKnown }
  }
  return {
    add: (kind) => (kind === 'known' ? known : unknown).add(),
    read: () => both((tally) => tally.read()),
    async collect(seen) {
      const [ofUnknown, ofKnown] = await Promise.all([
        unknown.collect(seen.unknown),
        known.collect(seen.known),
      ])
      return { unknown: ofUnknown, known: ofKnown }
    },
    collectRest: () => both((tally) => tally.collectRest()),
  }
}

interface Tally {
  add(): Promise<void>
  read(): Promise<number>
  collect(points: number): Promise<number>
  collectRest(): Promise<number>
}

// Nothing is ever put back: what this has taken off too much makes a later sign-in give back less.
function createTally(counter: Counter, key: string, windowEndsAt: number): Tally {
  let left: number | null = null
  const read = () =>
    counter
      .valueOf(key)
      .then((value) => Math.max(0, value))
      .catch(none)

  async function withdraw(points: number): Promise<number> {
    const withdrawal = await counter.withdraw(key, points).catch(() => null)
    if (withdrawal === null) return 0
    left = withdrawal.left
    // Its own window began no earlier than the one it is given back to, or it holds failures of the
    // one before, for which others' would be given back.
    return withdrawal.endsAt >= windowEndsAt ? withdrawal.withdrawn : 0
  }

  return {
    add: () => counter.add(key).catch(nothing),
    read,
    collect: async (points) => (points > 0 ? withdraw(points) : 0),
    async collectRest() {
      const forget = left === 0 && counter.forget(key).catch(nothing)
      const rest = left ?? (await read())
      const collected = rest > 0 ? await withdraw(rest) : 0
      await forget
      return collected
    },
  }
}

function none(): number {
  return 0
}

// What is not added, or not found, makes the limit stricter; the call has reported it.
function nothing(): void {}
