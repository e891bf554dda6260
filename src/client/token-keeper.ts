import { isRefusal, noAnswer, notSignedIn } from './errors.js'
import type { KeptSession } from './kept-session.js'
import { freshnessOf, isSameSignIn, type StoredSession, withTokens } from './stored-session.js'
import type { Retry, Transport } from './transport.js'
import type { TokenAnswer } from './wire.js'

/** The tokens of the signed-in user, shared by all tabs and processes. */
export interface TokenKeeper {
  /** The current content of the store. */
  read(): Promise<StoredSession | null>
  /**
   * The sign-in with a usable access token. Refreshes it first if it has expired or is `rejected`,
   * a token that the server has refused. Throws AuthClientError: `Unauthorized` if nobody is signed
   * in, or another user since the call; after other errors the user is still signed in.
   */
  fresh(rejected?: string): Promise<StoredSession>
  /** Stores a sign-in; resolves with the one it replaced. */
  keep(session: StoredSession, rememberToken?: string): Promise<StoredSession | null>
  /** Changes members of this sign-in, if the store still holds it. */
  change(session: StoredSession, by: Partial<StoredSession>): Promise<void>
  /**
   * Does the work under the lock and then removes the sign-in, if the store still holds it.
   */
  endWith(session: StoredSession, work: (now: StoredSession) => Promise<unknown>): Promise<void>
}

export interface TokenKeeperDeps {
  readonly kept: KeptSession
  readonly transport: Transport
  readonly withRetry: Retry['withRetry']
  readonly clock: () => Date
}

/** Pause after a failed refresh of a token that is still valid, in milliseconds. */
const restMs = 5000

export function createTokenKeeper(deps: TokenKeeperDeps): TokenKeeper {
  const { kept, transport, withRetry, clock } = deps
  let restUntil = 0
  const now = () => clock().getTime()
  const onPutOff = () => {
    restUntil = now() + restMs
  }
  const refreshAlone = createRefreshAlone({ kept, transport, clock, onPutOff })
  let flight: Promise<StoredSession> | null = null

  function refresh(rejected: string | undefined): Promise<StoredSession> {
    flight ??= withRetry(() => kept.exclusively(() => refreshAlone(rejected))).finally(() => {
      flight = null
    })
    return flight
  }

  async function fresh(rejected?: string): Promise<StoredSession> {
    const session = await kept.read()
    if (session === null) throw notSignedIn()
    const freshness = session.accessToken === rejected ? 'over' : freshnessOf(session, now())
    // Not awaited: the token is still valid for a while.
    if (freshness === 'ageing' && now() >= restUntil) void refresh(rejected).catch(() => {})
    return freshness === 'over' ? replaced(session, rejected) : session
  }

  async function replaced(session: StoredSession, rejected?: string): Promise<StoredSession> {
    const first = await refresh(rejected)
    // The shared refresh may have begun before the server refused this token.
    const newer = first.accessToken === rejected ? await refresh(rejected) : first
    // Another user may have signed in during the wait for the lock or the server.
    if (newer.userId !== session.userId) throw notSignedIn()
    return newer
  }

  return {
    read: kept.read,
    fresh,
    keep: (session, rememberToken) =>
      kept.exclusively(async () => {
        const former = await kept.read()
        await kept.set(session, rememberToken)
        return former
      }),
    change: (session, by) =>
      kept.exclusively(async () => {
        const found = await kept.read()
        if (found !== null && isSameSignIn(found, session)) await kept.set({ ...found, ...by })
      }),
    endWith: (session, work) =>
      kept.exclusively(async () => {
        const found = await kept.read()
        if (found === null || !isSameSignIn(found, session)) return
        await work(found)
        // Without a shared lock, another user may have signed in meanwhile.
        const left = await kept.read()
        if (left !== null && isSameSignIn(left, session)) await kept.remove()
      }),
  }
}

interface RefreshAloneDeps {
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
function createRefreshAlone(
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
