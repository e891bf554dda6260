import type { RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { randomId } from '../lib/random.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { untilClosed } from '../sessions/browser-session.js'
import { catchUpMarks } from '../sessions/catch-up-marks.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import { newSessionSecret } from '../tokens/session-secret.js'
import type { UserStore } from '../users/contract.js'

/** A browser session, and the value of its cookie. */
export interface OpenedBrowserSession {
  readonly session: SessionRecord
  readonly secret: string
}

/** Opens a browser session as a child of `asking`. After a rejection, 401 or 503, none is open. */
export type OpenBrowserSession = (
  asking: SessionRecord,
  approved: ApprovedSignIn,
  context: RequestContext,
) => Promise<OpenedBrowserSession>

export interface OpenBrowserSessionDeps {
  readonly users: Pick<UserStore, 'findById'>
  /** Whether the second factor is unchanged since the decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly passwordWatch: Pick<PasswordWatch, 'inherited'>
  readonly sessions: Pick<Sessions, 'draft' | 'start' | 'findLive' | 'end' | 'addPasswordMark'>
  readonly clock: () => Date
}

export function createOpenBrowserSession(deps: OpenBrowserSessionDeps): OpenBrowserSession {
  const { sessions, clock } = deps
  return async function openBrowserSession(asking, approved, context) {
    const id = randomId()
    const { secret, secretHash } = newSessionSecret('browser', id)
    const session = sessions.draft(
      {
        id,
        approved,
        kind: 'browser',
        scope: '*',
        // Inherited: the user did not authenticate now.
        authenticatedAt: asking.authenticatedAt,
        refresh: null,
        secretHash,
        lifetime: { idle: Math.min(untilClosed.idle, asking.lifetime?.idle ?? untilClosed.idle) },
        until: lastEnd(asking, clock()),
        marks: deps.passwordWatch.inherited(asking),
        parentId: asking.id,
        openedBySessionId: asking.id,
        upstream: asking.upstream,
      },
      context,
    )
    await sessions.start(session, context)
    await refuseOutdated(deps, asking, approved, session, context)
    return { session, secret }
  }
}

// The limit counts from now, since the sign-in may be older than it.
function lastEnd({ expiresAt }: SessionRecord, now: Date): Date {
  return new Date(Math.min(now.getTime() + untilClosed.absolute * 1000, expiresAt.getTime()))
}

// An action that ended the user's sessions meanwhile did not see this one. So it is checked again
// after it is stored: one of the two sees the other.
async function refuseOutdated(
  deps: OpenBrowserSessionDeps,
  asking: SessionRecord,
  approved: ApprovedSignIn,
  opened: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const { sessions } = deps
  try {
    const issuer = await sessions.findLive(asking.id)
    if (issuer === null) throw notSignedIn('session ended or unknown')
    const user = await deps.users.findById(asking.userId)
    if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
    if (!(await deps.factorStands(approved))) throw new AuthError('totp-required')
    await catchUpMarks(deps, issuer, opened)
  } catch (error) {
    await sessions.end(opened, 'revoked', context)
    throw error
  }
}
