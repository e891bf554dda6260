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
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'setAuthenticated'>
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
  readonly forgetLastFactor: ForgetLastFactor
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * `POST /auth/reauthenticate`: a password with a code, or a passkey, and this session has just
 * signed in, for routes that ask for that. No other session, and no new one.
 */
export function reauthenticateEndpoint(deps: ReauthenticateDeps): Endpoint {
  const { signedIn, proveAgain, factorStands, sessions, forgetSession, clock, audit } = deps
  return async function reauthenticate(request) {
    // 401, 403. Also of who has a passkey and has yet to show it here.
    const asking = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const proof = parseInput(proofRequest, await request.readJson())
    // 401, 403, 429, 503
    const approved = await proveAgain(asking, proof, request)
    if (approved === null)
      throw invalidRequest([{ path: 'password, passkey', message: 'Send one of them.' }])
    const { id: sessionId, userId } = asking.session
    // 401: the factor was changed while the password was compared.
    if (!(await factorStands(approved))) throw new AuthError('Unauthorized')
    // Read again: a factor may have been taken away in another process since it was remembered.
    const session = await sessions.findLive(sessionId)
    if (session === null) throw notSignedIn('session ended or unknown')
    // What was shown before is still shown: a password must not take the factor away.
    const methods = [...new Set([...session.methods, ...approved.methods])]
    const authenticatedAt = clock()
    // 503
    await sessions.setAuthenticated(sessionId, { methods, authenticatedAt })
    forgetSession(sessionId)
    // Its user may have removed the last factor between the look and the write.
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
