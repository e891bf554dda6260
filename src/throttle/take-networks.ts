import { lazily } from '../lib/async.js'
import { type Ask, type Command, type Counter, counted, isTaken, type Limit } from './counter.js'
import { type CounterKey, prefixKeys } from './counter-keys.js'
import { createCounter } from './limiter-counter.js'
import type { ThrottleOptions } from './limits.js'

/**
 * Commands that count an address: for its network, and for IPv6 for the wider ones that it is part
 * of, which may have twice and four times as many. `times` multiplies the points.
 */
export function createTakeNetworks(
  { options, keyOf }: { readonly options: ThrottleOptions; readonly keyOf: CounterKey },
  keyPrefix: string,
  { points, duration }: Limit,
  times = 1,
): (ip: string | null, ...of: readonly string[]) => readonly Command[] {
  // Made on demand: a host without the capability needs no such counters.
  const counting = (prefix: string, factor: number) =>
    lazily(() => createCounter(options, { keyPrefix: prefix, points: points * factor, duration }))
  const counters = [
    counting(keyPrefix, times),
    counting(`${keyPrefix}-56`, 2 * times),
    counting(`${keyPrefix}-48`, 4 * times),
  ]
  return function takeNetworks(ip, ...of) {
    const keys = prefixKeys((...parts) => keyOf(...parts, ...of), ip)
    return keys.map((key, i) => ({ do: 'take', of: counters[i]?.() as Counter, key }))
  }
}

/** A counter without a point left. */
export interface ReachedCounter {
  readonly of: Counter
  readonly told: { readonly points: number; readonly retryAfter: number }
}

/**
 * Takes all or none: a refused request must not exhaust the limits of others. In one call. Resolves
 * with null, or with a counter that had no point left. Rejects with 503.
 */
export async function takeAll(
  ask: Ask,
  commands: readonly Command[],
): Promise<ReachedCounter | null> {
  const answers = await ask(commands)
  const taken = commands.filter((_one, i) => isTaken(answers[i]))
  try {
    const counts = answers.map(counted)
    const at = counts.findIndex(({ allowed }) => !allowed)
    const of = commands[at]?.of
    if (of === undefined) return null
    await giveBackAll(ask, taken)
    const retryAfter = Math.max(1, counts[at]?.seconds ?? 1)
    return { of, told: { points: of.points, retryAfter } }
  } catch (error) {
    await giveBackAll(ask, taken)
    throw error
  }
}

/** Gives back what was taken. Never rejects. */
export async function giveBackAll(ask: Ask, taken: readonly Command[]): Promise<void> {
  await ask(taken.map((one): Command => ({ ...one, do: 'giveBack' })))
}
