import type { StoredReason } from './contract.js'

/** A session has ended: every process forgets it, and closes its sockets. */
export interface SessionEnded {
  readonly sessionId: string
  readonly userId: string
  readonly reason: StoredReason
  readonly at: Date
}

/** A client was changed: every process reads it anew before it is used again. */
export interface ClientChanged {
  readonly clientId: string
}

/**
 * The messages that a bus carries. The members of a message tell its kind. A later release may have
 * more kinds: a bus passes on an unknown kind, and the router ignores it.
 */
export type BusMessage = SessionEnded | ClientChanged

/**
 * Carries "this session ended" to other processes, as soon as it can, and "this client was
 * changed". It may lose messages: all of it is in the stores, and every process asks them again, of
 * sessions within 5 seconds and of clients within 30. A process may be handed its own messages.
 */
export interface RevocationBus {
  publish(message: BusMessage): Promise<void>
  /** Resolves once messages arrive; the function it resolves to ends that. */
  subscribe(listener: (message: BusMessage) => void): Promise<() => Promise<void>>
  /**
   * Optional, for a health check: resolves when a message has just gone from this process through
   * the bus and back to all of its listeners, and rejects within seconds when none would arrive.
   */
  check?(): Promise<void>
}
