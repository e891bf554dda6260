import { isRefusal, noAnswer, notSignedIn } from './errors.js'
import type { KeptSession } from './kept-session.js'
import { freshnessOf, type StoredSession, withTokens } from './stored-session.js'
import type { Transport } from './transport.js'
import type { TokenAnswer } from './wire.js'
export interface RefreshAloneDeps {
  readonly kept: Pick<KeptSession, 'read' | 'set'>
  readonly transport: Transport
  readonly clock: () => Date
  /** Called after a failed refresh of a token that is still valid. */
  readonly onPutOff: () => void
}

/** Attempts with the same refresh token if the answer gets lost. */
const attempts = 2

/**
 * Refreshes the access token; the caller holds the lock. `rejected` is a token that the server has
 * refused. Throws `Unauthorized` if nobody is signed in any more.
 */
export function createRefreshAlone(
  deps: RefreshAloneDeps,
): (rejected: string | undefined) => Promise<StoredSession> {
  const { kept, transport, clock, onPutOff } = deps
  const now = () => clock().getTime()

  // Without a shared lock, another tab may have signed out or refreshed meanwhile.
  async function adopt(before: StoredSession, answer: TokenAnswer): Promise<StoredSession> {
    const found = await kept.read()
    if (found === null) throw notSignedIn()
    if (found.refreshToken !== before.refreshToken) return found
    const after = withTokens(found, answer, now())
    // The pair is stored before use: if this process dies before, the next process repeats the old
    // refresh token and gets the same pair.
    await kept.set(after)
    return after
  }

  // Signs out only if the store still holds the refused token: another tab may have rotated it.
  async function afterRefusal(session: StoredSession): Promise<StoredSession> {
    const found = await kept.read()
    if (found !== null && found.accessToken !== session.accessToken) return found
    if (found !== null) await kept.set(null)
    throw notSignedIn()
  }

  function afterFailure(session: StoredSession, isRejected: boolean, error: unknown) {
    if (isRefusal(error, 'invalid_grant')) return afterRefusal(session)
    // During an outage, a valid token stays in use.
    if (isRejected || freshnessOf(session, now()) === 'over') throw error
    onPutOff()
    return session
  }

  return async function refreshAlone(rejected) {
    // The session is read from the store: another tab may have refreshed before.
    const session = await kept.read()
    if (session === null) throw notSignedIn()
    const isRejected = session.accessToken === rejected
    if (!isRejected && freshnessOf(session, now()) === 'good') return session
    const { refreshToken } = session
    // A token without a refresh token lives as long as its session: if refused, both have ended.
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

/** Returns a token pair; throws for anything else, which must not replace a valid pair. */
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
