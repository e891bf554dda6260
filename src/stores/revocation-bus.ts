import type { StoredReason } from './contract.js'

/** A session has ended: every process forgets it, and closes its sockets. */
export interface SessionEnded {
  readonly sessionId: string
  readonly userId: string
  readonly reason: StoredReason
  readonly at: Date
}

/**
 * Carries "this session ended" to other processes, as soon as it can. It may lose messages: the end
 * itself is in the store, and every process asks the store again within 5 seconds. A process may be
 * handed its own messages.
 */
export interface RevocationBus {
  publish(event: SessionEnded): Promise<void>
  /** Resolves once messages arrive; the function it resolves to ends that. */
  subscribe(listener: (event: SessionEnded) => void): Promise<() => Promise<void>>
  /**
   * Optional, for a health check: resolves when a message has just gone from this process through
   * the bus and back to all of its listeners, and rejects within seconds when none would arrive.
   */
  check?(): Promise<void>
}
