import type { RevocationBus, SessionEnded } from '../../src/index.js'

/** A bus between routers of one process. */
export function memoryBus(): RevocationBus {
  const listeners = new Set<(event: SessionEnded) => void>()
  return {
    async publish(event) {
      for (const listener of listeners) listener(event)
    },
    async subscribe(listener) {
      listeners.add(listener)
      return async () => void listeners.delete(listener)
    },
  }
}
