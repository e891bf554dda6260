import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { IssuedSession, IssueSession, SessionRequest } from '../sessions/issuing.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { PasskeyRecord, PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'

/** An approved sign-in by passkey. */
export interface PasskeySignIn {
  readonly approved: ApprovedSignIn
  readonly tokens: SessionRequest['tokens']
  /** Undefined: the router's lifetimes. */
  readonly lifetime: AskedLifetime | undefined
  readonly passkey: PasskeyRecord
}

/** Opens the session of such a sign-in. Throws 401 or 503; no session exists then. */
export type OpenByPasskey = (
  signIn: PasskeySignIn,
  context: RequestContext,
) => Promise<IssuedSession & { readonly me: Me }>

export interface OpenByPasskeyDeps {
  readonly users: Pick<UserStore, 'findById'>
  readonly passkeyStore: Pick<PasskeyStore, 'find'>
  /** Whether the second factor has not changed since the decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  /** Checks sessions against the password hash, if they must end with it. */
  readonly passwordWatch: Pick<PasswordWatch, 'fits'>
  readonly issueSession: IssueSession
  readonly sessions: Pick<Sessions, 'end'>
  readonly describeMe: (user: ApprovedSignIn['user']) => Promise<Me>
  readonly throttle: Pick<Throttle, 'knownNetworks'>
  readonly audit: Audit
}

export function createOpenByPasskey(deps: OpenByPasskeyDeps): OpenByPasskey {
  const { issueSession, describeMe, throttle, audit } = deps
  return async function openByPasskey({ approved, tokens, lifetime, passkey }, context) {
    const { user, methods } = approved
    const [me, network] = await Promise.all([
      describeMe(user),
      throttle.knownNetworks.standing(user.id, context),
    ])
    const issued = await issueSession({ approved, tokens, lifetime }, context)
    const { session } = issued
    await refuseOutdated(deps, approved, passkey, session, context)
    // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
    await network.remember().catch(() => {})
    const { userId, id: sessionId } = session
    audit({ type: 'login.succeeded', userId, sessionId, methods }, context)
    return { ...issued, me }
  }
}

// If the user was disabled or the passkey removed while this session was opened, all sessions ended
// except this one, which did not exist yet. Checked again after the write, one of the two sees the
// other.
async function refuseOutdated(
  deps: OpenByPasskeyDeps,
  approved: ApprovedSignIn,
  passkey: PasskeyRecord,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const end = (reason: 'revoked' | 'factor-changed') => deps.sessions.end(session, reason, context)
  const changed = await whatChanged(deps, approved, passkey, session).catch(
    async (error: unknown) => {
      // The client will try again; otherwise a session would stay whose token nobody has.
      await end('revoked')
      throw error
    },
  )
  if (changed === null) return
  await end(changed)
  const reason = 'the user, the passkey or the factor changed during the sign-in'
  deps.audit({ type: 'request.refused', reason }, context)
  throw new AuthError('Unauthorized')
}

async function whatChanged(
  { users, passkeyStore, factorStands, passwordWatch }: OpenByPasskeyDeps,
  approved: ApprovedSignIn,
  { credentialId }: PasskeyRecord,
  session: SessionRecord,
): Promise<'revoked' | 'factor-changed' | null> {
  const user = await users.findById(session.userId)
  if (user === null || user.disabled === true) return 'revoked'
  if (!passwordWatch.fits(session, user))
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'the password hash changed while the session was opened',
    })
  const found = await passkeyStore.find(credentialId)
  if (found === null || found.userId !== session.userId) return 'factor-changed'
  return (await factorStands(approved)) ? null : 'factor-changed'
}
