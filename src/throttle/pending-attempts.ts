import { performance } from 'node:perf_hooks'
import { type Count, type Counter, isEnding } from './counter.js'

// The sixth right password at once would be refused, because five are still being judged and hold
// a point each. So it waits for one of them to come back. This knows of one process: over several,
// the sixth may be answered 429.

/** A point of a counter that an attempt holds until its outcome is known. */
export interface Slot {
  readonly count: Count
  /** The point stays taken; the next that waits has a try. */
  keep(): void
  /** Gives the point back and wakes none that waits: follow it by `keep`. Never rejects. */
  giveBack(): Promise<void>
  /** Gives the point back, and then wakes the next that waits for it. Never rejects. */
  refund(): Promise<void>
}

/** An attempt that got no slot. */
export interface NoSlot {
  readonly count: Count
  /** Seconds until a retry makes sense. */
  readonly retryAfter: number
}

/** The counter's first answer to an attempt. */
export type Answer = Slot | (Omit<NoSlot, 'retryAfter'> & { readonly mayComeFree: boolean })

/** The slots of one counter. */
export interface Slots {
  readonly counter: Counter
  /** Asks the counter once, and does not wait for others. */
  ask(key: string): Promise<Answer>
  /**
   * Takes a slot, and until `deadline` (of `performance.now()`) waits for one that a pending
   * attempt holds. `answer`: what the counter has answered already.
   */
  take(key: string, deadline: number, answer?: Answer): Promise<Slot | NoSlot>
}

/** Attempts that may wait for slots of one key. */
const maxWaiting = 20

/** Makes the slots of a counter. */
export function createSlots(counter: Counter): Slots {
  const pending = createPendingAttempts(maxWaiting)

  function slotOf(key: string, count: Count): Slot {
    pending.begin(key)
    // An attempt that has waited saw one free slot. If there is another, the next may come in too.
    if (count.remaining > 0) pending.wake(key)
    const keep = () => pending.end(key)
    const giveBack = async () => {
      if (!isEnding((count.endsAt - Date.now()) / 1000)) await counter.giveBack(key)
    }
    // Woken only once the point has come back, so that the one that waits finds it.
    return { count, keep, giveBack, refund: () => giveBack().finally(keep) }
  }

  async function ask(key: string): Promise<Answer> {
    const wasPending = pending.isPending(key)
    const count = await counter.take(key).catch((error: unknown) => {
      // A woken waiter that fails must wake the next one.
      pending.wake(key)
      throw error
    })
    if (count.allowed) return slotOf(key, count)
    return { count, mayComeFree: wasPending || pending.isPending(key) }
  }

  async function take(key: string, deadline: number, asked?: Answer): Promise<Slot | NoSlot> {
    const answer = asked ?? (await ask(key))
    if (isSlot(answer)) return answer
    const { count, mayComeFree } = answer
    if (pending.isPending(key)) {
      // A guess gains nothing by waiting: slots of wrong passwords never come free.
      if (await pending.wait(key, deadline - performance.now())) return take(key, deadline)
      return { count, retryAfter: 1 }
    }
    // The last pending attempt has ended meanwhile, and may have left a slot.
    if (mayComeFree) return take(key, deadline)
    pending.wake(key)
    return { count, retryAfter: Math.max(1, count.seconds) }
  }

  return { counter, ask, take }
}

/** Whether an attempt got a slot. */
export function isSlot(answer: Slot | NoSlot | Answer): answer is Slot {
  return 'keep' in answer
}

/** The attempts of this process that are being judged, by key, and who waits for their end. */
export interface PendingAttempts {
  begin(key: string): void
  /** Call when an attempt is settled; wakes the oldest waiter. */
  end(key: string): void
  isPending(key: string): boolean
  /** Wakes the oldest waiter. */
  wake(key: string): void
  /** True when woken; false after so many milliseconds, or at once where too many wait. */
  wait(key: string, milliseconds: number): Promise<boolean>
  /** How many keys are remembered: those with something pending, and no others. */
  readonly size: number
}

interface Line {
  pending: number
  /** In the order of their coming. */
  readonly waiting: Set<() => void>
}

/**
 * Makes an empty record in which at most `maxWaiting` wait for one key.
 * @internal
 */
export function createPendingAttempts(maxWaiting: number): PendingAttempts {
  const lines = new Map<string, Line>()
  const lineOf = (key: string) => {
    const line = lines.get(key) ?? { pending: 0, waiting: new Set() }
    lines.set(key, line)
    return line
  }
  const forgetIfIdle = (key: string, line: Line) => {
    // A waiter of a line that was given up must not take the next one away.
    if (line.pending === 0 && line.waiting.size === 0 && lines.get(key) === line) lines.delete(key)
  }
  const wake = (key: string) => {
    for (const next of lines.get(key)?.waiting ?? []) return next()
  }
  return {
    begin(key) {
      lineOf(key).pending += 1
    },
    end(key) {
      const line = lineOf(key)
      line.pending -= 1
      wake(key)
      forgetIfIdle(key, line)
    },
    isPending: (key) => (lines.get(key)?.pending ?? 0) > 0,
    wake,
    async wait(key, milliseconds) {
      const line = lineOf(key)
      const isTurn =
        line.waiting.size < maxWaiting && milliseconds > 0
          ? await turn(line.waiting, milliseconds)
          : false
      forgetIfIdle(key, line)
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
