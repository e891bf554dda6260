import type { SessionStore } from '../stores/contract.js'
import { newSessionSecret, type PresentedSecret } from '../tokens/session-secret.js'

/** Replaces the secrets of sessions. */
export interface SessionRenewing {
  /**
   * Replaces the presented secret and returns the new one; the former one stays valid for a few
   * seconds, for requests under way. Null if the presented one is not the current one, or the
   * session has ended: of concurrent requests one gets a secret, and a copied former secret yields
   * none. Rejects with 503.
   */
  renewSecret(presented: PresentedSecret): Promise<string | null>
}

export interface SessionRenewingDeps {
  readonly store: Pick<SessionStore, 'replaceSecret'>
  readonly clock: () => Date
}

/**
 * Milliseconds. Longer than a page and its resources take to load, and longer than any process
 * caches a session.
 */
const formerMs = 10_000

export function createSessionRenewing({ store, clock }: SessionRenewingDeps): SessionRenewing {
  return {
    async renewSecret({ kind, sessionId, secretHash: from }) {
      const { secret, secretHash: to } = newSessionSecret(kind, sessionId)
      const formerUntil = new Date(clock().getTime() + formerMs)
      // Checked at the start: with pages the store has this method.
      const isReplaced = await store.replaceSecret?.(sessionId, { from, to, formerUntil })
      return isReplaced === true ? secret : null
    },
  }
}
