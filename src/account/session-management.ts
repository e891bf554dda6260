import type { Capability } from '../http/capability.js'
import type { Contexts } from '../http/request-context.js'
import type { LogIn } from '../login/log-in.js'
import type { SignedIn } from '../principal/principal.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { KnownNetworks } from '../throttle/known-networks.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { UserStore } from '../users/contract.js'
import type { OpenSession } from '../vouched/open-session.js'
import { createKeepUnder } from './keep-under-password.js'
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
  exceptOf,
  type PasswordChanged,
  type SessionsForHost,
} from './sessions-for-host.js'
import { createSignInForHost, type SignInForHost } from './sign-in-for-host.js'

/** A user's sessions, for the user and for the host. */
export interface SessionManagement extends Capability {
  readonly sessions: SessionsForHost
  readonly signIn: SignInForHost
  readonly passwordChanged: PasswordChanged
}

/** What {@link createSessionManagement} needs. */
export interface SessionManagementDeps {
  readonly signedIn: SignedIn
  readonly sessions: Sessions
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordWatch: Pick<PasswordWatch, 'isOn' | 'markOf'>
  readonly logIn: LogIn
  readonly openSession: OpenSession
  readonly accessTokens: Pick<AccessTokens, 'readWhenever'>
  readonly countSockets: CountSockets
  readonly knownNetworks: Pick<KnownNetworks, 'forgetAll'>
  readonly contexts: Pick<Contexts, 'of'>
  /** Whether another password leaves the named tokens of its user. */
  readonly namedSurvivePassword: boolean
  readonly clock: () => Date
}

/** Makes the endpoints of `/auth/sessions`, and what hosts do with sessions. */
export function createSessionManagement(deps: SessionManagementDeps): SessionManagement {
  const { signedIn, sessions, countSockets, openSession, accessTokens, clock } = deps
  const list = listSessionsEndpoint(signedIn, sessions, countSockets)
  const endOthers = endOtherSessionsEndpoint(signedIn, sessions)
  const endForUser = createEndForUser(sessions, deps.knownNetworks)
  const { endAllForUser, endAllButNamed } = sessions
  const { users, passwordWatch } = deps
  const keepUnder = createKeepUnder({ sessions, users, passwordWatch })
  const endOldPassword: Sessions['endAllForUser'] = async (userId, reason, context, except) => {
    const endAll = deps.namedSurvivePassword ? endAllButNamed : endAllForUser
    const ended = await endAll(userId, reason, context, except)
    // At once: the next look at the session that stays would end it.
    if (except !== undefined) await keepUnder(userId, except)
    return ended
  }
  const endByPassword = createEndForUser({ endAllForUser: endOldPassword }, deps.knownNetworks)
  const summarize = async (session: SessionRecord) =>
    (await summarizeAll([session], countSockets))[0] as SessionSummary
  return {
    routes: [
      ['/auth/sessions', { GET: list, DELETE: endOthers }],
      ['/auth/sessions/:id', { DELETE: endSessionEndpoint(signedIn, sessions) }],
    ],
    close: null,
    sessions: createSessionsForHost({
      sessions,
      openSession,
      revokeByToken: createRevokeByToken({ sessions, accessTokens, clock }),
      summarize,
      countSockets,
      endForUser,
    }),
    signIn: createSignInForHost(deps.logIn, deps.contexts, summarize),
    passwordChanged: async (userId, options) =>
      endByPassword(userId, 'password-changed', exceptOf(options)),
  }
}
