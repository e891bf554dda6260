import { isRefusal, noAnswer, notSignedIn } from './errors.js'
import type { KeptSession } from './kept-session.js'
import { freshnessOf, type StoredSession, withTokens } from './stored-session.js'
import type { Transport } from './transport.js'
import type { TokenAnswer } from './wire.js'

export interface RefreshAloneDeps {
  readonly kept: Pick<KeptSession, 'read' | 'set'>
  readonly transport: Transport
  readonly clock: () => Date
  /** Told of a refresh that did not come through, and could wait. */
  readonly onPutOff: () => void
}

/** A refresh whose answer got lost is repeated so often, with the same token. */
const attempts = 2

/**
 * Makes what replaces a token while nobody else does: `rejected` is one that the server has refused.
 * Throws `Unauthorized` where nobody is signed in any more.
 */
export function createRefreshAlone(
  deps: RefreshAloneDeps,
): (rejected: string | undefined) => Promise<StoredSession> {
  const { kept, transport, clock, onPutOff } = deps
  const now = () => clock().getTime()

  // Without a lock somebody may have signed out, or have been faster, since.
  async function adopt(before: StoredSession, answer: TokenAnswer): Promise<StoredSession> {
    const found = await kept.read()
    if (found === null) throw notSignedIn()
    if (found.refreshToken !== before.refreshToken) return found
    const after = withTokens(found, answer, now())
    // Before any of it is used: should this process end in between, the next one repeats the old
    // refresh token, and is given the same pair.
    await kept.set(after)
    return after
  }

  // A sign-out only where the store still holds what was refused: another tab may have rotated it.
  async function afterRefusal(session: StoredSession): Promise<StoredSession> {
    const found = await kept.read()
    if (found !== null && found.accessToken !== session.accessToken) return found
    if (found !== null) await kept.set(null)
    throw notSignedIn()
  }

  function afterFailure(session: StoredSession, isRejected: boolean, error: unknown) {
    if (isRefusal(error, 'invalid_grant')) return afterRefusal(session)
    // An outage is no reason to give up what is still good.
    if (isRejected || freshnessOf(session, now()) === 'over') throw error
    onPutOff()
    return session
  }

  return async function refreshAlone(rejected) {
    // Never from memory: another tab may have been here before.
    const session = await kept.read()
    if (session === null) throw notSignedIn()
    const isRejected = session.accessToken === rejected
    if (!isRejected && freshnessOf(session, now()) === 'good') return session
    const { refreshToken } = session
    // One that cannot be refreshed lives as long as its session: refused, both are over.
    if (refreshToken === null) return isRejected ? afterRefusal(session) : session
    try {
      return await adopt(session, await requestPair(transport, session, refreshToken))
    } catch (error) {
      return await afterFailure(session, isRejected, error)
    }
  }
}

async function requestPair(
  { ask }: Transport,
  { clientId: client_id }: StoredSession,
  refreshToken: string,
): Promise<TokenAnswer> {
  const ofApp = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id }
  const [path, body] =
    client_id === undefined ? ['/auth/refresh', { refreshToken }] : ['/oauth/token', ofApp]
  for (let attempt = 1; ; attempt += 1) {
    try {
      return requirePair(await ask({ method: 'POST', path, body }))
    } catch (error) {
      if (attempt === attempts || !isRefusal(error, 'unreachable')) throw error
    }
  }
}

/** The answer, if it is one: what is no pair must not take the place of a good one. */
export function requirePair(answer: unknown): TokenAnswer {
  const { access_token, refresh_token, expires_in } = answer as Partial<TokenAnswer>
  if (
    typeof access_token === 'string' &&
    typeof refresh_token === 'string' &&
    typeof expires_in === 'number'
  )
    return { access_token, refresh_token, expires_in }
  throw noAnswer()
}
