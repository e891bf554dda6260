import { z } from 'zod'
import type { SessionSummary } from '../account/own-sessions.js'
import { AuthError, notSignedIn } from '../errors.js'
import { ok } from '../http/answer.js'
import { readJsonBody } from '../http/body.js'
import { readCredentials } from '../http/credentials.js'
import { parseInput } from '../http/input.js'
import type { Principal } from '../principal/principal.js'
import type { AuthRouter } from '../router/auth-router.js'
import { isKnownKind } from '../stores/session-kinds.js'
import type { RocketChatEndpoint } from './mount.js'

/** The endpoints by which users end their sessions. */
export interface UserSessions {
  readonly logout: RocketChatEndpoint
  readonly logoutOtherClients: RocketChatEndpoint
  readonly removeOtherTokens: RocketChatEndpoint
}

const whose = z.object({ userId: z.string().min(1).max(1024).optional() })

export function createUserSessions(sessions: AuthRouter['sessions']): UserSessions {
  const mine = (principal: Principal) => sessionsOfOwner(sessions, principal)

  return {
    // Ends all sessions, this one included. Ending those of another user is left to the host.
    async logout({ incoming, principal }) {
      const { userId = principal.userId } = parseInput(whose, await readJsonBody(incoming))
      await mine(principal)
      if (userId !== principal.userId) throw new AuthError('forbidden')
      await sessions.revokeAllForUser(userId)
      return ok({ success: true, message: "You've been logged out!" })
    },

    // Other devices, and those about to sign in, but not named tokens: users end these by name.
    async logoutOtherClients({ incoming, principal }) {
      await mine(principal)
      const { userId, sessionId: except } = principal
      await sessions.revokeAllForUser(userId, { except, keepNamedTokens: true })
      const token = readCredentials(incoming)?.token
      return ok({ success: true, token, tokenExpires: principal.expiresAt })
    },

    async removeOtherTokens({ principal }) {
      await mine(principal)
      await sessions.revokeAllForUser(principal.userId, { except: principal.sessionId })
      return ok({ success: true })
    },
  }
}

/**
 * The sessions of the caller. Throws 401 if the caller's session has ended: a guard may have
 * checked it some seconds ago, and a thief whose session has just ended must not end the owner's
 * sessions.
 */
export async function sessionsOfOwner(
  sessions: Pick<AuthRouter['sessions'], 'list'>,
  principal: Principal,
): Promise<SessionSummary[]> {
  requireOwner(principal)
  const all = await sessions.list(principal.userId)
  if (all.some(({ id }) => id === principal.sessionId)) return all
  throw notSignedIn('the session has ended')
}

/**
 * Admits only sessions that may manage the account: no named token, whatever its scope. Throws 403.
 */
export function requireOwner({ kind }: Principal): void {
  if (!isKnownKind(kind))
    throw new AuthError('forbidden', { message: 'a token cannot manage the account' })
}
