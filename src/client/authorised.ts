import { AuthClientError, notSignedIn } from './errors.js'
import {
  type BasicFetch,
  type BasicInit,
  type BasicResponse,
  platform,
  unlessAborted,
} from './platform.js'
import { afterAnswer, afterRefusal } from './required.js'
import type { StoredSession } from './stored-session.js'
import type { TokenKeeper } from './token-keeper.js'
import {
  isTokenRefusal,
  type Retry,
  refusalOf,
  refusesToken,
  retryAfterOf,
  type Transport,
  unreachable,
  type WireRequest,
} from './transport.js'

/** Requests an endpoint of the router as the signed-in user; resolves with the body. */
export type CallWire = (request: WireRequest) => Promise<unknown>

/** Requests a route of the host as the signed-in user. */
export type AuthorisedFetch = (path: string, init?: BasicInit) => Promise<BasicResponse>

export interface CallWireDeps {
  readonly keeper: Pick<TokenKeeper, 'read' | 'fresh' | 'change'>
  readonly transport: Transport
  readonly withRetry: Retry['withRetry']
}

/** Replaces a refused token once and repeats the request: a refused request had no effect. */
export function createCallWire({ keeper, transport, withRetry }: CallWireDeps): CallWire {
  async function askWithToken(request: WireRequest, fresh: TokenKeeper['fresh']): Promise<unknown> {
    const session = await fresh()
    const ask = ({ accessToken }: StoredSession) =>
      transport.ask({ ...request, token: accessToken })
    return ask(session)
      .catch(async (error: unknown) => {
        if (!isTokenRefusal(error)) throw error
        const newer = await fresh(session.accessToken)
        if (newer.accessToken === session.accessToken) throw error
        return ask(newer)
      })
      .then(
        async (answer) => {
          await note(keeper, session, afterAnswer(session, request, answer))
          return answer
        },
        // Every other request would be refused too, so the state says so.
        async (error: unknown) => {
          await note(keeper, session, afterRefusal(session, error))
          throw error
        },
      )
  }
  return (request) => {
    const fresh = ofOneUser(keeper)
    return withRetry(() => askWithToken(request, fresh))
  }
}

async function note(
  { change }: Pick<TokenKeeper, 'change'>,
  session: StoredSession,
  by: Partial<StoredSession> | null,
): Promise<void> {
  if (by !== null) await change(session, by)
}

export interface AuthorisedFetchDeps {
  readonly baseUrl: string
  readonly fetch: BasicFetch
  readonly keeper: Pick<TokenKeeper, 'read' | 'fresh' | 'change'>
  readonly waitAfter: Retry['waitAfter']
  readonly onReached: (isReached: boolean) => void
}

export function createAuthorisedFetch(deps: AuthorisedFetchDeps): AuthorisedFetch {
  const { baseUrl, fetch, keeper, waitAfter, onReached } = deps

  async function send(path: string, init: BasicInit, session: StoredSession) {
    const headers = new platform.Headers(init.headers)
    headers.set('Authorization', `Bearer ${session.accessToken}`)
    // A redirect could carry the token to another server.
    const fixed = { redirect: 'error', credentials: 'omit', ...init, headers }
    const response = await fetch(`${baseUrl}${path}`, fixed).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause
      onReached(false)
      throw unreachable(cause)
    })
    onReached(true)
    // As above: the state says so, and the caller gets the answer.
    if (response.status === 403)
      await note(keeper, session, afterRefusal(session, await refusalOf(response)))
    return response
  }

  async function sendOnceMore(
    path: string,
    init: BasicInit,
    fresh: TokenKeeper['fresh'],
  ): Promise<BasicResponse> {
    const session = await unlessAborted(fresh(), init.signal)
    const response = await send(path, init, session)
    // A stream is consumed by the first request.
    if (isStream(init.body) || !(await refusesToken(response))) return response
    const newer = await unlessAborted(fresh(session.accessToken), init.signal)
    return newer.accessToken === session.accessToken ? response : send(path, init, newer)
  }

  return async function authorisedFetch(path, init = {}) {
    requirePath(path)
    if (new platform.Headers(init.headers).has('Authorization'))
      throw new TypeError('client.fetch: it sets the header Authorization by itself.')
    const since = Date.now()
    const fresh = ofOneUser(keeper)
    for (;;) {
      const response = await sendOnceMore(path, init, fresh)
      // Other methods may have had an effect before the 503.
      if (response.status !== 503 || !/^(GET|HEAD)$/i.test(init.method ?? 'GET')) return response
      const retryAfter = retryAfterOf(response, undefined)
      if (!(await waitAfter(retryAfter, since, init.signal))) return response
    }
  }
}

/** A dot segment, also percent-encoded. */
const dots = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i
/** Characters that URL parsers drop or replace. */
const strange = /[\\\s\p{Cc}]/u

/**
 * Refuses a path that would leave `baseUrl`, to another host or upwards: the token is sent there.
 */
function requirePath(path: string): void {
  const [place = ''] = path.split(/[?#]/)
  if (path.startsWith('/') && !path.startsWith('//') && !strange.test(place) && !dots.test(place))
    return
  throw new AuthClientError('invalid-request', {
    status: 0,
    message: 'A path begins with one slash, and has no dots for a folder and no blanks.',
  })
}

const isStream = (body: unknown) => typeof body === 'object' && body !== null && 'getReader' in body

/**
 * Tokens of one user only: the user who is signed in at the first call. It serves one request with
 * its repetitions, or one socket with its connections. If another user signs in meanwhile, it
 * throws `Unauthorized`, so that no request of the first user is sent as the second.
 */
export function ofOneUser({
  read,
  fresh,
}: Pick<TokenKeeper, 'read' | 'fresh'>): TokenKeeper['fresh'] {
  let asking: string | undefined
  return async (rejected) => {
    // The user is read before the refresh, which may wait for other tabs: another user may sign in
    // meanwhile.
    asking ??= (await read())?.userId
    const session = await fresh(rejected)
    if (session.userId !== asking) throw notSignedIn()
    return session
  }
}
