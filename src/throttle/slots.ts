import type { Soon } from '../lib/async.js'
import { boundedCache } from '../lib/bounded-cache.js'
import {
  type Answer,
  type Ask,
  type Command,
  type Count,
  type Counter,
  Failure,
  isEnding,
} from './counter.js'

// Of six right passwords at once, the sixth would be refused, because the other five hold a point
// each while they are checked. So the sixth waits for one of the five. This works within one
// process; across several, the sixth may get 429.

/** A point that an attempt needs. */
export interface Wanted {
  readonly of: Counter
  readonly key: string
  /** Its waiting line: one for each key of each counter. */
  readonly line: string
}

/** The point of a key. */
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
  /** Seconds to wait before a retry. */
  readonly retryAfter: number
}

interface Refused extends Omit<NoSlot, 'retryAfter'> {
  readonly mayComeFree: boolean
}

/** The first answer of a counter. */
export type FirstAnswer = Slot | Refused

/** The answers of one call. */
export interface Asked {
  readonly first: readonly FirstAnswer[]
  readonly further: readonly Answer[]
}

/** Points of counters for pending attempts. */
export interface Slots {
  /**
   * Asks for all of them in one call, together with `further`; does not wait for others. Puts each
   * slot into `held` as it arrives. Rejects with 503.
   */
  ask(wanted: readonly Wanted[], held: Set<Slot>, further?: readonly Command[]): Soon<Asked>
  /**
   * Waits for refused slots that pending attempts hold, until `deadline` (by `performance.now()`).
   */
  wait(
    first: readonly FirstAnswer[],
    deadline: number,
    held: Set<Slot>,
  ): Soon<readonly (Slot | NoSlot)[]>
  /** The points stay taken; wakes the next attempt of each line. */
  keep(slots: Iterable<Slot>): void
  /** Refunds the points in one call, then wakes the next attempt. Never rejects. */
  refund(slots: readonly Slot[]): Promise<void>
}

/** Attempts that may wait in one line. */
const maxWaiting = 20

export function createSlots(ask: Ask): Slots {
  const pending = createPendingAttempts(maxWaiting)

  function askAll(
    wanted: readonly Wanted[],
    held: Set<Slot>,
    further: readonly Command[] = [],
  ): Soon<Asked> {
    const werePending = pending.which(wanted)
    const commands: Command[] = wanted.map(({ of, key }) => ({ do: 'take', of, key }))
    commands.push(...further)
    const answers = ask(commands)
    return answers instanceof Promise
      ? answers.then((given) => answered(pending, wanted, { werePending, held }, given))
      : answered(pending, wanted, { werePending, held }, answers)
  }

  async function waitForOne(
    refused: Refused,
    deadline: number,
    held: Set<Slot>,
  ): Promise<Slot | NoSlot> {
    const { line, count, mayComeFree } = refused
    if (pending.isPending(line)) {
      // Waiting gains no guesses: slots of wrong passwords are never refunded.
      if (!(await pending.wait(line, deadline - performance.now())))
        return { ...refused, retryAfter: 1 }
    } else if (!mayComeFree) {
      pending.wake(line)
      return { ...refused, retryAfter: Math.max(1, count.seconds) }
    }
    // The last pending attempt may have ended meanwhile and refunded its slot.
    const { first } = await askAll([refused], held)
    const next = first[0] as FirstAnswer
    return next.isSlot ? next : waitForOne(next, deadline, held)
  }

  function keep(slots: Iterable<Slot>): void {
    for (const { line } of slots) pending.end(line)
  }

  return {
    ask: askAll,
    // Awaits all of them, so that none is taken after the others were refunded.
    wait(first, deadline, held) {
      const slots = first.filter((one) => one.isSlot)
      if (slots.length === first.length) return slots
      return settled(first.map((one) => (one.isSlot ? one : waitForOne(one, deadline, held))))
    },
    keep,
    async refund(slots) {
      // Refunded first, so that the woken attempt finds the point.
      const giving = ask(givingBack(slots))
      if (giving instanceof Promise) await giving
      keep(slots)
    },
  }
}

function answered(
  pending: PendingAttempts,
  wanted: readonly Wanted[],
  { werePending, held }: { werePending: readonly Wanted[]; held: Set<Slot> },
  answers: readonly Answer[],
): Asked {
  const failures: unknown[] = []
  const first: FirstAnswer[] = []
  for (let i = 0; i < wanted.length; i += 1) {
    const one = wanted[i] as Wanted
    const { of, key, line } = one
    const count = answers[i] as Answer
    if (count instanceof Failure) {
      failures.push(count.failure)
      // A woken attempt that fails must wake the next one.
      pending.wake(line)
    } else if (count.allowed) {
      // If another slot is free, the next attempt may continue too.
      pending.begin(line, count.remaining > 0)
      const slot: Slot = { of, key, line, isSlot: true, count }
      held.add(slot)
      first.push(slot)
    } else {
      const mayComeFree = werePending.includes(one) || pending.isPending(line)
      first.push({ of, key, line, isSlot: false, count, mayComeFree })
    }
  }
  if (failures.length > 0) throw failures[0]
  return { first, further: answers.slice(wanted.length) }
}

/** The commands that refund the points, except those whose window may end before. */
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

/** The pending attempts of this process by line, and the attempts that wait for them. */
export interface PendingAttempts {
  /** Call it when an attempt gets a slot; wakes the oldest waiter if another slot may be free. */
  begin(line: string, mayBeMore: boolean): void
  /** Call it when an attempt ends; wakes the oldest waiter. */
  end(line: string): void
  isPending(line: string): boolean
  /** Those whose line has a pending attempt. */
  which<Of extends { readonly line: string }>(wanted: readonly Of[]): readonly Of[]
  /** Wakes the oldest waiter. */
  wake(line: string): void
  /** Resolves with true when woken; with false at the time limit, or at once if too many wait. */
  wait(line: string, milliseconds: number): Promise<boolean>
  /** Number of lines with a pending attempt. */
  readonly size: number
}

interface Line {
  pending: number
  /** In order of arrival; undefined before the first one. */
  waiting: Set<() => void> | undefined
}

/**
 * At most `maxWaiting` attempts wait in one line.
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
      if (line === undefined) return void lines.set(key, { pending: 1, waiting: undefined })
      line.pending += 1
      if (mayBeMore) wake(key)
    },
    end(key) {
      const line = lines.get(key)
      if (line === undefined) return
      line.pending -= 1
      if (isWaitedFor(line)) wake(key)
      else if (line.pending === 0) lines.delete(key)
    },
    isPending,
    which: (wanted) => wanted.filter(({ line }) => (lines.get(line)?.pending ?? 0) > 0),
    wake,
    async wait(key, milliseconds) {
      const line: Line = lines.get(key) ?? { pending: 0, waiting: undefined }
      lines.set(key, line)
      line.waiting ??= new Set()
      const isTurn =
        line.waiting.size < maxWaiting && milliseconds > 0
          ? await turn(line.waiting, milliseconds)
          : false
      // A waiter of a deleted line must not delete its successor.
      if (line.pending === 0 && !isWaitedFor(line) && lines.get(key) === line) lines.delete(key)
      return isTurn
    },
    get size() {
      return lines.size
    },
  }
}

function isWaitedFor({ waiting }: Line): boolean {
  return waiting !== undefined && waiting.size > 0
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

/** Networks beyond their limit that a process remembers. */
const maxRemembered = 10_000

/** Networks beyond their limit, as a hint: each attempt still asks the counter. */
export interface UsedUp {
  has(network: Wanted): boolean
  notice(slot: Slot | NoSlot): void
}

export function createUsedUp(seconds: number): UsedUp {
  const until = boundedCache<number>(maxRemembered, seconds)
  return {
    has: ({ key }) => (until.get(key, new Date()) ?? 0) > Date.now(),
    notice(slot) {
      const { remaining, seconds } = slot.count
      if (remaining > 0) return until.delete(slot.key)
      const wait = slot.isSlot ? seconds : slot.retryAfter
      until.set(slot.key, Date.now() + wait * 1000, new Date())
    },
  }
}
