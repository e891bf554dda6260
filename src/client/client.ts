import { type AccountMethods, createAccount } from './account.js'
import {
  createDeleteAccount,
  createMailed,
  createRegistration,
  createSignInByCode,
  type DeleteAccount,
  type MailedMethods,
  type RegistrationMethods,
  type SignInByCode,
} from './accounts.js'
import { type AuthState, createStateKeeper, type StateKeeper } from './auth-state.js'
import { createAuthorisedFetch, createCallWire, ofOneUser } from './authorised.js'
import { createKeptSession } from './kept-session.js'
import { withParts } from './parts.js'
import {
  type BasicFetch,
  type BasicInit,
  type BasicResponse,
  originOf,
  platform,
} from './platform.js'
import { createSignIn, type SignIn } from './sign-in.js'
import { type AuthSocket, type AuthSocketOptions, createSocket } from './socket.js'
import { createTokenKeeper, type TokenKeeper } from './token-keeper.js'
import { memoryStore, type TokenStore } from './token-store.js'
import { createRetry, createTransport, type Retry, type Transport } from './transport.js'
import type { PublicKeys } from './wire.js'

export type { AccountMethods } from './account.js'
export type {
  DeleteAccount,
  Deletion,
  MailedCode,
  RegistrationCode,
  RegistrationMethods,
  SignInByCode,
} from './accounts.js'
export type { AuthState } from './auth-state.js'
export { AuthClientError, type AuthClientErrorCode, type WireErrorName } from './errors.js'
export type { CodeNeeded, Credentials, SignInResult } from './sign-in.js'
export type { AuthSocket, AuthSocketOptions, AuthSocketStatus } from './socket.js'
export { localStorageStore, memoryStore, type TokenStore } from './token-store.js'
export type { AcceptanceDocument, RequiredAction } from './wire.js'

/** The global `Response` if the program has that type, else the members used here. */
export type ClientResponse = typeof globalThis extends {
  Response: { prototype: infer Response }
}
  ? Response
  : BasicResponse

/** The second argument of the global `fetch` if the program has its type. */
export type ClientRequestInit = typeof globalThis extends {
  fetch: (input: never, init?: infer Init) => unknown
}
  ? NonNullable<Init>
  : BasicInit

/** Options of {@link createAuthClient}. */
export interface AuthClientOptions {
  /**
   * The address of the router, such as `https://chat.example.com/api/v1`. A page of the same origin
   * may omit the origin.
   */
  readonly baseUrl: string
  /**
   * Storage of the tokens. Default: memory. All tabs and processes of one client must share one
   * store.
   */
  readonly storage?: TokenStore
  /** Sends requests. Default: `fetch` of the runtime. */
  readonly fetch?: (url: string, init: ClientRequestInit) => Promise<ClientResponse>
  /** Time limit for an answer of the router, in milliseconds. Default 10,000. */
  readonly requestTimeoutMs?: number
  /** How long to retry while the server is busy (503), in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /**
   * Called before each wait for a busy server, for a message to the user. `seconds` is the wait
   * that the server asked for.
   */
  readonly onBusy?: (seconds: number) => void
  /** The time, as a date or as milliseconds like `Date.now`. Default: the system clock. */
  readonly clock?: () => Date | number
}

/** A client of one router, with at most one signed-in user. */
export interface AuthClient extends AccountMethods, MailedMethods, RegistrationMethods {
  /** Whether a user is signed in. `loading` until the store has been read. */
  readonly state: AuthState
  /** Calls the listener at each change of the state, by any tab. Returns how to stop. */
  onChange(listener: (state: AuthState) => void): () => void
  /**
   * Signs in and stores the tokens. Throws AuthClientError: `Unauthorized` for a wrong name or
   * password, `too-many-requests` with `retryAfter`, `forbidden` with the host's reason.
   */
  signIn: SignIn['signIn']
  /**
   * Asks the server to mail a code to sign in with, or to send it to a number, also for one that
   * nobody has. Only if the server has the option `accounts.emailSignIn`, or for a number
   * `accounts.phones.signIn`. Throws `too-many-requests` with `retryAfter`.
   */
  signInByCode: SignInByCode
  /**
   * Exchanges an authorization code (RFC 7636) and stores the tokens. The code comes from
   * `authorizationCode()` on another device, or from the server's own page.
   */
  exchangeCode: SignIn['exchange']
  /**
   * Ends the session, then deletes the tokens. If the server cannot be reached within
   * {@link AuthClientOptions.maxWaitMs}, throws and stays signed in, unless `evenIfUnreachable` is
   * set. `browser` also ends the browser's own sign-in at the server's pages.
   */
  signOut: SignIn['signOut']
  /**
   * `fetch` as the signed-in user, for paths below `baseUrl`. Refreshes an expired token first,
   * once for all requests. If the server refuses the token, refreshes it and repeats once.
   * Waits and repeats GET and HEAD after 503. Resolves with any other answer as it is.
   *
   * Sends no cookies and follows no redirects unless `init` says otherwise. Throws
   * AuthClientError: `Unauthorized` if nobody is signed in, `unreachable`, or the error of the
   * refresh.
   */
  fetch(path: string, init?: ClientRequestInit): Promise<ClientResponse>
  /** A valid access token, for requests outside of this client. Throws as `fetch` does. */
  accessToken(): Promise<string>
  /**
   * Keeps the access token fresh and calls the listener with each newer one, for sockets that
   * renew. Returns how to stop.
   */
  watchToken(listener: (accessToken: string) => void): () => void
  /**
   * Asks the server whether the session is still alive, even if the token has not expired: after a
   * socket was closed with 4401, for example. Resolves with the state.
   */
  check(): Promise<AuthState>
  /**
   * Opens a WebSocket to the server and keeps it open: requests a ticket for each connection,
   * reconnects with growing pauses, and ends with the session (4401).
   *
   * @param path on the origin of `baseUrl`
   */
  socket(path: string, options?: AuthSocketOptions): AuthSocket
  /**
   * Deletes the account of the signed-in user, who has signed in within the last ten minutes or
   * shows a proof. Only if the server has the option `accounts.deletion`. Throws
   * `reauthentication-required`: call it again with a proof.
   */
  deleteAccount: DeleteAccount
  /** The public keys of the server, RFC 7517. */
  publicKeys(): Promise<PublicKeys>
  /** Stops watching other tabs. The user stays signed in. */
  close(): void
}

/**
 * Makes a client of the router: for browsers, Node 20 and later, and other runtimes with `fetch`.
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
  const signingIn = { keeper, kept, transport, withRetry, clock }
  const { signIn, signInBy, exchange, signOut } = createSignIn(signingIn)
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
    ...createMailed(call, transport, withRetry),
    ...createRegistration(transport, withRetry, signInBy),
    ...withParts(parts),
    get state() {
      return state.state
    },
    onChange: state.onChange,
    signIn,
    signInByCode: createSignInByCode(transport, withRetry, signInBy),
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
    deleteAccount: createDeleteAccount(parts),
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

type Resolved = Required<Omit<AuthClientOptions, 'fetch' | 'clock'>> & {
  readonly fetch: BasicFetch
  readonly clock: () => Date
}

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
    // `fetch` is read at each request, since pages may replace it; a bare reference would lose its
    // `this`.
    fetch: (options.fetch as BasicFetch | undefined) ?? ((url, init) => platform.fetch(url, init)),
    clock: () => new Date(options.clock?.() ?? Date.now()),
    requestTimeoutMs: positive('requestTimeoutMs', options.requestTimeoutMs ?? 10_000),
    maxWaitMs: positive('maxWaitMs', options.maxWaitMs ?? 60_000),
    onBusy: options.onBusy ?? (() => {}),
  }
}

function positive(name: string, value: number): number {
  // A timer beyond 2^31 ms fires at once.
  if (value > 0 && value < 2 ** 31) return value
  throw new TypeError(`createAuthClient: ${name} is a number of milliseconds above 0.`)
}

function socketUrl(baseUrl: string, path: string): string {
  if (!/^\/(?!\/)/.test(path)) throw new TypeError('client.socket: a path begins with one slash.')
  return `${originOf(baseUrl).replace(/^http/, 'ws')}${path}`
}

/** Interval of the checks, in milliseconds. Browsers slow it to a minute in hidden tabs. */
const lookMs = 30_000

/**
 * Keeps the token fresh while it has listeners. Without listeners only requests refresh it.
 */
function watchTokens(
  state: Pick<StateKeeper, 'onToken'>,
  freshToken: () => Promise<string>,
): (listener: (accessToken: string) => void) => () => void {
  return function watchToken(listener) {
    let timer: unknown
    const look = () => {
      timer = platform.setTimeout(() => {
        void freshToken().catch(() => {})
        look()
      }, lookMs)
    }
    look()
    const stopListening = state.onToken(listener)
    return () => {
      platform.clearTimeout(timer)
      stopListening()
    }
  }
}
