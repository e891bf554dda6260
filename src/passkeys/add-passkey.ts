import type { RequestContext } from '../audit/events.js'
import type { SignedInRequest } from '../principal/principal.js'
import { type KeepSessionDeps, keepSession } from '../sessions/keep-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { CreationResponse } from '../two-factor/passkey-response.js'
import type { AuthUser } from '../users/contract.js'
import type { ForgetLastFactor } from './forget-last-factor.js'
import type { AddedPasskey, RegisterPasskey } from './register-passkey.js'

/**
 * Adds a passkey to the user of a session, which has then been signed in by it, too. Throws 400 for
 * one that was not verified, 401, 409 and 503.
 */
export type AddPasskey = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  made: { readonly response: CreationResponse; readonly name: string },
  context: RequestContext,
) => Promise<AddedPasskey>

/** What {@link createAddPasskey} needs. */
export interface AddPasskeyDeps extends KeepSessionDeps {
  readonly registerPasskey: RegisterPasskey
  /** Whether the user has a second factor that is not a passkey. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'requireLive' | 'setMethods'>
  readonly forgetLastFactor: ForgetLastFactor
}

/** Makes it: what `POST /auth/passkeys` and the pages have in common. */
export function createAddPasskey(deps: AddPasskeyDeps): AddPasskey {
  const { registerPasskey, hasOtherFactor, sessions, forgetSession, forgetLastFactor } = deps
  return async function addPasskey({ session, user }, { response, name }, context) {
    // 503. Who has another factor has its recovery codes.
    const withRecoveryCodes = !(await hasOtherFactor(user))
    // 401
    await sessions.requireLive(session)
    // 400, 409, 503
    const { id: sessionId, userId } = session
    const added = await registerPasskey(
      { userId, sessionId, response, name, withRecoveryCodes },
      context,
    )
    // If this fails, the user must sign in again soon. The recovery codes are shown all the same.
    await notePasskey({ sessions, forgetSession }, sessionId).catch(() => {})
    // It may have been removed before that was noted.
    await forgetLastFactor(session, user).catch(() => {})
    return added
  }
}

// Read again: a factor may have been taken away in another process since it was remembered.
async function notePasskey(
  { sessions, forgetSession }: Pick<AddPasskeyDeps, 'sessions' | 'forgetSession'>,
  sessionId: string,
): Promise<void> {
  const session = await sessions.findLive(sessionId)
  if (session === null) return
  const methods = [...session.methods.filter((method) => method !== 'passkey'), 'passkey'] as const
  await keepSession({ sessions, forgetSession }, session, methods)
}
