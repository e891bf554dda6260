import { UnexpectedAnswer, withTimeout } from '../lib/host-call.js'

/** A strategy of passport: what `passport.use()` takes. */
export interface StrategyToRun {
  authenticate(request: object, options?: object): unknown
}

/** What a strategy has decided. */
export type StrategyOutcome =
  | { readonly kind: 'redirect'; readonly url: unknown }
  | { readonly kind: 'success'; readonly profile: unknown; readonly info: unknown }
  | { readonly kind: 'fail' | 'pass' }

/** A strategy makes requests of its own, of which nobody else limits the time. */
const maxMilliseconds = 10_000

/**
 * Asks a strategy, and returns what it decides first; whatever it does afterwards is ignored.
 * Rejects for an error of it, and if it decides nothing in ten seconds.
 */
export function runStrategy(
  strategy: StrategyToRun,
  request: object,
  options: object,
): Promise<StrategyOutcome> {
  return withTimeout(() => firstOutcome(strategy, request, options), maxMilliseconds)
}

// As passport does it: the actions stand on an object of this request, above the strategy.
function firstOutcome(
  strategy: StrategyToRun,
  request: object,
  options: object,
): Promise<StrategyOutcome> {
  return new Promise((resolve, reject) => {
    const actions = {
      redirect: (url: unknown) => resolve({ kind: 'redirect', url }),
      success: (profile: unknown, info: unknown) => resolve({ kind: 'success', profile, info }),
      fail: () => resolve({ kind: 'fail' }),
      pass: () => resolve({ kind: 'pass' }),
      error: (error: unknown) => reject(errorOf(error)),
    }
    const own: StrategyToRun = Object.create(strategy as object)
    // Not assigned: a strategy that is frozen would forbid it.
    for (const [name, value] of Object.entries(actions)) Object.defineProperty(own, name, { value })
    const authenticate = async () => own.authenticate(request, options)
    authenticate().catch((error: unknown) => reject(errorOf(error)))
  })
}

function errorOf(error: unknown): Error {
  return error instanceof Error
    ? error
    : new UnexpectedAnswer('the strategy failed without an error.')
}
