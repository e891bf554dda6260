import { notSignedIn } from './errors.js'
import type { KeptSession } from './kept-session.js'
import { createRefreshAlone } from './refresh-alone.js'
import { freshnessOf, isSameSignIn, type StoredSession } from './stored-session.js'
import type { Retry, Transport } from './transport.js'

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
  keep(session: StoredSession): Promise<StoredSession | null>
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
    keep: (session) =>
      kept.exclusively(async () => {
        const former = await kept.read()
        await kept.set(session)
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
