import type { AuthClient } from '../client.js'
import { isRefusal } from '../errors.js'
import { ofOneUser } from '../one-user.js'
import { partsOf } from '../parts.js'
import { fraction, platform } from '../platform.js'
import type { TokenKeeper } from '../token-keeper.js'

/**
 * What is needed of a socket of socket.io-client 4. Typed by what is called, so that the client
 * does not depend on it.
 */
export interface SocketIoClientSocket {
  on(event: string, listener: (...values: never[]) => void): unknown
  connect(): unknown
  disconnect(): unknown
  /** Whether it comes back by itself. */
  readonly active: boolean
}

/** How a guarded socket lives. */
export interface SocketIoAuthOptions {
  /**
   * Sends a newer token to the host's server, which hands it to `renew`: the socket then outlives
   * the token that it came with. Default: none; the socket connects anew when its token ends.
   */
  readonly renew?: (socket: SocketIoClientSocket, accessToken: string) => void
  /** The sign-in of this socket is over. */
  readonly onEnded?: () => void
}

/** Socket.IO in the name of whoever is signed in. */
export interface SocketIoAuth {
  /** For the options of `io()`: socket.io-client asks it for a token with each connection. */
  readonly auth: (this: unknown, hand: (auth: { token?: string }) => void) => void
  /**
   * Lets a socket connect again after a refusal that is none of its sign-in, and stop when the
   * sign-in is over. Until then, or until it is closed by `disconnect()`, the socket stays with the
   * user whom it first connected: it ends where somebody else has signed in. Answers the socket.
   */
  watch<Socket extends SocketIoClientSocket>(socket: Socket): Socket
}

const tokenExpired = 4408
/** Seconds. */
const longestPause = 30

/**
 * Connects socket.io-client with a client of the router, as guarded by `auth.sockets.socketIo()`.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { socketIoAuth } from 'messaging-auth-router/client/socket-io'
 * import { io } from 'socket.io-client'
 *
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1' })
 * const { auth, watch } = socketIoAuth(client)
 * const socket = watch(io('https://chat.example.com', { auth }))
 * ```
 */
export function socketIoAuth(client: AuthClient, options: SocketIoAuthOptions = {}): SocketIoAuth {
  const { keeper } = partsOf(client)
  const owners = new WeakMap<object, Owner>()
  return {
    // socket.io-client calls it as a method of the socket.
    auth(hand) {
      const owner = owners.get(Object(this))
      // Without a token it is refused, and the refusal is judged below.
      void (owner?.fresh() ?? keeper.fresh()).then(
        ({ accessToken }) => hand({ token: accessToken }),
        () => hand({}),
      )
    },
    watch(socket) {
      const owner = createOwner(keeper)
      owners.set(socket, owner)
      watchSocket(client, owner, options, socket)
      return socket
    },
  }
}

/** The user of one socket. */
interface Owner {
  fresh(): ReturnType<TokenKeeper['fresh']>
  /** The next one who connects may be another. */
  leave(): void
}

function createOwner(keeper: Pick<TokenKeeper, 'read' | 'fresh'>): Owner {
  let own = ofOneUser(keeper)
  return {
    fresh: () => own(),
    leave() {
      own = ofOneUser(keeper)
    },
  }
}

interface Refusal extends Error {
  readonly data?: { readonly code?: string; readonly status?: number }
}

function watchSocket(
  client: Pick<AuthClient, 'check' | 'watchToken'>,
  owner: Owner,
  { renew, onEnded }: SocketIoAuthOptions,
  socket: SocketIoClientSocket,
): void {
  let failures = 0
  let hasExpired = false
  let timer: unknown
  let stopRenewing = () => {}

  const forget = () => {
    platform.clearTimeout(timer)
    stopRenewing()
  }

  function again(): void {
    const pause = Math.min(2 ** failures, longestPause) * (0.5 + fraction())
    failures += 1
    timer = platform.setTimeout(() => void socket.connect(), pause * 1000)
  }

  // Whether the sign-in is over is for the server to say: the token may have been too old, and the
  // server may be away.
  async function judge(): Promise<void> {
    await client.check()
    const isOver = await owner.fresh().then(
      () => false,
      (error: unknown) => isRefusal(error, 'Unauthorized'),
    )
    if (!isOver) return again()
    forget()
    socket.disconnect()
    owner.leave()
    onEnded?.()
  }

  socket.on('connect', () => {
    failures = 0
    forget()
    if (renew !== undefined) stopRenewing = client.watchToken((token) => renew(socket, token))
  })
  // It has been told to stay away, and comes back only when asked.
  socket.on('disconnect', () => {
    forget()
    if (hasExpired) socket.connect()
    else if (!socket.active) owner.leave()
    hasExpired = false
  })
  socket.on('connect_error', ({ data }: Refusal) => {
    // The connection itself failed: socket.io-client tries again by itself.
    if (socket.active) return
    if (data?.status === 401) void judge().catch(again)
    else again()
  })
  // Whatever the server sends along: what is thrown here would end a program.
  socket.on('auth.ended', (told?: { readonly code?: unknown } | null) => {
    hasExpired = told?.code === tokenExpired
    if (!hasExpired) endOf(client, onEnded)
  })
}

function endOf(client: Pick<AuthClient, 'check'>, onEnded: (() => void) | undefined): void {
  void client.check().catch(() => {})
  onEnded?.()
}
