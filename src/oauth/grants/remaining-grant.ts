import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { SessionRecord } from '../../stores/contract.js'
import type { AuthorizationCodeRecord } from '../../stores/one-time-contract.js'
import type { AppsKit } from '../apps-kit.js'
import { resourcesOf } from '../client-schema.js'
import { hasWords, wordsOfGrant } from '../consent-words.js'

/**
 * The scopes and APIs that a user has granted to a client, or the rest that remains of them.
 * Neither list is empty.
 */
export interface Grantable {
  readonly scopes: readonly string[]
  /** APIs; the first is the default. */
  readonly resources: readonly string[]
}

/** The grant of a code or a session. */
interface Granted {
  readonly scope: string
  /** Default: only the host's own API. */
  readonly resources?: readonly string[]
}

/**
 * The part of a grant that the client may still have. A client that loses a scope or an API,
 * `openid` included, does not get it from the next token on, and never gets more than the user has
 * seen ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)). Every scope applies at
 * every API: the consent page showed each such pair, and `hasConsent` checks each again.
 *
 * @param ownResource - the host's own API
 * @throws AuthError 400 `invalid_grant` if nothing is left. The code or session does not change: a
 * mistake in a client's registration must not sign out all its users
 */
export function remainingGrant(
  { scope, resources }: Granted,
  client: OAuthClient,
  ownResource: string,
): Grantable {
  const allowed = resourcesOf(client, ownResource)
  const scopes = scope.split(' ').filter((word) => client.scopes.includes(word))
  const left = (resources ?? [ownResource]).filter((resource) => allowed.includes(resource))
  if (scopes.length === 0 || left.length === 0)
    throw new AuthError('invalid_grant', { message: 'the client may have nothing of the grant' })
  const others = left.filter((resource) => resource !== ownResource)
  return { scopes, resources: left.includes(ownResource) ? [ownResource, ...others] : others }
}

/**
 * The API that an access token is for: the requested one, else the first one granted. A token for
 * several APIs could be used by each of them at the others ([RFC 8707
 * §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)).
 *
 * @throws AuthError 400 `invalid_target`
 */
export function targetOf(asked: readonly string[], granted: readonly string[]): string {
  if (asked.length > 1)
    throw new AuthError('invalid_target', { clientMessage: 'Ask for one resource at a time.' })
  const [resource = granted[0]] = asked
  if (resource === undefined || !granted.includes(resource)) throw new AuthError('invalid_target')
  return resource
}

/**
 * The second check of client and consent, for a session opened by a code, after it is stored. If
 * the client may not have the session, ends it and throws 400 `invalid_grant`; 503.
 *
 * Withdrawing a consent or disabling a client is stored first, and existing sessions are ended
 * then. An earlier code could still open a session afterwards, which nobody would end. So the
 * session is stored first, and consent and client are read afterwards: one of the two sees the
 * other.
 */
export async function requireStillAllowed(
  kit: AppsKit,
  client: OAuthClient,
  code: AuthorizationCodeRecord,
  context: RequestContext,
): Promise<void> {
  const { opensSessionId: id, userId } = code
  const reason = await reasonAgainst(kit, client, code).catch(async (error: unknown) => {
    // The client gets 503, so nobody will have the tokens.
    await kit.sessions.end({ id, userId }, 'revoked', context)
    throw error
  })
  if (reason === null) return
  await kit.sessions.end({ id, userId }, reason, context)
  kit.audit({ type: 'code.refused', reason, userId }, context)
  throw new AuthError('invalid_grant', { message: `code refused: ${reason}` })
}

/**
 * Checks the consent for a refreshed session, before its tokens are signed. The client needs no
 * check: a disabled client has lost its sessions, so there is nothing to refresh.
 */
export async function requireConsent(
  kit: AppsKit,
  client: OAuthClient,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  if (await hasConsent(kit, client, session)) return
  const reason = 'consent-revoked'
  await kit.sessions.end(session, reason, context)
  const { id: sessionId, userId } = session
  kit.audit({ type: 'refresh.refused', reason, userId, sessionId }, context)
  throw new AuthError('invalid_grant', { message: `refresh refused: ${reason}` })
}

async function reasonAgainst(
  kit: AppsKit,
  known: OAuthClient,
  code: AuthorizationCodeRecord,
): Promise<'consent-revoked' | 'client-disabled' | null> {
  // The client is read anew: the authenticated client may be 30 seconds old.
  const [client, isConsented] = await Promise.all([
    kit.clients.findFresh(known.id),
    hasConsent(kit, known, code),
  ])
  if (client === null || client.disabled === true) return 'client-disabled'
  const isJudged = client.firstParty === known.firstParty
  return (isJudged ? isConsented : await hasConsent(kit, client, code)) ? null : 'consent-revoked'
}

async function hasConsent(
  { consents, ownResource }: AppsKit,
  { id, firstParty }: OAuthClient,
  { userId, scope, resources = [ownResource] }: Granted & { readonly userId: string },
): Promise<boolean> {
  if (firstParty === true) return true
  const granted = (await consents.find(userId, id))?.scopes ?? []
  return hasWords(granted, wordsOfGrant({ scopes: scope.split(' '), resources }, ownResource))
}
