import { performance } from 'node:perf_hooks'
import type { Count, Counter } from './counter.js'
import { createJudgements } from './judgements.js'

/** A point of a counter that was taken for an attempt under judgement. One of the two happens to it. */
export interface Slot {
  readonly count: Count
  /** It stays taken. */
  keep(): void
  /** It is free again. */
  refund(): Promise<void>
}

/** An attempt that got no slot. */
export interface NoSlot {
  readonly count: Count
  /** Seconds until a retry makes sense. */
  readonly retryAfter: number
}

/** The slots of one counter. */
export interface Slots {
  readonly counter: Counter
  /** Takes a slot, and until `deadline` (of `performance.now()`) waits for one of those that are being judged. */
  take(key: string, deadline: number): Promise<Slot | NoSlot>
}

/** The most attempts that wait for slots of one key. */
const mostWaiting = 20

/** Makes the slots of a counter. */
export function createSlots(counter: Counter): Slots {
  const judgements = createJudgements(mostWaiting)

  function slotOf(key: string, count: Count): Slot {
    judgements.begin(key)
    // Whoever came in by waiting has seen one free slot; if there is another, so may the next.
    if (count.remaining > 0) judgements.wake(key)
    // Over only once the slot has come back, so that whoever waits finds it.
    const end = () => judgements.end(key)
    return {
      count,
      keep: end,
      refund: () => counter.giveBack(key).finally(end),
    }
  }

  async function take(key: string, deadline: number): Promise<Slot | NoSlot> {
    const mayComeFree = judgements.isUnderWay(key)
    const count = await counter.take(key).catch((error: unknown) => {
      // Whoever was woken and fails here leaves the place to the next.
      judgements.wake(key)
      throw error
    })
    if (count.allowed) return slotOf(key, count)
    if (judgements.isUnderWay(key)) {
      // An app that opens six windows at once sends six right passwords: the sixth waits for one of the five to be found right. A guess
      // gains nothing by it: slots of wrong passwords never come free.
      if (await judgements.wait(key, deadline - performance.now())) return take(key, deadline)
      return { count, retryAfter: 1 }
    }
    // The last of those that were under judgement has come to its end meanwhile, and may have left a slot.
    if (mayComeFree) return take(key, deadline)
    judgements.wake(key)
    return { count, retryAfter: Math.max(1, count.seconds) }
  }

  return { counter, take }
}

/** Whether an attempt got a slot. */
export function isSlot(taken: Slot | NoSlot): taken is Slot {
  return 'keep' in taken
}
