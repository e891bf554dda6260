import type { RequestContext } from '../audit/events.js'
import type { ActForUserRequest } from '../host-sign-in/act-for-user.js'
import type { OpenSession, OpenSessionRequest } from '../host-sign-in/open-session.js'
import type { Capability } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { LogIn } from '../login/log-in.js'
import {
  endOtherSessionsEndpoint,
  endSessionEndpoint,
  listSessionsEndpoint,
  type OwnSessions,
  ownSessions,
} from './own-sessions.js'
import {
  type Ending,
  type EndingKit,
  type EndOptions,
  endForUser,
  listSessions,
  type PasswordChanged,
  revokeAllForUser,
  revokeByToken,
  revokeSession,
  type SessionsForHost,
} from './sessions-for-host.js'
import { type SignInForHost, signInForHost, toSignedIn } from './sign-in-for-host.js'
import type { WhichWaysIn } from './ways-in.js'

/** A user's sessions, for the user and for the host. */
export interface SessionManagement extends Capability {
  readonly sessions: SessionsForHost
  readonly signIn: SignInForHost
  readonly passwordChanged: PasswordChanged
  readonly ownSessions: OwnSessions
  readonly forAccounts: EndForAccounts
}

/** Ends sessions when an account is deleted, or its password or address has changed. */
export interface EndForAccounts {
  readonly endFormerSessions: EndFormerSessions
  readonly endAfterReset: EndAfter
  readonly endAfterUndo: EndAfter
  /** For the host: every session of a user. */
  readonly endEverySession: (userId: string, options: EndOptions | undefined) => Promise<number>
  readonly endDeleted: EndAllSessions
}

/** Ends the sessions of a former password except one, and forgets the user's networks. */
export type EndFormerSessions = (
  userId: string,
  context: RequestContext,
  except?: string,
) => Promise<number>

/** Ends every session of a user, and removes these ways in; null: none. Rejects with 503. */
export type EndAfter = (
  userId: string,
  which: WhichWaysIn | null,
  context: RequestContext,
) => Promise<number>

/** Ends every session of a user. Rejects with 503. */
export type EndAllSessions = (userId: string, context: RequestContext) => Promise<number>

export interface SessionsKit extends SignInKit, EndingKit {
  readonly logIn: LogIn
  readonly openSession: OpenSession
}

/**
 * The endpoints of `/auth/sessions`, and `auth.sessions`, `auth.signIn` and `auth.passwordChanged`.
 */
export function createSessionManagement(kit: SessionsKit): SessionManagement {
  const { sessions, countSockets } = kit
  const own = ownSessions(kit)
  return {
    routes: [
      [
        '/auth/sessions',
        { GET: listSessionsEndpoint(kit, own), DELETE: endOtherSessionsEndpoint(kit, own) },
      ],
      ['/auth/sessions/:id', { DELETE: endSessionEndpoint(kit, own) }],
    ],
    ownSessions: own,
    sessions: {
      async open(request: OpenSessionRequest | ActForUserRequest) {
        if (!isOfActor(request)) return toSignedIn(kit, await kit.openSession(request))
        // Most hosts never need it.
        const { actForUser } = await import('../host-sign-in/act-for-user.js')
        return toSignedIn(kit, await actForUser(kit, request))
      },
      revokeByToken: (token, options) => revokeByToken(kit, token, options),
      list: (userId) => listSessions(kit, countSockets, userId),
      revoke: (sessionId, options) => revokeSession(kit, sessionId, options),
      revokeAllForUser: (userId, options) => revokeAllForUser(kit, userId, options),
    },
    signIn: signInForHost(kit, kit.logIn),
    passwordChanged: async (userId, options) =>
      endForUser(kit, { userId, ...byPassword(kit) }, options),
    forAccounts: {
      endFormerSessions: (userId, cause, except) =>
        endForUser(
          kit,
          { userId, ...byPassword(kit), cause },
          except === undefined ? {} : { except },
        ),
      endAfterReset: (userId, which, cause) =>
        endForUser(kit, { userId, ...byPassword(kit), cause, which: which ?? undefined }),
      endAfterUndo: (userId, which, cause) =>
        endForUser(kit, {
          userId,
          reason: 'address-undone',
          endAll: sessions.endAllForUser,
          cause,
          which: which ?? undefined,
        }),
      endEverySession: (userId, options) =>
        endForUser(kit, { userId, reason: 'revoked', endAll: sessions.endAllForUser }, options),
      endDeleted: (userId, cause) =>
        endForUser(kit, {
          userId,
          reason: 'account-deleted',
          endAll: sessions.endAllForUser,
          cause,
        }),
    },
  }
}

// Also where it is undefined: a mistake must not open a session of the user's own.
function isOfActor(request: OpenSessionRequest | ActForUserRequest): request is ActForUserRequest {
  return typeof request === 'object' && request !== null && Object.hasOwn(request, 'actor')
}

// Ends the sessions of a former password.
function byPassword(kit: SessionsKit): Pick<Ending, 'reason' | 'endAll'> {
  const { endAllButNamed, endAllForUser } = kit.sessions
  return {
    reason: 'password-changed',
    async endAll(userId, reason, context, ...kept) {
      const endAll = kit.namedSurvivePassword ? endAllButNamed : endAllForUser
      const ended = await endAll(userId, reason, context, ...kept)
      const [exceptId] = kept
      // This is done at once: the next check of the remaining session would end it.
      if (exceptId !== undefined) await keepUnder(kit, userId, exceptId)
      return ended
    },
  }
}

/**
 * Keeps one session of a user alive under a changed password, if sessions end with their password.
 * Call it after the other sessions have ended: sessions opened with the same password as this one
 * are kept as well.
 */
async function keepUnder(
  { sessions, users, passwordWatch }: SessionsKit,
  userId: string,
  sessionId: string,
): Promise<void> {
  if (!passwordWatch.isOn) return
  const session = await sessions.findLive(sessionId)
  if (session?.passwordMark === undefined || session.userId !== userId) return
  const user = await users.findById(userId)
  const mark = user === null ? undefined : passwordWatch.computeMark(userId, user.passwordHash)
  if (mark !== undefined) await sessions.addPasswordMark(userId, session.passwordMark, mark)
}
