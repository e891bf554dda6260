import type { RequestContext } from '../audit/events.js'
import type { OpenSession } from '../host-sign-in/open-session.js'
import type { Capability } from '../http/capability.js'
import type { Contexts } from '../http/request-context.js'
import type { LogIn } from '../login/log-in.js'
import type { OwnDevices } from '../pages/ports.js'
import type { SignedIn } from '../principal/principal.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { UserStore } from '../users/contract.js'
import { createOwnSessions } from './own-sessions.js'
import { createRevokeByToken } from './revoke-by-token.js'
import {
  type CountSockets,
  endOtherSessionsEndpoint,
  endSessionEndpoint,
  listSessionsEndpoint,
  type SessionSummary,
  summarizeAll,
} from './sessions.endpoint.js'
import {
  createEndForUser,
  createSessionsForHost,
  type EndForUserDeps,
  type EndOptions,
  type PasswordChanged,
  type SessionsForHost,
} from './sessions-for-host.js'
import { createSignInForHost, type SignInForHost } from './sign-in-for-host.js'
import type { WhichWaysIn } from './ways-in.js'

/** A user's sessions, for the user and for the host. */
export interface SessionManagement extends Capability {
  readonly sessions: SessionsForHost
  readonly signIn: SignInForHost
  readonly passwordChanged: PasswordChanged
  /** For the account page. */
  readonly onPages: OwnDevices
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

export interface SessionManagementDeps extends Omit<EndForUserDeps, 'endAll'> {
  readonly signedIn: SignedIn
  readonly sessions: Sessions
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordWatch: Pick<PasswordWatch, 'isOn' | 'computeMark'>
  readonly logIn: LogIn
  readonly openSession: OpenSession
  readonly accessTokens: Pick<AccessTokens, 'readWhenever'>
  readonly countSockets: CountSockets
  readonly contexts: Pick<Contexts, 'of'>
  /** Whether named tokens survive a change of their user's password. */
  readonly namedSurvivePassword: boolean
  readonly clock: () => Date
}

/**
 * The endpoints of `/auth/sessions`, and `auth.sessions`, `auth.signIn` and `auth.passwordChanged`.
 */
export function createSessionManagement(deps: SessionManagementDeps): SessionManagement {
  const { signedIn, sessions, countSockets } = deps
  const onPages = createOwnSessions(sessions, countSockets)
  const list = listSessionsEndpoint(signedIn, onPages)
  const endOthers = endOtherSessionsEndpoint(signedIn, onPages)
  const { endAllForUser, endAllButNamed } = sessions
  const endingBy = (endAll: Sessions['endAllForUser']) => createEndForUser({ ...deps, endAll })
  const keepUnder = createKeepUnder(deps)
  const endOldPassword: Sessions['endAllForUser'] = async (userId, reason, context, ...kept) => {
    const endAll = deps.namedSurvivePassword ? endAllButNamed : endAllForUser
    const ended = await endAll(userId, reason, context, ...kept)
    const [exceptId] = kept
    // At once: the next check of the remaining session would end it.
    if (exceptId !== undefined) await keepUnder(userId, exceptId)
    return ended
  }
  const endByPassword = endingBy(endOldPassword)
  const endEvery = endingBy(endAllForUser)
  const summarize = async (session: SessionRecord) =>
    (await summarizeAll([session], countSockets))[0] as SessionSummary
  return {
    routes: [
      ['/auth/sessions', { GET: list, DELETE: endOthers }],
      ['/auth/sessions/:id', { DELETE: endSessionEndpoint(signedIn, onPages) }],
    ],
    onPages,
    sessions: createSessionsForHost({
      ...deps,
      revokeByToken: createRevokeByToken(deps),
      summarize,
      endForUser: endEvery,
      endDevices: endingBy(endAllButNamed),
    }),
    signIn: createSignInForHost(deps.logIn, deps.contexts, summarize),
    passwordChanged: async (userId, options) => endByPassword(userId, 'password-changed', options),
    forAccounts: {
      endFormerSessions: (userId, context, except) =>
        endByPassword(userId, 'password-changed', except === undefined ? {} : { except }, context),
      endAfterReset: (userId, which, context) =>
        endByPassword(userId, 'password-changed', undefined, context, which ?? undefined),
      endAfterUndo: (userId, which, context) =>
        endEvery(userId, 'address-undone', undefined, context, which ?? undefined),
      endEverySession: (userId, options) => endEvery(userId, 'revoked', options),
      endDeleted: (userId, context) => endEvery(userId, 'account-deleted', undefined, context),
    },
  }
}

/**
 * Keeps one session of a user alive under a changed password, if sessions end with their password.
 * Call it after the other sessions have ended: sessions opened with the same password as this one
 * are kept as well.
 */
function createKeepUnder(
  deps: Pick<SessionManagementDeps, 'sessions' | 'users' | 'passwordWatch'>,
): (userId: string, sessionId: string) => Promise<void> {
  const { sessions, users, passwordWatch } = deps
  return async function keepUnder(userId, sessionId) {
    if (!passwordWatch.isOn) return
    const session = await sessions.findLive(sessionId)
    if (session?.passwordMark === undefined || session.userId !== userId) return
    const user = await users.findById(userId)
    const mark = user === null ? undefined : passwordWatch.computeMark(userId, user.passwordHash)
    if (mark !== undefined) await sessions.addPasswordMark(userId, session.passwordMark, mark)
  }
}
