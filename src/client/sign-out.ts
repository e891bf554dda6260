import { isRefusal } from './errors.js'
import type { Retry } from './retry.js'
import { isSameSignIn, type StoredSession } from './stored-session.js'
import type { TokenKeeper } from './token-keeper.js'
import { isTokenRefusal, type Transport } from './transport.js'

/** How to sign out. */
export interface SignOutOptions {
  /**
   * Forget the tokens also where the server cannot be told. The session then goes on there until
   * nobody has used it for a while: whoever holds a copy of the tokens stays in. Default false.
   */
  readonly evenIfUnreachable?: boolean
  /**
   * Ends as well what this browser is signed in by at the server's own pages, so that the next
   * sign-in there asks for the password. For pages of the server's own origin; others link to
   * `/oauth/sign-out`. There only where the server serves apps. Default false.
   */
  readonly browser?: boolean
}

export interface SignOutDeps {
  readonly keeper: Pick<TokenKeeper, 'read' | 'fresh' | 'endWith'>
  readonly transport: Transport
  readonly withRetry: Retry['withRetry']
}

/** Makes the way out. */
export function createSignOut(deps: SignOutDeps): (options?: SignOutOptions) => Promise<void> {
  const { keeper } = deps
  return async function signOut(options) {
    const isForced = options?.evenIfUnreachable === true
    const known = await keeper.read()
    // First: where it cannot be told, the user is still signed in here, and can try again.
    if (options?.browser === true)
      await endBrowser(deps).catch((error: unknown) => {
        if (!isForced) throw error
      })
    if (known === null) return
    await endOwn(deps, known).catch((error: unknown) => {
      // The server has ended it already.
      if (isRefusal(error, 'Unauthorized')) return
      // Nor has an app that is not registered any more a session there.
      if (!isForced && !isRefusal(error, 'invalid_client')) throw error
      return keeper.endWith(known, async () => {})
    })
  }
}

// A page of the server's own origin, whose browser sends its cookie along.
function endBrowser({
  transport,
  withRetry,
}: Pick<SignOutDeps, 'transport' | 'withRetry'>): Promise<unknown> {
  const path = '/auth/browser-session'
  const request = { method: 'DELETE', path, credentials: 'same-origin' } as const
  return withRetry(() => transport.ask(request))
}

function endOwn(
  { keeper, transport, withRetry }: SignOutDeps,
  known: StoredSession,
): Promise<void> {
  return withRetry(async () => {
    const session = await keeper.fresh()
    // While the server was busy, somebody else may have signed in: that is not ended.
    if (session.userId === known.userId) await leave({ keeper, transport }, session)
  })
}

async function leave(
  { keeper, transport }: Pick<SignOutDeps, 'keeper' | 'transport'>,
  session: StoredSession,
): Promise<void> {
  const logOut = (one: StoredSession) => endSession(transport, one)
  await keeper.endWith(session, logOut).catch(async (error: unknown) => {
    if (!isTokenRefusal(error)) throw error
    // The token was over, or the session is: a newer one tells, and says goodbye.
    const newer = await keeper.fresh(session.accessToken)
    // Somebody else may have signed in meanwhile.
    if (isSameSignIn(newer, session)) await keeper.endWith(newer, logOut)
  })
}

/**
 * Ends a session at the server. What an app may do may not reach as far as `/logout`: it revokes,
 * RFC 7009.
 */
export function endSession({ ask }: Transport, session: StoredSession): Promise<unknown> {
  const { accessToken: token, refreshToken, clientId: client_id } = session
  if (client_id === undefined) return ask({ method: 'POST', path: '/logout', token })
  const body = { token: refreshToken ?? token, client_id }
  return ask({ method: 'POST', path: '/oauth/revoke', body })
}
