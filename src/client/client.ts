import { type AccountMethods, createAccount } from './account.js'
import { type AuthState, createStateKeeper, type StateKeeper } from './auth-state.js'
import { createAuthorisedFetch, createCallWire } from './authorised.js'
import { createKeptSession } from './kept-session.js'
import { ofOneUser } from './one-user.js'
import { withParts } from './parts.js'
import { type BasicFetch, type BasicInit, type BasicResponse, platform } from './platform.js'
import { createRetry, type Retry } from './retry.js'
import { createSignIn, type SignIn } from './sign-in.js'
import { type AuthSocket, type AuthSocketOptions, createSocket } from './socket.js'
import { createTokenKeeper, type TokenKeeper } from './token-keeper.js'
import { memoryStore, type TokenStore } from './token-store.js'
import { createTransport, type Transport } from './transport.js'
import { watchTokens } from './watch-tokens.js'
import type { PublicKeys } from './wire.js'

export type { AccountMethods } from './account.js'
export type { AuthState } from './auth-state.js'
export { AuthClientError, type AuthClientErrorCode, type WireErrorName } from './errors.js'
export type { CodeNeeded, Credentials, SignInResult } from './sign-in.js'
export type { AuthSocket, AuthSocketOptions, AuthSocketStatus } from './socket.js'
export { localStorageStore, memoryStore, type TokenStore } from './token-store.js'

/** `Response` where the program has that type, else what every answer has. */
export type ClientResponse = typeof globalThis extends {
  Response: { prototype: infer Response }
}
  ? Response
  : BasicResponse

/** What `fetch` takes besides an address where the program has that type. */
export type ClientRequestInit = typeof globalThis extends {
  fetch: (input: never, init?: infer Init) => unknown
}
  ? NonNullable<Init>
  : BasicInit

/** Options of {@link createAuthClient}. */
export interface AuthClientOptions {
  /**
   * Where the router is mounted, such as `https://chat.example.com/api/v1`. A page may leave the
   * origin out.
   */
  readonly baseUrl: string
  /**
   * Where the tokens are kept. Default: in memory. All tabs and processes that are one client use
   * one store.
   */
  readonly storage?: TokenStore
  /** Sends requests. Default: that of the runtime. */
  readonly fetch?: (url: string, init: ClientRequestInit) => Promise<ClientResponse>
  /** How long an answer of the router may take. Default 10,000. */
  readonly requestTimeoutMs?: number
  /** How long a server that says it is busy (503) is asked again. Default 60,000. */
  readonly maxWaitMs?: number
  /**
   * Told with each wait for a server that says it is busy, so that people can be told; `seconds` is
   * what it has asked for.
   */
  readonly onBusy?: (seconds: number) => void
  /** Default: that of the system. */
  readonly clock?: () => Date
}

/** A client of one router, with whoever is signed in. */
export interface AuthClient extends AccountMethods {
  /** Whether somebody is signed in. It is `loading` until the store has been read. */
  readonly state: AuthState
  /** Calls back with each change of the state, in whichever tab it began; answers how to stop. */
  onChange(listener: (state: AuthState) => void): () => void
  /**
   * Signs in, and keeps the tokens. Throws AuthClientError: `Unauthorized` for a wrong name or
   * password, `too-many-requests` with `retryAfter`, `forbidden` with the host's reason.
   */
  signIn: SignIn['signIn']
  /**
   * Exchanges an authorization code (RFC 7636) of `authorizationCode()` on another device, or of
   * the server's own page, and keeps the tokens.
   */
  exchangeCode: SignIn['exchange']
  /**
   * Ends the session, and then forgets the tokens. Throws where the server cannot be told, and
   * stays signed in: see {@link AuthClientOptions.maxWaitMs}, and `evenIfUnreachable`. `browser`
   * ends the browser's own sign-in at the server's pages, too.
   */
  signOut: SignIn['signOut']
  /**
   * `fetch` in the name of whoever is signed in, for paths below `baseUrl`. A token that is over is
   * replaced first, once for all requests; one that is refused is replaced and the request sent
   * again, once. 503 is waited out for GET and HEAD. The answer may still be any other.
   *
   * Cookies are left out and redirects refused unless `init` says otherwise. Throws
   * AuthClientError: `Unauthorized` where nobody is signed in, `unreachable`, or what the refresh
   * was answered.
   */
  fetch(path: string, init?: ClientRequestInit): Promise<ClientResponse>
  /** An access token to be used now, for what this client does not know. Throws as `fetch` does. */
  accessToken(): Promise<string>
  /**
   * Keeps the access token fresh, and calls back with each newer one of this browser or process,
   * for sockets that renew. Answers how to stop.
   */
  watchToken(listener: (accessToken: string) => void): () => void
  /**
   * Asks the server whether the sign-in still stands, though its token looks good: after a socket
   * was closed with 4401, for example. Resolves with the state.
   */
  check(): Promise<AuthState>
  /**
   * Opens a WebSocket of the server and keeps it open: buys a ticket for each connection, comes
   * back with growing pauses, and ends with the session (4401).
   *
   * @param path on the origin of `baseUrl`
   */
  socket(path: string, options?: AuthSocketOptions): AuthSocket
  /** The public keys of the server, RFC 7517. */
  publicKeys(): Promise<PublicKeys>
  /** Stops noticing what other tabs do. Nobody is signed out. */
  close(): void
}

/**
 * Makes a client of the router: for browsers, Node 20 and later, and whatever else has `fetch`.
 *
 * @throws TypeError for an option that is unknown or not what it must be
 *
 * @example
 * ```ts
 * import { createAuthClient, localStorageStore } from 'messaging-auth-router/client'
 *
 * const client = createAuthClient({
 *   baseUrl: 'https://chat.example.com/api/v1',
 *   storage: localStorageStore(),
 * })
 * const result = await client.signIn({ user: 'alice', password: 'correct horse battery staple' })
 * if (result.status === 'code-needed') await result.submit('123456')
 * const rooms = await client.fetch('/rooms')
 * ```
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const { baseUrl, storage, fetch, clock, requestTimeoutMs, maxWaitMs, onBusy } = resolve(options)
  const state = createStateKeeper()
  const onReached = state.setReached
  const transportTo = (address: string) =>
    createTransport({ baseUrl: address, fetch, requestTimeoutMs, onReached })
  const transport = transportTo(baseUrl)
  const { withRetry, waitAfter } = createRetry(maxWaitMs, onBusy)
  const kept = createKeptSession(storage, state)
  const keeper = createTokenKeeper({ kept, transport, withRetry, clock })
  const { signIn, signInBy, exchange, signOut } = createSignIn({
    keeper,
    transport,
    withRetry,
    clock,
  })
  const call = createCallWire({ keeper, transport, withRetry })
  const account = createAccount(call, keeper)
  const send = createAuthorisedFetch({ baseUrl, fetch, keeper, waitAfter, onReached })
  const freshToken = async (rejected?: string) => (await keeper.fresh(rejected)).accessToken
  const watchToken = watchTokens(state, freshToken)
  const look = () => void keeper.read().catch(() => {})
  const stopWatching = storage.watch?.(look)
  look()
  const parts = { baseUrl, keeper, call, transport, transportTo, withRetry, signInBy, clock }
  const client: AuthClient = {
    ...account,
    ...withParts(parts),
    get state() {
      return state.state
    },
    onChange: state.onChange,
    signIn,
    exchangeCode: exchange,
    signOut,
    fetch: (path, init) => send(path, init as BasicInit) as Promise<ClientResponse>,
    accessToken: freshToken,
    watchToken,
    check: () => check(keeper, state),
    socket(path, given = {}) {
      const own = { ...keeper, fresh: ofOneUser(keeper) }
      const ask = createCallWire({ keeper: own, transport, withRetry })
      const buyTicket = createAccount(ask, keeper).socketTicket
      const freshOwn = async (rejected?: string) => (await own.fresh(rejected)).accessToken
      return createSocket(
        { url: socketUrl(baseUrl, path), buyTicket, freshToken: freshOwn, watchToken },
        given,
      )
    },
    publicKeys: () => publicKeys(transport, withRetry),
    close: () => stopWatching?.(),
  }
  return client
}

async function check(
  keeper: Pick<TokenKeeper, 'read' | 'fresh'>,
  state: Pick<StateKeeper, 'state'>,
): Promise<AuthState> {
  const session = await keeper.read()
  await keeper.fresh(session?.accessToken).catch(() => {})
  return state.state
}

function publicKeys({ ask }: Transport, withRetry: Retry['withRetry']): Promise<PublicKeys> {
  const request = { method: 'GET', path: '/auth/jwks.json' } as const
  return withRetry(() => ask(request) as Promise<PublicKeys>)
}

type Resolved = Required<Omit<AuthClientOptions, 'fetch'>> & { readonly fetch: BasicFetch }

const names = ['baseUrl', 'storage', 'fetch', 'clock', 'requestTimeoutMs', 'maxWaitMs', 'onBusy']

function resolve(options: AuthClientOptions): Resolved {
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`createAuthClient: no option is named ${unknown}.`)
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  if (!/^(?:https?:\/\/[^/\\\s?#@]+)?(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(baseUrl))
    throw new TypeError('createAuthClient: baseUrl is an http(s) address without a query.')
  return {
    baseUrl,
    storage: options.storage ?? memoryStore(),
    // Looked up with each request, and called as the runtime wants it called.
    fetch: (options.fetch as BasicFetch | undefined) ?? ((url, init) => platform.fetch(url, init)),
    clock: options.clock ?? (() => new Date()),
    requestTimeoutMs: positive('requestTimeoutMs', options.requestTimeoutMs ?? 10_000),
    maxWaitMs: positive('maxWaitMs', options.maxWaitMs ?? 60_000),
    onBusy: options.onBusy ?? (() => {}),
  }
}

function positive(name: string, value: number): number {
  // What runs longer than a timer can count would run out at once.
  if (value > 0 && value < 2 ** 31) return value
  throw new TypeError(`createAuthClient: ${name} is a number of milliseconds above 0.`)
}

function socketUrl(baseUrl: string, path: string): string {
  if (!/^\/(?!\/)/.test(path)) throw new TypeError('client.socket: a path begins with one slash.')
  const origin = /^https?:\/\/[^/]+/.exec(baseUrl)?.[0] ?? platform.location?.origin ?? ''
  return `${origin.replace(/^http/, 'ws')}${path}`
}
