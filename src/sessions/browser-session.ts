import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import type { Pages } from '../http/page-origin.js'
import type { SessionRecord } from '../stores/contract.js'
import { readSessionSecret } from '../tokens/session-secret.js'
import type { AskedLifetime } from './session-times.js'
import type { Sessions } from './sessions.js'

/** The live session of a browser's cookie; null without one. Rejects with 503. */
export async function findSessionOfCookie(
  { cookie }: Pick<Pages, 'cookie'>,
  sessions: Pick<Sessions, 'findBySecret'>,
  request: IncomingMessage,
): Promise<SessionRecord | null> {
  const sent = cookie.read(request)
  const secret = sent === null ? null : readSessionSecret('browser', sent)
  return secret === null ? null : sessions.findBySecret(secret)
}

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

/**
 * Hands a new session over to its browser, and ends it if that fails: a session that no browser has
 * must not stay.
 *
 * @param keep - ends the browser's former session and gives it the new one
 */
export async function endUnlessKept(
  sessions: Pick<Sessions, 'end'>,
  opened: SessionRecord,
  context: RequestContext,
  keep: () => Promise<void>,
): Promise<void> {
  try {
    await keep()
  } catch (error) {
    await sessions.end(opened, 'revoked', context)
    throw error
  }
}
