import { notSignedIn } from './errors.js'
import type { KeptSession } from './kept-session.js'
import { createRefreshAlone } from './refresh-alone.js'
import type { Retry } from './retry.js'
import { freshnessOf, isSameSignIn, type StoredSession } from './stored-session.js'
import type { Transport } from './transport.js'

/** The tokens of whoever is signed in, which all tabs and processes share. */
export interface TokenKeeper {
  /** Who is signed in, as the store says at this moment. */
  read(): Promise<StoredSession | null>
  /**
   * The sign-in, with an access token to be used; replaced first where it is over, or where it is
   * `rejected`: one that the server has refused. Throws AuthClientError: `Unauthorized` where nobody is
   * signed in (any more), or somebody else since it was asked; whatever else leaves everybody
   * signed in.
   */
  fresh(rejected?: string): Promise<StoredSession>
  /** Keeps a sign-in, and answers the one whose place it has taken. */
  keep(session: StoredSession): Promise<StoredSession | null>
  /** Changes what is kept of this sign-in, if it is still that. */
  change(session: StoredSession, by: Partial<StoredSession>): Promise<void>
  /**
   * Does the work while no tab refreshes, and then forgets the sign-in, as long as it is still that
   * one.
   */
  endWith(session: StoredSession, work: (now: StoredSession) => Promise<unknown>): Promise<void>
}

export interface TokenKeeperDeps {
  readonly kept: KeptSession
  readonly transport: Transport
  readonly withRetry: Retry['withRetry']
  readonly clock: () => Date
}

/** A refresh that could wait, and did not come through, is left alone for so many milliseconds. */
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
    // Beside the request, which need not wait: what it has is good for a while.
    if (freshness === 'ageing' && now() >= restUntil) void refresh(rejected).catch(() => {})
    return freshness === 'over' ? replaced(session, rejected) : session
  }

  async function replaced(session: StoredSession, rejected?: string): Promise<StoredSession> {
    const first = await refresh(rejected)
    // That flight may have begun before this token was refused.
    const newer = first.accessToken === rejected ? await refresh(rejected) : first
    // Somebody else may have signed in while this waited for the lock or for the server.
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
        // Without a lock somebody may have signed in since.
        const left = await kept.read()
        if (left !== null && isSameSignIn(left, session)) await kept.remove()
      }),
  }
}
