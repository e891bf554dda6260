import type { SharedReservations } from '../admission/reservations.js'
import { type Ask, type Counter, consumedOf } from './counter.js'
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
export function createSharedReservations(
  counter: Counter,
  keyOf: CounterKey,
  ask: Ask,
): SharedReservations {
  const now = () => Math.floor(Date.now() / 1000) - since
  const at = (source: string) => ({ of: counter, key: keyOf('place', source) }) as const
  // What is not written, or not found, is told anew by the next process; the call has reported it.
  const valueAt = async (source: string) =>
    consumedOf((await ask([{ ...at(source), do: 'get' }]))[0])
  return {
    promise(source, seconds) {
      const points = now() + seconds
      void ask([{ ...at(source), do: 'set', points, seconds: seconds + grantedSeconds }])
    },
    async dueIn(source) {
      const due = await valueAt(source)
      return due === 0 ? null : due - now()
    },
    async redeem(source) {
      if ((await valueAt(source)) <= 0) return false
      // Of two that have read the same, one empties it, and that one has it.
      return consumedOf((await ask([{ ...at(source), do: 'clear' }]))[0]) > 0
    },
  }
}
