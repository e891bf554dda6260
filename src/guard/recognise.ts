import type { IncomingMessage } from 'node:http'
import { readCredentials } from '../http/credentials.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { isOfOneUser, principalOf } from './authenticate.js'
import type { LiveSessions } from './live-sessions.js'
import type { Principal } from './principal.js'

/** Who is asking, if nothing has to be asked to know it. Null says nothing, and so does a throw: the request must then be judged. */
export type Recognise = (request: IncomingMessage) => Principal | null

/** What recognising needs. */
export interface RecogniseDeps {
  readonly accessTokens: Pick<AccessTokens, 'remembered'>
  readonly liveSessions: Pick<LiveSessions, 'remembered'>
  readonly clock: () => Date
}

/**
 * Recognises requests whose token and session were judged a moment ago: without a promise, which is most of what a guard would cost. It
 * never refuses: whatever is in doubt, has to be written down or is to be reported is left to the judgement.
 */
export function createRecognise({ accessTokens, liveSessions, clock }: RecogniseDeps): Recognise {
  return (request) => {
    const presented = readCredentials(request)
    if (presented === null) return null
    const now = clock()
    const claims = accessTokens.remembered(presented.token, now)
    const live = claims && liveSessions.remembered(claims.sid, now)
    if (claims === undefined || live === undefined || !isOfOneUser(presented.userId, claims, live)) return null
    return principalOf(live, claims.scope, new Date(claims.exp * 1000))
  }
}
