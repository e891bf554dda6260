import type { IncomingMessage } from 'node:http'
import { type ReadCredentials, readCredentials } from '../http/credentials.js'
import type { Principal } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { UsedPairs } from '../sessions/used-pairs.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { isSecretOf, type PresentedSecret } from '../tokens/session-secret.js'
import { isOfOneUser, principalBySecret, principalOf, secretIn } from './authenticate.js'

/**
 * The principal of a request, from warm caches and at once. Null, or a throw, means: authenticate
 * the request, which takes a promise.
 */
export type Recognise = (request: IncomingMessage, read?: ReadCredentials) => Principal | null

/** What recognising needs. */
export interface RecogniseDeps {
  readonly accessTokens: Pick<AccessTokens, 'remembered'>
  readonly liveSessions: Pick<LiveSessions, 'remembered'>
  readonly usedPairs: Pick<UsedPairs, 'isNoted'>
  readonly clock: () => Date
}

/**
 * Recognises requests whose token and session were authenticated a moment ago: without a promise,
 * which is most of what a guard would cost. It lets nobody in whom `authenticate` would refuse, and
 * never refuses: what is in doubt, has to be written down or is to be reported is left to that.
 */
export function createRecognise(deps: RecogniseDeps): Recognise {
  const { accessTokens, liveSessions, usedPairs, clock } = deps

  function bySecret(secret: PresentedSecret, userId: string | null, now: Date): Principal | null {
    const live = liveSessions.remembered(secret.sessionId, now)
    if (live === undefined || !isSecretOf(secret, live.session)) return null
    return userId === null || userId === live.session.userId ? principalBySecret(live) : null
  }

  return function recognise(request, read = readCredentials) {
    const presented = read(request)
    if (presented === null) return null
    const now = clock()
    const secret = secretIn(presented)
    if (secret !== null) return bySecret(secret, presented.userId, now)
    const claims = accessTokens.remembered(presented.token, now)
    const live = claims && liveSessions.remembered(claims.sid, now)
    if (claims === undefined || live === undefined || !isOfOneUser(presented.userId, claims, live))
      return null
    if (!usedPairs.isNoted(claims, now)) return null
    return principalOf(live, claims.scope, new Date(claims.exp * 1000))
  }
}
