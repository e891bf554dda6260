import type { SessionRecord } from '../stores/contract.js'
import type { AskedLifetime } from './session-times.js'

const hour = 60 * 60

/** Seconds, of the session of a browser that is signed in until it is closed. */
export const untilClosed: { readonly idle: number; readonly absolute: number } = {
  idle: 12 * hour,
  absolute: 24 * hour,
}

/**
 * The lifetime that a browser's session asks for: the router's own where the user wants to stay
 * signed in, or else one that ends with the browser, or a while after its last use.
 */
export function browserLifetime(stay: boolean): AskedLifetime | undefined {
  return stay ? undefined : untilClosed
}

/** Whether a browser's session was opened to stay signed in, by what it has asked for then. */
export function staysSignedIn({ lifetime }: Pick<SessionRecord, 'lifetime'>): boolean {
  return lifetime === undefined
}
