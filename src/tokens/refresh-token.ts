import { sha256 } from '../lib/digest.js'
import { randomSecret } from '../lib/random.js'

/** A refresh token as the client gets it, and the digest the session keeps. */
export interface NewRefreshToken {
  readonly token: string
  readonly hash: string
}

/**
 * Makes the first refresh token of a session: `mar_rt_<session id>.<secret>`. The prefix keeps it from being taken for any
 * other one-time value, and lets secret scanners find a leaked one.
 */
export function newRefreshToken(sessionId: string): NewRefreshToken {
  const token = `mar_rt_${sessionId}.${randomSecret()}`
  return { token, hash: sha256(token) }
}
