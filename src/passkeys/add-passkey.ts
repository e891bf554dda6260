import type { RequestContext } from '../audit/events.js'
import type { SignedInRequest } from '../principal/principal.js'
import { type KeepSessionDeps, keepSession } from '../sessions/keep-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import type { ForgetLastFactor } from './forget-last-factor.js'
import type { AddedPasskey, NewPasskey, RegisterPasskey } from './register-passkey.js'

/**
 * Adds a passkey to the user of a session, which has then been signed in by it, too. Throws 400 for
 * one that was not verified, 401, 409 and 503.
 */
export type AddPasskey = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  made: Pick<NewPasskey, 'response' | 'name' | 'beforehand'>,
  context: RequestContext,
) => Promise<AddedPasskey>

export interface AddPasskeyDeps extends KeepSessionDeps {
  readonly registerPasskey: RegisterPasskey
  /** Whether the user has a second factor that is not a passkey. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'requireLive' | 'setMethods'>
  readonly forgetLastFactor: ForgetLastFactor
  readonly forgetKeptCodes: ForgetKeptCodes
}

/** Makes it: what `POST /auth/passkeys` and the pages have in common. */
export function createAddPasskey(deps: AddPasskeyDeps): AddPasskey {
  const { registerPasskey, hasOtherFactor, sessions, forgetLastFactor } = deps
  return async function addPasskey({ session, user }, made, context) {
    // 503. Who has another factor has its recovery codes.
    const withRecoveryCodes = !(await hasOtherFactor(user))
    // 401
    await sessions.requireLive(session)
    // 503
    await deps.forgetKeptCodes(user.id)
    // 400, 409, 503
    const { id: sessionId, userId } = session
    const passwordMark = markOf(session, user)
    const asked = { ...made, userId, sessionId, passwordMark, withRecoveryCodes }
    const added = await registerPasskey(asked, context)
    // If this fails, the user must sign in again soon. The recovery codes are shown all the same.
    await notePasskey(deps, sessionId).catch(() => {})
    // It may have been removed before that was noted.
    await forgetLastFactor(session, user).catch(() => {})
    return added
  }
}

/** What a thief of the password cannot have shown, unless he has set it up before. */
const beyondPassword = ['otp', 'mfa', 'hwk', 'swk'] as const

// A passkey proves nothing here, nor a recovery code that came with one: a thief may have added it
// by the password a moment ago. Who has no password is known by something else.
function markOf(
  { methods, passwordMark = 'unmarked' }: Pick<SessionRecord, 'methods' | 'passwordMark'>,
  { passwordHash }: AuthUser,
): string | null {
  const isByPassword = methods.includes('pwd')
  const isBeyond =
    beyondPassword.some((method) => methods.includes(method)) ||
    (!isByPassword && (methods.includes('host') || passwordHash === null))
  return isBeyond ? null : passwordMark
}

// Read again: a factor may have been taken away in another process since it was remembered.
async function notePasskey(deps: AddPasskeyDeps, sessionId: string): Promise<void> {
  const session = await deps.sessions.findLive(sessionId)
  if (session === null) return
  const methods = [...session.methods.filter((method) => method !== 'passkey'), 'passkey'] as const
  await keepSession(deps, session, methods)
}
