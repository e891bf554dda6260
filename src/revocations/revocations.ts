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
  const leave = bus === undefined ? async () => {} : keepSubscribed(bus, call, (event) => isEvent(event) && tellHere(event))

  return {
    async announce(events) {
      events.forEach(tellHere)
      if (bus === undefined) return
      const published = events.map((event) => call('bus.publish', () => bus.publish(event)))
      await Promise.allSettled(published)
    },
    onEnded: (listener) => void listeners.push(listener),
    close: leave,
  }
}

const longestPause = 30_000

// A bus that cannot be reached is reported and tried again: what it would have told is meanwhile read from the store, within seconds.
// Returns how to leave it.
function keepSubscribed(bus: RevocationBus, call: HostCall, listener: (event: SessionEnded) => void): () => Promise<void> {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => Promise<void>) | undefined

  async function join(): Promise<void> {
    const end = await bus.subscribe(listener)
    // The answer may come after the time was up, when another try has succeeded or the router is closed.
    if (closed || unsubscribe !== undefined) await end()
    else unsubscribe = end
  }

  function tryToJoin(pause: number): void {
    call('bus.subscribe', join).catch(() => {
      if (!closed) timer = setTimeout(() => tryToJoin(Math.min(2 * pause, longestPause)), pause).unref()
    })
  }

  tryToJoin(1000)
  return async () => {
    closed = true
    clearTimeout(timer)
    await unsubscribe?.()
  }
}

// What comes over a wire may be anything.
function isEvent(event: Partial<SessionEnded> | null | undefined): boolean {
  return typeof event?.sessionId === 'string'
}
