import { isNoted, noteOnce } from '../accounts/noted-names.js'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { readParameters } from '../http/input.js'
import type { ProviderLogout } from '../providers/contract.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import { type ProvidersKit, providerIn } from './provider-kit.js'
import { identityDigest, isOpenedBy, notedSubject, sidDigest } from './upstream.js'

/**
 * `POST /auth/providers/:id/backchannel-logout`: the provider ends the sessions that it has opened
 * here ([OpenID Connect Back-Channel Logout 1.0
 * §2.5](https://openid.net/specs/openid-connect-backchannel-1_0.html#BCRequest)).
 */
export function backchannelLogoutEndpoint(kit: ProvidersKit): Endpoint {
  return kit.throttle.limitFailures('provider-logout', async function backchannelLogout(request) {
    const { context } = request
    // 404
    const provider = providerIn(kit, request)
    if (provider.readLogoutToken === undefined) throw new AuthError('not-found')
    // 400, 413, 415
    const token = (await readParameters(request.incoming)).one('logout_token')
    const logout = token === null ? null : await provider.readLogoutToken(token)
    const once = logout && usedOnce(kit, provider, logout)
    if (logout === null || once === null) throw refusedToken()
    // A token that comes twice must not end a session that was opened in between.
    if (await isNoted(kit.proofs, 'upstream-logout', once.name, context)) throw refusedToken()
    const sessions = await endSessions(kit, provider, logout, context)
    // The note comes afterwards: if a session could not be ended, the provider must be able to send
    // the token again. Of several equal tokens at one moment, each ends these sessions, and one is
    // told of success.
    if (!(await noteOnce(kit.proofs, 'upstream-logout', once, context))) throw refusedToken()
    kit.audit({ type: 'provider.logout', provider: provider.id, sessions }, context)
    return { status: 200, text: '', headers: { 'Content-Type': 'text/plain' } }
  })
}

function refusedToken(): AuthError {
  return new AuthError('proof-refused', { message: 'the logout token is not valid' })
}

/** The note about a token, and its lifetime in seconds; null if the token has expired. */
function usedOnce(
  { clock }: ProvidersKit,
  { id }: ConnectedProvider,
  { issuer, jti, expiresAt }: ProviderLogout,
): { readonly name: string; readonly lifetime: number } | null {
  // A minute longer, for a clock that is behind.
  const lifetime = Math.ceil((expiresAt.getTime() - clock().getTime()) / 1000) + 60
  return lifetime > 0 ? { name: JSON.stringify(['logout', id, issuer, jti]), lifetime } : null
}

async function endSessions(
  kit: ProvidersKit,
  { id, accounts }: ConnectedProvider,
  { issuer, subject, sid }: ProviderLogout,
  context: RequestContext,
): Promise<number> {
  const session = sid === undefined ? undefined : sidDigest(id, sid)
  const named = subject ?? (await subjectOf(kit, session, context))
  if (named === null) return 0
  const found = await kit.identities.find(accounts, named)
  if (found === null || found.issuer !== issuer) return 0
  const identity = identityDigest({ accounts, identity: { subject: named } })
  const all = await kit.sessions.listForUser(found.userId)
  const meant = all.filter((one) => isOpenedBy(one, id, { identity, session }))
  for (const one of meant) await kit.sessions.end(one, 'upstream-logout', context)
  return meant.length
}

async function subjectOf(
  { proofs, longestSession: lifetime, clock }: ProvidersKit,
  digest: string | undefined,
  context: RequestContext,
): Promise<string | null> {
  if (digest === undefined) return null
  return notedSubject(proofs, { digest, lifetime, now: clock() }, context)
}
