import type { SharedReservations } from '../admission/reservations.js'
import { type Ask, type Counter, consumedOf } from './counter.js'
import type { CounterKey } from './counter-keys.js'

/** Start of the stored times, in seconds of the epoch, so that they fit into 31 bits for long. */
const since = Date.UTC(2026, 0, 1) / 1000

/** Seconds for which a promise is stored after its time. */
const grantedSeconds = 60

/**
 * A client that was told when a place in the queue for passwords is free may come back to another
 * process. Uses the wall clock, on which processes agree within seconds.
 */
export function createSharedReservations(
  counter: Counter,
  keyOf: CounterKey,
  ask: Ask,
): SharedReservations {
  const now = () => Math.floor(Date.now() / 1000) - since
  const at = (source: string) => ({ of: counter, key: keyOf('place', source) }) as const
  // If a promise was not stored or is not found, the next process makes a new one. The call has
  // reported the failure.
  const valueAt = async (source: string) =>
    consumedOf((await ask([{ ...at(source), do: 'get' }]))[0])
  return {
    promise(source, seconds) {
      const points = now() + seconds
      void ask([{ ...at(source), do: 'set', points, seconds: seconds + grantedSeconds }])
    },
    async dueIn(source) {
      const due = await valueAt(source)
      return due === 0 ? undefined : due - now()
    },
    async redeem(source) {
      if ((await valueAt(source)) <= 0) return false
      // Two callers may have read the same value; only one clears it.
      return consumedOf((await ask([{ ...at(source), do: 'clear' }]))[0]) > 0
    },
  }
}
