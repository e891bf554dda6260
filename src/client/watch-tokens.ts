import type { StateKeeper } from './auth-state.js'
import { platform } from './platform.js'

/**
 * How often it is looked whether the token ages, in milliseconds. Hidden tabs do it once a minute.
 */
const lookMs = 30_000

/**
 * Makes what keeps the token fresh while somebody wants to hear of newer ones. Without that nothing
 * is refreshed that nobody uses.
 */
export function watchTokens(
  state: Pick<StateKeeper, 'onToken'>,
  freshToken: () => Promise<string>,
): (listener: (accessToken: string) => void) => () => void {
  return function watchToken(listener) {
    let timer: unknown
    const look = () => {
      timer = platform.setTimeout(() => {
        void freshToken().catch(() => {})
        look()
      }, lookMs)
    }
    look()
    const stopListening = state.onToken(listener)
    return () => {
      platform.clearTimeout(timer)
      stopListening()
    }
  }
}
