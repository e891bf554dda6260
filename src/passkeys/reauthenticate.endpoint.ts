import type { Audit } from '../audit/events.js'
import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import { type ProveAgain, proofRequest } from '../sign-in-again.js'
import { type ForgetLastFactor, withoutFactors } from './forget-last-factor.js'

export interface ReauthenticateDeps {
  readonly signedIn: SignedIn
  readonly proveAgain: ProveAgain
  /** Whether the second factor has not changed since the decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'setAuthenticated'>
  /** Drops a session from the cache of this process. */
  readonly forgetSession: (sessionId: string) => void
  readonly forgetLastFactor: ForgetLastFactor
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * `POST /auth/reauthenticate`: a password with a code, or a passkey. The session then counts as
 * just signed in, for routes that require that. Other sessions do not change, and no new one is
 * opened.
 */
export function reauthenticateEndpoint(deps: ReauthenticateDeps): Endpoint {
  const { signedIn, proveAgain, factorStands, sessions, forgetSession, clock, audit } = deps
  return async function reauthenticate(request) {
    // 401, 403. Also for a user who still has to show a passkey in this session.
    const asking = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const proof = parseInput(proofRequest, await request.readJson())
    // 401, 403, 429, 503
    const approved = await proveAgain(asking, proof, request)
    if (approved === null)
      throw invalidRequest([{ path: 'password, passkey', message: 'Send one of them.' }])
    const { id: sessionId, userId } = asking.session
    // 401: the factor was changed while the password was verified.
    if (!(await factorStands(approved))) throw new AuthError('Unauthorized')
    // Read again: another process may have removed a factor since the session was cached.
    const session = await sessions.findLive(sessionId)
    if (session === null) throw notSignedIn('session ended or unknown')
    // Earlier methods stay: a password alone must not remove the factor.
    const methods = [...new Set([...session.methods, ...approved.methods])]
    const authenticatedAt = clock()
    // 503
    await sessions.setAuthenticated(sessionId, { methods, authenticatedAt })
    forgetSession(sessionId)
    // The user may have removed the last factor between the read and the write.
    const isGone = await deps.forgetLastFactor(session, approved.user)
    audit(
      { type: 'reauthenticated', userId, sessionId, methods: approved.methods },
      request.context,
    )
    return ok({
      status: 'success',
      data: {
        authenticatedAt: authenticatedAt.toISOString(),
        methods: isGone ? withoutFactors(methods) : methods,
      },
    })
  }
}
