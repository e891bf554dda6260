import { z } from 'zod'
import type { BusMessage, SessionEnded } from './revocation-bus.js'

const moment = z
  .int()
  .min(-8.64e15)
  .max(8.64e15)
  .transform((value) => new Date(value))

const shape = z.union([
  // A process of a newer release may have a reason that this one does not know: the session has
  // ended all the same.
  z.object({ sessionId: z.string(), userId: z.string(), reason: z.string(), at: moment }),
  z.object({ clientId: z.string() }),
])

/** A message as JSON; `at` in milliseconds since the epoch. */
export function messageText(message: BusMessage): string {
  // Its own: a polluted `Object.prototype` must not make a changed client of an ended session.
  if (!isEnd(message)) return JSON.stringify({ clientId: message.clientId })
  const { sessionId, userId, reason, at } = message
  return JSON.stringify({ sessionId, userId, reason, at: at.getTime() })
}

function isEnd(message: BusMessage): message is SessionEnded {
  return Object.hasOwn(message, 'sessionId')
}

/**
 * Hands the listener the message in a text. Anybody may publish on a channel, and a newer release
 * may have further kinds of message, so any other text is ignored.
 */
export function tellListener(listener: (message: BusMessage) => void, text: unknown): void {
  const message = messageOf(text)
  if (message !== null) listener(message)
}

function messageOf(text: unknown): BusMessage | null {
  try {
    return shape.safeParse(JSON.parse(String(text))).data ?? null
  } catch {
    return null
  }
}
