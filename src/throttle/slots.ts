import { performance } from 'node:perf_hooks'
import {
  type Answer,
  type Ask,
  type Command,
  type Count,
  type Counter,
  Failure,
  isEnding,
} from './counter.js'

// The sixth right password at once would be refused, because five are still being judged and hold
// a point each. So it waits for one of them to come back. This knows of one process: over several,
// the sixth may be answered 429.

/** A point that an attempt asks for. */
export interface Wanted {
  readonly of: Counter
  readonly key: string
  /** Where it waits: of each key of each counter another one. */
  readonly line: string
}

/** Names what an attempt asks for. */
export function wanted(of: Counter, key: string): Wanted {
  return { of, key, line: `${of.keyPrefix}:${key}` }
}

/** A point of a counter that an attempt holds until its outcome is known. */
export interface Slot extends Wanted {
  readonly isSlot: true
  readonly count: Count
}

/** An attempt that got no slot. */
export interface NoSlot extends Wanted {
  readonly isSlot: false
  readonly count: Count
  /** Seconds until a retry makes sense. */
  readonly retryAfter: number
}

interface Refused extends Omit<NoSlot, 'retryAfter'> {
  readonly mayComeFree: boolean
}

/** What a counter has answered at first. */
export type FirstAnswer = Slot | Refused

/** What was answered to one call. */
export interface Asked {
  readonly first: readonly FirstAnswer[]
  readonly further: readonly Answer[]
}

/** Points of counters for attempts that are being judged. */
export interface Slots {
  /**
   * Asks for all of them in one call, and in the same one `further`; does not wait for others. Puts
   * each slot into `held` as it comes. Rejects with 503.
   */
  ask(wanted: readonly Wanted[], held: Set<Slot>, further?: readonly Command[]): Promise<Asked>
  /**
   * Waits for those that were refused, until `deadline` (of `performance.now()`), where a pending
   * attempt holds what they ask for.
   */
  wait(
    first: readonly FirstAnswer[],
    deadline: number,
    held: Set<Slot>,
  ): Promise<readonly (Slot | NoSlot)[]>
  /** The points stay taken; the next that waits for each has a try. */
  keep(slots: Iterable<Slot>): void
  /** Gives the points back in one call, and then wakes the next that waits. Never rejects. */
  refund(slots: readonly Slot[]): Promise<void>
}

/** Attempts that may wait for slots of one key. */
const maxWaiting = 20

/** Makes the slots of all counters. */
export function createSlots(ask: Ask): Slots {
  const pending = createPendingAttempts(maxWaiting)

  async function askAll(
    wanted: readonly Wanted[],
    held: Set<Slot>,
    further: readonly Command[] = [],
  ): Promise<Asked> {
    const werePending = pending.which(wanted)
    const taking = wanted.map(({ of, key }): Command => ({ do: 'take', of, key }))
    const answers = await ask([...taking, ...further])
    const failures: unknown[] = []
    const first: FirstAnswer[] = []
    for (const [i, one] of wanted.entries()) {
      const count = answers[i] as Answer
      if (count instanceof Failure) {
        failures.push(count.failure)
        // A woken waiter that fails must wake the next one.
        pending.wake(one.line)
      } else if (count.allowed) {
        // An attempt that has waited saw one free slot. If there is another, the next may come in
        // too.
        pending.begin(one.line, count.remaining > 0)
        const slot: Slot = { ...one, isSlot: true, count }
        held.add(slot)
        first.push(slot)
      } else {
        const mayComeFree = werePending.has(one) || pending.isPending(one.line)
        first.push({ ...one, isSlot: false, count, mayComeFree })
      }
    }
    if (failures.length > 0) throw failures[0]
    return { first, further: answers.slice(wanted.length) }
  }

  async function waitForOne(
    refused: Refused,
    deadline: number,
    held: Set<Slot>,
  ): Promise<Slot | NoSlot> {
    const { line, count, mayComeFree } = refused
    if (pending.isPending(line)) {
      // A guess gains nothing by waiting: slots of wrong passwords never come free.
      if (!(await pending.wait(line, deadline - performance.now())))
        return { ...refused, retryAfter: 1 }
    } else if (!mayComeFree) {
      pending.wake(line)
      return { ...refused, retryAfter: Math.max(1, count.seconds) }
    }
    // The last pending attempt has ended meanwhile, and may have left a slot.
    const { first } = await askAll([refused], held)
    const next = first[0] as FirstAnswer
    return next.isSlot ? next : waitForOne(next, deadline, held)
  }

  function keep(slots: Iterable<Slot>): void {
    for (const { line } of slots) pending.end(line)
  }

  return {
    ask: askAll,
    // All of them come to an end before any is given up, so that none is taken after the others
    // were given back.
    async wait(first, deadline, held) {
      const slots = first.filter((one) => one.isSlot)
      if (slots.length === first.length) return slots
      return settled(first.map((one) => (one.isSlot ? one : waitForOne(one, deadline, held))))
    },
    keep,
    async refund(slots) {
      // Woken only once the point has come back, so that the one that waits finds it.
      await ask(givingBack(slots))
      keep(slots)
    },
  }
}

/** What gives the points back, but for those whose window may be over by then. */
export function givingBack(slots: Iterable<Slot>): readonly Command[] {
  const now = Date.now()
  const commands: Command[] = []
  for (const { of, key, count } of slots)
    if (!isEnding((count.endsAt - now) / 1000)) commands.push({ do: 'giveBack', of, key })
  return commands
}

async function settled<T>(work: readonly (T | Promise<T>)[]): Promise<T[]> {
  const results = await Promise.allSettled(work)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** The attempts of this process that are being judged, by line, and who waits for their end. */
export interface PendingAttempts {
  /** Call when an attempt holds a slot; wakes the oldest waiter where there may be another one. */
  begin(line: string, mayBeMore: boolean): void
  /** Call when an attempt is settled; wakes the oldest waiter. */
  end(line: string): void
  isPending(line: string): boolean
  /** Those of which something is pending. */
  which<Of extends { readonly line: string }>(wanted: readonly Of[]): ReadonlySet<Of>
  /** Wakes the oldest waiter. */
  wake(line: string): void
  /** True when woken; false after so many milliseconds, or at once where too many wait. */
  wait(line: string, milliseconds: number): Promise<boolean>
  /** How many lines are remembered: those with something pending, and no others. */
  readonly size: number
}

interface Line {
  pending: number
  /** In the order of their coming. */
  readonly waiting: Set<() => void>
}

/**
 * Makes an empty record in which at most `maxWaiting` wait in one line.
 * @internal
 */
export function createPendingAttempts(maxWaiting: number): PendingAttempts {
  const lines = new Map<string, Line>()
  const isPending = (key: string) => (lines.get(key)?.pending ?? 0) > 0

  function wake(key: string): void {
    const [oldest] = lines.get(key)?.waiting ?? []
    oldest?.()
  }

  return {
    begin(key, mayBeMore) {
      const line = lines.get(key)
      if (line === undefined) return void lines.set(key, { pending: 1, waiting: new Set() })
      line.pending += 1
      if (mayBeMore && line.waiting.size > 0) wake(key)
    },
    end(key) {
      const line = lines.get(key)
      if (line === undefined) return
      line.pending -= 1
      if (line.waiting.size > 0) wake(key)
      else if (line.pending === 0) lines.delete(key)
    },
    isPending,
    which: (wanted) => new Set(wanted.filter(({ line }) => (lines.get(line)?.pending ?? 0) > 0)),
    wake,
    async wait(key, milliseconds) {
      const line = lines.get(key) ?? { pending: 0, waiting: new Set() }
      lines.set(key, line)
      const isTurn =
        line.waiting.size < maxWaiting && milliseconds > 0
          ? await turn(line.waiting, milliseconds)
          : false
      // A waiter of a line that was given up must not take the next one away.
      if (line.pending === 0 && line.waiting.size === 0 && lines.get(key) === line)
        lines.delete(key)
      return isTurn
    },
    get size() {
      return lines.size
    },
  }
}

function turn(waiting: Set<() => void>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (isTurn: boolean) => {
      clearTimeout(timer)
      waiting.delete(wake)
      resolve(isTurn)
    }
    const wake = () => leave(true)
    const timer = setTimeout(() => leave(false), milliseconds)
    waiting.add(wake)
  })
}
