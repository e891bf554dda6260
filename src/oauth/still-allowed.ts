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
 * Whether a client may still have a session of a user that it has just been given. Each method ends
 * the session where it may not, and throws 400 `invalid_grant`; 503.
 */
export interface StillAllowed {
  /** Of a session that a code has opened, once it is stored. */
  afterOpening(
    client: OAuthClient,
    code: AuthorizationCodeRecord,
    context: RequestContext,
  ): Promise<void>
  /** Of a session that was refreshed, before its tokens are signed. */
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

/** A code or a session, as it says what was granted. */
interface Granted extends Pick<SessionRecord, 'userId' | 'scope'> {
  /** Left out: the host's own API alone. */
  readonly resources?: readonly string[]
}

/**
 * Makes the second look at clients and consents.
 *
 * Whoever takes a consent back, or disables a client, writes that down and then ends the sessions
 * there are. A code of before may open one later, which nobody would end. So the session is stored
 * first, and what allows it is read afterwards: whichever comes first, one of the two sees the
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
    // Not the one who was authenticated: that one may be 30 seconds old.
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
        // The client is answered 503, and nobody comes to have the tokens.
        await sessions.end(session, 'revoked', context)
        throw error
      })
      if (reason === null) return
      await sessions.end(session, reason, context)
      audit({ type: 'code.refused', reason, userId }, context)
      throw new AuthError('invalid_grant', { message: `code refused: ${reason}` })
    },

    // A client that is disabled loses its sessions, so there is nothing to refresh.
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
