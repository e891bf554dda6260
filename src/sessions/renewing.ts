import type { SessionStore } from '../stores/contract.js'
import { newSessionSecret, type PresentedSecret } from '../tokens/session-secret.js'

/** Gives sessions that are shown by a secret another one. */
export interface SessionRenewing {
  /**
   * Replaces the secret that was presented by a new one, which it answers; from then on the former
   * is good for what is under way, and for nothing that comes later. Null where the one presented
   * is not the present one, or the session has ended: of several requests at once one is answered a
   * secret, and no copy of a former one makes another. Rejects with 503.
   */
  renewSecret(presented: PresentedSecret): Promise<string | null>
}

export interface SessionRenewingDeps {
  readonly store: Pick<SessionStore, 'replaceSecret'>
  readonly clock: () => Date
}

/**
 * Milliseconds. Longer than a page and what it embeds take to load, and than any process remembers
 * a session.
 */
const formerMs = 10_000

/** Makes the one place that replaces secrets. */
export function createSessionRenewing({ store, clock }: SessionRenewingDeps): SessionRenewing {
  return {
    async renewSecret({ kind, sessionId, secretHash: from }) {
      const { secret, secretHash: to } = newSessionSecret(kind, sessionId)
      const formerUntil = new Date(clock().getTime() + formerMs)
      // That the store can is checked at the start, where there are pages.
      const isReplaced = await store.replaceSecret?.(sessionId, { from, to, formerUntil })
      return isReplaced === true ? secret : null
    },
  }
}
