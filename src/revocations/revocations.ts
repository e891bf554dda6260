import type { HostCall } from '../lib/host-call.js'
import type { RevocationBus, SessionEnded } from './contract.js'

/** Tells everybody who keeps something of a session that it has ended: caches and sockets, here and in other processes. */
export interface Revocations {
  /** Tells this process before it returns a promise, and the other processes by the time it resolves. Never rejects. */
  announce(events: readonly SessionEnded[]): Promise<void>
  /** From now on `listener` is told, at once and without waiting. */
  onEnded(listener: (event: SessionEnded) => void): void
  /** Stops listening to the bus. */
  close(): Promise<void>
}

/** Connects this process to the bus, if there is one. */
export function createRevocations(bus: RevocationBus | undefined, call: HostCall): Revocations {
  const listeners: ((event: SessionEnded) => void)[] = []
  const tellHere = (event: SessionEnded) => {
    for (const listener of listeners) listener(event)
  }
  // A bus that cannot be reached is reported, not fatal: what it would have told is read from the store within seconds.
  const subscribed =
    bus === undefined
      ? null
      : call('bus.subscribe', () => bus.subscribe((event) => isEvent(event) && tellHere(event))).catch(() => null)

  return {
    async announce(events) {
      events.forEach(tellHere)
      if (bus === undefined) return
      const published = events.map((event) => call('bus.publish', () => bus.publish(event)))
      await Promise.allSettled(published)
    },
    onEnded: (listener) => void listeners.push(listener),
    close: async () => (await subscribed)?.(),
  }
}

// What comes over a wire may be anything.
function isEvent(event: Partial<SessionEnded> | null | undefined): boolean {
  return typeof event?.sessionId === 'string'
}
