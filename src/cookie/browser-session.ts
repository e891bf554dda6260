import type { Capability } from '../http/capability.js'
import {
  type BrowserSessionEndpointDeps,
  browserSessionEndpoint,
} from './browser-session.endpoint.js'
import { createOpenBrowserSession, type OpenBrowserSessionDeps } from './open-browser-session.js'

/** What {@link createBrowserSessions} needs. */
export interface BrowserSessionsDeps
  extends Omit<BrowserSessionEndpointDeps, 'openBrowserSession' | 'sessions'>,
    Omit<OpenBrowserSessionDeps, 'sessions'> {
  readonly sessions: BrowserSessionEndpointDeps['sessions'] & OpenBrowserSessionDeps['sessions']
}

/** Makes `POST /auth/browser-session`. No page of another origin may call it. */
export function createBrowserSessions(deps: BrowserSessionsDeps): Capability {
  const { users, factorStands, passwordWatch, sessions, clock } = deps
  const { pages, signedIn, decideSignIn, takeIssue, audit } = deps
  const openBrowserSession = createOpenBrowserSession({
    users,
    factorStands,
    passwordWatch,
    sessions,
    clock,
  })
  const endpoint = browserSessionEndpoint({
    pages,
    signedIn,
    decideSignIn,
    openBrowserSession,
    sessions,
    takeIssue,
    audit,
  })
  return {
    routes: [['/auth/browser-session', { POST: endpoint }, 'plain', 'own-origin']],
    close: null,
  }
}
