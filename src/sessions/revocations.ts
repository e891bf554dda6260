import { type HostCall, withTimeout } from '../lib/host-call.js'
import type {
  BusMessage,
  ClientChanged,
  RevocationBus,
  SessionEnded,
} from '../stores/revocation-bus.js'

/**
 * Announces ended sessions and changed clients to caches and sockets, in this process and in
 * others.
 */
export interface Revocations {
  /**
   * This process knows before the promise is returned, other processes by the time it resolves.
   * Never rejects.
   */
  announce(messages: readonly BusMessage[]): Promise<void>
  /** Calls `listener` synchronously for every ended session. */
  onEnded(listener: (event: SessionEnded) => void): void
  /** Calls `listener` for each client that was changed, here or elsewhere. */
  onClientChanged(listener: (clientId: string) => void): void
  /** Calls `listener` for each user of {@link Revocations.invalidateUser}. */
  onUserInvalidated(listener: (userId: string) => void): void
  /** Drops the cached sessions of a user, after the store's answer to an end was lost. */
  invalidateUser(userId: string): void
  /** Calls `listener` for each client of {@link Revocations.invalidateClient}. */
  onClientInvalidated(listener: (clientId: string) => void): void
  /** Drops the cached sessions of a client, likewise. */
  invalidateClient(clientId: string): void
  /** Rejects if this process cannot receive or publish messages. Null without a bus. */
  readonly check: (() => Promise<void>) | null
  /** Stops listening to the bus. */
  close(): Promise<void>
}

/** Connects this process to the bus, if there is one. No call waits longer than `timeoutMs`. */
export function createRevocations(
  bus: RevocationBus | undefined,
  call: HostCall,
  timeoutMs: number,
): Revocations {
  const listeners: ((event: SessionEnded) => void)[] = []
  const userListeners: ((userId: string) => void)[] = []
  const clientListeners: ((clientId: string) => void)[] = []
  const changeListeners: ((clientId: string) => void)[] = []
  const notifyHere = (message: BusMessage) => {
    if (isEnd(message)) for (const listener of listeners) listener(message)
    else if (isChange(message)) for (const listener of changeListeners) listener(message.clientId)
  }
  const membership = bus && keepSubscribed(bus, call, notifyHere)

  return {
    async announce(messages) {
      messages.forEach(notifyHere)
      if (bus === undefined) return
      const publish = (message: BusMessage) => call('bus.publish', () => bus.publish(message))
      // One deadline for all messages. The rest is still published, and read from the store
      // meanwhile.
      await withTimeout(() => publishAll(messages, publish), timeoutMs).catch(() => {})
    },
    onEnded: (listener) => void listeners.push(listener),
    onClientChanged: (listener) => void changeListeners.push(listener),
    onUserInvalidated: (listener) => void userListeners.push(listener),
    invalidateUser(userId) {
      for (const listener of userListeners) listener(userId)
    },
    onClientInvalidated: (listener) => void clientListeners.push(listener),
    invalidateClient(clientId) {
      for (const listener of clientListeners) listener(clientId)
    },
    check: membership?.check ?? null,
    close: membership?.leave ?? (async () => {}),
  }
}

const maxPublishedAtOnce = 20
const maxPauseMs = 30_000

// A few at a time: the bus may share its connections with requests.
async function publishAll(
  messages: readonly BusMessage[],
  publish: (message: BusMessage) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < messages.length; from += maxPublishedAtOnce) {
    await Promise.allSettled(messages.slice(from, from + maxPublishedAtOnce).map(publish))
  }
}

interface Membership {
  check(): Promise<void>
  leave(): Promise<void>
}

// A failed subscription is reported and tried again. Meanwhile ends are read from the store, within
// seconds.
function keepSubscribed(
  bus: RevocationBus,
  call: HostCall,
  listener: (message: BusMessage) => void,
): Membership {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => Promise<void>) | undefined

  async function join(): Promise<void> {
    const end = await bus.subscribe(listener)
    // The answer may come late, when another attempt has succeeded or the router is closed.
    if (closed || unsubscribe !== undefined) await end()
    else unsubscribe = end
  }

  function tryToJoin(pauseMs: number): void {
    call('bus.subscribe', join).catch(() => {
      if (closed) return
      const nextPauseMs = Math.min(2 * pauseMs, maxPauseMs)
      timer = setTimeout(() => tryToJoin(nextPauseMs), pauseMs).unref()
    })
  }

  tryToJoin(1000)
  return {
    async check() {
      if (unsubscribe === undefined) throw new Error('the bus is not joined')
      if (typeof bus.check === 'function') await call('bus.check', () => bus.check?.())
    },
    async leave() {
      closed = true
      clearTimeout(timer)
      const leave = unsubscribe
      // A bus that fails to unsubscribe must not keep the host from closing.
      if (leave !== undefined) await call('bus.unsubscribe', leave).catch(() => {})
    },
  }
}

// A message from the bus may be anything. A kind known only to a newer release is neither.
function isEnd(message: BusMessage | null | undefined): message is SessionEnded {
  return hasText(message, 'sessionId')
}

function isChange(message: BusMessage | null | undefined): message is ClientChanged {
  return hasText(message, 'clientId')
}

function hasText(message: unknown, name: string): boolean {
  return typeof (message as Readonly<Record<string, unknown>> | null)?.[name] === 'string'
}
