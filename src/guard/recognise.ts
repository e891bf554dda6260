import type { IncomingMessage } from 'node:http'
import { type ReadCredentials, readCredentials } from '../http/credentials.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { UsedPairs } from '../sessions/used-pairs.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { isSecretOf, type PresentedSecret } from '../tokens/session-secret.js'
import { isOfOneUser, principalBySecret, principalByToken, secretIn } from './authenticate.js'

/**
 * Authenticates a request synchronously, from caches. Null means: authenticate it the slow way.
 * Never throws.
 */
export type Recognise = (request: IncomingMessage, read?: ReadCredentials) => SignedInRequest | null

export interface RecogniseDeps {
  readonly accessTokens: Pick<AccessTokens, 'remembered'>
  readonly liveSessions: Pick<LiveSessions, 'remembered'>
  readonly usedPairs: Pick<UsedPairs, 'isNoted'>
  readonly clock: () => Date
}

/**
 * Recognises requests whose token and session were authenticated a moment ago, without a promise,
 * which would be most of a guard's cost. It admits nobody whom `authenticate` would refuse. It
 * refuses nothing itself: whatever is unclear, must be recorded or must be reported, is left to
 * `authenticate`.
 */
export function createRecognise(deps: RecogniseDeps): Recognise {
  const { accessTokens, liveSessions, usedPairs, clock } = deps

  function bySecret(secret: PresentedSecret, userId: string | null, now: Date) {
    const live = liveSessions.remembered(secret.sessionId, now)
    if (live === undefined || !isSecretOf(secret, live.session, now)) return null
    if (userId !== null && userId !== live.session.userId) return null
    const { session, user } = live
    return { session, user, principal: principalBySecret(live, secret) }
  }

  function byToken(token: string, userId: string | null, now: Date) {
    const claims = accessTokens.remembered(token, now)
    const live = claims && liveSessions.remembered(claims.sid, now)
    if (claims === undefined || live === undefined || !isOfOneUser(userId, claims, live))
      return null
    if (!usedPairs.isNoted(claims, now)) return null
    // Members by name: a spread takes as long as everything else here.
    const { session, user } = live
    return { session, user, principal: principalByToken(live, claims, token) }
  }

  return function recognise(request, read = readCredentials) {
    try {
      const presented = read(request)
      if (presented === null) return null
      const { token, userId } = presented
      const secret = secretIn(presented)
      return secret === null ? byToken(token, userId, clock()) : bySecret(secret, userId, clock())
    } catch {
      // `authenticate` refuses and reports malformed credentials.
      return null
    }
  }
}
