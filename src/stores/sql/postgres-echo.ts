import { randomId } from '../../lib/random.js'

/** How long a message to oneself may take. */
const timeoutMs = 2000

/** What an echo is awaited with. */
export interface EchoDeps {
  /**
   * Sends a message over another connection: over the one that listens, a pooler would hand back
   * what the same transaction has said.
   */
  readonly send: (message: string) => Promise<unknown>
  /** Asks the connection that listens anything at all. */
  readonly ask: () => Promise<unknown>
  /** Called once, when the message was sent, and did not arrive in time. */
  readonly onDeaf: () => void
}

/** A message to oneself. */
export interface Echo {
  send(): Promise<void>
  /** Whether this is the message. */
  isIn(payload: unknown): boolean
  forget(): void
}

/**
 * Finds out whether a connection that listens also hears. That it cannot send, or is lost, says
 * nothing about that.
 */
export function awaitEcho({ send, ask, onDeaf }: EchoDeps): Echo {
  // Other listeners ignore it, since it is no event.
  const message = `echo ${randomId()}`
  let isOver = false
  let timer: NodeJS.Timeout | undefined

  async function judge(): Promise<void> {
    // What has arrived and was not read yet comes before the answer to this, however busy the
    // process is.
    await ask()
    if (!isOver) onDeaf()
    isOver = true
  }

  function forget(): void {
    isOver = true
    clearTimeout(timer)
  }

  return {
    forget,
    isIn(payload) {
      if (payload !== message) return false
      forget()
      return true
    },
    async send() {
      try {
        await send(message)
      } catch {
        return
      }
      if (!isOver) timer = setTimeout(() => void judge().catch(() => {}), timeoutMs).unref()
    },
  }
}
