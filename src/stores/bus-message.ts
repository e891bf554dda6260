import { z } from 'zod'
import type { SessionEnded } from './revocation-bus.js'

const shape = z.object({
  sessionId: z.string(),
  userId: z.string(),
  // A process of a newer release may have a reason that this one does not know: the session has
  // ended all the same.
  reason: z.string(),
  at: z.int().min(-8.64e15).max(8.64e15),
})

/** `{ sessionId, userId, reason, at }` as JSON; `at` in milliseconds since the epoch. */
export function endedMessage({ sessionId, userId, reason, at }: SessionEnded): string {
  return JSON.stringify({ sessionId, userId, reason, at: at.getTime() })
}

/**
 * Hands the listener what a message says. Anybody may publish on a channel, so whatever is
 * something else is ignored.
 */
export function tellListener(listener: (event: SessionEnded) => void, text: unknown): void {
  const event = eventOf(text)
  if (event !== null) listener(event)
}

function eventOf(text: unknown): SessionEnded | null {
  try {
    const { data } = shape.safeParse(JSON.parse(String(text)))
    return data === undefined ? null : { ...data, at: new Date(data.at) }
  } catch {
    return null
  }
}
