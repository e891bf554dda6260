import { AuthConfigError } from '../errors.js'
import { raceWinners } from '../lib/async.js'

/** One probe of the stores. */
export interface Probe {
  readonly callers: number
  readonly userId: string
}

/** Runs this many callers at once; each answers whether it has won. */
export type Race = (what: string, wins: () => Promise<boolean>) => Promise<void>

/** Races for one store: anything but one winner is an AuthConfigError that names the store. */
export function raceFor(option: string, { callers }: Probe): Race {
  return async function race(what, wins) {
    const { length } = await raceWinners(callers, wins)
    if (length !== 1)
      throw unsafe(option, `let ${length} of ${callers} callers ${what}, instead of exactly one.`)
  }
}

/** The error for a store that must not be used. */
export function unsafe(option: string, problem: string): AuthConfigError {
  const remedy =
    'make it one conditional write whose result names the winner, and run storeContract() from ' +
    'messaging-auth-router/testing.'
  return new AuthConfigError(option, problem, remedy)
}

/** Whether the answer, which may be anything, has that outcome. */
export function isOutcome(answer: unknown, outcome: string): boolean {
  return (answer as { readonly outcome?: unknown } | null | undefined)?.outcome === outcome
}
