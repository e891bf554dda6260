import type { Proofs } from '../accounts/proofs.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { readParameters } from '../http/parameters.js'
import type { ProviderLogout } from '../providers/contract.js'
import type { Sessions } from '../sessions/sessions.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { ProviderIn } from './start.endpoint.js'
import { identityDigest, isOpenedBy, notedUser, noteOnce, sidDigest } from './upstream.js'

export interface BackchannelLogoutDeps {
  readonly providerIn: ProviderIn
  readonly identities: Pick<IdentityStore, 'find'>
  readonly sessions: Pick<Sessions, 'listForUser' | 'end'>
  readonly proofs: Pick<Proofs, 'openLink' | 'findLink'>
  readonly throttle: Pick<Throttle, 'limitFailures'>
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * `POST /auth/providers/:id/backchannel-logout`: the provider ends the sessions that it has opened
 * here ([OpenID Connect Back-Channel Logout 1.0
 * §2.5](https://openid.net/specs/openid-connect-backchannel-1_0.html#BCRequest)).
 */
export function backchannelLogoutEndpoint(deps: BackchannelLogoutDeps): Endpoint {
  const { providerIn, throttle } = deps
  return throttle.limitFailures('provider-logout', async function backchannelLogout(request) {
    const { context } = request
    // 404
    const provider = providerIn(request)
    if (provider.readLogoutToken === undefined) throw new AuthError('not-found')
    // 400, 413, 415
    const token = (await readParameters(request.incoming)).one('logout_token')
    const logout = token === null ? null : await provider.readLogoutToken(token)
    if (logout === null || !(await isFirst(deps, provider, logout, context)))
      throw new AuthError('proof-refused', { message: 'the logout token is not valid' })
    const sessions = await endSessions(deps, provider, logout, context)
    deps.audit({ type: 'provider.logout', provider: provider.id, sessions }, context)
    return { status: 200, text: '', headers: { 'Content-Type': 'text/plain' } }
  })
}

// A token that comes twice must not end what was opened in between.
async function isFirst(
  { proofs, clock }: BackchannelLogoutDeps,
  { id }: ConnectedProvider,
  { issuer, jti, expiresAt }: ProviderLogout,
  context: RequestContext,
): Promise<boolean> {
  const name = JSON.stringify(['logout', id, issuer, jti])
  // A minute longer, for a clock that is behind.
  const left = Math.ceil((expiresAt.getTime() - clock().getTime()) / 1000) + 60
  if (left <= 0) return false
  return noteOnce(proofs, 'upstream-logout', { name, userId: null, lifetime: left }, context)
}

async function endSessions(
  deps: BackchannelLogoutDeps,
  { id }: ConnectedProvider,
  { issuer, subject, sid }: ProviderLogout,
  context: RequestContext,
): Promise<number> {
  const session = sid === undefined ? undefined : sidDigest(issuer, sid)
  const identity = subject === undefined ? undefined : identityDigest({ issuer, subject })
  const userId =
    subject === undefined
      ? await notedUser(deps.proofs, 'upstream', session ?? '', context)
      : ((await deps.identities.find(issuer, subject))?.userId ?? null)
  if (userId === null) return 0
  const all = await deps.sessions.listForUser(userId)
  const meant = all.filter((one) => isOpenedBy(one, id, { identity, session }))
  for (const one of meant) await deps.sessions.end(one, 'upstream-logout', context)
  return meant.length
}
