import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { reportRefusal, secretIn } from '../guard/authenticate.js'
import type { PresentedCredentials } from '../http/credentials.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { SessionRecord } from '../stores/contract.js'
import { isFormerSecret } from '../tokens/session-secret.js'
import { acrOf } from '../two-factor/acr.js'
import { restsOnRemembered } from '../two-factor/second-factor.js'
import type { AppsKit } from './apps-kit.js'
import type { BrowserSignIn } from './decide-authorization.js'

/** The user signed in to a browser, who may sign in now. */
export interface BrowserUser {
  readonly session: SessionRecord
  readonly approved: ApprovedSignIn
  readonly signIn: BrowserSignIn
}

/**
 * Finds the user signed in to the browser that sends a request; null for nobody, and for a user who
 * may not sign in now. Rejects with 503.
 */
export type FindBrowserUser = (
  incoming: IncomingMessage,
  context: RequestContext,
) => Promise<BrowserUser | null>

/**
 * Reads the cookie of pages. The session must be alive, and the sign-in decision must allow it
 * again: a disabled user gets no code.
 */
export function createFindBrowserUser({
  pages,
  authenticate,
  decideSignIn,
  meetsFactorPolicy,
  requiredOf,
  audit,
}: AppsKit): FindBrowserUser {
  async function admit(
    credentials: PresentedCredentials,
    context: RequestContext,
  ): Promise<BrowserUser> {
    // 401, 503
    const { session, user } = await authenticate(credentials, context, 'any')
    const { methods, authenticatedAt } = session
    const asked = { user, methods, code: undefined, context }
    const decision = await decideSignIn({ door: 'authorization-code', ...asked })
    if (!decision.allowed) throw decision.error
    const secret = secretIn(credentials)
    return {
      session,
      approved: decision.approved,
      signIn: {
        userId: session.userId,
        authenticatedAt,
        acr: acrOf(methods, meetsFactorPolicy),
        // Users with a second factor have shown it, or their browser is remembered: otherwise the
        // decision would have refused.
        reachableAcrs: [],
        isRemembered: restsOnRemembered(methods),
        required: await requiredOf(user, methods),
        isByFormerSecret: secret !== null && isFormerSecret(secret, session),
      },
    }
  }

  return async function findBrowserUser(incoming, context) {
    // 403 if the method has been overridden.
    const credentials = pages.readCookie(incoming)
    if (credentials === null) return null
    try {
      return await reportRefusal(audit, context, () => admit(credentials, context))
    } catch (error) {
      if (error instanceof AuthError && (error.status === 401 || error.status === 403)) return null
      throw error
    }
  }
}
