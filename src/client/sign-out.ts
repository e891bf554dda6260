import { isRefusal } from './errors.js'
import type { Retry } from './retry.js'
import { isSameSignIn, type StoredSession } from './stored-session.js'
import type { TokenKeeper } from './token-keeper.js'
import { isTokenRefusal, type Transport } from './transport.js'

/** How to sign out. */
export interface SignOutOptions {
  /**
   * Delete the tokens even if the server cannot be reached. The session then lives until it expires
   * unused, and copies of the tokens still work. Default false.
   */
  readonly evenIfUnreachable?: boolean
  /**
   * Also end this browser's sign-in at the server's own pages, so that the next sign-in there asks
   * for the password. For pages of the server's origin; others link to `/oauth/sign-out`. Only if
   * the server has the option `oauth`. Default false.
   */
  readonly browser?: boolean
}

export interface SignOutDeps {
  readonly keeper: Pick<TokenKeeper, 'read' | 'fresh' | 'endWith'>
  readonly transport: Transport
  readonly withRetry: Retry['withRetry']
}

export function createSignOut(deps: SignOutDeps): (options?: SignOutOptions) => Promise<void> {
  const { keeper } = deps
  return async function signOut(options) {
    const isForced = options?.evenIfUnreachable === true
    const known = await keeper.read()
    // First: if this fails, the user is still signed in here and can try again.
    if (options?.browser === true)
      await endBrowser(deps).catch((error: unknown) => {
        if (!isForced) throw error
      })
    if (known === null) return
    await endOwn(deps, known).catch((error: unknown) => {
      // The session has ended already.
      if (isRefusal(error, 'Unauthorized')) return
      // An app that is not registered any more has no session either.
      if (!isForced && !isRefusal(error, 'invalid_client')) throw error
      return keeper.endWith(known, async () => {})
    })
  }
}

// `same-origin`, so that the browser sends its cookie.
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
    // While the server was busy, another user may have signed in; that session stays.
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
    // The token has expired, or the session has ended: a newer token tells which.
    const newer = await keeper.fresh(session.accessToken)
    // Another user may have signed in meanwhile.
    if (isSameSignIn(newer, session)) await keeper.endWith(newer, logOut)
  })
}

/**
 * Ends a session at the server. A token of an app may lack the scope for `/logout`, so apps revoke
 * it, RFC 7009.
 */
export function endSession({ ask }: Transport, session: StoredSession): Promise<unknown> {
  const { accessToken: token, refreshToken, clientId: client_id } = session
  if (client_id === undefined) return ask({ method: 'POST', path: '/logout', token })
  const body = { token: refreshToken ?? token, client_id }
  return ask({ method: 'POST', path: '/oauth/revoke', body })
}
