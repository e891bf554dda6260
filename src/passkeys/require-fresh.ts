import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Proof, ProveAgain } from '../sign-in-again.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

/**
 * Requires a sign-in within the last ten minutes, or a proof now, with every factor the user has: a
 * stolen session must not become a way in of its own. Throws 401, 403, 429 or 503.
 */
export type RequireFresh = (
  asking: SignedInRequest,
  proof: Proof,
  request: EndpointRequest,
) => Promise<void>

export interface RequireFreshDeps {
  readonly proveAgain: ProveAgain
  /** Whether a password sign-in of this user needs a second factor, a passkey included. */
  readonly owesFactor: (user: AuthUser) => Promise<boolean>
  readonly meetsFactorPolicy: (methods: readonly StoredMethod[]) => boolean
  readonly sessions: Pick<Sessions, 'findLive'>
  readonly clock: () => Date
}

/** How long a sign-in is fresh, in milliseconds. */
const freshMs = 10 * 60_000

/** Whether the sign-in of a session is fresh. */
export function isFresh(
  { authenticatedAt }: Pick<SessionRecord, 'authenticatedAt'>,
  now: Date,
): boolean {
  return now.getTime() - authenticatedAt.getTime() <= freshMs
}

export function createRequireFresh(deps: RequireFreshDeps): RequireFresh {
  const { proveAgain, owesFactor, meetsFactorPolicy, sessions, clock } = deps
  return async function requireFresh(asking, proof, request) {
    const proved = await proveAgain(asking, proof, request)
    // Read again: the user may have reauthenticated in another process a moment ago.
    const session = (await sessions.findLive(asking.session.id)) ?? asking.session
    const { methods } = session
    if (proved === null && !isFresh(session, clock()))
      throw new AuthError('reauthentication-required')
    // A user with a second factor cannot add another way in with the password alone.
    const shown = proved === null ? methods : [...methods, ...proved.methods]
    if (!meetsFactorPolicy(shown) && (await owesFactor(asking.user)))
      throw new AuthError('reauthentication-required')
  }
}
