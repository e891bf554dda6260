import type { HostCall } from '../lib/host-call.js'
import type { RevocationBus, SessionEnded } from './contract.js'

/** Tells everybody who keeps something of a session that it has ended: caches and sockets, here and in other processes. */
export interface Revocations {
  /** Tells this process before it returns a promise, and the other processes by the time it resolves. Never rejects. */
  announce(events: readonly SessionEnded[]): Promise<void>
  /** From now on `listener` is told, at once and without waiting. */
  onEnded(listener: (event: SessionEnded) => void): void
  /** From now on `listener` is told of each user of whom {@link Revocations.doubt} is told. */
  onDoubt(listener: (userId: string) => void): void
  /** Sessions of the user may have ended, and which is not known: what this process remembers of them is not to be trusted. */
  doubt(userId: string): void
  /** Stops listening to the bus. */
  close(): Promise<void>
}

/** Connects this process to the bus, if there is one. */
export function createRevocations(bus: RevocationBus | undefined, call: HostCall): Revocations {
  const listeners: ((event: SessionEnded) => void)[] = []
  const doubters: ((userId: string) => void)[] = []
  const tellHere = (event: SessionEnded) => {
    for (const listener of listeners) listener(event)
  }
  const leave = bus === undefined ? async () => {} : keepSubscribed(bus, call, (event) => isEvent(event) && tellHere(event))

  return {
    async announce(events) {
      events.forEach(tellHere)
      if (bus === undefined) return
      // A few at a time: the bus may have no more connections than the requests have.
      for (let from = 0; from < events.length; from += mostPublishedAtOnce) {
        const some = events.slice(from, from + mostPublishedAtOnce)
        await Promise.allSettled(some.map((event) => call('bus.publish', () => bus.publish(event))))
      }
    },
    onEnded: (listener) => void listeners.push(listener),
    onDoubt: (listener) => void doubters.push(listener),
    doubt(userId) {
      for (const listener of doubters) listener(userId)
    },
    close: leave,
  }
}

const mostPublishedAtOnce = 20
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
    const leave = unsubscribe
    // A bus that does not let go must not keep the host from closing.
    if (leave !== undefined) await call('bus.unsubscribe', leave).catch(() => {})
  }
}

// What comes over a wire may be anything.
function isEvent(event: Partial<SessionEnded> | null | undefined): boolean {
  return typeof event?.sessionId === 'string'
}
