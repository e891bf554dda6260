import type { Capability } from '../http/capability.js'
import { createRequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import {
  type BrowserSessionEndpointDeps,
  browserSessionEndpoint,
  endBrowserSessionEndpoint,
} from './browser-session.endpoint.js'
import { createOpenBrowserSession, type OpenBrowserSessionDeps } from './open-browser-session.js'

export interface BrowserSessionsDeps
  extends Omit<BrowserSessionEndpointDeps, 'openBrowserSession' | 'requireRecentSignIn'>,
    OpenBrowserSessionDeps {
  readonly sessions: Sessions
  /** Maximum age of the sign-in of the calling session, in seconds; false: unlimited. */
  readonly maxSignInAge: number | false
}

/** `POST, DELETE /auth/browser-session`. Pages of other origins may not call it. */
export function createBrowserSessions(deps: BrowserSessionsDeps): Capability {
  const { maxSignInAge, sessions, clock } = deps
  const endpoint = browserSessionEndpoint({
    ...deps,
    requireRecentSignIn: createRequireRecentSignIn(maxSignInAge, sessions, clock),
    openBrowserSession: createOpenBrowserSession(deps),
  })
  const methods = { POST: endpoint, DELETE: endBrowserSessionEndpoint(deps) }
  return { routes: [['/auth/browser-session', methods, 'plain', 'own-origin']] }
}
