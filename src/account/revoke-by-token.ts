import { contextOfAction, type HostAction } from '../http/host-input.js'
import type { SessionName } from '../sessions/ending.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { classifyRefreshToken, sessionIdOf } from '../tokens/refresh-token.js'
import { namedTokenPrefix, readSessionSecret } from '../tokens/session-secret.js'

/** Ends the session of a token. Returns whether this call ended one. */
export type RevokeByToken = (token: string, options?: HostAction) => Promise<boolean>

export interface RevokeByTokenDeps {
  readonly sessions: Pick<Sessions, 'findLive' | 'findBySecret' | 'end'>
  readonly accessTokens: Pick<AccessTokens, 'readWhenever'>
  readonly clock: () => Date
}

/**
 * `auth.sessions.revokeByToken`. Anybody who holds a token of a session may end that session: the
 * signature, or the secret in the token, is the proof. Session ids are not secret, so an id proves
 * nothing.
 */
export function createRevokeByToken(deps: RevokeByTokenDeps): RevokeByToken {
  return async function revokeByToken(token, options) {
    const context = contextOfAction(options)
    if (typeof token !== 'string') return false
    const session = await sessionOf(deps, token)
    return session !== null && (await deps.sessions.end(session, 'revoked', context))
  }
}

async function sessionOf(deps: RevokeByTokenDeps, token: string): Promise<SessionName | null> {
  if (token.startsWith(namedTokenPrefix)) return ofNamedToken(deps, token)
  return (await ofRefreshToken(deps, token)) ?? ofAccessToken(deps, token)
}

async function ofNamedToken(
  { sessions }: RevokeByTokenDeps,
  token: string,
): Promise<SessionName | null> {
  const secret = readSessionSecret('token', token)
  return secret === null ? null : sessions.findBySecret(secret)
}

async function ofRefreshToken(
  { sessions, clock }: RevokeByTokenDeps,
  token: string,
): Promise<SessionName | null> {
  const id = sessionIdOf(token)
  const session = id === null ? null : await sessions.findLive(id)
  if (session === null || session.refresh === null) return null
  const { is } = classifyRefreshToken(session.id, token, session.refresh, clock(), 0)
  return is === 'foreign' ? null : session
}

async function ofAccessToken(
  { sessions, accessTokens, clock }: RevokeByTokenDeps,
  token: string,
): Promise<SessionName | null> {
  const claims = await accessTokens.readWhenever(token, clock())
  const session = claims === null ? null : await sessions.findLive(claims.sid)
  return session !== null && session.userId === claims?.sub ? session : null
}
