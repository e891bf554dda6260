import type { SessionRecord } from '../stores/contract.js'
import type { AskedLifetime } from './session-times.js'

const hour = 60 * 60

/** Lifetime in seconds of a browser session that ends when the browser closes. */
export const untilClosed: { readonly idle: number; readonly absolute: number } = {
  idle: 12 * hour,
  absolute: 24 * hour,
}

/**
 * The lifetime of a browser session: the router's if the user wants to stay signed in, otherwise
 * one that ends a while after the last use.
 */
export function browserLifetime(stay: boolean): AskedLifetime | undefined {
  return stay ? undefined : untilClosed
}

/** Whether a browser session was opened to stay signed in. */
export function staysSignedIn({ lifetime }: Pick<SessionRecord, 'lifetime'>): boolean {
  return lifetime === undefined
}
