import type { RequestContext } from '../audit/events.js'
import type { SignedInRequest } from '../principal/principal.js'
import { markOfMaker } from '../sessions/mark-of-maker.js'
import { type NoteMethodsDeps, noteMethods } from '../sessions/note-methods.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AuthUser } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import type { ForgetLastFactor } from './forget-last-factor.js'
import type { AddedPasskey, NewPasskey, RegisterPasskey } from './register-passkey.js'

/**
 * Adds a passkey to the user of a session, which then counts as signed in with it, too. Throws 400
 * if it cannot be verified, 401, 409 and 503.
 */
export type AddPasskey = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  made: Pick<NewPasskey, 'response' | 'name' | 'beforehand'>,
  context: RequestContext,
) => Promise<AddedPasskey>

export interface AddPasskeyDeps extends NoteMethodsDeps {
  readonly registerPasskey: RegisterPasskey
  /** Whether the user has a second factor besides passkeys. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'requireLive' | 'setMethods'>
  readonly forgetLastFactor: ForgetLastFactor
  readonly forgetKeptCodes: ForgetKeptCodes
}

/** Shared by `POST /auth/passkeys` and the pages. */
export function createAddPasskey(deps: AddPasskeyDeps): AddPasskey {
  const { registerPasskey, hasOtherFactor, sessions, forgetLastFactor } = deps
  return async function addPasskey({ session, user }, made, context) {
    // 503. Another factor comes with recovery codes of its own.
    const withRecoveryCodes = !(await hasOtherFactor(user))
    // 401
    await sessions.requireLive(session)
    // 503
    await deps.forgetKeptCodes(user.id)
    // 400, 409, 503
    const { id: sessionId, userId } = session
    const passwordMark = markOfMaker(session, user)
    const asked = { ...made, userId, sessionId, passwordMark, withRecoveryCodes }
    const added = await registerPasskey(asked, context)
    // If this fails, the user must sign in again soon. The recovery codes are shown all the same.
    await notePasskey(deps, sessionId).catch(() => {})
    // It may have been removed before the session was updated.
    await forgetLastFactor(session, user).catch(() => {})
    return added
  }
}

// Read again: another process may have removed a factor since the session was cached.
async function notePasskey(deps: AddPasskeyDeps, sessionId: string): Promise<void> {
  const session = await deps.sessions.findLive(sessionId)
  if (session === null) return
  const methods = [...session.methods.filter((method) => method !== 'passkey'), 'passkey'] as const
  await noteMethods(deps, session, methods)
}
