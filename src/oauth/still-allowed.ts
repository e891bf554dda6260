import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { SessionName } from '../sessions/ending.js'
import type { Sessions } from '../sessions/sessions.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AuthorizationCodeRecord } from '../stores/code-contract.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Clients } from './clients.js'
import { hasWords, wordsOfGrant } from './consent-words.js'

/**
 * Checks again whether a client may have a session of a user. If not, each method ends the session
 * and throws 400 `invalid_grant`; 503.
 */
export interface StillAllowed {
  /** For a session opened by a code, after it is stored. */
  afterOpening(
    client: OAuthClient,
    code: AuthorizationCodeRecord,
    context: RequestContext,
  ): Promise<void>
  /** For a refreshed session, before its tokens are signed. */
  atRefresh(client: OAuthClient, session: SessionRecord, context: RequestContext): Promise<void>
}

export interface StillAllowedDeps {
  readonly clients: Pick<Clients, 'findFresh'>
  readonly consents: Pick<ConsentStore, 'find'>
  readonly sessions: Pick<Sessions, 'end'>
  readonly audit: Audit
  /** The host's own API. */
  readonly ownResource: string
}

/** The grant of a code or a session. */
interface Granted extends Pick<SessionRecord, 'userId' | 'scope'> {
  /** Default: only the host's own API. */
  readonly resources?: readonly string[]
}

/**
 * The second check of clients and consents.
 *
 * Withdrawing a consent or disabling a client is stored first, and existing sessions are ended
 * then. An earlier code could still open a session afterwards, which nobody would end. So the
 * session is stored first, and consent and client are read afterwards: one of the two sees the
 * other.
 */
export function createStillAllowed(deps: StillAllowedDeps): StillAllowed {
  const { clients, consents, sessions, audit, ownResource } = deps

  async function hasConsent(
    { id, firstParty }: OAuthClient,
    { userId, scope, resources = [ownResource] }: Granted,
  ): Promise<boolean> {
    if (firstParty === true) return true
    const granted = (await consents.find(userId, id))?.scopes ?? []
    return hasWords(granted, wordsOfGrant({ scopes: scope.split(' '), resources }, ownResource))
  }

  async function reasonAgainst(
    known: OAuthClient,
    code: AuthorizationCodeRecord,
  ): Promise<'consent-revoked' | 'client-disabled' | null> {
    // Not the authenticated client, which may be 30 seconds old.
    const [client, isConsented] = await Promise.all([
      clients.findFresh(known.id),
      hasConsent(known, code),
    ])
    if (client === null || client.disabled === true) return 'client-disabled'
    const isJudged = client.firstParty === known.firstParty
    return (isJudged ? isConsented : await hasConsent(client, code)) ? null : 'consent-revoked'
  }

  return {
    async afterOpening(client, code, context) {
      const { opensSessionId, userId } = code
      const session: SessionName = { id: opensSessionId, userId }
      const reason = await reasonAgainst(client, code).catch(async (error: unknown) => {
        // The client gets 503, so nobody will have the tokens.
        await sessions.end(session, 'revoked', context)
        throw error
      })
      if (reason === null) return
      await sessions.end(session, reason, context)
      audit({ type: 'code.refused', reason, userId }, context)
      throw new AuthError('invalid_grant', { message: `code refused: ${reason}` })
    },

    // A disabled client has lost its sessions, so there is nothing to refresh.
    async atRefresh(client, session, context) {
      if (await hasConsent(client, session)) return
      const reason = 'consent-revoked'
      await sessions.end(session, reason, context)
      const { id: sessionId, userId } = session
      audit({ type: 'refresh.refused', reason, userId, sessionId }, context)
      throw new AuthError('invalid_grant', { message: `refresh refused: ${reason}` })
    },
  }
}
