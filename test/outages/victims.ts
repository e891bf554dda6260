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
  /** Ends those that were not killed, also where one of them could not be made warm. */
  close(): Promise<void>
}

/**
 * Starts several at a time, and none while another is killed: that takes 20 ms only if alone.
 * `warm` sends each its first requests, and answers how many milliseconds a request takes then.
 */
export function spares<Times extends object>(
  start: () => Promise<Chat>,
  warm: (chat: Chat) => Promise<Times>,
): Spares<Chat & Times> {
  const started: Chat[] = []
  const ready: (Chat & Times)[] = []
  async function startWarm(): Promise<void> {
    const chat = await start()
    started.push(chat)
    ready.push({ ...chat, ...(await warm(chat)) })
  }
  return {
    async next() {
      if (ready.length === 0) {
        const made = await Promise.allSettled(Array.from({ length: 6 }, startWarm))
        for (const one of made) if (one.status === 'rejected') throw one.reason
      }
      return ready.pop() as Chat & Times
    },
    async close() {
      for (const { child } of started) await child.end('SIGKILL')
    },
  }
}
