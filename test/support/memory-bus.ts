import type { BusMessage, RevocationBus } from '../../src/index.js'

/** A bus between routers of one process. */
export function memoryBus(): RevocationBus {
  const listeners = new Set<(message: BusMessage) => void>()
  return {
    async publish(message) {
      for (const listener of listeners) listener(message)
    },
    async subscribe(listener) {
      listeners.add(listener)
      return async () => void listeners.delete(listener)
    },
  }
}
