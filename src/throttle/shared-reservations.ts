import type { SharedReservations } from '../admission/reservations.js'
import type { Counter } from './counter.js'
import type { CounterKey } from './counter-keys.js'

/** Seconds of the epoch from which moments are counted, so that they fit into 31 bits for long. */
const since = Date.UTC(2026, 0, 1) / 1000

/** Seconds for which a promise is kept after its moment. */
const grantedSeconds = 60

/**
 * Makes the record of what one process has promised to a client that may come back to another: when
 * a place in its queue for passwords is free. By the wall clock, which processes share within
 * seconds.
 */
export function createSharedReservations(counter: Counter, keyOf: CounterKey): SharedReservations {
  const key = (source: string) => keyOf('place', source)
  const now = () => Math.floor(Date.now() / 1000) - since
  return {
    promise(source, seconds) {
      // What is not written is told anew by the next process; the call has reported it.
      counter.set(key(source), now() + seconds, seconds + grantedSeconds).catch(() => {})
    },
    async dueIn(source) {
      const due = await counter.valueOf(key(source)).catch(() => 0)
      return due === 0 ? null : due - now()
    },
    redeem: async (source) => (await counter.collect(key(source)).catch(() => null)) !== null,
  }
}
