// Chat servers that are started to be killed.
import { setTimeout as pause } from 'node:timers/promises'
import type { Chat, Reply } from './chat.js'

/**
 * The first requests of a process take far longer than those that follow, and a busy machine takes
 * longer than an idle one. A kill at random within the time they take, on an idle machine 20 ms or
 * less, finds the work begun as often as done. That time is measured while other processes start;
 * so much of it remains when none does.
 */
export const whenAlone = 0.6

/** Kills a process at random within so many milliseconds, and answers what its clients saw. */
export async function killWhile(
  { child }: Chat,
  window: number,
  asked: Promise<Reply>[],
): Promise<Reply[]> {
  await pause(Math.random() * window)
  await child.end('SIGKILL')
  const replies = await Promise.all(asked)
  // Until the database has noticed.
  await pause(50)
  return replies
}

/** Processes that have been started beforehand. */
export interface Spares<Victim extends Chat> {
  next(): Promise<Victim>
  close(): Promise<void>
}

/** Starts several at a time, and none while another is killed: that takes 20 ms only if alone. */
export function spares<Victim extends Chat>(start: () => Promise<Victim>): Spares<Victim> {
  const ready: Victim[] = []
  return {
    async next() {
      if (ready.length === 0) ready.push(...(await Promise.all(Array.from({ length: 6 }, start))))
      return ready.pop() as Victim
    },
    async close() {
      for (const { child } of ready) await child.end('SIGKILL')
    },
  }
}
